/** Numbers as people and providers write them; the API accepts only E.164. */
import { isValidPhoneNumber } from "libphonenumber-js";
import { asInternational, withoutInvisible } from "./phone";

/** Prefixes that are followed by a country code. */
const PREFIXED = /^(?:tel:)?[\s(]*(?:\+|00)/i;

const isPrefixed = (text: string): boolean => PREFIXED.test(withoutInvisible(text).trim());

/** Ten digits as a number of the USA, Canada and the Caribbean has them without its country code, 1. */
const NORTH_AMERICAN = /^\+[2-9]\d{2}[2-9]\d{6}$/;

/**
 * The number that a person has written; null: none, or one without its country code. Such a number must not become another
 * country's: `(415) 555-0123` is not a Swiss number. So without `+` or `00` a number counts only if it is valid in the
 * country that its first digits name, and does not look like a North American one.
 */
export function e164OfTyped(text: string): string | null {
  const number = asInternational(text);
  if (number === null || isPrefixed(text)) return number;
  return !NORTH_AMERICAN.test(number) && isValidPhoneNumber(number) ? number : null;
}

/**
 * The number that a provider has reported; null: none. Many providers write no `+`, so without one it counts as international, too.
 * Ten digits that are no country's number, but would be a North American one without its country code, are not accepted.
 */
export function e164OfProvider(text: string): string | null {
  const number = asInternational(text);
  if (number === null || isPrefixed(text) || !NORTH_AMERICAN.test(number)) return number;
  return isValidPhoneNumber(number) ? number : null;
}
