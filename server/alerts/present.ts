import { fromMicros } from "../core/wire";
import type { Alert, AlertKind, UnusualTraffic } from "./schema";

/** Facts about the subject when the alert was raised, by kind. */
export type AlertDetail = {
  balance_micros?: number;
  threshold_micros?: number;
  currency?: string;
  url?: string;
  failures?: number;
  reason?: string | null;
  /** Empty: the numbers have none. */
  country?: string;
  messages?: number;
  highest_before?: number;
};

export type AlertRow = {
  id: string;
  kind: AlertKind;
  subjectId: string;
  state: Alert["state"];
  detail: AlertDetail;
  createdAt: Date;
};

/** Decimals of whole cents, of prices, and of micro-units. */
const DIGITS = [2, 4, 6] as const;

/** An amount with the decimals that show it exactly: rounded, a balance can look like the threshold that it is below. */
function money(micros = 0, currency = ""): string {
  const amount = fromMicros(micros);
  const exact = amount.toFixed(6);
  const shown = DIGITS.map((digits) => amount.toFixed(digits)).find((text) => Number(text) === Number(exact)) ?? exact;
  return `${shown} ${currency}`.trim();
}

/** The end of the sentence that an endpoint is disabled; empty if a version without reasons disabled it. */
function whyDisabled(reason: string | null | undefined): string {
  if (reason === "gone") return ", because it responded with 410 Gone";
  return reason === "consecutive_failures" ? ", because 25 tries in a row failed" : "";
}

const counts = new Intl.NumberFormat("en-US");
const regions = new Intl.DisplayNames("en", { type: "region" });

const messages = (count = 0): string => `${counts.format(count)} ${count === 1 ? "message" : "messages"}`;

/** Ends `... messages to`. */
const placeOf = (country = ""): string =>
  country === "" ? "numbers of no known country" : (regions.of(country) ?? country);

/** Describes how busy the busiest hour of the week was. */
const atMost = (highest = 0): string =>
  highest === 0
    ? "in the week before it sent none there"
    : `in the week before it was never more than ${counts.format(highest)}`;

/** The numbers of an alert on unusual traffic. */
export const presentTraffic = ({ country, messages = 0, highest_before = 0 }: AlertDetail): UnusualTraffic => ({
  country: country || null,
  messages,
  highest_before,
});

const TEXTS: Readonly<Record<AlertKind, Record<Alert["state"], (detail: AlertDetail, subjectId: string) => string>>> = {
  balance_low: {
    raised: ({ balance_micros, threshold_micros, currency }) =>
      `The balance is ${money(balance_micros, currency)}, below ${money(threshold_micros, currency)}.`,
    cleared: ({ balance_micros, currency }) => `The balance is ${money(balance_micros, currency)} again.`,
  },
  unusual_traffic: {
    raised: ({ country, messages: count, highest_before: highest }) =>
      `This account sent ${messages(count)} to ${placeOf(country)} within an hour; ${atMost(highest)}. If you do not expect them, somebody may be abusing a form of yours (SMS pumping): protect the form or revoke its API key, and limit the countries that the account sends to in the console: Settings, Sending.`,
    cleared: ({ country, messages: count }) =>
      `Traffic to ${placeOf(country)} is no longer unusual: ${messages(count)} within the last hour.`,
  },
  endpoint_failing: {
    raised: ({ url, failures }) => `The webhook endpoint ${url} has failed ${failures} times in a row.`,
    cleared: ({ url }) => `The webhook endpoint ${url} works again.`,
  },
  endpoint_disabled: {
    raised: ({ url, reason }) =>
      `The webhook endpoint ${url} is disabled${whyDisabled(reason)}. Its events are kept until you enable it and recover them.`,
    cleared: ({ url }) => `The webhook endpoint ${url} is enabled again.`,
  },
  provider_down: {
    raised: ({ reason }, id) => `The provider ${id} is not used, because it fails${reason ? `: ${reason}` : "."}`,
    cleared: (_, id) => `The provider ${id} works again.`,
  },
};

/** Row -> wire. */
export const presentAlert = (row: AlertRow): Alert => ({
  id: row.id,
  object: "alert",
  type: row.kind,
  state: row.state,
  subject_id: row.subjectId,
  ...(row.kind === "unusual_traffic" && { traffic: presentTraffic(row.detail) }),
  text: TEXTS[row.kind][row.state](row.detail, row.subjectId),
  created_at: row.createdAt.toISOString(),
});
