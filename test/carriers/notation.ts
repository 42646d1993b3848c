/** Numbers, senders and receipt URLs as carriers read and write them. */

/** E.164 with `+` of a number in any notation. */
export const toE164 = (number: string): string => `+${number.replace(/\D/g, "")}`;

/** A number in the notation of carriers that omit the `+`. */
export const withoutPlus = (number: string): string => number.replace(/^\+/, "");

/** A sender as recorded in the book: a number with `+`; a name or a short code unchanged. */
export const senderOf = (from: string): string => (/^\+?\d{7,15}$/.test(from) ? toE164(from) : from);

/** Whether it is a number of E.164; the `+` as `plus` says. */
export const isNumber = (value: unknown, plus: "with" | "without" | "either"): value is string => {
  const form = { with: /^\+[1-9]\d{6,14}$/, without: /^[1-9]\d{6,14}$/, either: /^\+?[1-9]\d{6,14}$/ }[plus];
  return typeof value === "string" && form.test(value);
};

/** Whether it is a short code or a name of 2 to 11 characters. */
export const isShortCodeOrName = (value: unknown): value is string =>
  typeof value === "string" && (/^\d{3,8}$/.test(value) || /^(?=.*[A-Za-z])[A-Za-z0-9 ._-]{2,11}$/.test(value));

/** Whether it is a text of `min` to `max` characters. */
export const isText = (value: unknown, min: number, max: number): value is string =>
  typeof value === "string" && value.length >= min && value.length <= max;

/** Names of fields that a carrier does not know. */
export const unknownFields = (value: object, known: readonly string[]): string[] =>
  Object.keys(value).filter((name) => !known.includes(name));

/** Our reference in a receipt URL; null when there is none. */
export const referenceIn = (receiptUrl: string | null | undefined): string | null =>
  receiptUrl ? new URL(receiptUrl).searchParams.get("ref") : null;

/** The URL with another secret in its path, like a guess: of the same length, and otherwise unchanged. */
export function withAnotherSecret(receiptUrl: string): string {
  const url = new URL(receiptUrl);
  const segments = url.pathname.split("/");
  const secret = segments.reduce((longest, segment) => (segment.length > longest.length ? segment : longest), "");
  const other = (secret.startsWith("A") ? "B" : "A") + secret.slice(1);
  url.pathname = segments.map((segment) => (segment === secret ? other : segment)).join("/");
  return url.href;
}

const KEYWORDS = new Map([
  ["STOP", "STOP"],
  ["ARRET", "STOP"],
  ["START", "START"],
  ["HELP", "HELP"],
]);

/** The keyword that a carrier itself recognizes in a text, by its customer's own list with French words; null: none. */
export const carrierKeywordOf = (text: string): string | null => KEYWORDS.get(text.trim().toUpperCase()) ?? null;
