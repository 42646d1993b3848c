/**
 * The REST edge: every answer under /api/v1 is made here. It checks in the documented order (key, address, rate, path,
 * scope, input), calls the procedure that the OpenAPI meta names, and puts the envelope or the error around the result.
 */
import { authenticate, type KnownKey, noteUse } from "../api-keys/authenticate";
import { clientAddress, isAddressAllowed } from "../api-keys/ip-allowlist";
import { countRequest } from "../api-keys/rate-limit";
import { namedPeer } from "../auth/caller-address";
import type { AccountActor } from "../core/actor";
import { wholeSeconds } from "../core/clock";
import { env } from "../core/env";
import {
  type ApiError,
  databaseUnavailable,
  forbidden,
  invalidRequest,
  isDatabaseUnavailable,
  isOutcomeUnknown,
  notFound,
  toApiError,
} from "../core/errors";
import { newId } from "../core/ids";
import { errorFields, log } from "../core/log";
import { defineProcessValue } from "../core/process";
import type { Context } from "../core/trpc";
import { API_VERSION, requireStorable } from "../core/wire";
import { callProcedure } from "./call";
import { idempotencyOf } from "./idempotency-key";
import { parseBody, parseQuery } from "./input";
import { matchOperation, tableOf } from "./operations";
import { requireRate } from "./rate";
import { appRouter } from "./router";

export const API_PREFIX = "/api/v1";
/** The largest valid request, 1,000 recipients and a text of 1,600 escaped characters, is far below. */
export const BODY_MAX_BYTES = 1_048_576;

const RESPONSE_HEADERS = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };

/** A request as either door (node:http or fetch) hands it over. `readBody` is called only once the caller may pass. */
export type RestRequest = {
  method: string;
  /** Path below /api/v1, still percent-encoded, with the leading slash. */
  path: string;
  query: string;
  header: (name: string) => string | undefined;
  /** Address of the socket's other end; empty: not known. */
  peer: string;
  readBody: (accountId: string) => Promise<Buffer>;
};

export type RestResponse = { status: number; headers: Record<string, string>; body: string };

const operations = defineProcessValue("rest.operations", () => tableOf(appRouter));

/** Answers one request. Never throws. The document of the API is the one thing that needs no key. */
export async function serveRest(request: RestRequest): Promise<RestResponse> {
  const requestId = newId("request");
  const headers: Record<string, string> = { ...RESPONSE_HEADERS };
  const meta = { request_id: requestId, api_version: API_VERSION };
  try {
    if (request.method === "GET" && request.path === "/openapi.json") {
      // Loaded when somebody asks: what makes the document is heavy, and most processes never need it.
      const { openApiText } = await import("./openapi");
      return { status: 200, headers, body: openApiText() };
    }
    const { operation, result } = await perform(request, requestId, headers);
    const status = operation.creates ? 201 : 200;
    return { status, headers, body: JSON.stringify({ success: true, ...envelope(result), meta }) };
  } catch (thrown) {
    const error = toApiError(thrown);
    report(error, thrown, request, requestId);
    return refusal(error, headers, meta);
  }
}

/** The answer to what never came as far as {@link serveRest}: nobody was asked for a key. Its connection is closed. */
export function refusalResponse(error: ApiError): RestResponse {
  const meta = { request_id: newId("request"), api_version: API_VERSION };
  return refusal(error, { ...RESPONSE_HEADERS, connection: "close" }, meta);
}

function refusal(error: ApiError, headers: Record<string, string>, meta: object): RestResponse {
  if (error.retryAfterS !== null) headers["retry-after"] = String(error.retryAfterS);
  return { status: error.status, headers, body: JSON.stringify({ success: false, error: error.wire, meta }) };
}

/** Does what precedes every deed. A database that fails here has left nothing behind, whichever statement it was. */
const beforeOperation = <T>(work: Promise<T>): Promise<T> =>
  work.catch((thrown) => {
    if (!isDatabaseUnavailable(thrown) && !isOutcomeUnknown(thrown)) throw thrown;
    throw databaseUnavailable({ nothingDone: true, cause: thrown.cause });
  });

async function perform(request: RestRequest, requestId: string, headers: Record<string, string>) {
  const key = await beforeOperation(authenticate(request.header("authorization")));
  const address = clientAddress({
    peer: request.peer,
    forwardedFor: request.header("x-forwarded-for"),
    trustedProxies: env().TRUSTED_PROXIES,
  });
  if (!isAddressAllowed(address, key.allowedIps)) {
    throw forbidden("This API key may not be used from your address.", {
      reason: "ip_not_allowed",
      details: { address },
    });
  }
  noteUse(key.id);
  await passRateLimit(key, headers);
  const match = matchOperation(operations(), request.method, request.path);
  if (!match) throw notFound("There is no such operation.", { reason: "unknown_path" });
  const { operation, params } = match;
  let body: Buffer | null = null;
  const context: Context = {
    actor: actorOf(key),
    requestId,
    address,
    idempotency: () => body && idempotencyOf(request.header("idempotency-key"), request.path, body),
    responseHeaders: headers,
    // It was counted with its key.
    admit: async () => undefined,
  };
  const result = await callProcedure(operation.call, {
    path: operation.procedure,
    ctx: context,
    // It is asked for after the scope was judged, so a caller without the scope never has a body read.
    getRawInput: async () => {
      body = operation.method === "POST" ? await request.readBody(key.accountId) : null;
      requireStorable(params.id, "id");
      // What creates nothing may have nothing to say beyond its path.
      if (body?.length === 0 && !operation.creates) return params;
      return { ...(body ? parseBody(request.header("content-type"), body) : parseQuery(request.query)), ...params };
    },
  });
  return { operation, result };
}

async function passRateLimit(key: KnownKey, headers: Record<string, string>): Promise<void> {
  const rate = await beforeOperation(countRequest({ caller: key.id, limit: key.rateLimit, accountId: key.accountId }));
  headers["ratelimit-limit"] = String(rate.limit);
  headers["ratelimit-remaining"] = String(rate.remaining);
  headers["ratelimit-reset"] = String(wholeSeconds(rate.resetMs));
  requireRate(rate, "This API key");
}

const actorOf = (key: KnownKey): AccountActor => ({
  kind: "apiKey",
  accountId: key.accountId,
  keyId: key.id,
  scopes: key.permissions,
  limits: { daily: key.dailyLimit, monthly: key.monthlyLimit },
});

/** A page's `items` and `pagination` stand side by side in the envelope; everything else is its `data`. */
function envelope(result: unknown): { data: unknown; pagination?: unknown } {
  if (typeof result === "object" && result !== null && "items" in result && "pagination" in result) {
    return { data: result.items, pagination: result.pagination };
  }
  return { data: result };
}

function report(error: ApiError, thrown: unknown, request: RestRequest, requestId: string): void {
  const fields = { request_id: requestId, method: request.method, path: request.path, status: error.status };
  if (error.status === 503)
    log("warn", "rest.unavailable", { ...fields, reason: error.wire.details.reason, ...errorFields(causeOf(error)) });
  else if (error.status >= 500) log("error", "rest.failed", { ...fields, ...errorFields(causeOf(thrown)) });
  else log("debug", "rest.refused", { ...fields, reason: error.wire.details.reason ?? error.wire.code });
}

const causeOf = (thrown: unknown): unknown => (thrown instanceof Error && thrown.cause ? thrown.cause : thrown);

/**
 * The same edge as a fetch handler, for `next dev` without our server and for serverless hosts. There nobody tells where a
 * request came from, so a key with an allowlist is refused.
 */
export async function handleRest(request: Request): Promise<Response> {
  const url = new URL(request.url);
  const answer = await serveRest({
    method: request.method,
    path: url.pathname.slice(API_PREFIX.length),
    query: url.search.slice(1),
    header: (name) => request.headers.get(name) ?? undefined,
    peer: namedPeer((name) => request.headers.get(name)),
    readBody: async () => {
      const body = Buffer.from(await request.arrayBuffer());
      if (body.length > BODY_MAX_BYTES) throw bodyTooLarge();
      return body;
    },
  });
  return new Response(answer.body, { status: answer.status, headers: answer.headers });
}

/** 400: a body over {@link BODY_MAX_BYTES}. */
export const bodyTooLarge = () =>
  invalidRequest(`The body is larger than ${BODY_MAX_BYTES} bytes.`, { reason: "body_too_large" });
