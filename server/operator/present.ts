import type { Account as AccountRow, Sender as SenderRow } from "@/prisma/generated/client";
import { presentAccount } from "../accounts/present";
import { fromMicros } from "../core/wire";
import { presentSender } from "../senders/present";
import type { OperatedAccount, ReviewedSender } from "./schema";

/** Row -> wire, for operators only: with the account that the sender belongs to. */
export const presentReviewedSender = (row: SenderRow & { account: { name: string } }): ReviewedSender => ({
  ...presentSender(row),
  account_id: row.accountId,
  account_name: row.account.name,
});

/** Row -> wire, for operators only: with what is held for messages in flight. */
export const presentOperatedAccount = (row: AccountRow): OperatedAccount => ({
  ...presentAccount(row),
  held: fromMicros(row.heldMicros),
});
