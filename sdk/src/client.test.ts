import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { ApiError, type ClientOptions, createClient } from "./client";

type Seen = { method: string; url: string; headers: IncomingHttpHeaders; body: string };
type Answer = (response: ServerResponse) => void;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const json =
  (status: number, body: object, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
  };
const meta = { request_id: "req_1", api_version: "v1" };
const created = json(201, { success: true, data: { id: "msg_1", status: "pending" }, meta });
const refusal = (status: number, details: object = {}, headers: Record<string, string> = {}) => {
  const error = { type: "api_error", code: "some_code", message: "No.", param: "to", details };
  return json(status, { success: false, error, meta }, headers);
};
const unavailable = refusal(503);
const dropped: Answer = (response) => response.destroy();
/** The connection is lost within the body. */
const cut: Answer = (response) => {
  response.writeHead(201, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"success":', () => response.destroy());
};
const hanging: Answer = () => undefined;

/** A service that gives these answers one after another, the last one from then on. */
async function serve(answers: Answer[], options: Partial<ClientOptions> = {}) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const answer = answers[Math.min(seen.length, answers.length - 1)];
    seen.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
    answer?.(response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/api/v1`;
  return { seen, client: createClient({ baseUrl, apiKey: "ds_live_test", backoffMs: 1, ...options }) };
}

const body = { to: "+14155550123", from: "DEMO", body: "Hello" };
const keysOf = (seen: Seen[]) => seen.map(({ headers }) => headers["idempotency-key"]);
const failure = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => null,
    (thrown: unknown) => thrown,
  );

test("every request asks for strict handling, or for the handling that the client is made with", async () => {
  const listed = json(200, { success: true, data: [], pagination: {}, meta });
  const { seen, client } = await serve([listed]);
  await client.GET("/messages");
  const { port } = servers[0]?.address() as AddressInfo;
  const options = { baseUrl: `http://127.0.0.1:${port}/api/v1`, apiKey: "ds_live_test" };
  await createClient({ ...options, handling: "lenient" }).GET("/messages");
  expect(seen.map(({ headers }) => headers.prefer)).toEqual(["handling=strict", "handling=lenient"]);
});

describe("calls", () => {
  test("are authenticated JSON, and resolve to the envelope with the response beside it", async () => {
    const { client, seen } = await serve([created]);
    const answer = await client.POST("/messages/send", { body });
    expect(answer).toMatchObject({ data: { id: "msg_1", status: "pending" }, meta });
    expect(answer.response.status).toBe(201);
    expect(seen).toMatchObject([
      {
        method: "POST",
        url: "/api/v1/messages/send",
        headers: { authorization: "Bearer ds_live_test", "content-type": "application/json" },
      },
    ]);
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual(body);
  });

  test("put parameters where they belong", async () => {
    const { client, seen } = await serve([json(200, { success: true, data: [], meta })]);
    await client.GET("/messages", { params: { query: { to: "+14155550123", limit: 5 } } });
    await client.DELETE("/api-keys/{id}", { params: { path: { id: "key_1" } } });
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /api/v1/messages?to=%2B14155550123&limit=5",
      "DELETE /api/v1/api-keys/key_1",
    ]);
  });

  test("are typed by the document", async () => {
    const { client } = await serve([created]);
    const { data } = await client.POST("/messages/send", { body });
    const status: "pending" | "sent" | "delivered" | "failed" | "undelivered" = data.status;
    expect(status).toBe("pending");
    // @ts-expect-error a field that there is not
    await client.POST("/messages/send", { body: { ...body, unknown: 1 } });
    // @ts-expect-error a path that there is not
    await client.GET("/nowhere");
  });
});

describe("a creating request", () => {
  test("gets an Idempotency-Key, each its own", async () => {
    const { client, seen } = await serve([created]);
    await client.POST("/messages/send", { body });
    await client.POST("/messages/send", { body });
    const [first, second] = keysOf(seen);
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(second).not.toBe(first);
  });

  test("keeps the key that the caller gave", async () => {
    const { client, seen } = await serve([unavailable, created]);
    await client.POST("/messages/send", { body, params: { header: { "Idempotency-Key": "order-4711" } } });
    expect(keysOf(seen)).toEqual(["order-4711", "order-4711"]);
  });

  test("nothing else gets one", async () => {
    const { client, seen } = await serve([json(200, { success: true, data: {}, meta })]);
    await client.GET("/account");
    await client.POST("/messages/estimate", { body });
    expect(keysOf(seen)).toEqual([undefined, undefined]);
  });
});

describe("retries", () => {
  test.each([
    ["a 5xx", unavailable],
    ["a lost connection", dropped],
    ["a connection lost within the answer", cut],
    ["a 429 that says when to come back", refusal(429, {}, { "retry-after": "0" })],
  ])("%s is tried again with the same body and key", async (_name, answer) => {
    const { client, seen } = await serve([answer, answer, created]);
    expect((await client.POST("/messages/send", { body })).data.id).toBe("msg_1");
    expect(seen).toHaveLength(3);
    expect(new Set(keysOf(seen)).size).toBe(1);
    expect(new Set(seen.map((request) => request.body)).size).toBe(1);
  });

  test("a try that takes too long is ended and repeated", async () => {
    const { client, seen } = await serve([hanging, created], { timeoutMs: 100 });
    await client.POST("/messages/send", { body });
    expect(seen).toHaveLength(2);
  });

  test("end with what the last try gave", async () => {
    const { client, seen } = await serve([unavailable], { retries: 2 });
    expect(await failure(client.GET("/account"))).toMatchObject({ name: "ApiError", status: 503 });
    expect(seen).toHaveLength(3);
    const lost = await serve([dropped], { retries: 1 });
    expect(await failure(lost.client.GET("/account"))).toBeInstanceOf(TypeError);
    expect(lost.seen).toHaveLength(2);
  });

  test.each([
    ["a refusal", refusal(400)],
    ["a 429 that does not say when to come back", refusal(429, {})],
    ["a limit of the day", refusal(429, { reason: "daily_limit" }, { "retry-after": "43200" })],
    ["a wait that is too long to be ours", refusal(429, {}, { "retry-after": "3600" })],
  ])("%s is not tried again", async (_name, answer) => {
    const { client, seen } = await serve([answer, created]);
    expect(await failure(client.POST("/messages/send", { body }))).toBeInstanceOf(ApiError);
    expect(seen).toHaveLength(1);
  });

  test("a POST without a key is repeated after a 429 only, because nothing was done", async () => {
    const lost = await serve([unavailable, created]);
    expect(await failure(lost.client.POST("/messages/estimate", { body }))).toBeInstanceOf(ApiError);
    expect(lost.seen).toHaveLength(1);
    const limited = await serve([
      refusal(429, {}, { "retry-after": "0" }),
      json(200, { success: true, data: {}, meta }),
    ]);
    await limited.client.POST("/messages/estimate", { body });
    expect(limited.seen).toHaveLength(2);
  });

  test("a key that an operation takes no notice of makes nothing repeatable", async () => {
    const init = { params: { path: { id: "whe_1" } }, headers: { "Idempotency-Key": "mine" } };
    for (const answer of [unavailable, dropped, cut]) {
      const { client, seen } = await serve([answer, json(200, { success: true, data: {}, meta })]);
      expect(await failure(client.POST("/webhooks/{id}/test", init))).toBeInstanceOf(Error);
      expect(keysOf(seen)).toEqual(["mine"]);
    }
  });

  test("a body that takes too long is ended and repeated", async () => {
    const slow: Answer = (response) => void response.writeHead(201).write("{");
    const { client, seen } = await serve([slow, created], { timeoutMs: 100 });
    expect((await client.POST("/messages/send", { body })).data.id).toBe("msg_1");
    expect(seen).toHaveLength(2);
  });

  test("the caller's signal ends them", async () => {
    const abort = new AbortController();
    const { client, seen } = await serve([unavailable], { retries: 1_000, backoffMs: 60_000 });
    const failed = failure(client.GET("/account", { signal: abort.signal }));
    await expect.poll(() => seen.length).toBe(1);
    abort.abort(new Error("enough"));
    expect(await failed).toMatchObject({ message: "enough" });
    expect(seen).toHaveLength(1);
  });
});

describe("an error", () => {
  test("carries what the answer said", async () => {
    const { client } = await serve([refusal(429, { reason: "rate_limit" }, { "retry-after": "3600" })]);
    expect(await failure(client.POST("/messages/send", { body }))).toMatchObject({
      name: "ApiError",
      message: "No.",
      status: 429,
      type: "api_error",
      code: "some_code",
      reason: "rate_limit",
      param: "to",
      details: { reason: "rate_limit" },
      requestId: "req_1",
      retryAfterS: 3600,
    });
  });

  test("is one too when a proxy answered instead of the service", async () => {
    const { client } = await serve([(response) => response.writeHead(413).end("<html>")]);
    expect(await failure(client.POST("/messages/send", { body }))).toMatchObject({
      name: "ApiError",
      status: 413,
      code: "unexpected_answer",
      requestId: null,
    });
  });

  test.each(["<html>Sign in", "", "null", '{"message":"hello"}'])(
    "is one when a 200 with %j is not of the service",
    async (text) => {
      const { client, seen } = await serve([(response) => response.writeHead(200).end(text)]);
      const thrown = await failure(client.GET("/account"));
      expect(thrown).toBeInstanceOf(ApiError);
      expect(thrown).toMatchObject({ status: 200, code: "unexpected_answer", requestId: null });
      expect(seen).toHaveLength(1);
    },
  );
});
