import { afterEach, beforeAll, expect, test, vi } from "vitest";

const ORIGIN = "https://sms.example.net";
let serve: (
  path: string,
  peer: string,
  headers?: Record<string, string>,
) => Promise<import("../rest-exchange").RestResponse>;
let compress: typeof import("../compress").compress;

beforeAll(async () => {
  Object.assign(process.env, {
    DATABASE_URL: "postgresql://unused",
    SECRET_KEY: "0".repeat(40),
    PUBLIC_URL: ORIGIN,
    TRUSTED_PROXIES: "127.0.0.1",
  });
  ({ compress } = await import("../compress"));
  const { serveRest } = await import("../rest");
  serve = async (path, peer, headers = {}) => {
    const { response } = await serveRest({
      method: "GET",
      path,
      query: "",
      header: (name) => ({ host: "sms.example.net", ...headers })[name],
      peer,
      readBody: async () => Buffer.alloc(0),
    });
    return response;
  };
});

afterEach(() => {
  vi.useRealTimers();
});

test.each(["/openapi.json", "/openapi.yaml"])("%s is compressed once for many requests", async (path) => {
  const ask = async (coding: string) => (await compress(await serve(path, "192.0.2.1"), coding)).body;
  expect(await ask("br")).toBe(await ask("br"));
  expect(await ask("gzip")).toBe(await ask("gzip"));
  expect(await ask("gzip")).not.toBe(await ask("br"));
});

test("the documents are refused only to a network that asks too often", async () => {
  // Stops the clock, so that no bucket is refilled.
  vi.useFakeTimers({ toFake: ["performance"] });
  const from = (address: string) => serve("/openapi.yaml", "127.0.0.1", { "x-forwarded-for": address });
  const served = await Promise.all(Array.from({ length: 300 }, () => from("198.51.100.1")));
  const refused = served.find(({ status }) => status === 429);
  expect(refused?.headers).toMatchObject({ "retry-after": expect.stringMatching(/^\d+$/) });
  expect(JSON.parse(refused?.body ?? "")).toMatchObject({
    success: false,
    error: { type: "rate_limit_error", details: { reason: "too_many_visits" } },
  });
  expect(served[0]?.status).toBe(200);
  expect((await from("198.51.100.2")).status).toBe(200);
});
