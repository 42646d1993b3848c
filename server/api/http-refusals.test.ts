import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { exchange, responsesIn, type Then } from "@/e2e/support/raw-socket";
import { handleHttpRefusals, refuseWithoutHost } from "./http-refusals";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A server whose requests `handle` answers. @returns what it answers to bytes. */
async function serve(handle: RequestListener, settings: { headersTimeout?: number } = {}) {
  const server = createServer({ requireHostHeader: false, connectionsCheckingInterval: 20, ...settings });
  servers.push(server);
  handleHttpRefusals(server);
  server.on("request", (request, response) => {
    if (!refuseWithoutHost(request, response)) handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async (bytes: string | Buffer, then?: Then) => responsesIn(await exchange({ url }, bytes, then));
}

const answered: RequestListener = (_request, response) => response.end("done");
const GET = "GET / HTTP/1.1\r\nHost: x\r\n";

function expectRefusal(response: Awaited<ReturnType<Awaited<ReturnType<typeof serve>>>>[number], reason: string) {
  expect(response.status).toBe(400);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "cache-control": "no-store",
    "content-length": String(Buffer.byteLength(response.body)),
    connection: "close",
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

describe("what HTTP does not allow is refused in the shape of errors", () => {
  test.each([
    ["no HTTP at all", "hello\r\n\r\n", "malformed_http"],
    ["a length and chunks", `${GET}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`, "malformed_http"],
    ["headers without end", `${GET}X-A: ${"a".repeat(200_000)}\r\n\r\n`, "headers_too_large"],
    ["no Host", "GET / HTTP/1.1\r\n\r\n", "malformed_http"],
    ["an expectation", `${GET}Expect: x\r\n\r\n`, "unknown_expectation"],
  ])("%s", async (_name, bytes, reason) => {
    const ask = await serve(answered);
    const responses = await ask(bytes);
    expect(responses).toHaveLength(1);
    for (const response of responses) expectRefusal(response, reason);
  });

  test("headers that do not end in time", async () => {
    const ask = await serve(answered, { headersTimeout: 50 });
    const [response] = await ask(GET);
    if (!response) throw new Error("There is no answer.");
    expectRefusal(response, "request_too_slow");
  });

  test("a body that breaks off into something else, although its handler still waits for it", async () => {
    const ask = await serve((request) => void request.resume());
    const [response, ...more] = await ask(`${GET}Transfer-Encoding: chunked\r\n\r\nnonsense`);
    if (!response) throw new Error("There is no answer.");
    expectRefusal(response, "malformed_http");
    expect(more).toEqual([]);
  });
});

describe("an answer that is under way is not written into", () => {
  test("what follows a request waits for its answer, however long that takes", async () => {
    let answer = () => {};
    const ask = await serve((_request, response) => {
      answer = () => response.end("done");
    });
    const responses = ask(`${GET}\r\nnonsense\r\n\r\n`);
    await expect.poll(() => answer.toString()).toContain("done");
    answer();
    const [first, second, ...more] = await responses;
    expect(first).toMatchObject({ status: 200 });
    expect(first?.body).toContain("done");
    if (!second) throw new Error("There is no second answer.");
    expectRefusal(second, "malformed_http");
    expect(more).toEqual([]);
  });

  test("one whose request breaks when it has begun is only cut off", async () => {
    const ask = await serve((_request, response) => {
      response.writeHead(200, { "content-length": 100 }).write("begun");
    });
    const responses = await ask(`${GET}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\nnonsense`);
    expect(responses.map(({ status, body }) => [status, body])).toEqual([[200, "begun"]]);
  });

  test("one that is complete although its request never will be stays the only one", async () => {
    const ask = await serve((_request, response) => response.writeHead(401).end("no"));
    const responses = await ask(`${GET}Content-Length: 10\r\n\r\n12345`, "end");
    expect(responses.map(({ status }) => status)).toEqual([401]);
  });

  test("neither is a refusal: one request gets one, whatever is wrong with it", async () => {
    const ask = await serve(answered);
    const [refusal, ...more] = await ask(`${GET}Expect: x\r\nTransfer-Encoding: chunked\r\n\r\nnonsense`);
    if (!refusal) throw new Error("There is no answer.");
    expect([refusal.status, more]).toEqual([400, []]);
  });

  test("HTTP/1.0 needs no Host, and 100-continue is an expectation that is met", async () => {
    const ask = await serve(answered);
    expect(await ask("GET / HTTP/1.0\r\n\r\n")).toMatchObject([{ status: 200, body: "done" }]);
    const expecting = `${GET}Connection: close\r\nExpect: 100-continue\r\n\r\n`;
    expect(await ask(expecting)).toMatchObject([{ status: 100 }, { status: 200 }]);
  });
});
