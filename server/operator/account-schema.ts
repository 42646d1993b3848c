import { z } from "zod";
import { UsageSeries } from "../accounts/schema";
import { UnusualTraffic } from "../alerts/schema";
import { ApiKeyDetail } from "../api-keys/schema";
import { DateTime, PageQuery } from "../core/wire";
import { Invitation, Member } from "../members/schema";
import { Message } from "../messages/schema";
import { OperatedAccount } from "./schema";

const LEDGER_LIMIT_DEFAULT = 10;
const LEDGER_LIMIT_MAX = 100;

/**
 * Operator: an account with its people, its keys, its usage of the last 30 days, and alerts on its traffic that are raised.
 * `owner_invitation`: the open one of an account that nobody owns yet.
 */
export const OperatedAccountDetail = OperatedAccount.extend({
  members: z.array(Member.pick({ id: true, name: true, email: true, role: true })),
  owner_invitation: Invitation.nullable(),
  keys: z.array(ApiKeyDetail),
  days: UsageSeries,
  unusual_traffic: z.array(UnusualTraffic),
});
export type OperatedAccountDetail = z.output<typeof OperatedAccountDetail>;

export const OperatedAccountPath = z.object({ account_id: z.string().max(64) });
export type OperatedAccountPath = z.output<typeof OperatedAccountPath>;

/** `cursor`: id of the last entry already read. */
export const LedgerQuery = OperatedAccountPath.extend({
  cursor: z
    .string()
    .regex(/^\d{1,18}$/)
    .optional(),
  limit: z.number().int().min(1).max(LEDGER_LIMIT_MAX).default(LEDGER_LIMIT_DEFAULT),
});
export type LedgerQuery = z.output<typeof LedgerQuery>;

/**
 * Operator: an entry of the ledger. `amount` and `held`: changes of the balance and of the reserved money, in units of the
 * account's currency. `messages`: how many it is about; `message_id`: the one, if it is about one.
 */
export const LedgerEntry = z.object({
  id: z.string(),
  kind: z.enum(["credit", "reserve", "settle", "refund"]),
  amount: z.number(),
  held: z.number(),
  messages: z.number().int(),
  message_id: z.string().nullable(),
  note: z.string().nullable(),
  created_at: DateTime,
});
export type LedgerEntry = z.output<typeof LedgerEntry>;

/** `next`: cursor of the earlier entries; null: there are none. */
export const Ledger = z.object({ items: z.array(LedgerEntry), next: z.string().nullable() });
export type Ledger = z.output<typeof Ledger>;

export const OperatedMessagesQuery = OperatedAccountPath.extend(PageQuery);
export type OperatedMessagesQuery = z.output<typeof OperatedMessagesQuery>;

/** Operator: a message without its text, and without what the account attached to it. */
export const OperatedMessage = Message.pick({
  id: true,
  to: true,
  from: true,
  status: true,
  segments: true,
  cost: true,
  currency: true,
  provider: true,
  error: true,
  created_at: true,
  scheduled_at: true,
  sent_at: true,
});
export type OperatedMessage = z.output<typeof OperatedMessage>;
