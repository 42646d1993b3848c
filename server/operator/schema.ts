import { z } from "zod";
import { CountryCodes } from "../accounts/country-schema";
import { Account, AMOUNT_MAX } from "../accounts/schema";
import { DateTime, EmailAddress, PageQuery, wholeMicros } from "../core/wire";
import { CreatedInvitation } from "../members/schema";
import { ThroughputLimit } from "../providers/operator-schema";
import { SENDER_STATUSES, Sender } from "../senders/schema";

/** Operator: a sender with its account and its throughput limit. */
export const ReviewedSender = Sender.extend({
  account_id: z.string(),
  account_name: z.string(),
  max_segments_per_second: z.number().nullable(),
});
export type ReviewedSender = z.output<typeof ReviewedSender>;

export const ListReviewsQuery = z.object({
  status: z.enum(SENDER_STATUSES).optional(),
  search: z.string().max(100).optional(),
  ...PageQuery,
});
export type ListReviewsQuery = z.output<typeof ListReviewsQuery>;

export const DecideSenderInput = z.object({
  id: z.string(),
  decision: z.enum(["approved", "rejected", "suspended"]),
  note: z.string().max(255).optional(),
});
export type DecideSenderInput = z.output<typeof DecideSenderInput>;

export const ThrottleSenderInput = z.object({ id: z.string(), max_segments_per_second: ThroughputLimit });
export type ThrottleSenderInput = z.output<typeof ThrottleSenderInput>;

export const ListAccountsQuery = z.object({ search: z.string().max(100).optional(), ...PageQuery });
export type ListAccountsQuery = z.output<typeof ListAccountsQuery>;

/**
 * Operator: an account with its limits, and `held`: money reserved for messages that no provider has accepted yet.
 * `allowed_countries` empty: all. `flood_…`: messages to one recipient per hour; null: the installation's default, 0: no
 * limit. `daily_spend_cap` per UTC day; null: none.
 */
export const OperatedAccount = Account.extend({
  held: z.number(),
  allowed_countries: z.array(z.string()),
  flood_identical: z.number().int().nullable(),
  flood_total: z.number().int().nullable(),
  daily_spend_cap: z.number().nullable(),
});
export type OperatedAccount = z.output<typeof OperatedAccount>;

/** Operator: an account in a list. `has_members` false: nobody has accepted the invitation to own it. */
export const ListedAccount = OperatedAccount.extend({ has_members: z.boolean() });
export type ListedAccount = z.output<typeof ListedAccount>;

/** The owner of an account that an operator makes; they choose name and password through the link of the invitation. */
export const NewAccountInput = z.object({
  company_name: z.string().trim().min(1, "must be given").max(100),
  email: EmailAddress,
});
export type NewAccountInput = z.output<typeof NewAccountInput>;

/** The invitation to own an account; `link` as in {@link CreatedInvitation}. */
export const OwnerInvitation = CreatedInvitation;

export const MadeAccount = z.object({ account: OperatedAccount, invitation: OwnerInvitation });
export type MadeAccount = z.output<typeof MadeAccount>;

export const InviteOwnerInput = z.object({ account_id: z.string().max(64), email: EmailAddress });
export type InviteOwnerInput = z.output<typeof InviteOwnerInput>;

export const CreditAccountInput = z.object({
  account_id: z.string(),
  amount: z
    .number()
    .min(-AMOUNT_MAX)
    .max(AMOUNT_MAX)
    .check(wholeMicros)
    .describe("Amount in units of the account's currency; may be negative."),
  note: z.string().max(255).optional(),
});
export type CreditAccountInput = z.output<typeof CreditAccountInput>;

export const AccountStatusInput = z.object({ account_id: z.string(), status: Account.shape.status });
export type AccountStatusInput = z.output<typeof AccountStatusInput>;

const FLOOD_MAX = 1_000_000;

const Flood = z.number().int().min(0).max(FLOOD_MAX).nullable();

/** All limits of an account; for the meaning of the values see {@link OperatedAccount}. */
export const LimitAccountInput = z.object({
  account_id: z.string(),
  allowed_countries: CountryCodes,
  flood_identical: Flood,
  flood_total: Flood,
  daily_spend_cap: z.number().min(0).max(AMOUNT_MAX).check(wholeMicros).nullable(),
});
export type LimitAccountInput = z.output<typeof LimitAccountInput>;

/** `number`: first digits of the number, with or without the plus. */
export const ListSuppressionsQuery = z.object({ number: z.string().max(40).optional(), ...PageQuery });
export type ListSuppressionsQuery = z.output<typeof ListSuppressionsQuery>;

/** Operator: a suppression with its account; `sender_id` null: every sender of the account. */
export const OperatedSuppression = z.object({
  id: z.string(),
  account_id: z.string(),
  account_name: z.string(),
  number: z.string(),
  sender_id: z.string().nullable(),
  reason: z.string(),
  note: z.string().nullable(),
  created_at: DateTime,
});
export type OperatedSuppression = z.output<typeof OperatedSuppression>;
