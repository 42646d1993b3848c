/** Phone numbers (ITU-T E.164) and sender IDs (3GPP TS 23.040 section 9.1.2.5). */

/**
 * A recipient on the wire: `+`, then 7 to 15 digits, the first of which is not 0. ITU-T E.164 allows at most 15 digits, and no country
 * code begins with 0; fewer than 7 digits are short codes, which cannot be reached across borders.
 */
export const E164_PATTERN = /^\+[1-9]\d{6,14}$/;

/** A part of a number that people search by: with a `+` its beginning, otherwise any part. */
export const NUMBER_PART_PATTERN = /^\+?\d{3,15}$/;

/** The kinds of sender ID that a handset shows: a name, or a number that accepts replies. */
export type SenderKind = "alphanumeric" | "numeric";

/** At most 11 characters because the TP-OA field holds 10 octets, that is 11 septets. No space at either end. */
const ALPHANUMERIC_SENDER = /^[A-Za-z0-9._&-](?:[A-Za-z0-9 ._&-]{0,9}[A-Za-z0-9._&-])?$/;
/** From a 3-digit short code up to the 15 digits of E.164. */
const NUMERIC_SENDER = /^\+?\d{3,15}$/;
const LETTER = /[A-Za-z]/;

/** Whether the text is exactly one E.164 number; local formats, spaces and punctuation are not accepted. */
export function isE164(text: string): boolean {
  return E164_PATTERN.test(text);
}

/** A number without its leading `+`. */
export function withoutPlus(e164: string): string {
  return e164.startsWith("+") ? e164.slice(1) : e164;
}

/** The other spelling, with or without `+`, of a sender ID that is a dialable number; null: it has none. */
export function otherSpellingOf(senderId: string): string | null {
  if (isE164(senderId)) return withoutPlus(senderId);
  return isE164(`+${senderId}`) ? `+${senderId}` : null;
}

/** The shortest number without its country code; fewer digits would match many numbers. */
const RECIPIENT_DIGITS_MIN = 7;

/** Whether `claimed`, a number in a provider's notation, perhaps national, is the E.164 number `to`. */
export function isRecipient(to: string, claimed: string): boolean {
  const digits = withoutPlus(claimed).replace(/^0+/, "");
  return digits.length >= RECIPIENT_DIGITS_MIN && withoutPlus(to).endsWith(digits);
}

/** Soft hyphens, joiners and marks of the direction of writing. Address books put the latter around numbers that are copied. */
const INVISIBLE = /[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** A text without characters that nobody sees, and so nobody finds wrong. */
export const withoutInvisible = (text: string): string => text.replace(INVISIBLE, "");

/** With the dashes that word processors put in place of a hyphen. */
const SEPARATORS = /[\s().\-/\u2010-\u2015\u2212]/g;

/** The text of a number without what people, and their programs, put around and between its digits. */
export const withoutSeparators = (text: string): string => withoutInvisible(text).replace(SEPARATORS, "");

/** Prefixes of a number. */
const INTERNATIONAL = /^(?:tel:)?(?:\+|00)?(?=\d)/i;

/**
 * A text read as an E.164 number, with or without a `+`, `00` or `tel:` prefix and with separators; null for anything else (a
 * name, a short code, a number that begins with 0). The first digits are assumed to be a country code; number-notation.ts, which reads
 * numbers written by people, does not assume that.
 */
export function asInternational(text: string): string | null {
  const number = `+${withoutSeparators(text).replace(INTERNATIONAL, "")}`;
  return isE164(number) ? number : null;
}

/**
 * The kind of sender ID that a text is, or `null` when it is not a valid one.
 *
 * `alphanumeric`: up to 11 of `A-Z a-z 0-9 space . _ - &` with at least one letter and no space at either end.
 * `numeric`: 3 to 15 digits, with or without a leading `+`.
 */
export function senderKind(from: string): SenderKind | null {
  if (NUMERIC_SENDER.test(from)) return "numeric";
  return LETTER.test(from) && ALPHANUMERIC_SENDER.test(from) ? "alphanumeric" : null;
}
