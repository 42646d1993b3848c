/**
 * Responses to requests that node:http itself refuses, before path and key are read. Node would respond without a body;
 * here they get the API's error envelope, with 400, because the API has no other status for them.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { type ApiError, invalidRequest } from "../core/errors";
import { defineProcessValue } from "../core/process";
import { writeResponse } from "./door/responses";
import { securityHeaders } from "./door/security-headers";
import { refusalResponse } from "./rest";
import type { RestResponse } from "./rest-exchange";

/** Time for which a refused caller may continue to write: closing at once would reset the connection and lose the response. */
const LINGER_MS = 2_000;

/** Responses of one connection: the open ones, in the order of their requests, and the latest one. */
type Responses = { open: Set<ServerResponse>; last: ServerResponse };

const tooLarge = () =>
  invalidRequest("The request's first line and headers are larger than 16 KiB.", { reason: "headers_too_large" });
const tooSlow = () => invalidRequest("The request was not complete in time.", { reason: "request_too_slow" });
const malformed = (message: string) => invalidRequest(message, { reason: "malformed_http" });
const unknownCoding = () =>
  invalidRequest("The only supported Transfer-Encoding is chunked, in HTTP/1.1.", {
    reason: "unknown_transfer_coding",
  });
const unsupported = () =>
  invalidRequest("The only supported expectation is 100-continue.", { reason: "unknown_expectation" });

const noProxy = () =>
  invalidRequest("The method CONNECT is for proxies, which this server is not.", { reason: "connect_refused" });

function errorOf(code: string | undefined): ApiError {
  if (code === "HPE_HEADER_OVERFLOW") return tooLarge();
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? tooSlow() : malformed("The request is not valid HTTP.");
}

/** A field that a request may have only once, and has twice. Node keeps the first one, while a proxy may have checked the other. */
function repeatedField({ rawHeaders }: IncomingMessage): "Host" | "Authorization" | null {
  let hosts = 0;
  let authorizations = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
    else if (name.length === 13 && name.toLowerCase() === "authorization") authorizations += 1;
  }
  if (hosts > 1) return "Host";
  return authorizations > 1 ? "Authorization" : null;
}

/** Whether parties on the way may disagree about where the body ends: only chunks alone are read here, and HTTP/1.0 has none. */
function hasUnknownCoding({ headers, httpVersion }: IncomingMessage): boolean {
  const coding = headers["transfer-encoding"];
  return coding !== undefined && (httpVersion !== "1.1" || coding.toLowerCase() !== "chunked");
}

/** Why a request may mean something else to a proxy than to us; null: it may not. */
function ambiguityOf(request: IncomingMessage): ApiError | null {
  // RFC 9112, 3.2
  if (request.headers.host === undefined && request.httpVersion === "1.1") {
    return malformed("The request has no Host header.");
  }
  const repeated = repeatedField(request);
  if (repeated !== null) return malformed(`The request has more than one ${repeated} header.`);
  return hasUnknownCoding(request) ? unknownCoding() : null;
}

const refusedSockets = defineProcessValue("http.refused_sockets", () => new WeakSet<Socket>());

/**
 * Refuses a request without a `Host`, with two, or with two `Authorization`, or whose `Transfer-Encoding` is anything but `chunked`, for a
 * server with `requireHostHeader: false`. Nothing that follows it on its connection is handled: it may be a part of the request.
 * @returns whether the request is not to be handled.
 */
export function refuseAmbiguous(request: IncomingMessage, response: ServerResponse): boolean {
  const { socket } = request;
  if (refusedSockets().has(socket)) return true;
  const ambiguity = ambiguityOf(request);
  if (!ambiguity) return false;
  refusedSockets().add(socket);
  respond(request, response, ambiguity);
  return true;
}

function respond(request: IncomingMessage, response: ServerResponse, error: ApiError): void {
  for (const [name, value] of securityHeaders()) response.setHeader(name, value);
  writeResponse(request, response, refusalResponse(error)).catch(() => response.destroy());
}

/**
 * Refuses requests that cannot be parsed, take too long, or expect anything but `100-continue`, and CONNECT. Never writes into a
 * response in progress: each pipelined request gets its own response, and the refusal comes last.
 */
export function handleHttpRefusals(server: Server): void {
  const responsesOf = new WeakMap<Socket, Responses>();
  const refused = new WeakSet<Socket>();
  const track = ({ socket }: IncomingMessage, response: ServerResponse) => {
    const open = responsesOf.get(socket)?.open ?? new Set();
    responsesOf.set(socket, { open: open.add(response), last: response });
    response.once("close", () => open.delete(response));
  };
  server.on("request", track);
  server.on("checkExpectation", (request, response) => {
    track(request, response);
    respond(request, response, unsupported());
  });
  // Node closes the connection without a response if nothing listens. It no longer reads the socket, nor handles its errors.
  server.on("connect", (_request, socket: Socket) => {
    socket.on("error", () => socket.destroy()).resume();
    refuse(socket, responsesOf.get(socket), noProxy()).catch(() => socket.destroy());
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (!(socket instanceof Socket) || !socket.writable) {
      socket.destroy();
      return;
    }
    // The parser also reports an error for everything that follows on this connection.
    if (refused.has(socket)) return;
    refused.add(socket);
    refuse(socket, responsesOf.get(socket), errorOf(error.code)).catch(() => socket.destroy());
  });
}

async function refuse(socket: Socket, responses: Responses | undefined, error: ApiError): Promise<void> {
  const broken = responses && !responses.last.req.complete ? responses.last : null;
  for (const earlier of [...(responses?.open ?? [])]) if (earlier !== broken) await closed(earlier);
  // The broken request already has its response, or the beginning of one.
  if (broken?.headersSent) {
    socket.destroySoon();
    return;
  }
  if (!socket.writable) return;
  // Discards anything that the request's handler still writes.
  broken?.detachSocket(socket);
  socket.end(bytesOf(refusalResponse(error)));
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}

const closed = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (response.closed) resolve();
    else response.once("close", () => resolve());
  });

function bytesOf({ status, headers, body }: RestResponse): string {
  const all = {
    ...Object.fromEntries(securityHeaders()),
    ...headers,
    date: new Date().toUTCString(),
    "content-length": Buffer.byteLength(body),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} Bad Request`, ...lines, "", body].join("\r\n");
}
