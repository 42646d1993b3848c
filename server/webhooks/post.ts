/** One HTTP request to a customer's endpoint. */
import type { Readable } from "node:stream";
import { type Dispatcher, request } from "undici";
import { env } from "../core/env";
import { perProcess } from "../core/process";
import { createGuard, type Guard, isBlockedUrlError, type LookupAll } from "./guard";
import type { Outcome } from "./outcome";
import { createLookup, isResolverSilent } from "./resolve-host";
import { isAcknowledged, retryAfterS } from "./retry";
import { type Secrets, signatureHeaders } from "./signature";

/** How a request ended. */
export type PostResult = Pick<
  Outcome,
  "acknowledged" | "statusCode" | "latencyMs" | "error" | "responseHead" | "retryAfterS" | "finishedAt"
>;

const BODY_LIMIT_BYTES = 16 * 1_024;
const KEPT_BYTES = 1_024;
const ERROR_MAX_CHARACTERS = 255;

/** Failures of this machine, not of the endpoint: out of files, memory or ports. */
const OUR_OWN = new Set(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL"]);

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
export const webhookGuard = (): Guard =>
  perProcess("webhooks.guard", () =>
    createGuard({
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
 * @param limitMs for the whole exchange, from looking up the name to the end of the answer's body.
 * @throws Error when this machine has run out of something or its name servers answer nothing; the endpoint is not to
 *   blame for that.
 */
export async function postJson(
  url: string,
  options: { dispatcher: Dispatcher; headers: Record<string, string>; body: Buffer; limitMs: number },
): Promise<PostResult> {
  const { dispatcher, headers, body, limitMs } = options;
  const startedMs = performance.now();
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), limitMs);
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
    const answer = await request(url, {
      method: "POST",
      dispatcher,
      signal: abort.signal,
      headers: { ...headers, "content-type": "application/json", "user-agent": "Messaging-Service/1" },
      body,
    });
    statusCode = answer.statusCode;
    askedForS = retryAfterS([answer.headers["retry-after"]].flat()[0], Date.now());
    return end(refusal(statusCode), await readHead(answer.body));
  } catch (thrown) {
    if (abort.signal.aborted) return end(`No complete answer within ${limitMs / 1_000} s.`, null);
    const code = codeOf(thrown);
    if (OUR_OWN.has(code) || (thrown instanceof Error && isResolverSilent(thrown.cause))) throw thrown;
    return end(isBlockedUrlError(thrown) ? thrown.message : (EXPLAINED[code] ?? `The request failed (${code}).`), null);
  } finally {
    clearTimeout(timer);
  }
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
