/**
 * The edge for callbacks of providers: `/api/receipts/{provider}/{secret}`. A callback is genuine when its path has the secret
 * and, where the provider signs, its signature is valid; it is acknowledged once it is stored.
 */
import { clientAddress } from "../addresses/client-address";
import { now, SECOND_MS } from "../core/clock";
import { env, publicUrls } from "../core/env";
import { isApiError, messageOf } from "../core/errors";
import { errorFields, log, loggedText } from "../core/log";
import { knownAheadMs } from "../observability/database-time";
import { countCallback } from "../providers/health/counts";
import type { Authenticity, Callback, CallbackContent } from "../providers/port";
import { isCallbackAllowed } from "../providers/receipt-networks";
import { isReceiptToken, RECEIPT_PREFIX } from "../providers/receipt-url";
import { type ProviderTable, providerTable } from "../providers/registry";
import { PROVIDERS, type ProviderId } from "../providers/schema";
import { takeCallback } from "../providers/store-callback";

/**
 * A request of a provider as a door received it. `url` is path and query, as received. `readBody` is called only after the path has
 * turned out to be the provider's; it throws an error of ours for a body of more than `maxBytes`.
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

type Reason = "forged" | "stale" | "unreadable" | "blocked" | "replayed";

/** A provider that may be calling, and the settings to read its callbacks with. */
type Reader = { id: ProviderId } & NonNullable<ReturnType<ProviderTable["callbackReader"]>>;

/** A verified callback, with its content. */
type Genuine = { content: CallbackContent; authenticity: Extract<Authenticity, { kind: "genuine" }> };

/** An early refusal. */
type Refused = { response: ReceiptResponse };

/** A refusal, logged and counted. */
function refuse(provider: ProviderId, reason: Reason, detail: string, status: number): Refused {
  countCallback(provider, `receipts_${reason}`);
  log("warn", "receipt.refused", { provider, reason, detail: loggedText(detail) });
  return { response: respond(status, status === 401 ? CHALLENGE : {}) };
}

/**
 * The response to a callback that the database, or a fault of ours, kept from being stored. Without a 2xx, some providers repeat a callback
 * for a day, others hardly at all. @param provider absent: its settings could not be read.
 */
function notStored(thrown: unknown, provider?: ProviderId): ReceiptResponse {
  log("error", "receipt.not_stored", { ...(provider && { provider }), ...errorFields(thrown) });
  return respond(503, { "retry-after": "5" });
}

/** Responds to a provider's callback. The reason of a refusal is not sent; it is logged and counted. */
export async function serveReceipt(request: ReceiptRequest): Promise<ReceiptResponse> {
  const reader = await findReader(request).catch((thrown): Refused => ({ response: notStored(thrown) }));
  if ("response" in reader) return reader.response;
  const genuine = await readGenuine(request, reader);
  return "response" in genuine ? genuine.response : storeCallback(reader.id, genuine);
}

/** Identifies the provider by the secret path, and checks that the request comes from an address allowed for it. */
async function findReader({ method, url, headers, peer }: ReceiptRequest): Promise<Reader | Refused> {
  const [name, token, ...rest] = (url.slice(RECEIPT_PREFIX.length + 1).split("?")[0] ?? "").split("/");
  const id = PROVIDERS.find((provider) => provider === name);
  if (!id || token === undefined || rest.some((segment) => segment !== "")) return { response: respond(404) };
  const rotationOf = async () => (await providerTable()).stateOf(id) ?? UNROTATED;
  if (!(await isReceiptToken(id, token, rotationOf))) return refuse(id, "forged", "the secret path is wrong", 404);
  if (method !== "GET" && method !== "POST") return { response: respond(405, { allow: "GET, POST" }) };
  const reader = (await providerTable()).callbackReader(id);
  if (!reader) return { response: respond(404) };
  const address = clientAddress({
    peer,
    forwardedFor: headers["x-forwarded-for"],
    trustedProxies: env().TRUSTED_PROXIES,
  });
  if (!isCallbackAllowed(reader.settings, address)) return refuse(id, "blocked", `from ${address}`, 403);
  return { id, ...reader };
}

/** Clocks that differ by less are the same: providers allow minutes. */
const SAME_CLOCK_MS = 30 * SECOND_MS;

/**
 * Checks a callback by our own clock. If it is too old or too new, and the database's clock differs from ours, it is checked by that
 * clock too: a process with a wrong clock would refuse all callbacks. Nonces keep a callback from being accepted twice.
 */
function authenticate(callback: Callback, { provider, settings }: Reader): Authenticity {
  const ours = provider.authenticate(callback, settings, now());
  const aheadMs = knownAheadMs();
  if (ours.kind !== "stale" || Math.abs(aheadMs) < SAME_CLOCK_MS) return ours;
  return provider.authenticate(callback, settings, new Date(now().getTime() - aheadMs));
}

/** Reads a callback whose signature is valid, where the provider signs. */
async function readGenuine(request: ReceiptRequest, reader: Reader): Promise<Genuine | Refused> {
  const { id, provider, settings } = reader;
  const body = await readReceiptBody(request, id);
  if ("response" in body) return body;
  const { method, url, headers } = request;
  const [base, ...former] = publicUrls();
  const callback: Callback = { method, url: `${base}${url}`, headers, body };
  try {
    let authenticity = authenticate(callback, reader);
    // The provider may still have a URL from before the public address was changed.
    for (const formerBase of former) {
      if (authenticity.kind !== "forged") break;
      authenticity = authenticate({ ...callback, url: `${formerBase}${url}` }, reader);
    }
    if (authenticity.kind === "unasked") return { response: respond(401, CHALLENGE) };
    if (authenticity.kind !== "genuine") return refuse(id, authenticity.kind, authenticity.detail, 401);
    return { content: provider.readCallback(callback, settings), authenticity };
  } catch (thrown) {
    return refuse(id, "unreadable", messageOf(thrown), 400);
  }
}

async function readReceiptBody({ readBody }: ReceiptRequest, id: ProviderId): Promise<Buffer | Refused> {
  try {
    return await readBody(id, LARGER_BODIES[id] ?? BODY_MAX_BYTES);
  } catch (thrown) {
    if (!isApiError(thrown)) throw thrown;
    if (thrown.status === 413) return refuse(id, "unreadable", "the body is too large", 413);
    const { status, retryAfterS } = thrown;
    return { response: respond(status, retryAfterS === null ? {} : { "retry-after": String(retryAfterS) }) };
  }
}

/** Stores a callback, and acknowledges it once it is stored. */
async function storeCallback(provider: ProviderId, { content, authenticity }: Genuine): Promise<ReceiptResponse> {
  try {
    const intake = await takeCallback(provider, content, authenticity.nonces);
    if (content.unreadable) log("warn", "receipt.items_unreadable", { provider, items: content.unreadable });
    if (intake === "replayed")
      return refuse(provider, "replayed", "its signature belongs to another callback", 409).response;
    // The response to the first one was lost. Without a 2xx, providers repeat for hours, and some stop calling the URL.
    countCallback(provider, intake === "repeated" ? "receipts_replayed" : "receipts");
  } catch (thrown) {
    return notStored(thrown, provider);
  }
  return respond(200);
}
