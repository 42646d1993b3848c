import type { Account as AccountRow, Sender as SenderRow, Suppression } from "@/prisma/generated/client";
import { presentAccount, presentCap } from "../accounts/present";
import { fromMicros } from "../core/wire";
import { accountName } from "../members/present";
import type { Message } from "../messages/schema";
import { presentSender } from "../senders/present";
import type { LedgerEntry, OperatedMessage } from "./account-schema";
import type { OperatedAccount, OperatedSuppression, ReviewedSender } from "./schema";

/** Row -> wire, for operators only: adds the sender's account. */
export const presentReviewedSender = (
  row: SenderRow & { account: { name: string; companyName: string } },
): ReviewedSender => ({
  ...presentSender(row),
  account_id: row.accountId,
  account_name: accountName(row.account),
  max_segments_per_second: row.maxSegmentsPerSecond,
});

/** Row -> wire, for operators only: adds the reserved money and the limits. */
export const presentOperatedAccount = (row: AccountRow): OperatedAccount => ({
  ...presentAccount(row),
  held: fromMicros(row.reservedMicros),
  allowed_countries: row.allowedCountries,
  flood_identical: row.floodIdentical,
  flood_total: row.floodTotal,
  daily_spend_cap: presentCap(row.dailySpendCapMicros),
});

/** Row -> wire, for operators only: adds the name of the account, empty if the account is gone. */
export const presentSuppression = (row: Suppression, nameOfAccount: string): OperatedSuppression => ({
  id: row.id,
  account_id: row.accountId,
  account_name: nameOfAccount,
  number: row.number,
  sender_id: row.senderId || null,
  reason: row.reason,
  note: row.note,
  created_at: row.createdAt.toISOString(),
});

export type LedgerRow = {
  id: bigint | string;
  kind: LedgerEntry["kind"];
  amountMicros: bigint;
  heldMicros: bigint;
  /** The first one of `messages`. */
  messageId: string | null;
  messages: number;
  note: string | null;
  createdAt: Date;
};

/** Row -> wire, for operators only. */
export const presentLedgerEntry = (row: LedgerRow): LedgerEntry => ({
  id: String(row.id),
  kind: row.kind,
  amount: fromMicros(row.amountMicros),
  held: fromMicros(row.heldMicros),
  messages: row.messages,
  message_id: row.messages === 1 ? row.messageId : null,
  note: row.note,
  created_at: row.createdAt.toISOString(),
});

/** For operators only: leaves out the text, the reference and the metadata, which concern only the account. */
export const presentOperatedMessage = (message: Message): OperatedMessage => ({
  id: message.id,
  to: message.to,
  from: message.from,
  status: message.status,
  segments: message.segments,
  cost: message.cost,
  currency: message.currency,
  provider: message.provider,
  error: message.error,
  created_at: message.created_at,
  scheduled_at: message.scheduled_at,
  sent_at: message.sent_at,
});
