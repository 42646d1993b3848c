import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { exchange, responsesIn, type Then } from "@/test/network/raw-socket";
import { securityHeaders } from "./door/security-headers";
import { handleHttpRefusals, refuseAmbiguous } from "./http-refusals";

vi.stubEnv("DATABASE_URL", "postgresql://nobody@127.0.0.1/none");
vi.stubEnv("SECRET_KEY", "0".repeat(32));

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** Starts a server with the handler. @returns a function that sends bytes and returns the responses. */
async function serve(handle: RequestListener, settings: { headersTimeout?: number } = {}) {
  const server = createServer({ requireHostHeader: false, connectionsCheckingInterval: 20, ...settings });
  servers.push(server);
  handleHttpRefusals(server);
  server.on("request", (request, response) => {
    if (!refuseAmbiguous(request, response)) handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async (bytes: string | Buffer, then?: Then) => responsesIn(await exchange({ url }, bytes, then));
}

const respondDone: RequestListener = (_request, response) => response.end("done");
const GET = "GET / HTTP/1.1\r\nHost: x\r\n";
const CHUNKS = "1\r\na\r\n0\r\n\r\n";

function expectRefusal(response: Awaited<ReturnType<Awaited<ReturnType<typeof serve>>>>[number], reason: string) {
  expect(response.status).toBe(400);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "content-length": String(Buffer.byteLength(response.body)),
    connection: "close",
    ...Object.fromEntries(securityHeaders()),
  });
  expect(JSON.parse(response.body)).toEqual({
    success: false,
    error: {
      type: "invalid_request_error",
      code: "invalid_request",
      message: expect.stringMatching(/\.$/),
      param: null,
      details: { reason },
    },
    meta: { request_id: expect.stringMatching(/^req_/), api_version: "v1" },
  });
}

describe("a request that violates HTTP is refused with the error envelope", () => {
  test.each([
    ["no HTTP at all", "hello\r\n\r\n", "malformed_http"],
    ["a length and chunks", `${GET}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, "malformed_http"],
    ["headers without end", `${GET}X-A: ${"a".repeat(200_000)}\r\n\r\n`, "headers_too_large"],
    ["no Host", "GET / HTTP/1.1\r\n\r\n", "malformed_http"],
    ["two hosts", `${GET}hOST: y\r\n\r\n`, "malformed_http"],
    ["two hosts in HTTP/1.0", "GET / HTTP/1.0\r\nHost: x\r\nHost: x\r\n\r\n", "malformed_http"],
    ["two authorizations", `${GET}Authorization: Bearer a\r\naUTHORIZATION: Bearer b\r\n\r\n`, "malformed_http"],
    ["the same authorization twice", `${GET}${"Authorization: Bearer a\r\n".repeat(2)}\r\n`, "malformed_http"],
    [
      "another coding before chunked",
      `${GET}Transfer-Encoding: gzip, chunked\r\n\r\n${CHUNKS}`,
      "unknown_transfer_coding",
    ],
    ["an empty coding", `${GET}Transfer-Encoding: , chunked\r\n\r\n${CHUNKS}`, "unknown_transfer_coding"],
    ["no coding and a length", `${GET}Transfer-Encoding:\r\nContent-Length: 1\r\n\r\na`, "unknown_transfer_coding"],
    ["chunks in HTTP/1.0", `GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n${CHUNKS}`, "unknown_transfer_coding"],
    ["an expectation", `${GET}Expect: x\r\n\r\n`, "unknown_expectation"],
    ["a tunnel", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n", "connect_refused"],
  ])("%s", async (_name, bytes, reason) => {
    const ask = await serve(respondDone);
    const responses = await ask(bytes);
    expect(responses).toHaveLength(1);
    for (const response of responses) expectRefusal(response, reason);
  });

  test("headers that are incomplete when their time is over", async () => {
    const ask = await serve(respondDone, { headersTimeout: 50 });
    const [response] = await ask(GET);
    if (!response) throw new Error("There is no response.");
    expectRefusal(response, "request_too_slow");
  });

  test("a body that becomes malformed while its handler waits for it", async () => {
    const ask = await serve((request) => void request.resume());
    const [response, ...more] = await ask(`${GET}Transfer-Encoding: chunked\r\n\r\nnonsense`);
    if (!response) throw new Error("There is no response.");
    expectRefusal(response, "malformed_http");
    expect(more).toEqual([]);
  });
});

describe("nothing is written into a response in progress", () => {
  test("the refusal waits for the response to the earlier request, however long that takes", async () => {
    let respond = () => {};
    const ask = await serve((_request, response) => {
      respond = () => response.end("done");
    });
    const responses = ask(`${GET}\r\nnonsense\r\n\r\n`);
    await expect.poll(() => respond.toString()).toContain("done");
    respond();
    const [first, second, ...more] = await responses;
    expect(first).toMatchObject({ status: 200 });
    expect(first?.body).toContain("done");
    if (!second) throw new Error("There is no second response.");
    expectRefusal(second, "malformed_http");
    expect(more).toEqual([]);
  });

  test("nothing is handled that follows an ambiguous request on its connection", async () => {
    const handled: string[] = [];
    const responds: Array<() => void> = [];
    const ask = await serve(({ url = "" }, response) => {
      handled.push(url);
      responds.push(() => response.end(url));
    });
    const line = (path: string, fields = "") => `GET ${path} HTTP/1.1\r\nHost: x\r\n${fields}\r\n`;
    const responses = ask(line("/first") + line("/second", "Host: y\r\n") + line("/third"));
    await expect.poll(() => responds.length).toBeGreaterThan(0);
    for (const respond of responds) respond();
    expect((await responses).map(({ status }) => status)).toEqual([200, 400]);
    expect(handled).toEqual(["/first"]);
  });

  test("if a request becomes malformed after its response has begun, the response is only cut off", async () => {
    const ask = await serve((_request, response) => {
      response.writeHead(200, { "content-length": 100 }).write("begun");
    });
    const responses = await ask(`${GET}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\nnonsense`);
    expect(responses.map(({ status, body }) => [status, body])).toEqual([[200, "begun"]]);
  });

  test("a complete response to an incomplete request remains the only one", async () => {
    const ask = await serve((_request, response) => response.writeHead(401).end("no"));
    const responses = await ask(`${GET}Content-Length: 10\r\n\r\n12345`, "end");
    expect(responses.map(({ status }) => status)).toEqual([401]);
  });

  test("a request gets only one refusal, however much is wrong with it", async () => {
    const ask = await serve(respondDone);
    const [refusal, ...more] = await ask(`${GET}Expect: x\r\nTransfer-Encoding: chunked\r\n\r\nnonsense`);
    if (!refusal) throw new Error("There is no response.");
    expect([refusal.status, more]).toEqual([400, []]);
  });

  test("chunks are read, however their coding is written", async () => {
    const ask = await serve((request, response) => {
      request.on("data", (chunk) => response.write(`got ${chunk}`)).on("end", () => response.end());
    });
    const [response] = await ask(`${GET}Connection: close\r\nTransfer-Encoding:  Chunked \r\n\r\n${CHUNKS}`);
    expect(response).toMatchObject({ status: 200, body: expect.stringContaining("got a") });
  });

  test("HTTP/1.0 needs no Host, and the expectation 100-continue is supported", async () => {
    const ask = await serve(respondDone);
    expect(await ask("GET / HTTP/1.0\r\n\r\n")).toMatchObject([{ status: 200, body: "done" }]);
    const expecting = `${GET}Connection: close\r\nExpect: 100-continue\r\n\r\n`;
    expect(await ask(expecting)).toMatchObject([{ status: 100 }, { status: 200 }]);
  });
});
