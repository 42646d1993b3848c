import { z } from "zod";
import { type ApiError, invalidRequest } from "./errors";
import { shownName } from "./input-issues";

/** Money on the wire is a decimal number; in the database it is a whole number of micro-units. */
const MICROS_PER_UNIT = 1_000_000;

/** 1,250,000 micro-units -> 1.25. Exact up to nine billion units, far beyond any balance. */
export const fromMicros = (micros: bigint | number): number => Number(micros) / MICROS_PER_UNIT;

/** 1.25 -> 1,250,000 micro-units, rounded to the nearest. */
export const toMicros = (units: number): bigint => BigInt(Math.round(units * MICROS_PER_UNIT));

/** Whether an amount is kept as it is: a seventh decimal would be lost. */
const isWholeMicros = (units: number): boolean => fromMicros(toMicros(units)) === units;

/** The check of an amount of money in a request. */
export const wholeMicros = z.refine<number>(isWholeMicros, "must have at most 6 decimals");

export const isoOrNull = (at: Date | null): string | null => (at ? at.toISOString() : null);

/** The field `object`, which names the kind of an object. */
export const kindOf = <Kind extends string>(kind: Kind) => z.literal(kind).describe(`Kind of the object: \`${kind}\`.`);

/** The field `livemode`. Responses without it, stored for an Idempotency-Key by an earlier version, are of live mode. */
export const LiveMode = z.boolean().default(true).describe("False in test mode, where nothing is sent or billed.");

/** PostgreSQL has no year 0, and ISO 8601 writes years beyond 9999 in another form. */
const YEARS = { first: Date.parse("0001-01-01T00:00:00Z"), last: Date.parse("9999-12-31T23:59:59.999Z") };

/** True for text that is not a date, which the format refuses. */
const isWithinYears = (text: string): boolean => !(Date.parse(text) < YEARS.first || Date.parse(text) > YEARS.last);

export const DateTime = z.iso
  .datetime({ offset: true })
  .refine(isWithinYears, "must lie in the years 1 to 9999")
  .describe("ISO 8601 date and time.");

/** A caller's time, with its `T` and `Z` in either case (RFC 3339, 5.6). */
const givenTime = (read: (text: string) => string) =>
  z
    .string()
    .overwrite((text) => read(text).toUpperCase())
    .check(z.iso.datetime({ offset: true }))
    .refine(isWithinYears, "must lie in the years 1 to 9999")
    .describe("ISO 8601 date and time.");

/** A time in a body. */
export const DateTimeInput = givenTime((text) => text);

/** A space in place of the `+` of an offset: in a query, `+` means a space unless it is encoded as %2B. */
const SPACE_OF_OFFSET = / (?=\d\d:\d\d$)/;

/** A time in a query string. */
export const DateTimeQuery = givenTime((text) => text.replace(SPACE_OF_OFFSET, "+"));

export const NullableDateTime = DateTime.nullable();

/**
 * A URL of at most `max` characters. Longer URLs are not parsed: for a non-ASCII host name the time of parsing grows with the square
 * of the length, and everything else in the process waits meanwhile.
 */
export const urlUpTo = (max: number, form: Parameters<typeof z.url>[0]) =>
  z.string().max(max, { abort: true }).check(z.url(form));

/** An email address; text that is longer than any valid address is not checked further. */
export const EmailAddress = z.string().max(254, { abort: true }).check(z.email());

/** Entries of a list of words from a short list of ours: more than there are, as one may be given twice. */
export const ENTRIES_MAX = 100;

export const API_VERSION = "v1";
const PAGE_LIMIT_MAX = 100;
const PAGE_LIMIT_DEFAULT = 50;
/** The largest integer of 32 bits: no list is longer, even in pages of one item. A page past the end is not read. */
const PAGE_MAX = 2_147_483_647;

const NO_NUMBER = "must be a whole number in digits";

/** A whole number in a query: digits over REST, a number from the console. */
const queryInteger = (max: number, otherwise: number) =>
  z.preprocess(
    (value) => (typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value),
    z
      .number({ error: ({ code }) => (code === "invalid_type" ? NO_NUMBER : undefined) })
      .int()
      .min(1)
      .max(max)
      .default(otherwise),
  );

/** Query parameters of paged lists. */
export const PageQuery = {
  page: queryInteger(PAGE_MAX, 1).describe("Page, from 1."),
  limit: queryInteger(PAGE_LIMIT_MAX, PAGE_LIMIT_DEFAULT).describe("Items per page, 1 to 100."),
};

export const Pagination = z.object({
  page: z.number().int().describe("Current page, from 1."),
  limit: z.number().int().describe("Items per page, as requested."),
  total: z.number().int().describe("Items over all pages."),
  pages: z.number().int().describe("Number of pages; 0 when there is nothing."),
  has_more: z.boolean().describe("Whether another page follows."),
});

/** One page, as a procedure returns it; the REST edge moves `items` to `data`, next to `pagination`. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item).describe("Items of the page, newest first."), pagination: Pagination });

export function toPage<Item>(items: Item[], total: number, query: { page: number; limit: number }) {
  const pages = Math.ceil(total / query.limit);
  return {
    items,
    pagination: { page: query.page, limit: query.limit, total, pages, has_more: query.page < pages },
  };
}

/**
 * Reads the rows of one page, and the total number at that time. Beyond the first page the total is read first: otherwise the
 * database would skip every row of the list for a page past its end.
 */
export async function readPage<Row>(
  query: { page: number; limit: number },
  count: () => Promise<number>,
  read: (offset: number) => Promise<Row[]>,
): Promise<{ rows: Row[]; total: number }> {
  const offset = (query.page - 1) * query.limit;
  const readAfter = async () => {
    const total = await count();
    return [total, offset < total ? await read(offset) : []] as const;
  };
  const [counted, rows] = offset === 0 ? await Promise.all([count(), read(0)]) : await readAfter();
  const end = offset + rows.length;
  // A page that is not full ends the list.
  if (rows.length < query.limit) return { rows, total: rows.length > 0 ? end : Math.min(counted, offset) };
  // A row added after the count has pushed the last one to a page that is not counted yet.
  return { rows, total: counted > end ? counted : Math.max(end, await count()) };
}

/** A list without pages (API keys, webhook endpoints). */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .object({ object: kindOf("list"), data: z.array(item).describe("Every item, newest first.") })
    .describe("All of them; this list has no pages.");

export const Deleted = z.object({
  id: z.string().describe("Id of the deleted resource."),
  object: z.string().describe("Kind of the deleted resource, such as `api_key`."),
  deleted: z.literal(true).describe("Always true."),
});

/** The first `count` characters (code points) of a text, well formed. */
export const firstCharacters = (text: string, count: number): string =>
  // A character has at most two UTF-16 units: what lies beyond is not split.
  [...text.slice(0, 2 * count)].slice(0, count).join("").toWellFormed();

/** Makes foreign text storable: without NUL, well formed, at most `length` UTF-16 units. */
export const storableText = (text: string, length: number): string =>
  text.replaceAll("\0", "").slice(0, length).toWellFormed();

/** No operation takes input that is nested this deeply. */
const DEPTH_MAX = 32;

const BYTE = { quote: 0x22, backslash: 0x5c, openList: 0x5b, closeList: 0x5d, openObject: 0x7b, closeObject: 0x7d };

/** Whether an odd number of backslashes precedes this place. */
function isEscaped(json: Buffer, at: number): boolean {
  let from = at;
  while (json[from - 1] === BYTE.backslash) from -= 1;
  return (at - from) % 2 === 1;
}

/** Where a text of JSON that begins at `from` ends. */
function endOfText(json: Buffer, from: number): number {
  let end = json.indexOf(BYTE.quote, from);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf(BYTE.quote, end + 1);
  return end === -1 ? json.length : end;
}

/** Levels of lists and objects in JSON that is parsed here. */
export const NESTED_MAX = 100;

/**
 * Whether JSON in UTF-8 is nested more than {@link NESTED_MAX} levels deep, up to a fault if it has one. Lists within lists need no
 * commas, so a count of values does not bound them, and half a million in 1 MiB take a parser a third of a second.
 */
export function isNestedTooDeeply(json: Buffer): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at];
    if (byte === BYTE.quote) at = endOfText(json, at + 1);
    else if (byte === BYTE.closeList || byte === BYTE.closeObject) depth -= 1;
    else if (byte === BYTE.openList || byte === BYTE.openObject) depth += 1;
    if (depth > NESTED_MAX) return true;
  }
  return false;
}

/** Characters that PostgreSQL cannot store in text; `at` is the place, innermost first. */
type Flaw = { problem: string; at: string[] };

/** The path is built only while returning, so scanning valid input stays cheap. */
function flawIn(value: unknown, depth: number): Flaw | null {
  if (typeof value === "string") {
    if (value.includes("\0")) return { problem: "must not contain NUL (U+0000)", at: [] };
    return value.isWellFormed() ? null : { problem: "contains half of a surrogate pair", at: [] };
  }
  if (typeof value !== "object" || value === null) return null;
  if (depth === DEPTH_MAX) return { problem: "is nested too deeply", at: [] };
  const isList = Array.isArray(value);
  for (const name of isList ? value.keys() : Object.keys(value)) {
    const flaw = flawIn((value as Record<PropertyKey, unknown>)[name], depth + 1);
    if (!flaw) continue;
    flaw.at.push(isList ? `[${name}]` : shownName(String(name)));
    return flaw;
  }
  return null;
}

/**
 * Refuses text that PostgreSQL cannot store unchanged: NUL, and half of a surrogate pair, which UTF-8 cannot encode.
 * @throws 400 naming the field.
 */
export function requireStorable(value: unknown, param: string): void {
  const flaw = flawIn(value, 0);
  if (!flaw) return;
  const path = flaw.at
    .reverse()
    .reduce((path, part) => (path && !part.startsWith("[") ? `${path}.${part}` : path + part), param);
  throw refusedInput(path, flaw.problem);
}

/** 400 in the form of a schema error. */
export const refusedInput = (param: string, problem: string): ApiError =>
  invalidRequest(`${param}: ${problem}`, { param, details: { issues: [{ param, message: problem }] } });

const PROTOTYPE = "__proto__";

/** The `meta` for the names of an {@link ownNamed} record, for the OpenAPI document. */
export const OWN_NAME = { not: { const: PROTOTYPE } };

const isObject = (given: unknown): given is object => typeof given === "object" && given !== null;

/**
 * A record whose names the caller chooses. Refuses `__proto__`, the prototype of every object in JavaScript: a schema would leave
 * it out silently.
 * @param pairsMax more pairs are refused before any is checked: a schema takes long to list thousands of faults.
 */
export const ownNamed = <Schema extends z.ZodType>(record: Schema, { pairsMax = Number.POSITIVE_INFINITY } = {}) =>
  z.preprocess((given, { addIssue }) => {
    if (!isObject(given)) return given;
    if (Object.hasOwn(given, PROTOTYPE)) addIssue({ code: "custom", message: `names must not be ${PROTOTYPE}` });
    if (Object.keys(given).length > pairsMax) {
      addIssue({ code: "custom", message: `must have at most ${pairsMax} pairs` });
    }
    return given;
  }, record);

/** A response lists no more issues. */
const FAULTS_MAX = 20;

/** The faulty part of an item of a list; null: the item is sound. */
type FaultOf = (item: unknown) => { left: unknown } | null;

export const notText: FaultOf = (item) => (typeof item === "string" ? null : { left: item });

/** Characters are code points, as in the document, and a text within the limit in units need not be counted. */
const isUpTo = (max: number, text: string): boolean =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max);

/** Looks for anything but a record of texts, of which the first 20 faulty pairs are left. @param limits the longest name and value. */
export const notTexts =
  ({ nameMax, valueMax }: { nameMax: number; valueMax: number }): FaultOf =>
  (item) => {
    if (!isObject(item)) return { left: item };
    const faults: [string, unknown][] = [];
    for (const pair of Object.entries(item)) {
      const [name, value] = pair;
      const isSound = isUpTo(nameMax, name) && typeof value === "string" && isUpTo(valueMax, value);
      if (!isSound && faults.push(pair) === FAULTS_MAX) break;
    }
    return faults.length > 0 ? { left: Object.fromEntries(faults) } : null;
  };

/** A list that is checked up to its first faulty item: a schema takes long to list thousands of faults. */
export const untilFault = <Schema extends z.ZodType>(list: Schema, faultOf: FaultOf) =>
  z.preprocess((given) => {
    if (!Array.isArray(given)) return given;
    for (const [at, item] of given.entries()) {
      const fault = faultOf(item);
      if (fault) return [...given.slice(0, at), fault.left];
    }
    return given;
  }, list);
