import { ask, statusCounts } from "../../test/network/plain-http";
import { call, errorIn, expect, fromSomewhere, test } from "../support/edge-test";

const times = (count: number, text: string): string => Array.from({ length: count }, () => text).join(",");
const SIGN_UP_STATE = "/api/trpc/auth.signUpState";

test("a batch has at most twenty calls", async ({ web }) => {
  const headers = fromSomewhere();
  const batch = (count: number) =>
    ask(web.url, { path: `/api/trpc/${times(count, "auth.signUpState")}?batch=1`, headers });
  const whole = await batch(20);
  expect([whole.status, JSON.parse(whole.text).length]).toEqual([200, 20]);
  const encoded = await ask(web.url, {
    path: `/api/trpc/${times(21, "auth.signUpState").replaceAll(",", "%2C")}?batch=1`,
    headers,
  });
  const attack = await call(web.url, times(900, "auth.signUp"), "{}", headers);
  for (const refused of [await batch(21), encoded, attack]) {
    expect(refused.status).toBe(400);
    expect(errorIn(refused)).toMatchObject({ code: -32600, data: { details: { reason: "batch_too_large" } } });
  }
});

test("strangers of one network are throttled by calls, not by requests; others are not", async ({ web }) => {
  const headers = fromSomewhere();
  const batch = `/api/trpc/${times(20, "auth.signUpState")}?batch=1`;
  const answers = await Promise.all(Array.from({ length: 39 }, () => ask(web.url, { path: batch, headers })));
  const counts = statusCounts(answers);
  expect(counts[429]).toBeGreaterThan(0);
  expect(counts[200]).toBeGreaterThan(0);
  const refused = answers.find(({ status }) => status === 429);
  expect(Number(refused?.headers["retry-after"])).toBeGreaterThan(0);
  expect(refused && errorIn(refused)).toMatchObject({
    code: -32029,
    data: { httpStatus: 429, type: "rate_limit_error", details: { reason: "too_many_visits" } },
  });
  expect((await ask(web.url, { path: SIGN_UP_STATE, headers: fromSomewhere() })).status).toBe(200);
  await expect.poll(async () => (await ask(web.url, { path: SIGN_UP_STATE, headers })).status).toBe(200);
});

test("all addresses of an IPv6 network count as one", async ({ web }) => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      ask(web.url, {
        path: `/api/trpc/${times(20, "auth.signUpState")}?batch=1`,
        headers: { "x-forwarded-for": `2001:db8:7:7::${at.toString(16)}` },
      }),
    ),
  );
  expect(statusCounts(answers)[429]).toBeGreaterThan(0);
});

test("throttled sign-ins get a message that the page shows", async ({ web }) => {
  const headers = fromSomewhere();
  const path = `/api/trpc/${times(20, "auth.signUpState")}?batch=1`;
  // Both kinds of calls use the same allowance, and the batches empty it faster than it refills.
  const many = (count: number, asked: string) =>
    Array.from({ length: count }, () => ask(web.url, { path: asked, headers }));
  const refusedSignIn = async () => {
    const [batches, signIns] = [many(20, path), many(100, "/api/auth/csrf")];
    await Promise.all(batches);
    const refused = (await Promise.all(signIns)).find(({ status }) => status === 429);
    return refused ? new URL(JSON.parse(refused.text).url).searchParams.get("error") : null;
  };
  await expect.poll(refusedSignIn).toMatch(/^Too many requests\. Try again in \d+ s\.$/);
});

test("calls are JSON: anything else is a 415 in tRPC's shape", async ({ web, cookie }) => {
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]) {
    for (const headers of [fromSomewhere(), { ...fromSomewhere(), cookie }]) {
      const refused = await call(web.url, "auth.signUp", "{}", { ...headers, "content-type": type });
      expect(refused.status, type).toBe(415);
      expect(errorIn(refused), type).toMatchObject({
        code: -32015,
        data: { httpStatus: 415, details: { reason: "wrong_content_type" } },
      });
    }
  }
});

test("responses to calls may not be cached", async ({ web, cookie }) => {
  const headers = { ...fromSomewhere(), cookie };
  const answers = [
    await ask(web.url, { path: "/api/trpc/auth.viewer", headers }),
    await ask(web.url, { path: "/api/trpc/auth.viewer", headers: fromSomewhere() }),
    await ask(web.url, { path: "/api/trpc/nowhere", headers }),
    await call(web.url, "auth.signUp", "{", headers),
    await call(web.url, times(21, "auth.signUp"), "{}", headers),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 400, 400]);
  for (const { headers: answered } of answers) expect(answered["cache-control"]).toBe("no-store");
});

test("a page of another site changes nothing; our own pages and programs do", async ({ web, account, cookie }) => {
  const host = new URL(web.url).host;
  const foreign: Record<string, string>[] = [
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: `http://${host}.evil.example` },
    { "sec-fetch-site": "cross-site", origin: `http://${host}` },
  ];
  const own: Record<string, string>[] = [
    {},
    { "sec-fetch-site": "same-origin", origin: `http://${host}` },
    { origin: `http://${host}` },
  ];
  const send = JSON.stringify({ to: "+14155550123", from: account.sender, body: "Hello" });
  for (const headers of foreign) {
    const refused = await call(web.url, "messages.send", send, { cookie, ...headers });
    expect(refused.status, JSON.stringify(headers)).toBe(403);
    expect(errorIn(refused)).toMatchObject({ code: -32003, data: { details: { reason: "cross_site" } } });
    const signOut = await ask(web.url, { method: "POST", path: "/api/auth/signout", headers: { cookie, ...headers } });
    expect(signOut.status, JSON.stringify(headers)).toBe(403);
  }
  for (const headers of own) {
    const taken = await call(web.url, "messages.send", send, { cookie, ...headers });
    expect(taken.status, JSON.stringify(headers)).toBe(200);
  }
  const list = await ask(web.url, { path: "/api/trpc/messages.list?input={}", headers: { cookie } });
  expect(JSON.parse(list.text).result.data.pagination.total).toBe(own.length);
});

test("nobody can write into the log, however the path is spelled", async ({ web, cookie }) => {
  const report = JSON.stringify({ code: "SAID", level: "error", message: "anything" });
  for (const path of [
    "/api/auth/_log",
    "/api/auth/_log/",
    "/api/auth/%5Flog",
    "/api/auth/%5flog",
    "/api//auth/_log",
    "/api/auth//_log",
    "/api/auth/./_log",
    "/api/auth/csrf/../_log",
    "/api/auth/csrf/%2e%2e/_log",
    "/api/auth/_log?x=1",
    "/API/auth/_log",
    "/api/%61uth/_log",
  ]) {
    for (const headers of [undefined, { cookie }]) {
      const type = { "content-type": "application/json" };
      const answered = await ask(web.url, { method: "POST", path, headers: { ...type, ...headers }, body: report });
      expect(answered.status, path).toBe(404);
    }
  }
});
