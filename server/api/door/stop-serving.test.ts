import { once } from "node:events";
import { Agent, createServer, get, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, expect, test } from "vitest";
import { prepareStop } from "./stop-serving";

/** Longer than any test may take: nothing here is cut off unless a test asks for it. */
const NEVER_MS = 2_000_000;

const servers: Server[] = [];
const agents: Agent[] = [];
afterEach(() => {
  for (const agent of agents.splice(0)) agent.destroy();
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function serve(handle: RequestListener) {
  const server = createServer();
  servers.push(server);
  const stop = prepareStop(server);
  server.on("request", handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { stop, port: (server.address() as AddressInfo).port };
}

/** A caller that keeps its one connection. */
function keepOneConnection(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  return async () => {
    const request = get({ host: "127.0.0.1", port, agent });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    return { response, body: await text(response) };
  };
}

/** A connection that is read only when it is resumed. */
async function open(port: number, bytes = "") {
  const socket = connect(port, "127.0.0.1");
  socket.pause();
  await once(socket, "connect");
  socket.write(bytes);
  return socket;
}

test("a caller that keeps using one connection is told that it ends, and loses no request in progress", async () => {
  const stops: Promise<void>[] = [];
  let served = 0;
  const { port, stop } = await serve((_request, response) => {
    served += 1;
    // The stop comes during the third request.
    if (served === 3) stops.push(stop(NEVER_MS));
    response.end("done");
  });
  const ask = keepOneConnection(port);
  const seen: (string | undefined)[] = [];
  const failed = await (async () => {
    for (;;) {
      const { response, body } = await ask();
      expect(body).toBe("done");
      seen.push(response.headers.connection);
    }
  })().catch((thrown: NodeJS.ErrnoException) => thrown.code);
  expect(seen).toEqual(["keep-alive", "keep-alive", "close"]);
  // Only a new connection fails: a load balancer loses no request by that.
  expect(failed).toBe("ECONNREFUSED");
  await Promise.all(stops);
});

test("a response whose headers were sent before the stop is written to its end, and then its connection ends", async () => {
  const bytes = 20_000_000;
  const { port, stop } = await serve((_request, response) => {
    response.setHeader("content-length", bytes);
    response.end(Buffer.alloc(bytes));
  });
  const slow = await open(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await once(slow, "readable");
  const stopped = stop(NEVER_MS);
  let read = 0;
  slow.on("data", (chunk: Buffer) => (read += chunk.length));
  slow.resume();
  await Promise.all([once(slow, "end"), stopped]);
  expect(read).toBeGreaterThan(bytes);
  slow.destroy();
});

test("idle connections and those without any request end at once", async () => {
  const { port, stop } = await serve((_request, response) => response.end("done"));
  await keepOneConnection(port)();
  const silent = await open(port);
  await stop(NEVER_MS);
  silent.destroy();
});

test("a request that has partly arrived is served", async () => {
  const { port, stop } = await serve((_request, response) => response.end("done"));
  const socket = await open(port, "GET / HTTP/1.1\r\nHost:");
  await keepOneConnection(port)();
  const stopped = stop(NEVER_MS);
  socket.write(" x\r\n\r\n");
  const answered = await text(socket);
  expect(answered).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answered).toContain("connection: close");
  await stopped;
});

test("pipelined requests in progress all get their responses", async () => {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let begun = 0;
  const { port, stop } = await serve((_request, response) => {
    begun += 1;
    void released.then(() => response.end("done"));
  });
  const socket = await open(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2));
  await expect.poll(() => begun).toBe(2);
  const stopped = stop(NEVER_MS);
  release();
  expect((await text(socket)).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  await stopped;
});

test("a response that waits for the one before it is closed with their connection", async () => {
  const closed: string[] = [];
  let begun = 0;
  const { port } = await serve((request, response) => {
    begun += 1;
    response.once("close", () => closed.push(`${request.url} ${response.destroyed}`));
    // Only the first response may be written, and it never is.
    if (request.url === "/answered") response.end("done");
  });
  const urls = ["/first", "/silent", "/answered"];
  const socket = await open(port, urls.map((url) => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
  await expect.poll(() => begun).toBe(urls.length);
  expect(closed).toEqual([]);
  socket.destroy();
  await expect.poll(() => closed.toSorted()).toEqual(["/answered true", "/first true", "/silent true"]);
});

test("a request that never ends is cut off in the end", async () => {
  const { port, stop } = await serve(() => undefined);
  const lost = keepOneConnection(port)().catch((thrown: NodeJS.ErrnoException) => thrown.code);
  const silent = await open(port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  await stop(50);
  silent.destroy();
  expect(await lost).toMatch(/ECONNRESET|ECONNREFUSED/);
});
