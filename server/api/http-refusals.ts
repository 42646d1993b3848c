/**
 * What node:http refuses by itself, before anybody asks for a path or a key: it would answer without a body. Here it is
 * answered in the shape of the API's errors, with 400, because the contract has no other status for it.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { type ApiError, invalidRequest } from "../core/errors";
import { writeAnswer } from "./node-door";
import { type RestAnswer, refusedAnswer } from "./rest";

/** How long a refused caller may go on writing: closing at once would reset the connection, and the answer be lost. */
const LINGER_MS = 2_000;

const tooLarge = () =>
  invalidRequest("The request's first line and headers are larger than 16 KiB.", { reason: "headers_too_large" });
const tooSlow = () => invalidRequest("The request was not complete in time.", { reason: "request_too_slow" });
const malformed = (message: string) => invalidRequest(message, { reason: "malformed_http" });
const unmet = () =>
  invalidRequest("The only expectation that can be met is 100-continue.", { reason: "unknown_expectation" });

function errorOf(code: string | undefined): ApiError {
  if (code === "HPE_HEADER_OVERFLOW") return tooLarge();
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? tooSlow() : malformed("The request is not valid HTTP.");
}

/** Refuses a request of HTTP/1.1 without Host, for a server that lets them pass. @returns whether it did. */
export function refuseWithoutHost(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.headers.host !== undefined || request.httpVersion !== "1.1") return false;
  void writeAnswer(request, response, refusedAnswer(malformed("The request has no Host header.")));
  return true;
}

/**
 * Answers what cannot be parsed, what takes too long and what expects anything but `100-continue`. An answer that is
 * under way is never written into: of requests behind one another each gets its own answer, and the refusal comes last.
 */
export function answerHttpRefusals(server: Server): void {
  const openAnswers = new WeakMap<Socket, Set<ServerResponse>>();
  const refused = new WeakSet<Socket>();
  server.on("request", (request, response) => {
    const open = openAnswers.get(request.socket) ?? new Set();
    openAnswers.set(request.socket, open.add(response));
    response.once("close", () => open.delete(response));
  });
  server.on("checkExpectation", (request, response) => {
    void writeAnswer(request, response, refusedAnswer(unmet()));
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (!(socket instanceof Socket) || !socket.writable) {
      socket.destroy();
      return;
    }
    // The parser refuses whatever else comes on this connection as well.
    if (refused.has(socket)) return;
    refused.add(socket);
    refuse(socket, [...(openAnswers.get(socket) ?? [])], errorOf(error.code));
  });
}

/** @param open answers of this connection that are not yet complete, in the order of their requests. */
async function refuse(socket: Socket, open: ServerResponse[], error: ApiError): Promise<void> {
  const last = open.at(-1);
  const broken = last && !last.req.complete ? last : null;
  for (const answer of open) if (answer !== broken) await closed(answer);
  if (broken?.headersSent) {
    socket.destroySoon();
    return;
  }
  if (!socket.writable) return;
  // What its handler still says then goes nowhere.
  broken?.detachSocket(socket);
  socket.end(bytesOf(refusedAnswer(error)));
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}

const closed = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (response.closed) resolve();
    else response.once("close", () => resolve());
  });

function bytesOf({ status, headers, body }: RestAnswer): string {
  const all = { ...headers, date: new Date().toUTCString(), "content-length": Buffer.byteLength(body) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${status} Bad Request`, ...lines, "", body].join("\r\n");
}
