/** Console: what an account's overview shows. Money in units of `currency`. */
import { z } from "zod";
import { UsageSeries } from "../accounts/schema";
import { UnusualTraffic } from "../alerts/schema";
import { DateTime } from "../core/wire";

/** UTC days of a period that ends today. */
const PERIOD_DAYS = [1, 7, 30, 90] as const;

export const OverviewQuery = z.object({ days: z.literal(PERIOD_DAYS).default(7) });
export type OverviewQuery = z.output<typeof OverviewQuery>;

const count = () => z.number().int();

const Totals = z.object({
  messages: count(),
  segments: count(),
  cost: z.number(),
  pending: count(),
  sent: count(),
  delivered: count(),
  failed: count(),
  undelivered: count(),
});
export type Totals = z.output<typeof Totals>;

/** A period and the one of the same length before it. */
export const Comparison = z.object({ currency: z.string(), current: Totals, previous: Totals });
export type Comparison = z.output<typeof Comparison>;

const Share = z.object({ messages: count(), delivered: count(), failed: count().describe("Failed or undelivered.") });
export type Share = z.output<typeof Share>;

export const Breakdown = z.object({
  looked_at: count().describe("Messages that the shares are of."),
  is_complete: z.boolean().describe("False: the period had more; these are the newest that are left."),
  by_country: z.array(Share.extend({ country: z.string().nullable() })),
  by_sender: z.array(Share.extend({ sender: z.string() })),
  errors: z.array(z.object({ code: z.string(), message: z.string(), messages: count(), last_at: DateTime })),
  errors_are_complete: z.boolean(),
});
export type Breakdown = z.output<typeof Breakdown>;

/** Concerns of an account's owner, the worst first. */
export const Concern = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("account_suspended") }),
  z.object({ kind: z.literal("balance_low"), balance: z.number(), currency: z.string(), days_left: z.number() }),
  UnusualTraffic.extend({
    kind: z.literal("unusual_traffic"),
    number_prefix: z.string().nullable().describe("A filter of the list of messages; null: none fits."),
  }),
  z.object({ kind: z.literal("endpoint_disabled"), id: z.string(), url: z.string() }),
  z.object({ kind: z.literal("endpoint_paused"), id: z.string(), url: z.string(), since: DateTime }),
  z.object({ kind: z.literal("endpoint_failing"), id: z.string(), url: z.string(), failures: count() }),
  z.object({
    kind: z.literal("messages_failing"),
    failed: count(),
    ended: count(),
    usual_share: z.number().nullable(),
  }),
  z.object({ kind: z.literal("messages_waiting"), since: DateTime }),
  z.object({ kind: z.literal("sender_rejected"), sender: z.string(), reason: z.string().nullable() }),
  z.object({ kind: z.literal("key_expiring"), id: z.string(), name: z.string(), expires_at: DateTime }),
]);
export type Concern = z.output<typeof Concern>;
export const Concerns = z.array(Concern);

/**
 * Countries to which an account has sent in the last eight days, the most messages first. `country` null: numbers of no known country.
 * `is_unusual`: an alert on this traffic is raised.
 */
export const SentCountries = z.array(
  z.object({ country: z.string().nullable(), messages: count(), is_unusual: z.boolean() }),
);
export type SentCountries = z.output<typeof SentCountries>;

export const KeyUsageQuery = OverviewQuery.extend({ id: z.string().max(40) });
export type KeyUsageQuery = z.output<typeof KeyUsageQuery>;

/** Messages that were accepted with a key, by UTC day. */
export const KeyUsage = z.object({
  currency: z.string(),
  series: UsageSeries,
  looked_at: count().describe("Messages that the series counts."),
  is_complete: z
    .boolean()
    .describe("False: the period had more, of this key or another; these are the newest that are left."),
  used_today: count().nullable().describe("Against its limit for the UTC day; null: it has none."),
  used_this_month: count().nullable().describe("Against its limit for the UTC month; null: it has none."),
});
export type KeyUsage = z.output<typeof KeyUsage>;
