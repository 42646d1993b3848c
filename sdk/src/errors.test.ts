import { describe, expect, test } from "vitest";
import { json, type Responder, refusal, startStub, success } from "../stub-service";
import { ApiError, MessagingClient } from "./client";

const body = { to: "+14155550123", from: "DEMO", body: "Hello" };
const created = success({ id: "msg_1", status: "pending" }, 201);
const redirect = (status: number, location: string): Responder => json(status, {}, { location });

/** A service that gives this response to every request. */
async function serve(answer: Responder) {
  const { baseUrl, seen } = await startStub(() => answer);
  return { baseUrl, seen, client: new MessagingClient({ baseUrl, apiKey: "ds_live_test", backoffMs: 1 }) };
}

const failure = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    () => null,
    (thrown: unknown) => thrown,
  );

describe("an error", () => {
  test("carries what the answer said", async () => {
    const { client } = await serve(refusal(429, { reason: "rate_limit" }, { "retry-after": "3600" }));
    expect(await failure(client.messages.send(body))).toMatchObject({
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
    const { client } = await serve((response) => response.writeHead(413).end("<html>"));
    expect(await failure(client.messages.send(body))).toMatchObject({
      name: "ApiError",
      status: 413,
      code: "unexpected_answer",
      requestId: null,
    });
  });

  test.each([
    [200, "The response, status 200, does not come from the service. Check the base URL."],
    [404, "The response, status 404, does not come from the service. Check the base URL."],
    [502, "The response, status 502, does not come from the service."],
  ])("tells of a %i that another server gave, and of the base URL where that may be wrong", async (status, message) => {
    const { baseUrl } = await startStub(() => (response) => response.writeHead(status).end("<html>"));
    const client = new MessagingClient({ baseUrl, apiKey: "ds_live_test", retries: 0 });
    expect(await failure(client.account.get())).toMatchObject({ status, message });
  });

  test.each(["-1", "1.5", "soon", "Monday"])("says no wait when Retry-After is %j", async (value) => {
    const { client, seen } = await serve(refusal(429, {}, { "retry-after": value }));
    expect(await failure(client.account.get())).toMatchObject({ status: 429, retryAfterS: null });
    expect(seen).toHaveLength(1);
  });

  test("says how long a Retry-After with a date is to be waited for", async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    const { client } = await serve(refusal(429, {}, { "retry-after": date }));
    const { retryAfterS } = (await failure(client.account.get())) as ApiError;
    expect(retryAfterS).toBeGreaterThan(3_000);
    expect(retryAfterS).toBeLessThanOrEqual(3_600);
  });

  const busy = { code: "busy", message: "Busy." };
  test.each([
    { error: { code: 503, message: "Busy." } },
    { success: false, error: { code: 503, message: "Busy.", details: {} } },
    { success: false, error: { code: "busy", details: {} } },
    { success: false, error: busy },
    { success: false, error: { ...busy, details: null } },
    { success: false, error: { ...busy, details: [] } },
    { error: { ...busy, details: {} } },
    { success: false, error: [] },
    { success: false, error: null },
    { success: false, error: "Busy." },
    [],
  ])("is one when a proxy's 503 with %j only resembles one of the service", async (text) => {
    const { client } = await serve(json(503, text, { "retry-after": "90" }));
    const thrown = await failure(client.messages.send(body));
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({ status: 503, code: "unexpected_answer", reason: null, retryAfterS: 90 });
  });

  test.each(["<html>Sign in", "", "null", '{"message":"hello"}', '{"success":true}', '{"success":true,"data":{}}'])(
    "is one when a 200 with %j is not of the service",
    async (text) => {
      const { client, seen } = await serve((response) => response.writeHead(200).end(text));
      const thrown = await failure(client.account.get());
      expect(thrown).toBeInstanceOf(ApiError);
      expect(thrown).toMatchObject({ status: 200, code: "unexpected_answer", requestId: null });
      expect(seen).toHaveLength(1);
    },
  );
});

describe("a redirect", () => {
  test.each([301, 302, 303, 307, 308])("with status %i is an error, and nothing goes elsewhere", async (status) => {
    const elsewhere = await serve(created);
    const { client, seen } = await serve(redirect(status, `${elsewhere.baseUrl}/messages/send`));
    const thrown = await failure(client.messages.send(body));
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({ status, code: "unexpected_answer", message: expect.stringContaining("redirect") });
    expect(seen).toHaveLength(1);
    expect(elsewhere.seen).toEqual([]);
  });

  test("to a page of the same service makes no GET of a POST", async () => {
    const { client, seen } = await serve(redirect(301, "/api/v1/messages/msg_1"));
    expect(await failure(client.messages.send(body))).toMatchObject({ status: 301, code: "unexpected_answer" });
    expect(seen).toHaveLength(1);
  });

  test("that the platform hides is an error too", async () => {
    const hidden = Object.defineProperties(new Response(null), {
      status: { value: 0 },
      ok: { value: false },
      type: { value: "opaqueredirect" },
    });
    const client = new MessagingClient({
      baseUrl: "http://localhost",
      apiKey: "ds_live_test",
      fetch: async () => hidden,
    });
    const thrown = await failure(client.account.get());
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({
      status: 0,
      code: "unexpected_answer",
      message: expect.stringContaining("redirect"),
    });
  });
});
