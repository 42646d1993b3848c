/** One HTTP request to a customer's endpoint. */
import type { Readable } from "node:stream";
import { type Dispatcher, request } from "undici";
import { deadlineSignal, hasStalledSince, sinceLongStallMs, socketsRead, stalledMs } from "../core/deadline";
import { env } from "../core/env";
import { perProcess } from "../core/process";
import type { DeliveryOutcome } from "./delivery-outcome";
import { createLookup, isResolverSilent } from "./resolve-host";
import { isAcknowledged, retryAfterS } from "./retry";
import { type Secrets, signatureHeaders } from "./signature";
import { createSsrfGuard, isBlockedUrlError, type LookupAll, type SsrfGuard } from "./ssrf-guard";

/** How a request ended. */
export type PostResult = Pick<
  DeliveryOutcome,
  "acknowledged" | "statusCode" | "latencyMs" | "error" | "responseHead" | "retryAfterS" | "finishedAt"
>;

const BODY_LIMIT_BYTES = 16 * 1_024;
const KEPT_BYTES = 1_024;
const ERROR_MAX_CHARACTERS = 255;

const PROCESS_STALLED = "PROCESS_STALLED";
/** Failures of this machine, not of the endpoint: out of files, memory or ports, or a stall that spoilt the exchange. */
const OUR_OWN = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL", PROCESS_STALLED]);

/** Endings of an endpoint that gave up on us, if we stood still in the middle of the exchange. */
const LOST = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT", "UND_ERR_SOCKET", "UND_ERR_CONNECT_TIMEOUT"]);
/** As long as an idle connection may wait for the next request; a long stall within that time may have outlasted it. */
const IDLE_MS = 5_000;
/** The status by which a server says that it waited too long for the rest of a request (RFC 9110 section 15.5.9). */
const REQUEST_TIMEOUT = 408;
/** A signature that is this old may be refused for its age: endpoints are told to do so after five minutes. */
const SIGNATURE_OLD_MS = 60_000;

const EXPLAINED: Readonly<Record<string, string>> = {
  ECONNREFUSED: "The endpoint refused the connection.",
  ECONNRESET: "The endpoint closed the connection before its answer was complete.",
  EPIPE: "The endpoint closed the connection before its answer was complete.",
  UND_ERR_SOCKET: "The endpoint closed the connection before its answer was complete.",
  ETIMEDOUT: "The endpoint could not be reached.",
  EHOSTUNREACH: "The endpoint could not be reached.",
  ENETUNREACH: "The endpoint could not be reached.",
  UND_ERR_CONNECT_TIMEOUT: "The endpoint could not be reached.",
  HTTPParserError: "The endpoint's answer is not HTTP.",
  CERT_HAS_EXPIRED: "The endpoint's TLS certificate has expired.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The endpoint's TLS certificate is self-signed.",
  SELF_SIGNED_CERT_IN_CHAIN: "The endpoint's TLS certificate is self-signed.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "The endpoint's TLS certificate could not be verified.",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "The endpoint's TLS certificate could not be verified.",
  ERR_TLS_CERT_ALTNAME_INVALID: "The endpoint's TLS certificate is for another host.",
};

/**
 * The one guard of the process: what creating an endpoint asks, and what every delivery connects through. It is never
 * closed: the jobs that are under way when the process is told to stop still need it, and its idle sockets end alone.
 */
export const webhookGuard = (): SsrfGuard =>
  perProcess("webhooks.guard", () =>
    createSsrfGuard({
      allowedNetworks: env().WEBHOOK_ALLOWED_NETWORKS,
      lookup: shareLookups(createLookup()),
    }),
  );

/** Lets concurrent questions for one name share one lookup: a burst of deliveries asks once. */
export function shareLookups(lookup: LookupAll): LookupAll {
  const running = new Map<string, ReturnType<LookupAll>>();
  return (hostname) => {
    const known = running.get(hostname);
    if (known) return known;
    const started = lookup(hostname).finally(() => running.delete(hostname));
    running.set(hostname, started);
    return started;
  };
}

/** One event for one endpoint, ready to be sent: `body` holds the very bytes. */
type EventPost = {
  url: string;
  secrets: Secrets;
  eventId: string;
  body: Buffer;
  headers?: Record<string, string>;
};

/**
 * Posts an event through the guard, signed at this moment; otherwise as {@link postJson}.
 * @param limitMs for the whole exchange.
 */
export function postEvent({ url, secrets, eventId, body, headers }: EventPost, limitMs: number): Promise<PostResult> {
  return postJson(url, {
    dispatcher: webhookGuard().dispatcher,
    headers: { ...headers, ...signatureHeaders(secrets, eventId, Math.floor(Date.now() / 1_000), body) },
    body,
    limitMs,
  });
}

/**
 * Posts `body` and reads the answer, following no redirect. What goes wrong on the way or at the endpoint is a result.
 * @param limitMs for the whole exchange, from looking up the name to the end of the answer's body; time in which this
 *   process stood still does not count.
 * @throws Error when this machine has run out of something, its name servers answer nothing, or this process stood still
 *   so that the exchange was lost; the endpoint is not to blame for that.
 */
export async function postJson(
  url: string,
  options: { dispatcher: Dispatcher; headers: Record<string, string>; body: Buffer; limitMs: number },
): Promise<PostResult> {
  const { dispatcher, headers, body, limitMs } = options;
  const startedMs = performance.now();
  const markMs = stalledMs();
  const deadline = deadlineSignal(limitMs);
  let statusCode: number | null = null;
  let askedForS: number | null = null;
  const end = (error: string | null, responseHead: string | null): PostResult => ({
    acknowledged: error === null,
    statusCode,
    latencyMs: Math.round(performance.now() - startedMs),
    error: error === null ? null : storable(error).slice(0, ERROR_MAX_CHARACTERS),
    responseHead,
    retryAfterS: askedForS,
    finishedAt: new Date(),
  });
  try {
    await socketsRead();
    const answer = await request(url, {
      method: "POST",
      dispatcher,
      signal: deadline.signal,
      headers: { ...headers, "content-type": "application/json", "user-agent": "Messaging-Service/1" },
      body,
    });
    statusCode = answer.statusCode;
    askedForS = retryAfterS([answer.headers["retry-after"]].flat()[0], Date.now());
    const head = await readHead(answer.body);
    if (isAnswerToStall(statusCode, markMs)) throw processStalled();
    return end(refusal(statusCode), head);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (OUR_OWN.has(code) || (thrown instanceof Error && isResolverSilent(thrown.cause))) throw thrown;
    const isLate = deadline.signal.aborted;
    const hasOutlastedIdle = sinceLongStallMs() < performance.now() - startedMs + IDLE_MS;
    const isLost = LOST.has(code) && (hasOutlastedIdle || hasStalledSince(markMs));
    const isUnheard = isLate || (isBlockedUrlError(thrown) && thrown.reason === "unresolvable_host");
    // A time-out has given short stalls back already; it is spoilt by those that took a good part of the time.
    if (isLost || (isUnheard && hasStalledSince(markMs, limitMs / 10))) throw processStalled(thrown);
    if (isLate) return end(`No complete answer within ${limitMs / 1_000} s.`, null);
    return end(isBlockedUrlError(thrown) ? thrown.message : (EXPLAINED[code] ?? `The request failed (${code}).`), null);
  } finally {
    deadline.clear();
  }
}

const processStalled = (cause?: unknown): Error =>
  Object.assign(new Error("This process stood still during a request to a webhook endpoint.", { cause }), {
    code: PROCESS_STALLED,
  });

/** Whether an endpoint refused a request for what a stall of this process did to it. */
function isAnswerToStall(statusCode: number, markMs: number): boolean {
  if (isAcknowledged(statusCode)) return false;
  return hasStalledSince(markMs, statusCode === REQUEST_TIMEOUT ? 0 : SIGNATURE_OLD_MS);
}

/** A name for what happened; the text of an exception is never shown. */
function codeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return "unknown";
  return "code" in thrown && typeof thrown.code === "string" ? thrown.code : thrown.name;
}

/** Why a status does not acknowledge; null when it does. */
function refusal(statusCode: number): string | null {
  if (isAcknowledged(statusCode)) return null;
  const isRedirect = statusCode >= 300 && statusCode <= 399;
  return `The endpoint answered ${statusCode}${isRedirect ? "; redirects are not followed" : ""}.`;
}

/** The first KiB of a body as text. Reading stops, and the connection is closed, at 16 KiB. */
async function readHead(body: Readable): Promise<string> {
  // Stopping early destroys the stream, which reports that as an error of its own.
  body.on("error", () => undefined);
  const kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (size < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - size));
    size += chunk.length;
    if (size >= BODY_LIMIT_BYTES) break;
  }
  // As a stream: a character that the cut would split is left out.
  return storable(new TextDecoder().decode(Buffer.concat(kept), { stream: true }));
}

/** PostgreSQL's text holds no NUL. */
const storable = (text: string): string => text.replaceAll("\0", "\uFFFD");
