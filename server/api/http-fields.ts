/** Header fields of REST responses. */
import type { RateState } from "../api-keys/rate-limit";
import { wholeSeconds } from "../core/clock";
import type { ApiError } from "../core/errors";

const REALM = 'Bearer realm="Messaging Service"';
const WINDOW_S = 60;

/** Safe in headers and logs, and long enough for callers' ids. */
const REQUEST_ID = /^[\w.:/+=@-]{1,128}$/;

/** A caller's own `X-Request-Id`; null when there is none, or when it could do harm in a log. */
export const ownRequestId = (given: string | undefined): string | null =>
  given !== undefined && REQUEST_ID.test(given) ? given : null;

/** `WWW-Authenticate` of a 401 (RFC 6750, 3): without a key only the scheme, otherwise also what is wrong with the key. */
export const challengeOf = ({ wire }: ApiError): string =>
  wire.details.reason === "key_missing"
    ? REALM
    : `${REALM}, error="invalid_token", error_description="${wire.message.replace(/[^ !#-[\]-~]/g, " ")}"`;

/**
 * The rate in the fields of draft-ietf-httpapi-ratelimit-headers (`RateLimit-Policy`, `RateLimit`), and in the three of its
 * earlier versions.
 */
export function setRateFields(headers: Record<string, string>, rate: RateState): void {
  const resetS = wholeSeconds(rate.resetMs);
  headers["ratelimit-limit"] = String(rate.limit);
  headers["ratelimit-remaining"] = String(rate.remaining);
  headers["ratelimit-reset"] = String(resetS);
  const account = rate.accountLimit === null ? "" : `, "account";q=${rate.accountLimit};w=${WINDOW_S}`;
  headers["ratelimit-policy"] = `"key";q=${rate.limit};w=${WINDOW_S}${account}`;
  headers.ratelimit = `"${rate.refusedBy === "account" ? "account" : "key"}";r=${rate.remaining};t=${resetS}`;
}

/** Takes back what {@link setRateFields} has set. */
export function clearRateFields(headers: Record<string, string>): void {
  for (const name of Object.keys(headers)) if (name.startsWith("ratelimit")) delete headers[name];
}
