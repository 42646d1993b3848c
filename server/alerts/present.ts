import { fromMicros } from "../core/wire";
import type { Alert, AlertKind } from "./schema";

/** Facts about the subject when the alert was raised, by kind. */
export type AlertDetail = {
  balance_micros?: number;
  threshold_micros?: number;
  currency?: string;
  url?: string;
  failures?: number;
  reason?: string | null;
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

/** How the sentence that an endpoint is disabled ends; empty for one that a version without reasons disabled. */
function whyDisabled(reason: string | null | undefined): string {
  if (reason === "gone") return ", because it responded with 410 Gone";
  return reason === "consecutive_failures" ? ", because 25 tries in a row failed" : "";
}

const TEXTS: Readonly<Record<AlertKind, Record<Alert["state"], (detail: AlertDetail, subjectId: string) => string>>> = {
  balance_low: {
    raised: ({ balance_micros, threshold_micros, currency }) =>
      `The balance is ${money(balance_micros, currency)}, below ${money(threshold_micros, currency)}.`,
    cleared: ({ balance_micros, currency }) => `The balance is ${money(balance_micros, currency)} again.`,
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
  text: TEXTS[row.kind][row.state](row.detail, row.subjectId),
  created_at: row.createdAt.toISOString(),
});
