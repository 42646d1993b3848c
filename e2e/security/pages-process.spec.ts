import { openSession } from "../../test/network/operator-session";
import { ask } from "../../test/network/plain-http";
import { exchange, statusesIn } from "../../test/network/raw-socket";
import { expect, fromSomewhere, test } from "../support/edge-test";
import { type OwnWeb, startWeb } from "../support/processes";

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** The pages process that the web process started last. */
function pagesPidOf(web: OwnWeb): number {
  const lines = web.output().split("\n");
  return JSON.parse(lines.findLast((line) => line.includes('"pages.ready"')) ?? "{}").pid;
}

test("without its pages process the web process serves everything else, and it never leaves a pages process behind", async ({
  service,
  account,
}) => {
  const web = await startWeb(service);
  const cookie = (await openSession(web.url, account)).join("; ");
  const view = () => ask(web.url, { path: "/messages", headers: { cookie } });
  expect((await view()).status).toBe(200);
  const first = pagesPidOf(web);

  // It hangs: requests for pages wait, and no others.
  process.kill(first, "SIGSTOP");
  const waiting = view();
  const headers = { authorization: `Bearer ${account.apiKey}`, "content-type": "application/json" };
  const body = JSON.stringify({ to: "+14155550123", from: account.sender, body: "Hello" });
  expect((await ask(web.url, { method: "POST", path: "/api/v1/messages/send", headers, body })).status).toBe(201);
  expect((await ask(web.url, { path: "/api/trpc/accounts.balance", headers: { cookie } })).status).toBe(200);
  expect((await ask(web.url, { path: "/sign-in" })).status).toBe(200);

  // It dies: pages are 503 until the next one serves.
  process.kill(first, "SIGKILL");
  const refused = await waiting;
  expect([refused.status, refused.headers["retry-after"]]).toEqual([503, "1"]);
  // The address to which next-auth leads a person whose sign-in found no service, until the next one serves.
  const led = await ask(web.url, { path: "/api/auth/error", headers: { accept: "text/html,*/*" } });
  expect(led.status === 503 && led.text).toMatch(/^<!doctype html>/);
  await expect.poll(async () => (await view()).status).toBe(200);
  const ready = await ask(web.url, { path: "/api/health/ready" });
  expect(JSON.parse(ready.text).checks).toMatchObject({ pages: { ok: true, restarts: 1 }, live: { ok: true } });

  const second = pagesPidOf(web);
  expect(second).not.toBe(first);
  // After a signal to all processes, as a terminal sends it, the parent decides when it ends.
  process.kill(second, "SIGTERM");
  expect((await view()).status).toBe(200);
  await web.kill();
  await expect.poll(() => isRunning(second)).toBe(false);
});

test("with CONSOLE=false a web process serves the API and nothing else", async ({ service, account }) => {
  const web = await startWeb(service, { CONSOLE: "false" });
  const cookie = (await openSession(service.url, account)).join("; ");
  const statusOf = async (path: string, headers = {}) => (await ask(web.url, { path, headers })).status;
  expect(await statusOf("/api/v1/balance", { authorization: `Bearer ${account.apiKey}` })).toBe(200);
  expect(await statusOf("/api/health")).toBe(200);
  const ready = await ask(web.url, { path: "/api/health/ready" });
  const { pages, live } = JSON.parse(ready.text).checks;
  expect([ready.status, pages, live]).toEqual([200, undefined, undefined]);
  const closed = [
    "/",
    "/sign-in",
    "/messages",
    "/docs",
    "/docs/llms.txt",
    "/api/auth/csrf",
    "/api/trpc/accounts.balance",
  ];
  for (const path of closed) expect(await statusOf(path, { cookie }), path).toBe(404);
  expect(web.output()).not.toContain("pages.ready");
  await web.stop();
});

/** A request as text, after which the connection closes. */
const raw = (line: string, fields: string[], body = ""): string =>
  [
    line,
    "Host: h",
    `X-Forwarded-For: ${fromSomewhere()["x-forwarded-for"]}`,
    ...fields,
    "Connection: close",
    "",
    body,
  ].join("\r\n");

test("no request is smuggled past the doors to Next", async ({ web }) => {
  const hidden = "POST /api/auth/_log HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}";
  const signOut = "POST /api/auth/signout HTTP/1.1";
  const attacks: Record<string, [bytes: string, statuses: number[]]> = {
    "two lengths": [raw(signOut, ["Content-Length: 0", `Content-Length: ${hidden.length}`], hidden), [400]],
    "a length and pieces": [
      raw(signOut, ["Content-Length: 5", "Transfer-Encoding: chunked"], `0\r\n\r\n${hidden}`),
      [400],
    ],
    "pieces in another coding": [raw(signOut, ["Transfer-Encoding: x, chunked"], `0\r\n\r\n`), [400]],
    "pieces in HTTP/1.0": [raw("POST /api/auth/signout HTTP/1.0", ["Transfer-Encoding: chunked"], `0\r\n\r\n`), [400]],
    pieces: [raw(signOut, ["Transfer-Encoding: chunked"], `0\r\n\r\n`), [411]],
    "a folded field": [raw(signOut, ["X-A: b", " Transfer-Encoding: chunked", "Content-Length: 0"]), [400]],
    "a space before the colon": [raw(signOut, ["Content-Length : 0"]), [400]],
    "a page with a body": [raw("GET /messages HTTP/1.1", [`Content-Length: ${hidden.length}`], hidden), [413]],
    "a bare line feed": [raw("GET /messages HTTP/1.1", ["X-A: b\nTransfer-Encoding: chunked"]), [400]],
    "a named field": [raw("GET /api/auth/csrf HTTP/1.1", ["Connection: x-peer-address, cookie, host"]), [200]],
    "an upgrade": [raw("GET /api/auth/csrf HTTP/1.1", ["Upgrade: websocket", "Connection: upgrade"]), [200]],
    "an expectation": [raw(signOut, ["Content-Length: 0", "Expect: 100-continue"]), [100, 302]],
    "another host's address": [raw("GET http://evil.example/api/auth/csrf HTTP/1.1", []), [200]],
    "HTTP/1.0": [raw("GET /api/auth/csrf HTTP/1.0", []), [200]],
  };
  const seen: Record<string, number[]> = {};
  for (const [name, [bytes]] of Object.entries(attacks)) seen[name] = statusesIn(await exchange(web, bytes));
  expect(seen).toEqual(Object.fromEntries(Object.entries(attacks).map(([name, [, statuses]]) => [name, statuses])));
});

test("no spelling of a path bypasses its door", async ({ web }) => {
  // Spelled normally, each path has a door with limits; Next would serve most of these spellings without one.
  const closed = ["/api/auth/_log", "/api/trpc/auth.signUpState", "/api/v1/balance", "/api/health/ready"];
  const spelled = closed.flatMap((path) => [
    `//${path.slice(1)}`,
    path.replace("/api/", "/%61pi/"),
    path.replace("/api/", "/api%2f"),
    path.replace("/api/", "/api//"),
    `/docs/..${path}`,
    `/docs/%2e%2e${path}`,
    `/_next/static/../..${path}`,
    `/_next/static/%2e%2e/%2E%2e${path}`,
    `/_next/static/..%2f..${path}`,
    `/_next/static/..\\..${path}`,
    `/_next/data/x${path}`,
    `/_next/image?url=${encodeURIComponent(path)}&w=64&q=75`,
  ]);
  const seen: string[] = [];
  for (const path of spelled) {
    const { status } = await ask(web.url, { path, headers: fromSomewhere() });
    if (status !== 404 && status !== 307 && status !== 308) seen.push(`${status} ${path}`);
  }
  expect(seen).toEqual([]);
});
