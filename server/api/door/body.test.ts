import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import net, { type AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { tooLarge } from "../../core/errors";
import { readBody } from "./body";
import { writeResponse } from "./responses";
import { prepareStop } from "./stop-serving";

const server = createServer();
const others: Server[] = [];

afterEach(() => {
  server.removeAllListeners("request");
  server.close();
  for (const other of others.splice(0)) other.close().closeAllConnections();
});

const read = (request: IncomingMessage, response: ServerResponse): Promise<string> =>
  readBody(request, response, {
    kind: "known",
    owner: "acc_1",
    maxBytes: 10,
    tooLarge: () => tooLarge("Too large."),
  }).then(
    (body) => body.toString(),
    (thrown: Error) => thrown.message,
  );

/** Sends a request with `body`. @returns the request as the server sees it, and its connection. */
async function arrive(body: string, announcedBytes = body.length) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const asked = once(server, "request") as Promise<[IncomingMessage, ServerResponse]>;
  const socket = net.connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${announcedBytes}\r\n\r\n${body}`);
  const [request, response] = await asked;
  return { request, response, socket };
}

test("a body is read to its end", async () => {
  const { request, response, socket } = await arrive("{}");
  expect(await read(request, response)).toBe("{}");
  socket.destroy();
});

test("a body that ends before its announced length is refused", async () => {
  const { request, response, socket } = await arrive("{", 2);
  const reading = read(request, response);
  socket.destroy();
  expect(await reading).toMatch(/ended before/);
});

test.each([
  ["in part", 3],
  ["as a whole", 2],
])(
  "a body that had arrived %s before its caller left is refused, even if nothing was reading it then",
  async (_, bytes) => {
    const { request, response, socket } = await arrive("{}", bytes);
    socket.destroy();
    await once(response, "close");
    expect(await read(request, response)).toMatch(/ended before/);
  },
);

/** Bytes of a body that leave a stranger no room for another one. */
const SHARE = 1_000_000;

/** Serves strangers: responds with how their body was read; `/held` gets no response. @returns the port, and the waiting responses. */
async function serveStrangers(owner: string) {
  const own = createServer();
  others.push(own);
  prepareStop(own);
  const held: ServerResponse[] = [];
  own.on("request", async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request, response, {
      ...{ kind: "stranger", owner, maxBytes: SHARE },
      tooLarge: () => tooLarge("Too large."),
    }).then(
      ({ length }) => `${length} bytes.`,
      (thrown: Error) => thrown.message,
    );
    if (request.url === "/held") held.push(response);
    else await writeResponse(request, response, { status: 200, headers: {}, body });
  });
  own.listen(0, "127.0.0.1");
  await once(own, "listening");
  return { held, port: (own.address() as AddressInfo).port };
}

const post = (url: string, body: string, announcedBytes = body.length): string =>
  `POST ${url} HTTP/1.1\r\nHost: x\r\nContent-Length: ${announcedBytes}\r\n\r\n${body}`;

/** A caller that has sent `bytes`. */
function send(port: number, bytes: string) {
  const socket = net.connect(port, "127.0.0.1");
  const caller = { socket, received: "" };
  socket.on("data", (chunk: Buffer) => {
    caller.received += chunk;
  });
  socket.write(bytes);
  return caller;
}

test("the bytes of a body are released when its caller leaves while an earlier request has no response", async () => {
  const { held, port } = await serveStrangers("pipelining");
  const { socket } = send(port, post("/held", "") + post("/held", "a".repeat(SHARE)));
  await expect.poll(() => held.length).toBe(2);
  socket.destroy();
  await expect.poll(() => held[0]?.closed).toBe(true);
  const next = send(port, post("/", "a".repeat(SHARE)));
  await expect.poll(() => next.received).toMatch(/\.$/);
  expect(next.received).toMatch(/1000000 bytes\.$/);
  next.socket.destroy();
});

test("a connection goes on after a body that was refused before all of it had come", async () => {
  const { held, port } = await serveStrangers("refused");
  // Leaves little room.
  const holders = [SHARE, 30_000].map((bytes) => send(port, post("/held", "a".repeat(bytes))));
  await expect.poll(() => held.length).toBe(2);
  const refused = send(port, post("/", "b".repeat(20_000), 60_000));
  await expect.poll(() => refused.received).toMatch(/repeat the request\.$/);
  // Sent one by one, as from a network.
  for (const bytes of ["b".repeat(20_000), "b".repeat(20_000), post("/", "")]) {
    refused.socket.write(bytes);
    await pause(50);
  }
  await expect.poll(() => refused.received).toMatch(/0 bytes\.$/);
  for (const { socket } of [...holders, refused]) socket.destroy();
});
