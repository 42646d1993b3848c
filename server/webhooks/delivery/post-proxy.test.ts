/** Posts through an egress proxy: it is asked for checked addresses only, and its own failures are not the endpoint's. */
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import type { TLSSocket } from "node:tls";
import type { buildConnector } from "undici";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { freePort } from "@/scripts/free-port";
import { env } from "@/server/core/env";
import { proxyConnector } from "@/server/egress/proxy";
import { proxyUnreachable } from "@/server/egress/proxy-error";
import { selfSigned } from "@/test/network/certificate";
import { type ConnectProxy, type ProxyPlan, startConnectProxy } from "@/test/network/connect-proxy";
import { type Receiver, startReceiver, status } from "@/test/network/receiver";
import { unstalled } from "@/test/network/stalls";
import { trustForTest } from "@/test/network/trusted-certificate";
import { stubClientEnv } from "@/test/providers/plain-provider";
import { postJson } from "./post";
import { createSsrfGuard, type SsrfGuardOptions } from "./ssrf-guard";

const LOOPBACK = ["127.0.0.0/8"];
const LIMIT_MS = 1_000;

const closers: (() => Promise<unknown>)[] = [];
let proxy: ConnectProxy;
let receiver: Receiver;

beforeAll(async () => {
  stubClientEnv(1_000);
  proxy = await startConnectProxy();
  receiver = await startReceiver();
  env().WEBHOOK_PROXY_URL = proxy.url;
});
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
  proxy.asked.length = 0;
  receiver.received.length = 0;
  receiver.respondWith(status(200));
});
afterAll(async () => {
  await receiver.close();
  await proxy.close();
  vi.unstubAllEnvs();
});

const portOf = (url: string) => new URL(url).port;

/** A guard that resolves `hook.example` to these addresses, and connects through the proxy. */
function guardWith(addresses: string[], options: Partial<SsrfGuardOptions> = {}) {
  const guard = createSsrfGuard({
    allowedNetworks: LOOPBACK,
    lookup: async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    through: (hostsOf) => proxyConnector("webhooks", { limitMs: LIMIT_MS, hostsOf }),
    ...options,
  });
  closers.push(() => guard.dispatcher.destroy());
  return guard;
}

const post = (url: string, { dispatcher } = guardWith(["127.0.0.1"])) =>
  unstalled(() => postJson(url, { dispatcher, headers: {}, body: Buffer.from("{}"), limitMs: 5_000, isProxied: true }));

const hook = () => `http://hook.example:${portOf(receiver.url)}/hook`;

test("the proxy is asked for the address that was checked, and the endpoint for the name in its URL", async () => {
  expect(await post(hook())).toMatchObject({ acknowledged: true, statusCode: 200, error: null });
  expect(proxy.asked).toEqual([`127.0.0.1:${portOf(receiver.url)}`]);
  expect(receiver.received.map(({ headers }) => headers.host)).toEqual([`hook.example:${portOf(receiver.url)}`]);
});

test("TLS within the tunnel is for the name in the URL, and its certificate is checked", async () => {
  const names: string[] = [];
  const certificate = selfSigned("hook.example");
  const server = createTlsServer(certificate, (request, response) => {
    names.push(String((request.socket as TLSSocket).servername));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  expect(await post(`https://hook.example:${port}/`)).toMatchObject({
    acknowledged: false,
    error: "The endpoint's TLS certificate is self-signed.",
  });
  trustForTest(certificate);
  expect(await post(`https://other.example:${port}/`)).toMatchObject({
    error: "The endpoint's TLS certificate is for another host.",
  });
  expect(await post(`https://hook.example:${port}/`)).toMatchObject({ acknowledged: true });
  expect(names).toEqual(["hook.example"]);
});

test("an address that is not public is refused here, and the proxy is not asked", async () => {
  const blocked = { acknowledged: false, error: "The host of the URL has no public address." };
  for (const addresses of [["10.1.2.3"], ["127.0.0.1", "10.1.2.3"], ["169.254.169.254"]]) {
    expect(await post(hook(), guardWith(addresses))).toMatchObject(blocked);
  }
  expect(await post("http://10.1.2.3/")).toMatchObject(blocked);
  expect(await post("http://[::1]/")).toMatchObject(blocked);
  expect(proxy.asked).toEqual([]);
});

test("every address of a name is tried until the proxy reaches one", async () => {
  const port = portOf(receiver.url);
  proxy.plan(502, 503);
  expect(await post(hook(), guardWith(["127.0.0.3", "127.0.0.2", "127.0.0.1"]))).toMatchObject({ acknowledged: true });
  expect(proxy.asked).toEqual([`127.0.0.3:${port}`, `127.0.0.2:${port}`, `127.0.0.1:${port}`]);
});

describe("where the proxy is the guard", () => {
  const guarded = () =>
    guardWith([], { isGuardedByProxy: true, lookup: () => Promise.reject(new Error("No name is resolved here.")) });

  test("it is asked for names, and refuses what it denies", async () => {
    await guarded().assertAllowed("https://hook.example/");
    expect(await post(hook(), guarded())).toMatchObject({ acknowledged: true });
    proxy.plan("denied");
    expect(await post("http://database.internal/", guarded())).toMatchObject({
      acknowledged: false,
      error: "The egress proxy refused: 407.",
      ofProxy: "refused",
    });
    expect(proxy.asked).toEqual([`hook.example:${portOf(receiver.url)}`, "database.internal:80"]);
  });

  test("addresses in URLs are still checked here", async () => {
    await expect(guarded().assertAllowed("http://10.1.2.3/")).rejects.toMatchObject({ reason: "address_not_public" });
    expect(await post("http://10.1.2.3/", guarded())).toMatchObject({ acknowledged: false });
    expect(await post("http://2130706433/", createdWithout())).toMatchObject({ acknowledged: false });
    expect(proxy.asked).toEqual([]);
  });

  /** Without networks that the operator has allowed. */
  const createdWithout = () => guardWith([], { isGuardedByProxy: true, allowedNetworks: [] });
});

describe("a failure of the proxy's own", () => {
  test.each<[ProxyPlan, string, string]>([
    [407, "The egress proxy refused: 407.", "refused"],
    [403, "The egress proxy refused: 403.", "refused"],
    [410, "The egress proxy refused: 410.", "refused"],
    ["close", "The egress proxy gave no response that can be read.", "away"],
    ["babble", "The egress proxy gave no response that can be read.", "away"],
  ])("%s says so, and is not the endpoint's", async (plan, error, ofProxy) => {
    proxy.plan(plan);
    expect(await post(hook())).toMatchObject({ acknowledged: false, statusCode: null, error, ofProxy });
    expect(receiver.received).toEqual([]);
  });

  test("that this machine has no port left for it is no failure of the proxy", async () => {
    const cause = Object.assign(new Error("no port left"), { code: "EADDRNOTAVAIL" });
    const through = () => (_: unknown, callback: buildConnector.Callback) =>
      queueMicrotask(() => callback(proxyUnreachable("EADDRNOTAVAIL", cause), null));
    await expect(post(hook(), guardWith(["127.0.0.1"], { through }))).rejects.toThrow("no port left");
  });

  test("that it is away says so", async () => {
    await proxy.goAway();
    expect(await post(hook())).toMatchObject({
      error: "The egress proxy could not be reached (ECONNREFUSED).",
      ofProxy: "away",
    });
    await proxy.comeBack();
    expect(await post(hook())).toMatchObject({ acknowledged: true });
  });
});

test.each<[ProxyPlan, string]>([
  [500, "The egress proxy could not connect: 500."],
  [502, "The egress proxy could not connect: 502."],
  [504, "The egress proxy could not connect: 504."],
  ["hang", "The egress proxy did not connect in time."],
])("an endpoint that the proxy does not reach (%s) has failed, as without a proxy", async (plan, error) => {
  proxy.plan(plan);
  const result = await post(hook());
  expect(result).toMatchObject({ acknowledged: false, statusCode: null, error });
  expect(result.ofProxy).toBeUndefined();
});

test("an endpoint that is down behind a real proxy has failed", async () => {
  const result = await post(`http://hook.example:${await freePort()}/`);
  expect(result).toMatchObject({ error: "The egress proxy could not connect: 502." });
  expect(result.ofProxy).toBeUndefined();
});

test("a proxy that cuts the tunnel within the exchange is a connection that was closed", async () => {
  proxy.plan("cut");
  expect(await post(hook())).toMatchObject({
    error: "The endpoint or the egress proxy closed the connection before the response was complete.",
  });
});

describe("a proxy that is reached over TLS", () => {
  test("and is not believed, or speaks no TLS, gets no credentials", async () => {
    const seen: string[] = [];
    const plain = createServer((socket) => {
      socket.on("error", () => undefined).on("data", (data) => seen.push(data.toString("latin1")));
      setImmediate(() => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
    });
    await new Promise<void>((resolve) => plain.listen(0, "127.0.0.1", resolve));
    closers.push(() => new Promise((resolve) => plain.close(resolve)));
    const encrypted = await startConnectProxy({ credentials: "sms:hunter2", certificate: selfSigned("localhost") });
    closers.push(encrypted.close);
    const { port } = plain.address() as AddressInfo;
    for (const [url, code] of [
      [encrypted.url, "DEPTH_ZERO_SELF_SIGNED_CERT"],
      [`https://sms:hunter2@127.0.0.1:${port}`, "E"],
    ] as const) {
      env().WEBHOOK_PROXY_URL = url;
      const result = await post(hook());
      expect(result.error).toContain(`The egress proxy could not be reached (${code}`);
      expect(result.ofProxy).toBe("away");
    }
    env().WEBHOOK_PROXY_URL = proxy.url;
    expect(encrypted.asked).toEqual([]);
    expect(seen.join("")).not.toMatch(/CONNECT|Proxy-Auth/i);
  });

  test("and is believed opens tunnels, TLS within them too", async () => {
    const certificate = selfSigned("localhost");
    const encrypted = await startConnectProxy({ credentials: "sms:hunter2", certificate });
    closers.push(encrypted.close);
    const server = createTlsServer(certificate, (_, response) => void response.end());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closers.push(() => new Promise((resolve) => server.close(resolve)));
    trustForTest(certificate);
    env().WEBHOOK_PROXY_URL = encrypted.url.replace("127.0.0.1", "localhost");
    const guard = guardWith(["127.0.0.1"]);
    env().WEBHOOK_PROXY_URL = proxy.url;
    const { port } = server.address() as AddressInfo;
    expect(await post(`https://localhost:${port}/`, guard)).toMatchObject({ acknowledged: true });
    expect(await post(hook(), guard)).toMatchObject({ acknowledged: true });
    expect(encrypted.asked).toEqual([`127.0.0.1:${port}`, `127.0.0.1:${portOf(receiver.url)}`]);
  });
});
