/**
 * Fraud rules that block a message before it is billed and sent: countries that the account does not send to (country-rules.ts), and
 * floods to one number. Both make SMS pumping unprofitable, where fraudsters trigger messages to share in the termination fees.
 */
import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from "libphonenumber-js/max";
import { HOUR_MS } from "../../core/clock";
import { timeOfId } from "../../core/ids";
import type { Refusal } from "../failure";

/** Messages to one recipient within {@link FLOOD_WINDOW_MS}, of the same text and in all; 0: no limit. */
export type FloodLimits = { identical: number; total: number };

export const FLOOD_WINDOW_MS = HOUR_MS;

/** The sandbox only simulates sending, so default limits do not apply to it. */
const HARMLESS = "sandbox";

/**
 * The country of an E.164 number, ISO 3166-1 alpha-2; null when it has none (satellite phones, international services) or
 * is ambiguous: an invalid number under a calling code that several countries share.
 */
export function countryOf(e164: string): string | null {
  const phone = parsePhoneNumberFromString(e164);
  if (!phone?.country) return null;
  if (phone.isValid()) return phone.country;
  const sharing = getCountries().filter((country) => getCountryCallingCode(country) === phone.countryCallingCode);
  return sharing.length === 1 ? phone.country : null;
}

/** Whether an E.164 number could exist: its calling code is assigned, and its length is one of those in use there. */
export const isInNumberingPlan = (e164: string): boolean => parsePhoneNumberFromString(e164)?.isPossible() ?? false;

/**
 * The flood limits of a message with this chain: the account's own, or else the installation's defaults, which do not apply
 * to simulated sends.
 */
export function floodLimitsOf(
  account: { floodIdentical: number | null; floodTotal: number | null },
  chain: readonly string[],
  defaults: FloodLimits,
): FloodLimits {
  const fallback = chain.every((provider) => provider === HARMLESS) ? { identical: 0, total: 0 } : defaults;
  return {
    identical: account.floodIdentical ?? fallback.identical,
    total: account.floodTotal ?? fallback.total,
  };
}

/** Whether any limit is set. */
export const isLimited = ({ identical, total }: FloodLimits): boolean => identical > 0 || total > 0;

/** The time (ISO 8601) from which the next message may be sent, by the ids of recent ones, oldest first. */
const freeAt = (recent: readonly string[], limit: number): string =>
  new Date(timeOfId(recent[recent.length - limit] ?? "").getTime() + FLOOD_WINDOW_MS).toISOString();

/**
 * Refuses a message that would exceed a flood limit of its recipient; null: it would not.
 * @param recent ids, oldest first, of the recipient's messages within the window: of the same text, and in all.
 */
export function floodRefusal(
  limits: FloodLimits,
  recent: { identical: readonly string[]; total: readonly string[] },
): Refusal | null {
  const refusal = (limit: number, kind: string, ids: readonly string[]): Refusal | null => {
    if (limit === 0 || ids.length < limit) return null;
    const count = `${limit} ${limit === 1 ? "message" : "messages"} ${kind}`;
    const message = `At most ${count} may go to one number within an hour. The next may go at ${freeAt(ids, limit)}.`;
    return { code: "flood_limit", message };
  };
  return (
    refusal(limits.identical, "of the same text", recent.identical) ?? refusal(limits.total, "in all", recent.total)
  );
}
