/** Writes responses to node:http, and the web process's refusals in the forms that their callers expect. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { publicUrl } from "../../core/env";
import type { ApiError } from "../../core/errors";

/** A response as a door writes it. */
export type DoorResponse = { status: number; headers: Record<string, string>; body: string | Buffer };

const DRAINED_MAX_BYTES = 65_536;
/** Bytes and time for which an unwanted body is read, so that its sender can read our response first. */
const LINGER_MAX_BYTES = 4_194_304;
const LINGER_MS = 2_000;

/** Writes a response. If the request was not read to its end, the connection is closed after the sender had time to read. */
export async function writeResponse(
  request: IncomingMessage,
  response: ServerResponse,
  content: DoorResponse,
): Promise<void> {
  if (response.destroyed) return;
  const isLast = (content.headers.connection ?? response.getHeader("connection")) === "close";
  const isCutShort = !request.complete && (isLast || !isSmall(request));
  if (isCutShort) response.setHeader("connection", "close");
  // RFC 9110, 8.6: a 204 must not have a Content-Length.
  if (content.status === 204) response.writeHead(204, content.headers);
  else response.writeHead(content.status, { "content-length": Buffer.byteLength(content.body), ...content.headers });
  const body = request.method === "HEAD" ? "" : content.body;
  if (isCutShort) {
    response.write(body);
    await readOn(request);
    response.end();
    return;
  }
  response.end(body);
  // The request was refused while it was arriving. Its rest would hold up the requests behind it.
  if (request.isPaused()) request.resume();
}

/** Reads on for a while: closing a connection while the caller still writes resets it, which may lose the response. */
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

/** Node reads a refused request's body to its end before the next request; with a large body the connection is closed instead. */
const isSmall = (request: IncomingMessage): boolean => Number(request.headers["content-length"]) <= DRAINED_MAX_BYTES;

const headersOf = (error: ApiError, type: string): Record<string, string> => ({
  "content-type": `${type}; charset=utf-8`,
  "cache-control": "no-store",
  ...(error.retryAfterS === null ? {} : { "retry-after": String(error.retryAfterS) }),
});

const json = (error: ApiError, body: unknown): DoorResponse => ({
  status: error.status,
  headers: headersOf(error, "application/json"),
  body: JSON.stringify(body),
});

/** Error codes of tRPC's clients (those of JSON-RPC); any other error is internal. */
const TRPC_CODES: Record<number, number> = {
  400: -32600,
  403: -32003,
  404: -32004,
  413: -32013,
  415: -32015,
  429: -32029,
};
const TRPC_INTERNAL = -32603;

/** A refusal of the console's calls. */
export const trpcRefusal = (error: ApiError): DoorResponse =>
  json(error, {
    error: {
      message: error.wire.message,
      code: TRPC_CODES[error.status] ?? TRPC_INTERNAL,
      data: { httpStatus: error.status, ...error.wire },
    },
  });

/**
 * A refusal of a sign-in call: the console shows the `error` in the query of `url`, where next-auth puts its own errors. Somebody who
 * opens one of the addresses in a browser gets a page.
 */
export const authRefusal = (error: ApiError, { headers }: IncomingMessage): DoorResponse =>
  headers.accept?.includes("text/html")
    ? pageRefusal(error)
    : json(error, {
        url: `${publicUrl()}/sign-in?${new URLSearchParams({ error: error.wire.message })}`,
        error: error.wire,
      });

/** Longer than the `Retry-After` for programs: people need a moment to read, and otherwise all browsers would come back at once. */
const RELOAD_AFTER_S = 5;

const PAGE_STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:20vh auto;padding:0 1rem}h1{font-size:1.25rem}";

const htmlPage = (title: string, text: string, head = ""): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
  `<meta name="color-scheme" content="light dark">${head}<title>${title}</title><style>${PAGE_STYLE}</style>` +
  `<h1>${title}</h1><p>${text}</p></html>`;

/**
 * A refusal that a person reads in a browser. The only method of pages is GET, so a page that cannot be served at the moment may
 * reload itself.
 */
export const pageRefusal = (error: ApiError): DoorResponse => ({
  status: error.status,
  headers: headersOf(error, "text/html"),
  body:
    error.status === 503
      ? htmlPage(
          "One moment, please",
          `The service is busy or restarting. This page loads itself again in ${RELOAD_AFTER_S} seconds.`,
          `<meta http-equiv="refresh" content="${RELOAD_AFTER_S}">`,
        )
      : htmlPage(String(error.status), error.wire.message),
});

/** A refusal in plain text, for requests that our pages never make. */
export const textRefusal = (status: number, text: string, headers: Record<string, string> = {}): DoorResponse => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store", ...headers },
  body: `${text}\n`,
});
