/** The console's calls on node:http, without Next: the web process serves them, as it serves the API's requests. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { PEER_ADDRESS_HEADER } from "../../auth/sign-in/caller-address";
import { MINUTE_MS } from "../../core/clock";
import { compress } from "../compress";
import { handleTrpc } from "../trpc";
import { writeResponse } from "./responses";

/** Only path and query are read; the host name is up to the caller. */
const ORIGIN = "http://localhost";
/** With this header a caller asks for a response in pieces, which our pages never do. */
const IN_PIECES = "trpc-accept";

/** A page that follows changes reconnects after this time, so that no page stays with one process for ever. */
const STREAM_MAX_MS = 30 * MINUTE_MS;

function asFetchRequest(request: IncomingMessage, body: Buffer, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, [value].flat().join(", "));
  headers.delete(IN_PIECES);
  headers.set(PEER_ADDRESS_HEADER, request.socket.remoteAddress ?? "");
  const { method = "GET", url = "/" } = request;
  return new Request(ORIGIN + url, {
    ...{ method, headers, signal },
    body: method === "POST" ? new Uint8Array(body) : null,
  });
}

/** Answers a call whose body was read and which passed all checks of the door. */
export async function answerTrpc(
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  streamMaxMs = STREAM_MAX_MS,
): Promise<void> {
  const leaving = new AbortController();
  const call = asFetchRequest(request, body, leaving.signal);
  const closed = new Promise<Request>((resolve) => {
    response.once("close", () => {
      leaving.abort();
      // Keeps the Request referenced until here: once it is garbage, its signal no longer follows ours (nodejs/node#55428).
      resolve(call);
    });
  });
  const result = await handleTrpc(call);
  const { status } = result;
  const headers = Object.fromEntries(result.headers);
  if (result.body && headers["content-type"]?.startsWith("text/event-stream")) {
    response.writeHead(status, headers).flushHeaders();
    const words = Readable.fromWeb(result.body as Parameters<typeof Readable.fromWeb>[0]);
    words.once("error", () => response.destroy());
    words.pipe(response);
    const limit = setTimeout(() => leaving.abort(), streamMaxMs);
    await closed;
    clearTimeout(limit);
    words.destroy();
    return;
  }
  const served = { status, headers, body: await result.text() };
  await writeResponse(request, response, await compress(served, request.headers["accept-encoding"]?.toString()));
}
