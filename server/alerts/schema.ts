import { z } from "zod";
import { DateTime, PageQuery, urlUpTo, wholeMicros } from "../core/wire";

export const ALERT_KINDS = [
  "balance_low",
  "unusual_traffic",
  "endpoint_failing",
  "endpoint_disabled",
  "provider_down",
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** A higher balance would not fit into its column. */
const BALANCE_MAX = 1_000_000_000;
const URL_MAX = 2_048;
/** Default threshold: from this many messages to one country within an hour, traffic may be unusual. */
export const UNUSUAL_TRAFFIC_FROM = 100;
const TRAFFIC_FROM_MAX = 10_000_000;

/**
 * Console: the account's alert settings. `low_balance`: in units of its currency; `unusual_traffic_from`: messages to one country
 * within an hour; null: never.
 */
export const AlertSettings = z.object({
  low_balance: z.number().nullable(),
  unusual_traffic_from: z.number().int().nullable(),
  by_mail: z.boolean(),
  url: z.string().nullable(),
  /** Whether this installation sends emails at all. */
  mail_is_set: z.boolean(),
});
export type AlertSettings = z.output<typeof AlertSettings>;

export const UpdateAlertsInput = z.object({
  low_balance: z.number().positive("must be more than 0").max(BALANCE_MAX).check(wholeMicros).nullable(),
  /** Absent, as from a page of the previous version: unchanged. */
  unusual_traffic_from: z.number().int().min(1, "must be at least 1").max(TRAFFIC_FROM_MAX).nullable().optional(),
  by_mail: z.boolean(),
  url: urlUpTo(URL_MAX, { protocol: /^https?$/, error: "must be an http:// or https:// URL" }).nullable(),
  /** Replaces the signing secret of an unchanged URL. */
  new_secret: z.boolean().optional(),
});
export type UpdateAlertsInput = z.output<typeof UpdateAlertsInput>;

/** `signing_secret`: a new one, in this response only. */
export const UpdatedAlertSettings = AlertSettings.extend({ signing_secret: z.string().nullable() });
export type UpdatedAlertSettings = z.output<typeof UpdatedAlertSettings>;

/** `country`: ISO 3166-1 alpha-2; null: the numbers have none. `highest_before`: of an hour of the week before. */
export const UnusualTraffic = z.object({
  country: z.string().nullable(),
  messages: z.number().int(),
  highest_before: z.number().int(),
});
export type UnusualTraffic = z.output<typeof UnusualTraffic>;

/** Console, and what is posted to the alert URL: a problem has begun (`raised`) or ended (`cleared`). */
export const Alert = z.object({
  id: z.string(),
  object: z.literal("alert"),
  type: z.enum(ALERT_KINDS),
  state: z.enum(["raised", "cleared"]),
  /** The account, the account and a country (`acc_…:DE`), the endpoint or the provider that it is about. */
  subject_id: z.string(),
  /** Of `unusual_traffic`. */
  traffic: UnusualTraffic.optional(),
  text: z.string(),
  created_at: DateTime,
});
export type Alert = z.output<typeof Alert>;

export const ListAlertsQuery = z.object(PageQuery);
export type ListAlertsQuery = z.output<typeof ListAlertsQuery>;
