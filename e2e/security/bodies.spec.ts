import { ask } from "../../test/network/plain-http";
import { call, errorIn, expect, fromSomewhere, test } from "../support/edge-test";

const SLOW_HOST = `https://${"é".repeat(200_000)}`;
const JSON_TYPE = { "content-type": "application/json" };

test("a body larger than any sign-in needs is refused before it is read", async ({ web }) => {
  const from = fromSomewhere();
  const csrf = await ask(web.url, { path: "/api/auth/csrf", headers: from });
  const cookie = (csrf.headers["set-cookie"] ?? []).map((set) => set.split(";")[0]).join("; ");
  const { csrfToken } = JSON.parse(csrf.text) as { csrfToken: string };
  const post = (path: string, callbackUrl: string) =>
    ask(web.url, {
      method: "POST",
      path,
      headers: { ...JSON_TYPE, ...from, cookie },
      body: JSON.stringify({ csrfToken, callbackUrl, json: "true" }),
    });
  for (const path of ["/api/auth/signout", "/api/auth/callback/credentials", "/api/auth/signin/credentials"]) {
    const refused = await post(path, SLOW_HOST);
    expect(refused.status, path).toBe(413);
    expect(JSON.parse(refused.text), path).toMatchObject({
      url: expect.stringContaining("/sign-in?error="),
      error: { type: "invalid_request_error", code: "payload_too_large", details: { reason: "body_too_large" } },
    });
  }
  const inSize = await post("/api/auth/signout", `https://${"é".repeat(1_000)}`);
  expect([inSize.status, new URL(JSON.parse(inSize.text).url).pathname]).toEqual([200, "/"]);
});

test("strangers may send only small bodies, signed-in people as much as they need", async ({
  web,
  account,
  cookie,
}) => {
  const from = fromSomewhere();
  const text = JSON.stringify({ name: "x".repeat(20_000) });
  const refused = await call(web.url, "auth.signUp", text, from);
  expect(refused.status).toBe(413);
  expect(errorIn(refused)).toMatchObject({
    message: expect.stringContaining("16384"),
    code: -32013,
    data: { httpStatus: 413, code: "payload_too_large" },
  });
  const recipients = Array.from({ length: 1_000 }, (_, at) => `+1415${5_550_000 + at}`);
  const bulk = JSON.stringify({ recipients, from: account.sender, body: "Hello" });
  expect(Buffer.byteLength(bulk)).toBeLessThan(16_384);
  const padded = JSON.stringify({ recipients, from: account.sender, body: "Hello", ignored: "x".repeat(900_000) });
  const taken = await call(web.url, "messages.bulk", padded, { ...from, cookie });
  expect([taken.status, JSON.parse(taken.text).result?.data?.total]).toEqual([200, 1_000]);
  const larger = await call(web.url, "messages.bulk", " ".repeat(1_048_577), { ...from, cookie });
  expect(larger.status).toBe(413);
});

test("a cookie that only looks like a session does not sign anybody in", async ({ web }) => {
  const headers = { ...fromSomewhere(), cookie: `next-auth.session-token=${"e".repeat(400)}` };
  const refused = await call(web.url, "auth.signUp", JSON.stringify({ name: "x".repeat(20_000) }), headers);
  expect(refused.status).toBe(413);
});

test("a body of too many small values is refused as a whole", async ({ web, account, cookie }) => {
  const events = JSON.stringify({ url: "http://127.0.0.1/", events: Array.from({ length: 200_000 }, () => "x") });
  const authorization = `Bearer ${account.apiKey}`;
  const byKey = await ask(web.url, {
    method: "POST",
    path: "/api/v1/webhooks/create",
    headers: { authorization, "content-type": "application/json" },
    body: events,
  });
  expect(byKey.status).toBe(400);
  expect(JSON.parse(byKey.text).error.details).toEqual({ reason: "too_many_values" });
  const byPerson = await call(web.url, "webhooks.create", events, { cookie });
  expect(byPerson.status).toBe(400);
  expect(errorIn(byPerson).data.details).toEqual({ reason: "too_many_values" });
  const list = JSON.stringify(Array.from({ length: 2_000 }, () => 0));
  const byStranger = await call(web.url, "auth.signUp", list, fromSomewhere());
  expect(errorIn(byStranger).data.details).toEqual({ reason: "too_many_values" });
});

test("a body of deeply nested lists is refused as a whole", async ({ web, account, cookie }) => {
  const nested = `{"url":${"[".repeat(500_000)}${"]".repeat(500_000)}}`;
  const headers = { authorization: `Bearer ${account.apiKey}`, ...JSON_TYPE };
  const byKey = await ask(web.url, { method: "POST", path: "/api/v1/webhooks/create", headers, body: nested });
  expect([byKey.status, JSON.parse(byKey.text).error.details]).toEqual([400, { reason: "nested_too_deeply" }]);
  const byPerson = await call(web.url, "webhooks.create", nested, { cookie });
  expect([byPerson.status, errorIn(byPerson).data.details]).toEqual([400, { reason: "nested_too_deeply" }]);
});

test("bodies without a length, and bodies of requests that take none, are refused", async ({ web }) => {
  const chunked = { "transfer-encoding": "chunked", "content-type": "application/json" };
  for (const path of ["/api/trpc/auth.signUp", "/api/auth/signout"]) {
    const request = { method: "POST", path, headers: chunked };
    expect((await ask(web.url, request)).status, path).toBe(411);
  }
  expect((await ask(web.url, { path: "/sign-in", body: "x" })).status).toBe(413);
  expect((await ask(web.url, { path: "/api/auth/csrf", body: "x" })).status).toBe(413);
  expect((await ask(web.url, { method: "POST", path: "/sign-in", body: "x=1" })).status).toBe(405);
});
