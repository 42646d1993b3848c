import { once } from "node:events";
import type { Server, ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { writeResponse } from "./door/responses";
import { prepareStop } from "./door/stop-serving";
import { createPagesServer, createWebServer } from "./http-server";

/** More than the buffers at both ends of a connection hold. */
const LARGE = Buffer.alloc(16 * 1_048_576, "x");
const STILL_MS = 200;
/** Longer than this process may stall on a busy machine. */
const UNSTALLED_MS = 10 * STILL_MS;

const closers: Array<() => void> = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

type Watched = { isClosed: () => boolean };

/** Sends `count` requests on one connection to a server that responds with `respond`, and reads nothing. */
async function ask(
  respond: (response: ServerResponse) => void,
  count = 1,
  stillMs = STILL_MS,
): Promise<{ socket: Socket; seen: Watched[] }> {
  const server = createWebServer({ stillMs });
  prepareStop(server);
  const seen: Watched[] = [];
  server.on("request", (_, response) => {
    let isClosed = false;
    response.once("close", () => {
      isClosed = true;
    });
    seen.push({ isClosed: () => isClosed });
    respond(response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.on("error", () => undefined);
  closers.push(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });
  socket.pause();
  socket.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(count));
  await expect.poll(() => seen.length).toBe(count);
  return { socket, seen };
}

const sendLarge = (response: ServerResponse): void => {
  void writeResponse(response.req, response, { status: 200, headers: {}, body: LARGE });
};

test("responses that their caller never reads are given up, together with those behind them", async () => {
  const { seen } = await ask(sendLarge, 3);
  await expect.poll(() => seen.map(({ isClosed }) => isClosed())).toEqual([true, true, true]);
});

test("a caller who reads slowly gets all of it", async () => {
  // Reading all of it takes longer.
  const { socket } = await ask(sendLarge, 1, UNSTALLED_MS);
  let read = 0;
  socket.on("readable", () => {
    const timer = setTimeout(() => {
      read += (socket.read() as Buffer | null)?.length ?? 0;
    }, 10);
    closers.push(() => clearTimeout(timer));
  });
  await expect.poll(() => read).toBeGreaterThanOrEqual(LARGE.length);
});

test("a stream that sends something from time to time stays open for longer", async () => {
  let beats = 0;
  const { socket, seen } = await ask(
    (response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      const timer = setInterval(() => {
        beats += 1;
        response.write("event: ping\ndata:\n\n");
      }, UNSTALLED_MS / 20);
      closers.push(() => clearInterval(timer));
    },
    1,
    UNSTALLED_MS,
  );
  socket.resume();
  await expect.poll(() => beats, { timeout: 60_000 }).toBeGreaterThan(30);
  expect(seen[0]?.isClosed()).toBe(false);
});

/** Sends one request. @returns its headers as the server sees them. */
async function headersAt(server: Server, head: string): Promise<NodeJS.Dict<string | string[]>> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  closers.push(() => {
    socket.destroy();
    server.close();
  });
  const asked = once(server, "request");
  socket.write(head);
  const [request] = await asked;
  return request.headers;
}

/** More fields than Node keeps without a setting of ours, in fewer bytes than a request may have. */
const FIELDS = Array.from({ length: 2_000 }, (_, at) => `${at.toString(36)}:\r\n`).join("");

test.each([
  ["web", createWebServer],
  ["pages", createPagesServer],
])("the server of the %s process loses no header field, however many there are", async (_name, makeServer) => {
  const head = `GET / HTTP/1.1\r\nhost: localhost\r\n${FIELDS}authorization: Bearer last\r\n\r\n`;
  const headers = await headersAt(makeServer(), head);
  expect(headers.authorization).toBe("Bearer last");
  expect(Object.keys(headers)).toHaveLength(2_002);
});
