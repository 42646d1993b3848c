/** Verification of webhook requests: HMAC-SHA-256 over `<t>.<raw body>`, with what every JavaScript runtime brings. */
import type { components } from "./schema.js";

/** Distinguished by `type`: `data` is a message, or an inbound message for `message.received`. */
export type WebhookEvent = components["schemas"]["Event"] | components["schemas"]["ReceivedEvent"];

export type VerifyWebhookInput = {
  /** The header `Service-Signature` as received; absent when the request had none. A list, as Node types it, is refused. */
  header: string | readonly string[] | null | undefined;
  /** The body exactly as received, before any parsing; a string stands for its UTF-8 bytes. */
  rawBody: string | Uint8Array | ArrayBuffer;
  /** The endpoint's signing secret, `whsec_…`. */
  secret: string;
  /** How far the signed time may lie from this machine's clock, in seconds; 300 when not given. */
  tolerance?: number;
};

/**
 * Why a request is refused. `malformed`: not a signature header, no body as received, or signed but not JSON. `mismatch`: not signed with
 * this secret over these bytes. `outside_tolerance`: rightly signed, but too long ago, or one of the clocks is wrong.
 * `no_secret`: it is empty, so that anybody could have signed.
 */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly reason: "malformed" | "mismatch" | "outside_tolerance" | "no_secret";

  constructor(reason: WebhookError["reason"], message: string) {
    super(message);
    this.reason = reason;
  }
}

const TOLERANCE_S = 300;
const ENCODER = new TextEncoder();

const fieldsOf = (header: string, name: string): string[] =>
  header.split(",").flatMap((field) => {
    const [key, value] = field.trim().split("=", 2);
    return key === name && value !== undefined ? [value] : [];
  });

const fromHex = (hex: string) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/**
 * The bytes that were signed. Some frameworks give an object instead, parsed or empty, or nothing where there is no body.
 * @throws WebhookError `malformed` for anything but text and bytes.
 */
function bytesOf(rawBody: unknown): Uint8Array {
  if (typeof rawBody === "string") return ENCODER.encode(rawBody);
  if (ArrayBuffer.isView(rawBody)) return new Uint8Array(rawBody.buffer, rawBody.byteOffset, rawBody.byteLength);
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody);
  throw new WebhookError("malformed", "The body is neither text nor bytes: give it as received, before it is parsed.");
}

function concat(head: Uint8Array, tail: Uint8Array) {
  const whole = new Uint8Array(head.length + tail.length);
  whole.set(head);
  whole.set(tail, head.length);
  return whole;
}

/**
 * The event of a genuine request. One matching `v1` is enough: while a secret is being rotated there are two. The
 * comparison takes the same time wherever the first difference is.
 * @throws WebhookError when the request is not genuine, or not current; respond with 400 and do nothing else.
 */
export async function verifyWebhook(input: VerifyWebhookInput): Promise<WebhookEvent> {
  const { header, tolerance = TOLERANCE_S } = input;
  // Programs without types pass what their environment lacks; a file has a line end behind its value.
  const secret = input.secret?.trim();
  if (!secret) throw new WebhookError("no_secret", "The signing secret is empty: nothing can be verified.");
  const fields = typeof header === "string" ? header : "";
  const [timestamp, ...more] = fieldsOf(fields, "t");
  const digests = fieldsOf(fields, "v1").filter((hex) => /^[0-9a-f]{64}$/.test(hex));
  if (!timestamp || more.length > 0 || !/^\d{1,12}$/.test(timestamp) || digests.length === 0) {
    throw new WebhookError("malformed", "There is no signature of the form t=<seconds>,v1=<hex>.");
  }
  const body = bytesOf(input.rawBody);
  const signed = concat(ENCODER.encode(`${timestamp}.`), body);
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", ENCODER.encode(secret), algorithm, false, ["verify"]);
  const checks = await Promise.all(digests.map((hex) => crypto.subtle.verify("HMAC", key, fromHex(hex), signed)));
  if (!checks.includes(true)) throw new WebhookError("mismatch", "The signature does not fit this body and secret.");
  // Compared this way round, a tolerance that is NaN refuses instead of accepting.
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= tolerance)) {
    throw new WebhookError("outside_tolerance", "The signature was made too long ago, or a clock is wrong.");
  }
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  } catch {
    throw new WebhookError("malformed", "The body is not JSON.");
  }
}
