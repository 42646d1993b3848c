/** Reading the input of a REST request: JSON bodies and query strings, strictly. */
import { isUtf8 } from "node:buffer";
import { type ApiError, invalidRequest } from "../core/errors";

/** No body that any operation takes nests as deep. */
const DEPTH_MAX = 32;

/**
 * The JSON object in a body.
 * @throws 400 for another content type, malformed JSON, anything but an object, or text that cannot be stored.
 */
export function parseBody(contentType: string | undefined, body: Buffer): Record<string, unknown> {
  if (contentType?.split(";")[0]?.trim().toLowerCase() !== "application/json") {
    throw invalidRequest("Send the body as JSON, with `Content-Type: application/json`.", {
      reason: "wrong_content_type",
    });
  }
  // Read anyway, a wrong byte would become U+FFFD: another text than was meant, sent and billed as UCS-2.
  if (!isUtf8(body)) throw invalidRequest("The body is not UTF-8.", { reason: "malformed_json" });
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
  // Both can only come from an escape, so most bodies need no walk.
  if (SUSPICIOUS_ESCAPE.test(text)) requireStorable(value, "");
  return value as Record<string, unknown>;
}

const SUSPICIOUS_ESCAPE = /\\u(0000|[dD][89a-fA-F])/;

/** The parameters of a query string. @throws 400 for one that is given twice or cannot be stored. */
export function parseQuery(query: string): Record<string, string> {
  const values: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (Object.hasOwn(values, name)) throw refused(name, "given more than once");
    requireStorable(value, name);
    values[name] = value;
  }
  return values;
}

/**
 * PostgreSQL stores no NUL, and half of a surrogate pair is no text in UTF-8: both would be lost or changed on the way.
 * @throws 400 naming where it stands.
 */
export function requireStorable(value: unknown, param: string, depth = 0): void {
  if (typeof value === "string") {
    if (value.includes("\0")) throw refused(param, "must not contain NUL (U+0000)");
    if (!value.isWellFormed()) throw refused(param, "contains half of a surrogate pair");
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (depth === DEPTH_MAX) throw refused(param, "is nested too deeply");
  for (const [name, inner] of Object.entries(value)) {
    requireStorable(inner, Array.isArray(value) ? `${param}[${name}]` : param ? `${param}.${name}` : name, depth + 1);
  }
}

const refused = (param: string, problem: string): ApiError =>
  invalidRequest(`${param}: ${problem}`, { param, details: { issues: [{ param, message: problem }] } });
