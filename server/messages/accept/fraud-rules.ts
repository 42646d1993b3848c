/**
 * What holds a message back before it is paid and sent: countries that the account does not send to, and floods to one
 * number. Both take the profit from whoever makes a service send in order to share in the fees (SMS pumping).
 */
import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from "libphonenumber-js/max";
import { HOUR_MS } from "../../core/clock";
import { timeOfId } from "../../core/ids";

/** Why a message fails at once, free of charge: the `error` that it carries. */
export type Refusal = { code: string; message: string };

/** Messages to one recipient within {@link FLOOD_WINDOW_MS}, of the same text and in all; 0: no limit. */
export type FloodLimits = { identical: number; total: number };

export const FLOOD_WINDOW_MS = HOUR_MS;

/** The carrier that only pretends to send: nobody is reached, so no default limit protects anybody. */
const HARMLESS = "sandbox";

export const BLOCKLISTED: Refusal = {
  code: "blocklisted",
  message: "This number does not want messages from this sender; it is among the account's suppressions.",
};

/**
 * The country of an E.164 number, ISO 3166-1 alpha-2; null when it has none (satellite phones, international services) or
 * when it cannot be told: a number that its numbering plan does not know, under a calling code that countries share.
 */
export function countryOf(e164: string): string | null {
  const phone = parsePhoneNumberFromString(e164);
  if (!phone?.country) return null;
  if (phone.isValid()) return phone.country;
  const sharing = getCountries().filter((country) => getCountryCallingCode(country) === phone.countryCallingCode);
  return sharing.length === 1 ? phone.country : null;
}

/** Why an account that may send to `allowed` countries only does not send to the number; null: it does. */
export function countryRefusal(allowed: readonly string[], to: string): Refusal | null {
  if (allowed.length === 0) return null;
  const country = countryOf(to);
  if (country !== null && allowed.includes(country)) return null;
  const which = country === null ? "a number of no known country" : `numbers of the country ${country}`;
  return { code: "country_not_allowed", message: `This account may not send to ${which}.` };
}

/**
 * The limits that hold for a message with this chain of providers: the account's own, and for what it has none of the
 * installation's defaults, unless the message reaches nobody.
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

/** Whether any limit holds. */
export const isLimited = ({ identical, total }: FloodLimits): boolean => identical > 0 || total > 0;

/** When the next message may go, by the ids of those that went, oldest first. */
const freeAt = (went: readonly string[], limit: number): string =>
  new Date(timeOfId(went[went.length - limit] ?? "").getTime() + FLOOD_WINDOW_MS).toISOString();

/**
 * Why one more message to a recipient is one too many; null: it is not.
 * @param went ids, oldest first, of the messages that went to the recipient within the window: of the same text, in all.
 */
export function floodRefusal(
  limits: FloodLimits,
  went: { identical: readonly string[]; total: readonly string[] },
): Refusal | null {
  const refusal = (limit: number, what: string, ids: readonly string[]): Refusal | null => {
    if (limit === 0 || ids.length < limit) return null;
    const count = `${limit} ${limit === 1 ? "message" : "messages"} ${what}`;
    const message = `At most ${count} may go to one number within an hour. The next may go at ${freeAt(ids, limit)}.`;
    return { code: "flood_limit", message };
  };
  return refusal(limits.identical, "of the same text", went.identical) ?? refusal(limits.total, "in all", went.total);
}
