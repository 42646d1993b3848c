/**
 * Responses to requests that node:http itself refuses, before path and key are read. Node would respond without a body;
 * here they get the API's error envelope, with 400, because the API has no other status for them.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { type ApiError, invalidRequest } from "../core/errors";
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
const unsupported = () =>
  invalidRequest("The only supported expectation is 100-continue.", { reason: "unknown_expectation" });

function errorOf(code: string | undefined): ApiError {
  if (code === "HPE_HEADER_OVERFLOW") return tooLarge();
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? tooSlow() : malformed("The request is not valid HTTP.");
}

/** Whether a request has several Host headers. Node keeps only the first, while a proxy may have checked another. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count > 1;
}

/**
 * Refuses a request with several Host headers, and one in HTTP/1.1 without any (RFC 9112, 3.2), for a server with `requireHostHeader: false`.
 * @returns whether it did.
 */
export function refuseWithoutOneHost(request: IncomingMessage, response: ServerResponse): boolean {
  const isMissing = request.headers.host === undefined && request.httpVersion === "1.1";
  if (!isMissing && !hasTwoHosts(request)) return false;
  respond(request, response, malformed(`The request has ${isMissing ? "no" : "more than one"} Host header.`));
  return true;
}

function respond(request: IncomingMessage, response: ServerResponse, error: ApiError): void {
  for (const [name, value] of securityHeaders()) response.setHeader(name, value);
  writeResponse(request, response, refusalResponse(error)).catch(() => response.destroy());
}

/**
 * Refuses requests that cannot be parsed, take too long, or expect anything but `100-continue`. Never writes into a
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
