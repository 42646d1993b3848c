/**
 * The edge for callbacks of providers: `/api/receipts/{provider}/{secret}`. A callback is genuine when its path has the secret
 * and, where the provider signs, its signature is valid; it is acknowledged once it is stored.
 */
import { clientAddress } from "../api-keys/ip-allowlist";
import { now } from "../core/clock";
import { env, publicUrl } from "../core/env";
import { isApiError } from "../core/errors";
import { errorFields, log } from "../core/log";
import { countCallback } from "../providers/health/counts";
import type { Authenticity, Callback, CallbackContent } from "../providers/port";
import { isCallbackAllowed } from "../providers/receipt-networks";
import { isReceiptToken, RECEIPT_PREFIX } from "../providers/receipt-url";
import { providerTable } from "../providers/registry";
import { PROVIDERS, type ProviderId } from "../providers/schema";
import { takeCallback } from "../providers/store-callback";

/**
 * A request of a provider as a door received it. `url` is path and query, as they came. `readBody` is called only once the
 * path has turned out to be the provider's; it throws an error of ours for a body of more than `maxBytes`.
 */
export type ReceiptRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** Address of the socket's other end; empty: not known. */
  peer: string;
  readBody: (provider: ProviderId, maxBytes: number) => Promise<Buffer>;
};

export type ReceiptResponse = { status: number; headers: Record<string, string> };

/** Whether a request is for this edge. */
export const isReceiptPath = (url: string): boolean => url.startsWith(`${RECEIPT_PREFIX}/`);

const BODY_MAX_BYTES = 65_536;
/** Providers that report on many messages in one callback. */
const LARGER_BODIES: Partial<Record<ProviderId, number>> = {
  infobip: 1_048_576,
  bandwidth: 262_144,
  clickatell: 262_144,
};

const CHALLENGE = { "www-authenticate": 'Basic realm="receipts"' };

/** A provider without stored settings. */
const UNROTATED = { receiptRotation: 0, isFormerReceiptUrlValid: false };

const respond = (status: number, headers: Record<string, string> = {}): ReceiptResponse => ({ status, headers });

/** Responds to a provider's callback. The reason of a refusal is not sent; it is logged and counted. */
export async function serveReceipt({ method, url, headers, peer, readBody }: ReceiptRequest): Promise<ReceiptResponse> {
  const [id, token, ...rest] = (url.slice(RECEIPT_PREFIX.length + 1).split("?")[0] ?? "").split("/");
  const known = PROVIDERS.find((provider) => provider === id);
  if (!known || token === undefined || rest.some((segment) => segment !== "")) return respond(404);
  const refuse = (
    what: "forged" | "stale" | "unreadable" | "blocked",
    detail: string,
    status: number,
  ): ReceiptResponse => {
    countCallback(known, `receipts_${what}`);
    log("warn", "receipt.refused", { provider: known, what, detail });
    return respond(status, status === 401 ? CHALLENGE : {});
  };
  const rotationOf = async () => (await providerTable()).stateOf(known) ?? UNROTATED;
  if (!(await isReceiptToken(known, token, rotationOf))) return refuse("forged", "the secret path is wrong", 404);
  if (method !== "GET" && method !== "POST") return respond(405, { allow: "GET, POST" });
  const reader = (await providerTable()).callbackReader(known);
  if (!reader) return respond(404);
  const address = clientAddress({
    peer,
    forwardedFor: headers["x-forwarded-for"],
    trustedProxies: env().TRUSTED_PROXIES,
  });
  if (!isCallbackAllowed(reader.settings, address)) return refuse("blocked", `from ${address}`, 403);
  let body: Buffer;
  try {
    body = await readBody(known, LARGER_BODIES[known] ?? BODY_MAX_BYTES);
  } catch (thrown) {
    if (!isApiError(thrown)) throw thrown;
    if (thrown.status === 413) return refuse("unreadable", "the body is too large", 413);
    return respond(thrown.status, thrown.retryAfterS === null ? {} : { "retry-after": String(thrown.retryAfterS) });
  }
  const callback: Callback = { method, url: `${publicUrl()}${url}`, headers, body };
  let authenticity: Authenticity;
  try {
    authenticity = reader.provider.authenticate(callback, reader.settings, now());
  } catch (thrown) {
    return refuse("unreadable", thrown instanceof Error ? thrown.message : String(thrown), 400);
  }
  if (authenticity.kind === "unasked") return respond(401, CHALLENGE);
  if (authenticity.kind !== "genuine") return refuse(authenticity.kind, authenticity.detail, 401);
  let content: CallbackContent;
  try {
    content = reader.provider.readCallback(callback, reader.settings);
  } catch (thrown) {
    return refuse("unreadable", thrown instanceof Error ? thrown.message : String(thrown), 400);
  }
  try {
    if ((await takeCallback(known, content, authenticity.nonces)) === "replayed") {
      countCallback(known, "receipts_replayed");
      if (authenticity.isRepeatable) return respond(200);
      log("warn", "receipt.refused", { provider: known, what: "replayed" });
      return respond(409);
    }
  } catch (thrown) {
    // Some providers repeat a callback without a 2xx for a day, others hardly at all.
    log("error", "receipt.not_stored", { provider: known, ...errorFields(thrown) });
    return respond(503, { "retry-after": "5" });
  }
  countCallback(known, "receipts");
  return respond(200);
}
