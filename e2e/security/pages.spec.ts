import { openSession } from "../../test/network/operator-session";
import { ask, statusCounts } from "../../test/network/plain-http";
import { expect, fromSomewhere, test } from "../support/edge-test";

test("strangers see the pages for strangers, and are redirected to sign-in from all others", async ({ web }) => {
  const get = (path: string, headers = {}) => ask(web.url, { path, headers: { ...fromSomewhere(), ...headers } });
  for (const path of ["/", "/messages", "/messages/msg_x", "/operator/accounts", "/usage?days=7"]) {
    const { status, headers } = await get(path);
    const location = path === "/" ? "/sign-in" : `/sign-in?next=${encodeURIComponent(path)}`;
    expect([status, headers.location], path).toEqual([307, location]);
  }
  for (const path of ["/sign-in", "/sign-in?next=/usage", "/sign-up", "/docs", "/docs/limits"]) {
    const { status, headers, text } = await get(path);
    expect([status, headers["content-type"]], path).toEqual([200, "text/html; charset=utf-8"]);
    expect(text, path).toContain("</html>");
    const again = await get(path, { "if-none-match": String(headers.etag) });
    expect([again.status, again.text], path).toEqual([304, ""]);
    expect((await get(path, { "accept-encoding": "gzip" })).headers["content-encoding"], path).toBe("gzip");
  }
  const nowhere = ["/nowhere", "/docs/nowhere", "//evil.example/", "/messages/a/b", "/_not-found"];
  for (const path of [...nowhere, "/_next/image?url=/icon.svg"]) {
    expect((await get(path)).status, path).toBe(404);
  }
  const moved = await get("/usage/");
  expect([moved.status, moved.headers.location]).toEqual([308, "/usage"]);
});

test("page views of strangers are throttled by network, and nobody else is affected", async ({ web, api, account }) => {
  const headers = fromSomewhere();
  const flood = Promise.all(Array.from({ length: 400 }, () => ask(web.url, { path: "/", headers })));
  const authorization = `Bearer ${account.apiKey}`;
  const balances = await Promise.all(
    Array.from({ length: 20 }, () => ask(web.url, { path: "/api/v1/balance", headers: { authorization } })),
  );
  expect(statusCounts(balances)).toEqual({ 200: 20 });
  const answers = await flood;
  expect(statusCounts(answers)[429]).toBeGreaterThan(0);
  const refused = answers.find(({ status }) => status === 429);
  expect(Number(refused?.headers["retry-after"])).toBeGreaterThan(0);
  expect(refused?.headers["content-type"]).toBe("text/html; charset=utf-8");
  expect((await ask(web.url, { path: "/", headers: fromSomewhere() })).status).toBe(307);
  expect((await api.get("/balance")).status).toBe(200);
});

test("few pages are rendered at once, few wait, the rest is refused, and the API goes first", async ({
  web,
  account,
}) => {
  const cookie = (await openSession(web.url, account)).join("; ");
  let pages = 0;
  const flood = Promise.all(
    Array.from({ length: 200 }, async () => {
      const answer = await ask(web.url, { path: "/messages", headers: { cookie } });
      if (answer.status === 200) pages += 1;
      return answer;
    }),
  );
  const authorization = `Bearer ${account.apiKey}`;
  const send = JSON.stringify({ to: "+14155550123", from: account.sender, body: "Hello" });
  const headers = { authorization, "content-type": "application/json" };
  await expect.poll(() => pages, { intervals: [1] }).toBeGreaterThan(0);
  // A send that arrives after all of these page requests gets its response after only a few of them.
  const pagesBefore = pages;
  const sent = await ask(web.url, { method: "POST", path: "/api/v1/messages/send", headers, body: send });
  const pagesMeanwhile = pages - pagesBefore;
  expect(sent.status).toBe(201);
  const answers = await flood;
  const counts = statusCounts(answers);
  expect(Object.keys(counts).sort()).toEqual(["200", "503"]);
  expect(counts[503]).toBeGreaterThan(100);
  expect(counts[200]).toBeGreaterThan(0);
  expect(pagesMeanwhile).toBeLessThan(20);
  const refused = answers.find(({ status }) => status === 503);
  expect(refused?.headers["retry-after"]).toBe("1");
  expect(refused?.text).toContain("This page loads itself again in 5 seconds.");
});

test("an opened page goes before links that browsers prefetch", async ({ web, account }) => {
  const cookie = (await openSession(web.url, account)).join("; ");
  const ahead = { cookie, rsc: "1", "next-router-prefetch": "1" };
  const links = Promise.all(
    Array.from({ length: 200 }, () => ask(web.url, { path: "/usage", headers: ahead }).then(({ status }) => status)),
  );
  expect((await ask(web.url, { path: "/messages", headers: { cookie } })).status).toBe(200);
  // Prefetches for which there is no time get a response without a page, which is no error.
  const statuses = await links;
  expect(statuses).toContain(204);
  expect(statuses.filter((status) => status >= 400)).toEqual([]);
});
