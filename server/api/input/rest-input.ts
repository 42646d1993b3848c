/** Parses REST input strictly: JSON bodies and query strings, with their unknown and repeated names. */
import { isUtf8 } from "node:buffer";
import { type ApiError, invalidRequest } from "../../core/errors";
import { isNestedTooDeeply, NESTED_MAX, refusedInput, requireStorable } from "../../core/wire";
import { namesBeside, type Operation } from "../operations";
import { repeatedNames } from "./repeated-names";
import {
  handlingOf,
  refusalOf,
  repeatedWarnings,
  unknownNames,
  WARNINGS_MAX,
  type Warning,
  warningsOf,
} from "./unknown-input";

/** The parts of a request that its input is read from, in addition to the body. */
type InputSource = { query: string; header: (name: string) => string | undefined };

const NO_NAMES: ReadonlySet<string> = new Set();

/** Some platforms write this mark before every text in UTF-8; a JSON parser may skip it (RFC 8259, 8.1). */
const BYTE_ORDER_MARK = /^\ufeff/;

/** 400 for bytes that are not UTF-8; most of them are compressed. */
const notUtf8 = (contentCoding: string | undefined): ApiError =>
  invalidRequest(
    contentCoding === undefined
      ? "The body is not UTF-8."
      : "The body is not UTF-8. Compressed bodies are not read: send it as it is, without `Content-Encoding`.",
    { reason: "malformed_json" },
  );

/** The position of the fault, which some messages of this runtime's parser state. */
const FAULT_AT = /JSON at position (\d+)/;

/** 400 for a text that is not JSON; names the place of the fault, but quotes nothing of the text. */
function notJson(text: string, thrown: unknown): ApiError {
  const refused = (message: string) => invalidRequest(message, { reason: "malformed_json" });
  if (text.trim() === "") return refused("The body is empty; it must be a JSON object.");
  const [, position] = FAULT_AT.exec(String(thrown)) ?? [];
  if (position !== undefined && Number(position) < text.length) {
    return refused(`The body is not valid JSON: character ${Number(position) + 1} is not expected there.`);
  }
  const isCutOff = position !== undefined || String(thrown).includes("end of JSON input");
  return refused(isCutOff ? "The body ends before its JSON is complete." : "The body is not valid JSON.");
}

/**
 * Parses a body that must be a JSON object.
 * @param contentCoding the `Content-Encoding` of the request, if any.
 * @throws 400 `wrong_content_type`; 400 `malformed_json` for anything but a JSON object; 400 `too_many_values` or `nested_too_deeply`;
 *   400 for text that cannot be stored.
 */
export function parseBody(
  contentType: string | undefined,
  body: Buffer,
  contentCoding?: string,
): Record<string, unknown> {
  if (contentType?.split(";")[0]?.trim().toLowerCase() !== "application/json") {
    throw invalidRequest("Send the body as JSON, with `Content-Type: application/json`.", {
      reason: "wrong_content_type",
    });
  }
  // Decoded leniently, an invalid byte would become U+FFFD: a different text, sent and billed as UCS-2.
  if (!isUtf8(body)) throw notUtf8(contentCoding);
  requireFewValues(body, VALUES_MAX);
  requireShallow(body);
  const text = body.toString("utf8").replace(BYTE_ORDER_MARK, "");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw notJson(text, thrown);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidRequest("The body must be a JSON object.", { reason: "malformed_json" });
  }
  // NUL and lone surrogates can only come from an escape, so most bodies need no traversal.
  if (SUSPICIOUS_ESCAPE.test(text)) requireStorable(value, "");
  return value as Record<string, unknown>;
}

/**
 * More values than in the largest valid body without variables: 1,000 recipients, a text full of commas, and 20 such values of
 * metadata. With variables there is room for 15 values for each of 1,000 recipients.
 */
export const VALUES_MAX = 16_384;
const COMMA = 0x2c;

/**
 * Limits the values of a body: each invalid value produces an issue, and a body of 1 MiB can hold half a million. Values are
 * counted by commas, an upper bound, since commas within text count too.
 * @throws 400 for more than `max` of them.
 */
export function requireFewValues(body: Buffer, max: number): void {
  let commas = 0;
  for (let at = body.indexOf(COMMA); at !== -1; at = body.indexOf(COMMA, at + 1)) {
    commas += 1;
    if (commas > max) throw tooManyValues(max);
  }
}

const tooManyValues = (max: number): ApiError =>
  invalidRequest(`The body has more than ${max} values.`, { reason: "too_many_values" });

/** @throws 400 for a body in JSON that is nested more deeply than any operation takes. */
export function requireShallow(body: Buffer): void {
  if (!isNestedTooDeeply(body)) return;
  throw invalidRequest(`The body is nested more than ${NESTED_MAX} levels deep.`, { reason: "nested_too_deeply" });
}

const SUSPICIOUS_ESCAPE = /\\u(0000|[dD][89a-fA-F])/;

/** `metadata[key]`: a pair of a parameter that is an object. */
const PAIR = /^([a-z_]+)\[(.*)\]$/s;

/** A percent sign that encodes nothing; such a sign is read as it is. */
const LONE_PERCENT = /%(?![0-9a-f]{2})/gi;

/** Whether the percent-encoded bytes of a query are UTF-8. */
function isUtf8Query(query: string): boolean {
  try {
    decodeURIComponent(query.replace(LONE_PERCENT, "%25"));
    return true;
  } catch {
    return false;
  }
}

/**
 * Parses a query string.
 * @param objects parameters whose values are objects, given pair by pair as `name[key]=value`.
 * @throws 400 for a parameter that is repeated, is not UTF-8 or cannot be stored.
 */
export function parseQuery(query: string, objects: ReadonlySet<string> = NO_NAMES): Record<string, unknown> {
  // Without a prototype, a parameter `__proto__` is a name like any other.
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) {
    requireStorable(value, name);
    // As in a body, an invalid byte would become U+FFFD: a filter by another text, which selects nothing.
    if (`${name}${value}`.includes("\ufffd") && !isUtf8Query(query)) throw refusedInput(name, "must be UTF-8");
    const [, object = "", key = ""] = PAIR.exec(name) ?? [];
    if (!objects.has(object)) {
      put(values, name, value, name);
      continue;
    }
    values[object] ??= Object.create(null);
    const pairs = values[object];
    if (typeof pairs !== "object" || pairs === null) throw refusedInput(object, "given in two ways");
    put(pairs as Record<string, unknown>, key, value, name);
  }
  return values;
}

function put(values: Record<string, unknown>, name: string, value: string, param: string): void {
  if (Object.hasOwn(values, name)) throw refusedInput(param, "is given more than once");
  values[name] = value;
}

/** The input of an operation, from body or query, with its warnings. */
export function parseInput(request: InputSource, operation: Operation, body: Buffer | null) {
  const { method, inputs, objects, creates } = operation;
  if (body === null) {
    const input = parseQuery(request.query, objects);
    return { input, warnings: warnOfQuery(Object.keys(input), inputs) };
  }
  const warnings = queryWarnings(request.query);
  // An operation that neither creates nor changes fields may take no body.
  if (body.length === 0 && !creates && method !== "PATCH") return { input: {}, warnings };
  const input = parseBody(request.header("content-type"), body, request.header("content-encoding"));
  const given = Object.keys(input);
  const known = namesBeside(operation, given);
  const [unknown, repeated] = [unknownNames(given, known), repeatedNames(body, input)];
  if (unknown.length === 0 && repeated.length === 0) return { input, warnings };
  return {
    input,
    warnings: [...repeatedWarnings(repeated), ...warningsOf(unknown, "a field of this request", known), ...warnings],
  };
}

/** Warnings of the names in a query that is not parsed; the operation takes none of them. */
export const queryWarnings = (query: string): Warning[] =>
  query === "" ? [] : warnOfQuery(new Set(new URLSearchParams(query).keys()), NO_NAMES);

const warnOfQuery = (names: Iterable<string>, known: ReadonlySet<string>): Warning[] =>
  warningsOf(unknownNames(names, known), "a query parameter of this operation", known);

/** Handles unknown and repeated names: the response warns of them. @throws 400 for strict handling. */
export function judgeNames(
  request: InputSource,
  { headers, meta }: { headers: Record<string, string>; meta: { warnings?: Warning[] } },
  warnings: Warning[],
): void {
  const handling = handlingOf(request.header("prefer"));
  if (handling !== null) headers["preference-applied"] = `handling=${handling}`;
  if (warnings.length === 0) return;
  if (handling === "strict") throw refusalOf(warnings);
  meta.warnings = warnings.slice(0, WARNINGS_MAX);
}
