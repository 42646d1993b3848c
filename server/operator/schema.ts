import { z } from "zod";
import { Account } from "../accounts/schema";
import { PageQuery } from "../core/wire";
import { SENDER_STATUSES, Sender } from "../senders/schema";

/** Operator: a sender with the account it belongs to. */
export const ReviewedSender = Sender.extend({ account_id: z.string(), account_name: z.string() });
export type ReviewedSender = z.output<typeof ReviewedSender>;

export const ListReviewsQuery = z.object({ status: z.enum(SENDER_STATUSES).optional(), ...PageQuery });
export type ListReviewsQuery = z.output<typeof ListReviewsQuery>;

export const DecideSenderInput = z.object({
  id: z.string(),
  decision: z.enum(["approved", "rejected", "suspended"]),
  note: z.string().max(255).optional(),
});
export type DecideSenderInput = z.output<typeof DecideSenderInput>;

export const ListAccountsQuery = z.object({ search: z.string().max(100).optional(), ...PageQuery });
export type ListAccountsQuery = z.output<typeof ListAccountsQuery>;

/** Operator: an account with the money reserved for messages that no provider has taken yet. */
export const OperatedAccount = Account.extend({ held: z.number() });
export type OperatedAccount = z.output<typeof OperatedAccount>;

const AMOUNT_MAX = 1_000_000_000;

export const CreditAccountInput = z.object({
  account_id: z.string(),
  amount: z
    .number()
    .min(-AMOUNT_MAX)
    .max(AMOUNT_MAX)
    .describe("Units of the account's currency; negative corrects downwards."),
  note: z.string().max(255).optional(),
});
export type CreditAccountInput = z.output<typeof CreditAccountInput>;
