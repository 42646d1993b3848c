/** Shared readers of the bodies and queries of callbacks. */
import { z } from "zod";
import { DateTime, isNestedTooDeeply, NESTED_MAX } from "../../core/wire";
import type { Authenticity, Callback } from "../port";

/**
 * Fields of a callback's query or body. Providers send about twenty; fields are read before a signature is checked, so their
 * number is limited.
 */
const FIELDS_MAX = 500;

/** @throws Error past {@link FIELDS_MAX}. */
function requireFew(fields: number): void {
  if (fields > FIELDS_MAX) throw new Error(`The callback has more than ${FIELDS_MAX} fields.`);
}

/** Pairs in a text of `name=value&…`, counted up to one more than a reader takes, and without decoding it. */
function countPairs(text: string): number {
  let pairs = 1;
  for (let at = text.indexOf("&"); at !== -1 && pairs <= FIELDS_MAX; at = text.indexOf("&", at + 1)) pairs += 1;
  return pairs;
}

/** Form fields of a callback's body, decoded, in the order in which they came. @throws Error past 500 of them. */
export function formOf(callback: Callback): URLSearchParams {
  const text = callback.body.toString("utf8");
  requireFew(countPairs(text));
  return new URLSearchParams(text);
}

/** Query of a callback's URL, decoded. @throws Error past 500 fields. */
export function queryOf(callback: Callback): URLSearchParams {
  const { search } = new URL(callback.url);
  requireFew(countPairs(search));
  return new URLSearchParams(search);
}

/** Each name once with all of its values; names and values are sorted by their UTF-16 units, as signatures have them. */
export function sortedFields(fields: URLSearchParams): [name: string, values: string[]][] {
  const byName = new Map<string, string[]>();
  for (const [name, value] of fields) {
    const values = byName.get(name);
    if (values) values.push(value);
    else byName.set(name, [value]);
  }
  return [...byName].sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, values]) => [name, values.sort()]);
}

/** Our reference to the attempt, from the query of the receipt URL. */
export const referenceOf = (callback: Callback): string | null => queryOf(callback).get("ref") || null;

/** A callback's body as a text, without a byte order mark, which JSON.parse does not take. */
export const textOf = (callback: Callback): string => new TextDecoder().decode(callback.body);

/** Values of a body in JSON: more than any genuine one has, and few enough that parsing them delays nobody. */
const VALUES_MAX = 65_536;

/**
 * JSON of a callback's body.
 * @throws SyntaxError, and Error past 65,536 values, counted by commas, also those within texts, or past 100 levels of nesting.
 */
export function jsonOf(callback: Callback): unknown {
  const { body } = callback;
  let commas = 0;
  for (let at = body.indexOf(","); at !== -1 && commas <= VALUES_MAX; at = body.indexOf(",", at + 1)) commas += 1;
  if (commas > VALUES_MAX) throw new Error(`The callback has more than ${VALUES_MAX} values.`);
  if (isNestedTooDeeply(body)) throw new Error(`The callback is nested more than ${NESTED_MAX} levels deep.`);
  return JSON.parse(textOf(callback));
}

/** Fields of a callback: of its query for GET, else of its form. */
export const queryOrFormOf = (callback: Callback): URLSearchParams =>
  callback.method === "GET" ? queryOf(callback) : formOf(callback);

/**
 * Fields of a callback in the query, a form or JSON: the account's configuration decides. Of JSON only texts, numbers
 * and booleans count. @throws Error for JSON that is not an object, and for more than 500 fields.
 */
export function fieldsOf(callback: Callback): URLSearchParams {
  if (!callback.headers["content-type"]?.includes("json")) return queryOrFormOf(callback);
  if (callback.method === "GET") return queryOf(callback);
  const pairs = Object.entries(z.looseObject({}).parse(jsonOf(callback)));
  requireFew(pairs.length);
  return new URLSearchParams(
    pairs.flatMap(([name, value]) =>
      ["string", "number", "boolean"].includes(typeof value) ? [[name, String(value)]] : [],
    ),
  );
}

/** A required field. @throws Error when it is missing or empty. */
export function requiredField(fields: URLSearchParams, name: string): string {
  const value = fields.get(name);
  if (!value) throw new Error(`The callback has no ${name}.`);
  return value;
}

/** Year 0 and offsets of 16 hours or more, neither of which the database can store. */
const UNSTORABLE_TIME = /^0000|[+-](?:1[6-9]|2\d):\d\d$/;
/** The database reads times of about twice this length; one that it cannot read would fail all receipts that are stored with it. */
const TIME_MAX = 64;

/** ISO 8601 with offset, in the years 1 to 9999 in UTC; anything else is null. */
export const wireTime = DateTime.refine((text) => text.length <= TIME_MAX && !UNSTORABLE_TIME.test(text))
  .nullish()
  .transform((text) => text ?? null)
  .catch(null);

/** Converts a time in milliseconds, or in another notation than ISO 8601; null when it is invalid. */
export const isoOf = (time: string | number): string | null => {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? null : wireTime.parse(date.toISOString());
};

/** The callback is not the provider's own. */
export const forged = (detail: string): Authenticity => ({ kind: "forged", detail });

/** The digits of a number: providers write it with and without `+`. */
export const digitsOf = (number: string): string => number.replace(/\D/g, "");
