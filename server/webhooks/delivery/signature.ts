/**
 * The two signatures of a webhook request, both HMAC-SHA-256 (RFC 2104): our own, `t=<unix seconds>,v1=<hex>` over
 * `<t>.<raw body>`, and that of the Standard Webhooks specification, `v1,<base64>` over `<id>.<t>.<raw body>`.
 */
import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";

/** A received request and the receiver's secret. */
export interface VerifySignatureInput {
  /** The signature header as received; null or undefined when the request had none. */
  readonly header: string | null | undefined;
  readonly secret: string;
  /** The body exactly as received, before any parsing; a string stands for its UTF-8 bytes. */
  readonly rawBody: string | Buffer;
  /** The receiver's clock, Unix seconds. */
  readonly nowSeconds: number;
  /** How far the signed time may differ from the clock, either way, in seconds; 300 by default. */
  readonly toleranceSeconds?: number;
}

/**
 * `malformed`: not a header of this scheme. `mismatch`: not signed with this secret over these bytes.
 * `outside_tolerance`: correctly signed, but too long ago (a replay) or in the future (a wrong clock).
 */
export type VerifySignatureResult =
  | { readonly valid: true; readonly timestamp: number }
  | { readonly valid: false; readonly reason: "malformed" | "outside_tolerance" | "mismatch" };

/** The secrets that sign a request: the current one, and the previous one for a while after a rotation. */
export type Secrets = readonly [current: string, ...previous: string[]];

const SECRET_BYTES = 32;
const SECRET_PREFIX = "whsec_";

/** A new signing secret: `whsec_` and 256 random bits in base64, the form of the Standard Webhooks specification. */
export const newSigningSecret = (): string => SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64");

const DEFAULT_TOLERANCE_SECONDS = 300;
/** Twelve digits reach past the year 30000 and stay exact as a number. */
const TIMESTAMP = /^\d{1,12}$/;
const DIGEST = /^[0-9a-f]{64}$/;

/** A secret as the keys of both signatures. */
type Keys = { own: KeyObject; standard: KeyObject };

/** Made once for all requests of a job: a key from text costs a third of a signature. */
const preparedKeys = new WeakMap<Secrets, Keys[]>();

function keysOf(secrets: Secrets): Keys[] {
  const prepared = preparedKeys.get(secrets);
  if (prepared) return prepared;
  const keys = secrets.map((secret) => ({
    own: createSecretKey(Buffer.from(secret)),
    standard: createSecretKey(standardKey(secret)),
  }));
  preparedKeys.set(secrets, keys);
  return keys;
}

/** The digest includes the timestamp, so that an old request cannot be replayed with a new time. */
function digest(secret: string | KeyObject, timestamp: string, rawBody: string | Buffer): Buffer {
  return createHmac("sha256", secret).update(`${timestamp}.`).update(rawBody).digest();
}

function wholeSeconds(timestampSeconds: number): string {
  const timestamp = String(timestampSeconds);
  if (!TIMESTAMP.test(timestamp)) throw new RangeError("The timestamp must be whole Unix seconds.");
  return timestamp;
}

/**
 * The value of `Service-Signature` for one try, with one `v1` per secret.
 *
 * @param timestampSeconds Unix seconds of this try, an integer; each try has a signature of its own.
 * @param rawBody exactly the bytes that are sent; a string stands for its UTF-8 bytes.
 * @throws RangeError when the timestamp is not a whole number of seconds since 1970.
 */
export function signPayload(secrets: Secrets, timestampSeconds: number, rawBody: string | Buffer): string {
  const timestamp = wholeSeconds(timestampSeconds);
  const digests = keysOf(secrets).map(({ own }) => `v1=${digest(own, timestamp, rawBody).toString("hex")}`);
  return [`t=${timestamp}`, ...digests].join(",");
}

/**
 * The value of `webhook-signature` for one try: one `v1,…` per secret, separated by spaces. The key is the part of the
 * secret after its prefix, decoded from base64 or base64url.
 *
 * @param id the value of `webhook-id`, without a dot; otherwise as {@link signPayload}.
 * @throws RangeError when the timestamp is not a whole number of seconds since 1970.
 */
export function signStandard(secrets: Secrets, id: string, timestampSeconds: number, rawBody: string | Buffer): string {
  const timestamp = wholeSeconds(timestampSeconds);
  return keysOf(secrets)
    .map(({ standard }) => createHmac("sha256", standard).update(`${id}.${timestamp}.`).update(rawBody))
    .map((hmac) => `v1,${hmac.digest("base64")}`)
    .join(" ");
}

/** Node's base64 decoder accepts the URL-safe alphabet too. */
function standardKey(secret: string): Buffer {
  const text = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret;
  return Buffer.from(text, "base64");
}

/**
 * All headers that authenticate a try; `webhook-id` is the same in all tries of an event.
 * @throws RangeError as {@link signPayload}.
 */
export const signatureHeaders = (
  secrets: Secrets,
  eventId: string,
  timestampSeconds: number,
  rawBody: Buffer,
): Record<string, string> => ({
  "Service-Signature": signPayload(secrets, timestampSeconds, rawBody),
  "webhook-id": eventId,
  "webhook-timestamp": String(timestampSeconds),
  "webhook-signature": signStandard(secrets, eventId, timestampSeconds, rawBody),
});

/** The fields of a header, or `null` unless it has exactly one `t` and at least one `v1`, all well formed. */
function parseHeader(header: string): { timestamp: string; digests: string[] } | null {
  const timestamps: string[] = [];
  const digests: string[] = [];
  for (const field of header.split(",")) {
    const [name = "", value] = field.trim().split("=", 2);
    if (value === undefined) return null;
    if (name === "t") timestamps.push(value);
    // Other names are future versions, which a receiver of v1 ignores.
    if (name === "v1") digests.push(value);
  }
  const [timestamp] = timestamps;
  if (timestamp === undefined || timestamps.length > 1 || !TIMESTAMP.test(timestamp)) return null;
  return digests.length > 0 && digests.every((value) => DIGEST.test(value)) ? { timestamp, digests } : null;
}

/**
 * Checks a received request; never throws.
 *
 * One matching `v1` is enough: after a rotation the sender signs with both secrets. The digests are compared in constant
 * time and before the timestamp, so `outside_tolerance` is returned only for a genuine signature. A difference of exactly
 * the tolerance is valid.
 */
export function verifySignature(input: VerifySignatureInput): VerifySignatureResult {
  const { header, secret, rawBody, nowSeconds, toleranceSeconds = DEFAULT_TOLERANCE_SECONDS } = input;
  const parsed = parseHeader(header ?? "");
  if (parsed === null) return { valid: false, reason: "malformed" };
  const expected = digest(secret, parsed.timestamp, rawBody);
  if (!parsed.digests.some((hex) => timingSafeEqual(Buffer.from(hex, "hex"), expected))) {
    return { valid: false, reason: "mismatch" };
  }
  const timestamp = Number(parsed.timestamp);
  // Compared this way round, a clock or tolerance that is NaN refuses instead of accepting.
  const isCurrent = Math.abs(nowSeconds - timestamp) <= toleranceSeconds;
  return isCurrent ? { valid: true, timestamp } : { valid: false, reason: "outside_tolerance" };
}
