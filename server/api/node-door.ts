import type { IncomingMessage, ServerResponse } from "node:http";
import { invalidRequest, isApiError } from "../core/errors";
import { serveReceipt } from "./receipts";
import { API_PREFIX, BODY_MAX_BYTES, bodyTooLarge, type RestResponse, serveRest } from "./rest";

const DRAINED_MAX_BYTES = 65_536;
/** How much, and how long, is read of a body that nobody wants while its sender may not yet have read our answer. */
const LINGER_MAX_BYTES = 4 * BODY_MAX_BYTES;
const LINGER_MS = 2_000;

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

/** The REST edge on node:http, without anything between it and the socket. */
export async function handleRestNode(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = request.url ?? "";
  const queryAt = url.indexOf("?");
  const pathEnd = queryAt === -1 ? url.length : queryAt;
  const answer = await serveRest({
    method: request.method ?? "GET",
    path: url.slice(API_PREFIX.length, pathEnd),
    query: url.slice(pathEnd + 1),
    header: (name) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value.join(", ") : value;
    },
    peer: request.socket.remoteAddress ?? "",
    readBody: () => readBody(request),
  });
  await writeResponse(request, response, answer);
}

/** Writes an answer. Of a request that is not read to its end the connection is closed, after its sender had time. */
export async function writeResponse(
  request: IncomingMessage,
  response: ServerResponse,
  answer: RestResponse,
): Promise<void> {
  if (response.destroyed) return;
  const isCutShort = !request.complete && (!isSmall(request) || answer.headers.connection === "close");
  if (isCutShort) response.setHeader("connection", "close");
  response.writeHead(answer.status, { ...answer.headers, "content-length": Buffer.byteLength(answer.body) });
  const body = request.method === "HEAD" ? "" : answer.body;
  if (isCutShort) {
    response.write(body);
    await readOn(request);
    response.end();
  } else response.end(body);
}

/** The receipts' edge on node:http. */
export async function handleReceiptNode(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : `${value}`,
    ]),
  );
  let body: Buffer;
  try {
    body = await readBody(request);
  } catch (thrown) {
    if (!isApiError(thrown)) throw thrown;
    response.writeHead(413, { connection: "close" }).end();
    return;
  }
  const { status, headers: own } = await serveReceipt({
    method: request.method ?? "GET",
    url: request.url ?? "",
    headers,
    body,
  });
  response.writeHead(status, { ...own, "content-length": 0 }).end();
}

/** Closing a connection on which the caller still writes resets it, and the answer may be lost with it. */
function readOn(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let leftBytes = LINGER_MAX_BYTES;
    const timer = setTimeout(resolve, LINGER_MS);
    request.on("data", (chunk: Buffer) => {
      leftBytes -= chunk.length;
      if (leftBytes <= 0) resolve();
    });
    request.once("close", () => {
      clearTimeout(timer);
      resolve();
    });
    request.resume();
  });
}

/** Node reads a refused request's body to its end before the next one; a large one is not worth the connection. */
const isSmall = (request: IncomingMessage): boolean => Number(request.headers["content-length"]) <= DRAINED_MAX_BYTES;

function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > BODY_MAX_BYTES) {
        request.off("data", take).pause();
        reject(bodyTooLarge());
        return;
      }
      chunks.push(chunk);
    };
    request.on("data", take);
    request.on("end", () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    request.on("error", reject);
    request.on("aborted", () => reject(bodyCutOff()));
  });
}

/** Nobody is left to be told; it is the caller's doing all the same, and nothing that an operator should look into. */
const bodyCutOff = () => invalidRequest("The body ended before its announced length.", { reason: "malformed_json" });
