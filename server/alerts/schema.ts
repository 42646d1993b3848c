import { z } from "zod";
import { DateTime, PageQuery, urlUpTo } from "../core/wire";

export const ALERT_KINDS = ["balance_low", "endpoint_failing", "endpoint_disabled", "provider_down"] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** A higher balance would not fit into its column. */
const BALANCE_MAX = 1_000_000_000;
const URL_MAX = 2_048;

/** Console: the account's alert settings. `low_balance`: in units of its currency; null: never. */
export const AlertSettings = z.object({
  low_balance: z.number().nullable(),
  by_mail: z.boolean(),
  url: z.string().nullable(),
  /** Whether this installation sends emails at all. */
  mail_is_set: z.boolean(),
});
export type AlertSettings = z.output<typeof AlertSettings>;

export const UpdateAlertsInput = z.object({
  low_balance: z.number().positive("must be more than 0").max(BALANCE_MAX).nullable(),
  by_mail: z.boolean(),
  url: urlUpTo(URL_MAX, { protocol: /^https?$/, error: "must be an http:// or https:// URL" }).nullable(),
  /** Replaces the signing secret of a URL that stays. */
  new_secret: z.boolean().optional(),
});
export type UpdateAlertsInput = z.output<typeof UpdateAlertsInput>;

/** `signing_secret`: a new one, in this response only. */
export const UpdatedAlertSettings = AlertSettings.extend({ signing_secret: z.string().nullable() });
export type UpdatedAlertSettings = z.output<typeof UpdatedAlertSettings>;

/** Console, and what is posted to the alert URL: a problem has begun (`raised`) or ended (`cleared`). */
export const Alert = z.object({
  id: z.string(),
  object: z.literal("alert"),
  type: z.enum(ALERT_KINDS),
  state: z.enum(["raised", "cleared"]),
  /** The account, endpoint or provider that it is about. */
  subject_id: z.string(),
  text: z.string(),
  created_at: DateTime,
});
export type Alert = z.output<typeof Alert>;

export const ListAlertsQuery = z.object(PageQuery);
export type ListAlertsQuery = z.output<typeof ListAlertsQuery>;
