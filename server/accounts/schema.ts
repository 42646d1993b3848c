import { z } from "zod";
import { DateTime, kindOf, LiveMode, wholeMicros } from "../core/wire";
import { CountryCodes } from "./country-schema";

const TimeOfDay = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "must be a time of day from 00:00 to 23:59, such as 21:00");

/** Start and end by the recipient's clock; an end before the start is on the next day. */
export const QuietHours = z.object({
  starts_at: TimeOfDay.describe("Start by the recipient's clock, HH:MM."),
  ends_at: TimeOfDay.describe("End by the recipient's clock, HH:MM; before `starts_at`: on the next day."),
});
export type QuietHours = z.output<typeof QuietHours>;

/** The largest amount of money in a request. */
export const AMOUNT_MAX = 1_000_000_000;

const CountryRule = z.object({
  rule: z.enum(["only", "except"]).describe("`only`: to `countries` and nowhere else; `except`: to all but them."),
  countries: z.array(z.string()).describe("ISO 3166-1 alpha-2 codes, in alphabetical order."),
});
export type CountryRule = z.output<typeof CountryRule>;

/**
 * Limits on where an account sends and how much it spends. A message must be within those of the owners and those of the operator.
 */
export const SendingLimits = z.object({
  countries: CountryRule.nullable().describe(
    "Countries that the account's owners send to; null: all that the operator allows.",
  ),
  daily_spend_cap: z
    .number()
    .nullable()
    .describe(
      "The most that the owners let the account spend in a UTC day, in units of `currency`; null: no cap of theirs.",
    ),
  operator: z
    .object({
      allowed_countries: z.array(z.string()).describe("Countries that the operator allows; empty: all."),
      daily_spend_cap: z
        .number()
        .nullable()
        .describe("The operator's cap for a UTC day, in units of `currency`; null: none."),
    })
    .describe("Limits that only the operator can change. The narrower limit applies."),
});
export type SendingLimits = z.output<typeof SendingLimits>;

export const Account = z.object({
  id: z.string().describe("Account id, prefix acc_."),
  object: kindOf("account"),
  livemode: LiveMode,
  email: z.string().describe("Contact address."),
  name: z.string().describe("Name of the account's owner."),
  company_name: z.string().describe("Company; empty: not given."),
  country: z.string().describe("Country, two letters; empty: not given."),
  status: z.enum(["active", "suspended"]).describe("A suspended account can read but not send."),
  kyc_verified: z.boolean().describe("Whether the operator has verified the customer's identity."),
  balance: z.number().describe("Available balance, in units of `currency`."),
  currency: z.string().describe("ISO 4217 code."),
  quiet_hours: QuietHours.nullable().describe("Hours in which messages wait instead of being sent; null: none."),
  sending_limits: SendingLimits.describe("Where the account may send, and for how much a day."),
  text_retention_days: z
    .number()
    .int()
    .nullable()
    .describe(
      "Days for which the texts of messages are kept after the messages have ended, as the account's owners set it; null: as " +
        "long as the operator keeps them.",
    ),
  created_at: DateTime.describe("Time when the account was created, ISO 8601."),
});
export type Account = z.output<typeof Account>;

/** Console: the account's own description; omitted fields keep their values. */
export const ProfileInput = z.object({
  name: z.string().trim().min(1, "must not be empty").max(100).optional(),
  company_name: z.string().trim().max(100).optional(),
  country: z
    .string()
    .regex(/^(?:[A-Z]{2})?$/, "must be two capital letters, such as DE, or empty")
    .optional(),
});
export type ProfileInput = z.output<typeof ProfileInput>;

/** Console: null switches quiet hours off. */
export const QuietHoursInput = z.object({
  quiet_hours: QuietHours.refine(({ starts_at, ends_at }) => starts_at !== ends_at, {
    path: ["ends_at"],
    message: "must differ from the start",
  }).nullable(),
});
export type QuietHoursInput = z.output<typeof QuietHoursInput>;

/** Console: null for all countries that the operator allows. */
export const CountriesInput = z.object({
  countries: CountryRule.extend({ countries: CountryCodes.min(1, "must name at least one country") }).nullable(),
});
export type CountriesInput = z.output<typeof CountriesInput>;

/** Console: units of the account's currency per UTC day; null: no cap but the operator's, 0: nothing that costs money. */
export const DailySpendCapInput = z.object({
  daily_spend_cap: z.number().min(0).max(AMOUNT_MAX).check(wholeMicros).nullable(),
});
export type DailySpendCapInput = z.output<typeof DailySpendCapInput>;

const TEXT_RETENTION_DAYS_MAX = 3_650;

/** Console: null for as long as the operator keeps texts. */
export const TextRetentionInput = z.object({
  text_retention_days: z.number().int().min(1).max(TEXT_RETENTION_DAYS_MAX).nullable(),
});
export type TextRetentionInput = z.output<typeof TextRetentionInput>;

export const Balance = z.object({
  object: kindOf("balance"),
  livemode: LiveMode,
  balance: z.number().describe("Available balance, in units of `currency`."),
  currency: z.string().describe("ISO 4217 code."),
  as_of: DateTime.describe("Time when the balance was read, ISO 8601."),
});
export type Balance = z.output<typeof Balance>;

export const USAGE_PERIODS = ["day", "month", "all"] as const;

export const UsageQuery = z.object({
  period: z.enum(USAGE_PERIODS).default("month").describe("Current UTC day, current UTC month, or all time."),
});

const StatusCounts = z.object({
  pending: z.number().int().describe("Messages that no provider has accepted yet."),
  sent: z.number().int().describe("Messages that a provider accepted, without a final receipt yet."),
  delivered: z.number().int().describe("Messages that the carrier confirmed as delivered."),
  failed: z.number().int().describe("Messages that no provider accepted, or that the carrier rejected for good."),
  undelivered: z.number().int().describe("Messages that a provider accepted but that did not reach the handset."),
});

export const Usage = z.object({
  object: kindOf("usage"),
  period: z.enum(USAGE_PERIODS).describe("The requested period."),
  starts_at: DateTime.describe("Start of the period, inclusive, ISO 8601."),
  ends_at: DateTime.describe("End of the period, exclusive, ISO 8601."),
  currency: z.string().describe("ISO 4217 code."),
  totals: z
    .object({
      messages: z.number().int().describe("Messages accepted in the period."),
      cost: z.number().describe("Cost of these messages after refunds, in units of `currency`."),
    })
    .describe("Sums over the period."),
  by_status: StatusCounts.describe("Messages accepted in the period, by current status."),
});
export type Usage = z.output<typeof Usage>;

/** Console: one row per UTC day, oldest first, including days without messages. */
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
