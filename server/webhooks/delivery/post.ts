/** One HTTP request to a customer's endpoint. */
import { hasStalledSince, sinceLongStallMs, socketsRead, stalledMs } from "../../core/deadline";
import { env } from "../../core/env";
import { OUT_OF_RESOURCES } from "../../core/own-failures";
import { defineProcessValue } from "../../core/process";
import { RECEIVED_TOO_MUCH } from "../../egress/limit-received";
import { isGuardedByProxy, isProxied, proxyConnector } from "../../egress/proxy";
import { isEgressProxyError, isProxyAway } from "../../egress/proxy-error";
import type { DeliveryOutcome } from "./delivery-outcome";
import { type ExchangeOptions, exchange, type Seen } from "./exchange";
import { createLookup, isResolverSilent } from "./resolve-host";
import { isAcknowledged, retryAfterS } from "./retry";
import { type Secrets, signatureHeaders } from "./signature";
import { noteDate, signingSeconds } from "./signing-time";
import { createSsrfGuard, isBlockedUrlError, type LookupAll, RECEIVED_MAX_BYTES } from "./ssrf-guard";

/** How a request ended. */
export type PostResult = Pick<
  DeliveryOutcome,
  "acknowledged" | "statusCode" | "latencyMs" | "error" | "responseHead" | "retryAfterS" | "finishedAt" | "ofProxy"
>;

/**
 * Limit for a connection through the proxy: below the limit of an exchange, so that a failure of the proxy is recognized first.
 */
const PROXY_LIMIT_MS = 8_000;

const KEPT_BYTES = 1_024;
const ERROR_MAX_CHARACTERS = 255;

const PROCESS_STALLED = "PROCESS_STALLED";
/** Failures of this machine, not of the endpoint: no files, memory or ports left, or a stall that broke the exchange. */
const OUR_OWN = new Set([...OUT_OF_RESOURCES, PROCESS_STALLED]);

/** Interim responses that nobody asked for end the connection: 100 Continue without our `Expect`, and 101 without our `Upgrade`. */
const UNASKED_CONTINUE = "UNASKED_CONTINUE";
const UNASKED_UPGRADE = "UNASKED_UPGRADE";
/** undici's wording for these responses; it uses it for nothing else. */
const UNASKED: ReadonlyMap<string, string> = new Map([
  ["bad response", UNASKED_CONTINUE],
  ["bad upgrade", UNASKED_UPGRADE],
]);

/** Failures that a stall of this process in the middle of the exchange may have caused. */
const LOST = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET", "UND_ERR_CONNECT_TIMEOUT"]);
/** How long a connection may stay idle; a longer stall may have outlasted the connection. */
const IDLE_MS = 5_000;
/** The status of a server that waited too long for the rest of a request (RFC 9110 section 15.5.9). */
const REQUEST_TIMEOUT = 408;
/** Statuses that redirect the caller (RFC 9110 section 15.4). The other 3xx do not: 304 says that nothing has changed. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** A signature of this age may be refused: the documentation recommends a tolerance of five minutes. */
const SIGNATURE_OLD_MS = 60_000;

const NOT_HTTP = "The endpoint's response is not HTTP.";
const CLOSED = "The endpoint closed the connection before its response was complete.";
/** The same through a proxy: once the tunnel is open, the proxy cannot be distinguished from the endpoint. */
const CLOSED_ON_THE_WAY = "The endpoint or the egress proxy closed the connection before the response was complete.";

const ERROR_MESSAGES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The endpoint refused the connection.",
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  ETIMEDOUT: "The endpoint could not be reached.",
  EHOSTUNREACH: "The endpoint could not be reached.",
  ENETUNREACH: "The endpoint could not be reached.",
  UND_ERR_CONNECT_TIMEOUT: "The endpoint could not be reached.",
  [UNASKED_CONTINUE]: "The endpoint sent 100 Continue, which was not asked for.",
  [UNASKED_UPGRADE]: "The endpoint sent 101 Switching Protocols, which was not asked for.",
  HTTPParserError: NOT_HTTP,
  // A response is not what undici expects, for example with a status below 100.
  ERR_ASSERTION: NOT_HTTP,
  [RECEIVED_TOO_MUCH]: `The endpoint sent more than ${RECEIVED_MAX_BYTES / 1_024} KiB for its response.`,
  UND_ERR_HEADERS_OVERFLOW: "The headers of the endpoint's response are too large.",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "The endpoint's response is not as long as it says.",
  CERT_HAS_EXPIRED: "The endpoint's TLS certificate has expired.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The endpoint's TLS certificate is self-signed.",
  SELF_SIGNED_CERT_IN_CHAIN: "The endpoint's TLS certificate is self-signed.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "The endpoint's TLS certificate could not be verified.",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "The endpoint's TLS certificate could not be verified.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The endpoint's TLS certificate is for another host.",
};

/**
 * The SSRF guard of this process, which checks new endpoints and connects every delivery. It is never closed: jobs that
 * are running when the process is to end still need it, and its idle sockets close by themselves.
 */
export const ssrfGuard = defineProcessValue("webhooks.ssrf_guard", () =>
  createSsrfGuard({
    allowedNetworks: env().WEBHOOK_ALLOWED_NETWORKS,
    lookup: shareLookups(createLookup()),
    through: (hostsOf) => proxyConnector("webhooks", { limitMs: PROXY_LIMIT_MS, hostsOf }),
    isGuardedByProxy: isGuardedByProxy(),
  }),
);

/** Lets concurrent requests to one name share one lookup, as in a burst of deliveries. */
export function shareLookups(lookup: LookupAll): LookupAll {
  const running = new Map<string, ReturnType<LookupAll>>();
  return (hostname) => {
    const shared = running.get(hostname);
    if (shared) return shared;
    const started = lookup(hostname).finally(() => running.delete(hostname));
    running.set(hostname, started);
    return started;
  };
}

/**
 * One event for one endpoint; `body` is signed and sent unchanged. The URL is parsed once by callers that post often.
 */
type EventPost = {
  url: string | URL;
  secrets: Secrets;
  eventId: string;
  body: Buffer;
  headers?: Record<string, string>;
};

/**
 * Signs an event with the time of {@link signingSeconds} and posts it through the SSRF guard; otherwise as {@link postJson}.
 * @param limitMs for the whole exchange.
 */
export function postEvent({ url, secrets, eventId, body, headers }: EventPost, limitMs: number): Promise<PostResult> {
  return postJson(url, {
    dispatcher: ssrfGuard().dispatcher,
    headers: { ...headers, ...signatureHeaders(secrets, eventId, signingSeconds(), body) },
    body,
    limitMs,
    isProxied: isProxied("webhooks"),
  });
}

/**
 * Posts `body` and reads the response, without following redirects. A failure of the network or the endpoint is returned,
 * not thrown.
 * @param options.isProxied the dispatcher leads through a proxy.
 * @param options.limitMs for the whole exchange, from the name lookup to the end of the response body; stalls of this process do
 *   not count.
 * @throws Error for a failure of ours: a resource of this machine is exhausted, its name servers do not respond, or a
 *   stall of this process broke the exchange.
 */
export async function postJson(
  url: string | URL,
  options: ExchangeOptions & { isProxied?: boolean },
): Promise<PostResult> {
  const { limitMs } = options;
  const startedMs = performance.now();
  const markMs = stalledMs();
  const seen: Seen = { statusCode: null, retryAfter: undefined, date: undefined, isLate: false };
  const end = (error: string | null, responseHead: string | null): PostResult => ({
    acknowledged: error === null,
    statusCode: seen.statusCode,
    latencyMs: Math.round(performance.now() - startedMs),
    error: error === null ? null : storable(error).slice(0, ERROR_MAX_CHARACTERS),
    responseHead,
    retryAfterS: seen.retryAfter === undefined ? null : retryAfterS(seen.retryAfter, Date.now()),
    finishedAt: new Date(),
  });
  try {
    await socketsRead();
    const headers = { "content-type": "application/json", "user-agent": "Messaging-Service/1", ...options.headers };
    const head = await exchange(
      typeof url === "string" ? new URL(url) : url,
      { ...options, headers },
      seen,
      KEPT_BYTES,
    );
    const statusCode = seen.statusCode ?? 0;
    if (!hasStalledSince(markMs)) noteDate(seen.date);
    if (isRefusedForStall(statusCode, markMs)) throw processStalled();
    return end(statusError(statusCode), textOf(head));
  } catch (thrown) {
    const { error, ofProxy } = failureOf(thrown, { startedMs, markMs, limitMs, isLate: seen.isLate });
    const isOnTheWay = options.isProxied && error === CLOSED;
    return { ...end(isOnTheWay ? CLOSED_ON_THE_WAY : error, null), ...(ofProxy && { ofProxy }) };
  }
}

/** `markMs`: as of {@link stalledMs} when the exchange began. */
type Exchange = { startedMs: number; markMs: number; limitMs: number; isLate: boolean };

/**
 * Why an exchange failed: the fault of the endpoint or of the proxy.
 * @throws Error for a failure of ours, with its code, which shows that none of the job's deliveries made it fail.
 */
function failureOf(
  thrown: unknown,
  { startedMs, markMs, limitMs, isLate }: Exchange,
): Pick<PostResult, "ofProxy"> & { error: string } {
  const code = codeOf(thrown);
  if (thrown instanceof Error && isResolverSilent(thrown.cause)) throw thrown.cause;
  if (OUR_OWN.has(code)) throw thrown;
  if (isEgressProxyError(thrown)) {
    if (OUR_OWN.has(codeOf(thrown.cause))) throw thrown.cause;
    if (hasStalledSince(markMs)) throw processStalled(thrown);
    if (thrown.isOfTarget) return { error: thrown.message };
    return { error: thrown.message, ofProxy: isProxyAway(thrown) ? "away" : "refused" };
  }
  const hasOutlastedIdle = sinceLongStallMs() < performance.now() - startedMs + IDLE_MS;
  const isLost = LOST.has(code) && (hasOutlastedIdle || hasStalledSince(markMs));
  const isUnanswered = isLate || (isBlockedUrlError(thrown) && thrown.reason === "unresolvable_host");
  // The deadline was already extended by short stalls; only longer ones make a timeout ours.
  if (isLost || (isUnanswered && hasStalledSince(markMs, limitMs / 10))) throw processStalled(thrown);
  if (isLate) return { error: `No complete response within ${limitMs / 1_000} s.` };
  if (isBlockedUrlError(thrown)) return { error: thrown.message };
  return { error: ERROR_MESSAGES[code] ?? `The request failed (${code}).` };
}

const processStalled = (cause?: unknown): Error =>
  Object.assign(new Error("This process stalled during a request to a webhook endpoint.", { cause }), {
    code: PROCESS_STALLED,
  });

/** Whether an endpoint may have refused a request because of a stall of this process. */
function isRefusedForStall(statusCode: number, markMs: number): boolean {
  if (isAcknowledged(statusCode)) return false;
  return hasStalledSince(markMs, statusCode === REQUEST_TIMEOUT ? 0 : SIGNATURE_OLD_MS);
}

/** Error code or class of a failure; exception messages are never shown. */
function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "unknown";
  const unasked = UNASKED.get(thrown.message);
  if (unasked) return unasked;
  return "code" in thrown && typeof thrown.code === "string" ? thrown.code : thrown.name;
}

/** Why a status does not acknowledge the event; null when it does. */
function statusError(statusCode: number): string | null {
  if (isAcknowledged(statusCode)) return null;
  return `The endpoint responded with ${statusCode}${REDIRECTS.has(statusCode) ? "; redirects are not followed" : ""}.`;
}

/** Decoded as a stream, which omits a character that the cut would split. */
const textOf = (head: Buffer): string =>
  head.length === 0 ? "" : storable(new TextDecoder().decode(head, { stream: true }));

/** PostgreSQL's text cannot contain NUL. */
const storable = (text: string): string => text.replaceAll("\0", "\uFFFD");
