import { type AddressInfo, createServer as createSocketServer } from "node:net";
import { Agent, type Dispatcher } from "undici";
import { afterEach, describe, expect, it, test } from "vitest";
import { freePort } from "@/scripts/free-port";
import { type Receiver, startReceiver, status } from "@/test/network/receiver";
import { unstalled } from "@/test/network/stalls";
import { postJson, shareLookups } from "./post";
import { createLookup } from "./resolve-host";
import { createSsrfGuard } from "./ssrf-guard";

const BODY = Buffer.from('{"text":"Grüße"}');
const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

async function receiver(...args: Parameters<typeof startReceiver>): Promise<Receiver> {
  const started = await startReceiver(...args);
  closers.push(started.close);
  return started;
}

/** The URL of a server that answers everything with these characters, and ends the connection. */
async function answering(response: string): Promise<string> {
  const server = createSocketServer((socket) => {
    socket.on("error", () => undefined).once("data", () => socket.end(response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** The URL of a server that answers with `head` and then `unit`, again and again until its caller leaves. */
async function answeringForEver(head: string, unit: string): Promise<string> {
  const block = unit.repeat(Math.ceil(65_536 / unit.length));
  const server = createSocketServer((socket) => {
    const goOn = () => {
      while (socket.writable && socket.write(block));
    };
    socket.on("error", () => undefined).on("drain", goOn);
    socket.once("data", () => {
      socket.write(head);
      goOn();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

function loopbackGuard() {
  const guard = createSsrfGuard({ allowedNetworks: ["127.0.0.0/8"] });
  closers.push(() => guard.dispatcher.destroy());
  return guard;
}

function post(url: string, options: { limitMs?: number; dispatcher?: Dispatcher } = {}) {
  const agent = new Agent();
  closers.push(() => agent.destroy());
  const exchange = { dispatcher: agent, headers: { "x-test": "1" }, body: BODY, limitMs: 5_000, ...options };
  return unstalled(() => postJson(url, exchange));
}

describe("postJson", () => {
  test("sends exactly the given bytes, and keeps the head of the response", async () => {
    const { url, received } = await receiver((response) => response.writeHead(202).end("taken"));
    const result = await post(url);
    expect(result).toMatchObject({ acknowledged: true, statusCode: 202, error: null, responseHead: "taken" });
    expect(result.latencyMs).toBeGreaterThanOrEqual(0);
    expect(received[0]?.body).toEqual(BODY);
    expect(received[0]?.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "Messaging-Service/1",
      "content-length": String(BODY.length),
      "x-test": "1",
    });
  });

  test("returns the Retry-After of the response", async () => {
    const { url } = await receiver((response) => response.writeHead(503, { "retry-after": "120" }).end());
    expect(await post(url)).toMatchObject({ acknowledged: false, statusCode: 503, retryAfterS: 120 });
    const silent = await receiver(status(503));
    expect(await post(silent.url)).toMatchObject({ retryAfterS: null });
  });

  it.each([300, 304, 305, 399, 400, 404, 410, 429, 500, 503])("%i is a failure, and no redirect", async (code) => {
    const { url } = await receiver(status(code));
    expect(await post(url)).toMatchObject({
      acknowledged: false,
      statusCode: code,
      error: `The endpoint responded with ${code}.`,
    });
  });

  it.each([301, 302, 303, 307, 308])("the redirect %i is a failure and is not followed", async (code) => {
    const target = await receiver();
    const { url } = await receiver((response) => response.writeHead(code, { location: target.url }).end());
    expect(await post(url)).toMatchObject({
      acknowledged: false,
      statusCode: code,
      error: `The endpoint responded with ${code}; redirects are not followed.`,
    });
    expect(target.received).toEqual([]);
  });

  test("a response that does not begin in time is a failure", async () => {
    const { url } = await receiver(() => undefined);
    expect(await post(url, { limitMs: 100 })).toMatchObject({
      acknowledged: false,
      statusCode: null,
      error: "No complete response within 0.1 s.",
    });
  });

  test("a response that does not end in time is a failure, whatever its status", async () => {
    const { url } = await receiver((response) => response.writeHead(200, { "content-length": 100 }).write("slow"));
    expect(await post(url, { limitMs: 100 })).toMatchObject({
      acknowledged: false,
      statusCode: 200,
      error: "No complete response within 0.1 s.",
    });
  });

  test("an endless body is cut off, and the connection closed", async () => {
    let closed = false;
    const { url } = await receiver((response) => {
      response.writeHead(200).on("close", () => (closed = true));
      const pour = () => {
        while (!response.destroyed && response.write("x".repeat(8_192)));
        if (!response.destroyed) response.once("drain", pour);
      };
      pour();
    });
    const result = await post(url);
    expect(result).toMatchObject({ acknowledged: true, statusCode: 200, error: null });
    expect(result.responseHead).toBe("x".repeat(1_024));
    await expect.poll(() => closed).toBe(true);
  });

  test("the head of a body can be stored: without NUL, and without invalid or split characters", async () => {
    const { url } = await receiver((response) =>
      response.end(Buffer.concat([Buffer.from("a\0b"), Buffer.from([0xff]), Buffer.from("é".repeat(600))])),
    );
    const { responseHead } = await post(url);
    expect(responseHead).toBe(`a\uFFFDb\uFFFD${"é".repeat(510)}`);
  });

  test("a refused connection, a broken one, and a response that is not HTTP are failures with a reason", async () => {
    const cut = await receiver((response) => response.destroy());
    const failed = { acknowledged: false, statusCode: null, responseHead: null };
    expect(await post(`http://127.0.0.1:${await freePort()}/`)).toMatchObject({
      ...failed,
      error: "The endpoint refused the connection.",
    });
    expect(await post(cut.url)).toMatchObject({
      ...failed,
      error: "The endpoint closed the connection before its response was complete.",
    });
    expect(await post(await answering("not HTTP\r\n\r\n"))).toMatchObject({
      ...failed,
      error: "The endpoint's response is not HTTP.",
    });
    expect(await post(await answering(`HTTP/1.1 200 OK\r\nX-Long: ${"a".repeat(100_000)}\r\n\r\n`))).toMatchObject({
      ...failed,
      error: "The headers of the endpoint's response are too large.",
    });
    const twoLengths = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc";
    expect(await post(await answering(twoLengths))).toMatchObject({
      ...failed,
      error: "The endpoint's response is not as long as it says.",
    });
  });

  test.each(["", "hello"])("a 204 acknowledges, although it names a length and brings %j", async (rest) => {
    const url = await answering(`HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n${rest}`);
    expect(await post(url)).toMatchObject({ acknowledged: true, statusCode: 204, error: null, responseHead: "" });
  });

  test("a 100 Continue that was not asked for is a failure that says so, and early hints are none", async () => {
    const ahead = await receiver((response) => {
      response.writeEarlyHints({ link: "</style.css>; rel=preload" });
      response.writeHead(204).end();
    });
    expect(await post(ahead.url)).toMatchObject({ acknowledged: true, statusCode: 204 });
    const unasked = await receiver((response) => {
      response.writeContinue();
      response.writeHead(204).end();
    });
    expect(await post(unasked.url)).toMatchObject({
      acknowledged: false,
      error: "The endpoint sent 100 Continue, which was not asked for.",
    });
  });

  const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

  test.each([
    ["interim responses", "", "HTTP/1.1 103 Early Hints\r\n\r\n"],
    ["blank lines", "", "\r\n"],
    ["an extension of a chunk", `${CHUNKED}1;`, "a"],
    ["zeros of the length of a chunk", CHUNKED, "0"],
  ])("%s without end are cut off, however long the limit is", async (_name, head, unit) => {
    const guard = loopbackGuard();
    const url = await answeringForEver(head, unit);
    const error = "The endpoint sent more than 256 KiB for its response.";
    expect(await post(url, { limitMs: 600_000, dispatcher: guard.dispatcher })).toMatchObject({
      acknowledged: false,
      error,
    });
  });

  test("a large body is not too much, nor are many responses on one connection", async () => {
    const guard = loopbackGuard();
    const { url } = await receiver((response) => response.writeHead(200).end("a".repeat(15_000)));
    for (let count = 0; count < 30; count += 1) {
      expect(await post(url, { dispatcher: guard.dispatcher })).toMatchObject({ acknowledged: true, error: null });
    }
    const large = await receiver((response) => response.writeHead(200).end("a".repeat(1_000_000)));
    expect(await post(large.url, { dispatcher: guard.dispatcher })).toMatchObject({ acknowledged: true, error: null });
  });

  test("a 304 has no body, whatever length it names", async () => {
    const url = await answering("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n");
    const error = "The endpoint responded with 304.";
    expect(await post(url)).toMatchObject({ acknowledged: false, statusCode: 304, error, responseHead: "" });
  });

  test.each([
    ["HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n", "The endpoint's response is not HTTP."],
    [
      "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
      "The endpoint sent 101 Switching Protocols, which was not asked for.",
    ],
  ])("%j is a failure that says so", async (response, error) => {
    expect(await post(await answering(response))).toMatchObject({ acknowledged: false, statusCode: null, error });
  });

  test("a refusal of the SSRF guard is a failure with its reason", async () => {
    const guard = createSsrfGuard({ allowedNetworks: [], lookup: () => Promise.reject(new Error("ENOTFOUND")) });
    closers.push(guard.close);
    const { dispatcher } = guard;
    expect(await post("http://127.0.0.1:9/", { dispatcher })).toMatchObject({
      acknowledged: false,
      statusCode: null,
      error: "The host of the URL has no public address.",
    });
    expect(await post("http://nowhere.example/", { dispatcher })).toMatchObject({
      acknowledged: false,
      error: "The host of the URL has no public address.",
    });
  });

  test("exhausted files or ports of this machine are not a failure of the endpoint", async () => {
    const dispatcher = new Agent({
      connect: (_, callback) =>
        queueMicrotask(() => callback(Object.assign(new Error("no files left"), { code: "EMFILE" }), null)),
    });
    await expect(post("http://127.0.0.1:9/", { dispatcher })).rejects.toThrow("no files left");
  });

  test("silent name servers of this machine are not a failure of the endpoint", async () => {
    const silent = await freePort();
    const lookup = createLookup({ servers: [`127.0.0.1:${silent}`] });
    const guard = createSsrfGuard({ allowedNetworks: [], lookup });
    closers.push(guard.close);
    const { dispatcher } = guard;
    await expect(post("http://hook.example/", { dispatcher })).rejects.toMatchObject({ code: "RESOLVER_SILENT" });
  });
});

test("concurrent lookups of one name are shared, later ones are made again", async () => {
  const asked: string[] = [];
  let release = () => {};
  const lookup = shareLookups(async (hostname) => {
    asked.push(hostname);
    await new Promise<void>((resolve) => (release = resolve));
    return [{ address: "192.0.2.1", family: 4 }];
  });
  const both = [lookup("a.example"), lookup("a.example")];
  expect(asked).toEqual(["a.example"]);
  release();
  const [one, other] = await Promise.all(both);
  expect(one).toEqual(other);
  const later = lookup("a.example");
  expect(asked).toEqual(["a.example", "a.example"]);
  release();
  await later;
});
