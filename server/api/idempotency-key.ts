import { createHash } from "node:crypto";
import { invalidRequest } from "../core/errors";
import type { Idempotency } from "../core/trpc";

const FORM = /^[\x21-\x7e]{1,255}$/;

/**
 * The Idempotency-Key of a request, with what it stands for: the same operation with the same body.
 * @param operation names the operation; the same body for another one is another request.
 * @throws 400 when the key is malformed.
 */
export function idempotencyOf(key: string | undefined, operation: string, body: Uint8Array): Idempotency | null {
  if (key === undefined) return null;
  if (!FORM.test(key)) {
    throw invalidRequest("Idempotency-Key must have 1 to 255 visible ASCII characters.", {
      param: "Idempotency-Key",
      reason: "bad_idempotency_key",
    });
  }
  return { key, requestHash: createHash("sha256").update(`${operation}\n`).update(body).digest("hex") };
}
