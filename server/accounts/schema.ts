import { z } from "zod";
import { DateTime } from "../core/wire";

export const Account = z.object({
  id: z.string().describe("Account id, prefix acc_."),
  object: z.literal("account"),
  email: z.string().describe("Contact address."),
  name: z.string().describe("Name of the account's owner."),
  company_name: z.string().describe("Company; empty when none was given."),
  country: z.string().describe("Country, two letters; empty when none was given."),
  status: z.enum(["active", "suspended"]).describe("A suspended account reads but does not send."),
  kyc_verified: z.boolean().describe("Whether the operator verified who the customer is."),
  balance: z.number().describe("Money left, in units of `currency`."),
  currency: z.string().describe("ISO 4217 code."),
  created_at: DateTime,
});
export type Account = z.output<typeof Account>;

export const Balance = z.object({
  object: z.literal("balance"),
  balance: z.number().describe("Money left, in units of `currency`."),
  currency: z.string().describe("ISO 4217 code."),
  as_of: DateTime.describe("When the balance was read."),
});
export type Balance = z.output<typeof Balance>;

export const USAGE_PERIODS = ["day", "month", "all"] as const;

export const UsageQuery = z.object({
  period: z.enum(USAGE_PERIODS).default("month").describe("Current UTC day, current UTC month, or everything."),
});

const StatusCounts = z.object({
  pending: z.number().int(),
  sent: z.number().int(),
  delivered: z.number().int(),
  failed: z.number().int(),
  undelivered: z.number().int(),
});

export const Usage = z.object({
  object: z.literal("usage"),
  period: z.enum(USAGE_PERIODS),
  starts_at: DateTime.describe("Start of the period, inclusive."),
  ends_at: DateTime.describe("End of the period, exclusive."),
  currency: z.string().describe("ISO 4217 code."),
  totals: z.object({
    messages: z.number().int().describe("Messages accepted in the period."),
    cost: z.number().describe("What they cost, refunds already taken off."),
  }),
  by_status: StatusCounts.describe("Messages accepted in the period, by their status now."),
});
export type Usage = z.output<typeof Usage>;

/** Console: one row per UTC day, oldest first, days without messages included. */
export const UsageSeries = z.array(
  StatusCounts.extend({
    day: z.string().describe("UTC day, YYYY-MM-DD."),
    messages: z.number().int(),
    segments: z.number().int(),
    cost: z.number(),
  }),
);
export type UsageSeries = z.output<typeof UsageSeries>;

/** Console: `days` ending today. */
export const UsageSeriesQuery = z.object({ days: z.number().int().min(1).max(366).default(30) });
