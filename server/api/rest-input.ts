/** Strict parsing of REST input: JSON bodies and query strings. */
import { isUtf8 } from "node:buffer";
import { type ApiError, invalidRequest } from "../core/errors";
import { refusedInput, requireStorable } from "../core/wire";

/**
 * Parses a body that must be a JSON object.
 * @throws 400 `wrong_content_type`, `malformed_json` for anything but a JSON object, or for text that cannot be stored.
 */
export function parseBody(contentType: string | undefined, body: Buffer): Record<string, unknown> {
  if (contentType?.split(";")[0]?.trim().toLowerCase() !== "application/json") {
    throw invalidRequest("Send the body as JSON, with `Content-Type: application/json`.", {
      reason: "wrong_content_type",
    });
  }
  // Decoded leniently, an invalid byte would become U+FFFD: a different text, sent and billed as UCS-2.
  if (!isUtf8(body)) throw invalidRequest("The body is not UTF-8.", { reason: "malformed_json" });
  requireFewValues(body, VALUES_MAX);
  const text = body.toString("utf8");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidRequest("The body is not valid JSON.", { reason: "malformed_json" });
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidRequest("The body must be a JSON object.", { reason: "malformed_json" });
  }
  // NUL and lone surrogates can only come from an escape, so most bodies need no traversal.
  if (SUSPICIOUS_ESCAPE.test(text)) requireStorable(value, "");
  return value as Record<string, unknown>;
}

/**
 * More than in the largest valid body without variables: 1,000 recipients, a text full of commas, and 20 such values of
 * metadata. With variables it leaves room for 15 values for each of 1,000 recipients.
 */
export const VALUES_MAX = 16_384;
const COMMA = 0x2c;

/**
 * Each invalid value produces an issue of its own, and a body of 1 MiB can hold half a million. Values are counted by commas,
 * an upper bound, since commas within text count as well.
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

const SUSPICIOUS_ESCAPE = /\\u(0000|[dD][89a-fA-F])/;

/** `metadata[key]`: a pair of a parameter that is an object. */
const PAIR = /^([a-z_]+)\[(.*)\]$/s;

/**
 * Parses a query string.
 * @param objects parameters whose values are objects, given pair by pair as `name[key]=value`.
 * @throws 400 for a parameter that is repeated or cannot be stored.
 */
export function parseQuery(query: string, objects: ReadonlySet<string> = NO_OBJECTS): Record<string, unknown> {
  // Without a prototype: a parameter `__proto__` is a name like any other.
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) {
    requireStorable(value, name);
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

const NO_OBJECTS: ReadonlySet<string> = new Set();

function put(values: Record<string, unknown>, name: string, value: string, param: string): void {
  if (Object.hasOwn(values, name)) throw refusedInput(param, "given more than once");
  values[name] = value;
}
