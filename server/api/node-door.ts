import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { overloaded, tooLarge } from "../core/errors";
import { observeRequest } from "../observability/requests";
import { logRequest } from "../request-log/log-request";
import { compress } from "./compress";
import { readBody } from "./door/body";
import { writeResponse } from "./door/responses";
import { serveUnlessOverloaded } from "./door/shedding";
import { serveReceipt } from "./receipts";
import { API_PREFIX, BODY_MAX_BYTES, bodyTooLarge, refusalResponse, serveRest } from "./rest";
import type { RestOutcome, RestRequest } from "./rest-exchange";

/** A request's target as a path: clients and proxies may write it with scheme and host (RFC 9112, 3.2.2). */
export function pathOf(target: string): string {
  if (target.startsWith("/")) return target;
  const path = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return path.startsWith("/") ? path : `/${path}`;
}

/** Whether a request belongs to the REST API. */
export const isRestPath = (url: string): boolean =>
  url.startsWith(API_PREFIX) &&
  (url.length === API_PREFIX.length || url[API_PREFIX.length] === "/" || url[API_PREFIX.length] === "?");

/** The REST edge on node:http, with nothing between it and the socket. */
export async function handleRestNode(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (
    await serveUnlessOverloaded(
      () => request.complete,
      () => answerRest(request, response),
    )
  )
    return;
  await writeResponse(request, response, refusalResponse(overloaded()));
}

/**
 * Tells whether a connection has ended. Of a request only this function stays with its send until that is accepted: a closure made by
 * {@link answerRest} would keep request and response, which then outlive many collections of garbage.
 */
const endOf = (socket: Socket) => (): boolean => socket.destroyed;

async function answerRest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = request.url ?? "";
  const queryAt = url.indexOf("?");
  const pathEnd = queryAt === -1 ? url.length : queryAt;
  const asked: RestRequest = {
    method: request.method ?? "GET",
    path: url.slice(API_PREFIX.length, pathEnd),
    query: url.slice(pathEnd + 1),
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    peer: request.socket.remoteAddress ?? "",
    isAbandoned: endOf(request.socket),
    readBody: (accountId) =>
      readBody(request, response, {
        kind: "known",
        owner: accountId,
        maxBytes: BODY_MAX_BYTES,
        tooLarge: bodyTooLarge,
      }),
  };
  const startedAt = performance.now();
  const outcome = await observeRequest(asked, () => serveRest(asked));
  noteResponse(asked, outcome, performance.now() - startedAt);
  const coding = request.headers["accept-encoding"]?.toString();
  await writeResponse(request, response, await compress(outcome.response, coding));
}

/** Requests without a valid key do not belong to any account's log. */
function noteResponse(
  { method, path, query, header }: RestRequest,
  { response, seen, facts }: RestOutcome,
  latencyMs: number,
): void {
  if (!seen) return;
  logRequest({
    id: response.headers["request-id"] ?? "",
    accountId: seen.accountId,
    keyId: seen.keyId,
    address: seen.address,
    userAgent: header("user-agent") ?? null,
    method,
    path,
    query,
    status: response.status,
    latencyMs,
    operation: facts?.operation ?? null,
    input: seen.input,
    inputBytes: seen.inputBytes,
    response: response.body,
  });
}

/** The receipts' edge on node:http. A `traceparent` of a provider is not continued: it is not our trace. */
export async function handleReceiptNode(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : `${value}`,
    ]),
  );
  const respond = async () => {
    const served = await serveReceipt({
      method: request.method ?? "GET",
      url: request.url ?? "",
      headers,
      peer: request.socket.remoteAddress ?? "",
      readBody: (provider, maxBytes) =>
        readBody(request, response, {
          kind: "known",
          owner: `receipts ${provider}`,
          maxBytes,
          tooLarge: () => tooLarge(`The body is larger than ${maxBytes} bytes.`),
        }),
    });
    return { response: { ...served, body: "" }, facts: null };
  };
  const asked = { method: request.method ?? "GET" };
  const outcome = await observeRequest(asked, respond, "receipts");
  await writeResponse(request, response, outcome.response);
}
