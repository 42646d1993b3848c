import { createHash } from "node:crypto";
import { invalidRequest } from "../core/errors";
import type { Idempotency } from "../core/trpc";

const FORM = /^[\x21-\x7e]{1,255}$/;

type Entry = [name: string, value: unknown];
const byName = ([one]: Entry, [other]: Entry): number => (one < other ? -1 : 1);

/** A JSON value as text, with a fixed order of names and without whitespace; null for a value that is nested too deeply. */
function canonical(value: unknown): string | null {
  try {
    return JSON.stringify(value, (_, part: unknown) =>
      typeof part === "object" && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(byName))
        : part,
    );
  } catch {
    return null;
  }
}

const hashOf = (operation: string, body: string | Uint8Array): string =>
  createHash("sha256").update(`${operation}\n`).update(body).digest("hex");

/**
 * The Idempotency-Key of a request, with the hashes that identify the request: its operation and the JSON value of its body.
 * @param operation names the operation; the same body for another one is another request.
 * @param value the body as parsed; undefined when it was not parsed.
 * @throws 400 when the key is malformed.
 */
export function idempotencyOf(
  key: string | undefined,
  operation: string,
  body: Uint8Array,
  value: unknown,
): Idempotency | null {
  if (key === undefined) return null;
  if (!FORM.test(key)) {
    // Header fields with the same name are joined like this (RFC 9110, 5.3).
    const isRepeated = key.includes(", ");
    const form = "1 to 255 visible ASCII characters";
    throw invalidRequest(`Idempotency-Key must ${isRepeated ? `be given once, with ${form}` : `have ${form}`}.`, {
      param: "Idempotency-Key",
      reason: "bad_idempotency_key",
    });
  }
  const text = value === undefined ? null : canonical(value);
  // Earlier versions know only the hash of the bytes.
  const requestHash = hashOf(operation, body);
  return text === null ? { key, requestHash } : { key, requestHash, valueHash: hashOf(operation, text) };
}
