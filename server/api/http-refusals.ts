/**
 * What node:http refuses by itself, before anybody asks for a path or a key: it would answer without a body. Here it is
 * answered in the shape of the API's errors, with 400, because the contract has no other status for it.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { type ApiError, invalidRequest } from "../core/errors";
import { writeAnswer } from "./door/answers";
import { type RestAnswer, refusedAnswer } from "./rest";

/** How long a refused caller may go on writing: closing at once would reset the connection, and the answer be lost. */
const LINGER_MS = 2_000;

/** Of one connection: answers that are not yet complete, in the order of their requests, and that to the latest one. */
type Answers = { open: Set<ServerResponse>; last: ServerResponse };

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
  answer(request, response, malformed("The request has no Host header."));
  return true;
}

function answer(request: IncomingMessage, response: ServerResponse, error: ApiError): void {
  writeAnswer(request, response, refusedAnswer(error)).catch(() => response.destroy());
}

/**
 * Answers what cannot be parsed, what takes too long and what expects anything but `100-continue`. An answer that is
 * under way is never written into: of requests behind one another each gets its own answer, and the refusal comes last.
 */
export function answerHttpRefusals(server: Server): void {
  const answersOf = new WeakMap<Socket, Answers>();
  const refused = new WeakSet<Socket>();
  const note = ({ socket }: IncomingMessage, response: ServerResponse) => {
    const open = answersOf.get(socket)?.open ?? new Set();
    answersOf.set(socket, { open: open.add(response), last: response });
    response.once("close", () => open.delete(response));
  };
  server.on("request", note);
  server.on("checkExpectation", (request, response) => {
    note(request, response);
    answer(request, response, unmet());
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (!(socket instanceof Socket) || !socket.writable) {
      socket.destroy();
      return;
    }
    // The parser refuses whatever else comes on this connection as well.
    if (refused.has(socket)) return;
    refused.add(socket);
    refuse(socket, answersOf.get(socket), errorOf(error.code)).catch(() => socket.destroy());
  });
}

async function refuse(socket: Socket, answers: Answers | undefined, error: ApiError): Promise<void> {
  const broken = answers && !answers.last.req.complete ? answers.last : null;
  for (const earlier of [...(answers?.open ?? [])]) if (earlier !== broken) await closed(earlier);
  // It has its answer, or the beginning of one.
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
