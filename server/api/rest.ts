/**
 * The REST edge: every response under /api/v1 is made here. It checks in the documented order (key, address, rate, path,
 * scope, input), calls the procedure that the OpenAPI meta names, and puts the envelope or the error around the result.
 */
import { clientAddress } from "../addresses/client-address";
import { isAddressAllowed } from "../addresses/networks";
import { authenticate, type KnownKey, noteUse } from "../api-keys/authenticate";
import { countRequest } from "../api-keys/rate-limit";
import type { AccountActor, Origin } from "../core/actor";
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
import { callProcedure } from "./call-procedure";
import { DOCUMENT_METHODS, isDocument, serveDocument } from "./document/serve-document";
import { withPlainLetters } from "./door/plain-path";
import { challengeOf, clearRateFields, ownRequestId, setRateFields } from "./http-fields";
import { idempotencyOf } from "./idempotency-key";
import { judgeNames, parseInput, queryWarnings } from "./input/rest-input";
import { loggedPath } from "./logged-path";
import {
  allowedAt,
  BODY_METHODS,
  canonicalPath,
  type Match,
  matchOperation,
  type Operation,
  tableOf,
} from "./operations";
import { requireRate } from "./require-rate";
import type { Meta, RestOutcome, RestRequest, RestResponse } from "./rest-exchange";
import { appRouter } from "./router";

export const API_PREFIX = "/api/v1";
/** The largest valid request, with 1,000 recipients and a text of 1,600 escaped characters, is far smaller. */
export const BODY_MAX_BYTES = 1_048_576;

const RESPONSE_HEADERS = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };

/** A request in progress: header fields and `meta` of its response or refusal, and the facts known about it so far. */
type Progress = { headers: Record<string, string>; meta: Meta } & Omit<RestOutcome, "response">;

const operations = defineProcessValue("rest.operations", () => tableOf(appRouter));

/** The request with a path without trailing slash and encoded letters, and with GET for HEAD; the door then omits the body. */
function normalized(request: RestRequest): RestRequest {
  const { method } = request;
  const path = withPlainLetters(request.path);
  const isSlashed = path.length > 1 && path.endsWith("/");
  if (!isSlashed && method !== "HEAD" && path === request.path) return request;
  return { ...request, method: method === "HEAD" ? "GET" : method, path: isSlashed ? path.slice(0, -1) : path };
}

/** Responds to one request. Never throws. Only the API document needs no key. */
export async function serveRest(given: RestRequest): Promise<RestOutcome> {
  const request = normalized(given);
  const ownId = ownRequestId(request.header("x-request-id"));
  const progress = begin(ownId);
  try {
    return outcomeOf(await respond(request, progress), progress);
  } catch (thrown) {
    const error = toApiError(thrown);
    report(error, thrown, given, { requestId: progress.meta.request_id, ownId });
    return outcomeOf(refusal(error, progress.headers, progress.meta), progress);
  }
}

function begin(ownId: string | null): Progress {
  const requestId = newId("request");
  const headers: Record<string, string> = { "request-id": requestId, ...RESPONSE_HEADERS };
  if (ownId !== null) headers["x-request-id"] = ownId;
  return { headers, meta: { request_id: requestId, api_version: API_VERSION }, seen: null, facts: null };
}

const outcomeOf = (response: RestResponse, { seen, facts }: Progress): RestOutcome => ({ response, seen, facts });

/** The response to a request that was refused before {@link serveRest} and its key check. Closes the connection. */
export function refusalResponse(error: ApiError): RestResponse {
  const meta = { request_id: newId("request"), api_version: API_VERSION };
  return refusal(error, { ...RESPONSE_HEADERS, "request-id": meta.request_id, connection: "close" }, meta);
}

function refusal(error: ApiError, headers: Record<string, string>, meta: object): RestResponse {
  if (error.retryAfterS !== null) headers["retry-after"] = String(error.retryAfterS);
  if (error.status === 401) headers["www-authenticate"] = challengeOf(error);
  // A key may have ended since the request was counted; a caller that it does not admit is told nothing of its rate.
  if (error.status === 401 || error.wire.details.reason === "ip_not_allowed") clearRateFields(headers);
  return { status: error.status, headers, body: JSON.stringify({ success: false, error: error.wire, meta }) };
}

/** Runs a step before the operation. A database failure here has changed nothing, whichever statement failed. */
const beforeOperation = <T>(work: Promise<T>): Promise<T> =>
  work.catch((thrown) => {
    if (!isDatabaseUnavailable(thrown) && !isOutcomeUnknown(thrown)) throw thrown;
    throw databaseUnavailable({ nothingDone: true, cause: thrown.cause });
  });

/**
 * Responds to a path without an operation for the method: to OPTIONS with 204 and `Allow`.
 * @throws 404 `method_not_allowed` if other methods have one (the API has no 405), otherwise 404 `unknown_path`.
 */
function refuseMethod({ method, path }: RestRequest, { headers }: Progress): RestResponse {
  const allow = isDocument(path) ? DOCUMENT_METHODS : allowedAt(operations(), path);
  if (allow === null) throw notFound("There is no such operation.", { reason: "unknown_path" });
  headers.allow = allow;
  if (method !== "OPTIONS") {
    throw notFound(`There is no such operation: this path takes ${allow}.`, { reason: "method_not_allowed" });
  }
  const { "content-type": _, ...fields } = headers;
  return { status: 204, headers: fields, body: "" };
}

/** Responds to a request; refusals are thrown. */
async function respond(request: RestRequest, progress: Progress): Promise<RestResponse> {
  const document = await serveDocument(request, progress.headers);
  if (document) return document;
  if (isDocument(request.path) && request.method === "OPTIONS") return refuseMethod(request, progress);
  const caller = await admit(request, progress);
  const match = matchOperation(operations(), request.method, request.path);
  if (!match) return refuseMethod(request, progress);
  const { operation } = match;
  progress.facts = {
    operation: operation.procedure,
    requestId: progress.meta.request_id,
    accountId: caller.key.accountId,
    keyId: caller.key.id,
  };
  const result = await callOperation(request, match, caller, progress);
  // Only reading operations take no input, so their query may be checked afterwards: there is nothing to undo.
  if (!operation.takesInput) judgeNames(request, progress, queryWarnings(request.query));
  const body = JSON.stringify({ success: true, ...envelope(result, progress.meta) });
  return { status: operation.creates ? 201 : 200, headers: progress.headers, body, hasSecret: operation.showsSecret };
}

/** A key, and the address that it was used from. `atMs`: when the check of both began, by `performance.now()`. */
type Caller = { key: KnownKey; address: string; atMs: number };

/** A later look at a key and its address is not needed within this time. Keys are read up to as long before: together a second. */
const IDENTIFIED_FOR_MS = 500;

/** Checks key and address. @throws 401, 403 `ip_not_allowed` */
async function identify(request: RestRequest, progress: Progress): Promise<Caller> {
  const atMs = performance.now();
  const key = await beforeOperation(authenticate(request.header("authorization")));
  const address = clientAddress({
    peer: request.peer,
    forwardedFor: request.header("x-forwarded-for"),
    trustedProxies: env().TRUSTED_PROXIES,
  });
  progress.seen = { accountId: key.accountId, keyId: key.id, address, input: undefined, inputBytes: 0 };
  if (!isAddressAllowed(address, key.allowedIps)) {
    throw forbidden("This API key may not be used from your address.", {
      reason: "ip_not_allowed",
      details: { address },
    });
  }
  return { key, address, atMs };
}

/** Checks key, address and rate. @throws as {@link identify}, and 429 */
async function admit(request: RestRequest, progress: Progress): Promise<Caller> {
  const caller = await identify(request, progress);
  const { key } = caller;
  noteUse(key.id);
  const rate = await beforeOperation(countRequest({ caller: key.id, limit: key.rateLimit, accountId: key.accountId }));
  setRateFields(progress.headers, rate);
  requireRate(rate, "This API key");
  return caller;
}

/** Carries out the operation. */
function callOperation(
  request: RestRequest,
  match: Match,
  { key, address, atMs }: Caller,
  progress: Progress,
): Promise<unknown> {
  const { operation, params } = match;
  let body: Buffer | null = null;
  let value: unknown;
  const origin = { address, userAgent: request.header("user-agent") ?? "" };
  const actor = actorOf(key, origin);
  const context: Context = {
    actor,
    requestId: progress.meta.request_id,
    address,
    idempotency: () => body && idempotencyOf(request.header("idempotency-key"), canonicalPath(match), body, value),
    isAbandoned: request.isAbandoned,
    responseHeaders: progress.headers,
    // The request was already counted with its key.
    admit: async () => undefined,
  };
  return callProcedure(operation.call, {
    path: operation.procedure,
    ctx: context,
    // Called after the scope check, so the body of a caller without the scope is never read.
    getRawInput: async () => {
      body = BODY_METHODS.has(operation.method) ? await request.readBody(key.accountId) : null;
      // A body may take half a minute, in which the key may have ended, or its limits may have changed.
      const isLate = body !== null && performance.now() - atMs > IDENTIFIED_FOR_MS;
      if (isLate) Object.assign(actor, actorOf((await identify(request, progress)).key, origin));
      requireStorable(params.id, "id");
      const input = readInput(request, operation, body, progress);
      value = input;
      return { ...input, ...params };
    },
  });
}

/** Reads the input of an operation, and handles unknown and repeated names. @throws 400 */
function readInput(request: RestRequest, operation: Operation, body: Buffer | null, progress: Progress) {
  const { input, warnings } = parseInput(request, operation, body);
  if (body !== null && body.length > 0 && progress.seen) {
    progress.seen.input = input;
    progress.seen.inputBytes = body.length;
  }
  judgeNames(request, progress, warnings);
  return input;
}

const actorOf = (key: KnownKey, origin: Origin): AccountActor => ({
  kind: "apiKey",
  origin,
  accountId: key.accountId,
  keyId: key.id,
  scopes: key.permissions,
  limits: { daily: key.dailyLimit, monthly: key.monthlyLimit },
  countedAs: key.countedAs,
  ancestors: key.ancestors,
});

/**
 * Puts a page's `items` and `pagination` next to each other in the envelope, and its cursor in `meta`; any other result is the
 * `data`.
 */
function envelope(result: unknown, meta: Meta): { data: unknown; pagination?: unknown; meta: Meta } {
  if (typeof result !== "object" || result === null || !("items" in result && "pagination" in result)) {
    return { data: result, meta };
  }
  const { items: data, pagination } = result;
  const next = "next_cursor" in result ? { next_cursor: result.next_cursor as string | null } : {};
  return { data, pagination, meta: { ...meta, ...next } };
}

/** `ownId`: the caller's own id of the request. */
type Ids = { requestId: string; ownId: string | null };

function report(error: ApiError, thrown: unknown, request: RestRequest, { requestId, ownId }: Ids): void {
  const fields = {
    request_id: requestId,
    ...(ownId === null ? {} : { client_request_id: ownId }),
    method: request.method,
    path: loggedPath(request.path),
    status: error.status,
  };
  if (error.status === 503)
    log("warn", "rest.unavailable", { ...fields, reason: error.wire.details.reason, ...errorFields(causeOf(error)) });
  else if (error.status >= 500) log("error", "rest.failed", { ...fields, ...errorFields(causeOf(thrown)) });
  else log("debug", "rest.refused", { ...fields, reason: error.wire.details.reason ?? error.wire.code });
}

const causeOf = (thrown: unknown): unknown => (thrown instanceof Error && thrown.cause ? thrown.cause : thrown);

/** 400: a body over {@link BODY_MAX_BYTES}. */
export const bodyTooLarge = () =>
  invalidRequest(`The body is larger than ${BODY_MAX_BYTES} bytes.`, { reason: "body_too_large" });
