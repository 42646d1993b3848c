/** Tests of calls through an egress proxy: if it fails before the request is written, nothing was sent; afterwards all is as without it. */

import { createServer as createHttpServer, type RequestListener } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { createServer } from "node:net";
import type tls from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { env } from "@/server/core/env";
import { metrics } from "@/server/core/metrics";
import { moveClockAhead } from "@/test/clock";
import { selfSigned } from "@/test/network/certificate";
import { type ConnectProxy, type ProxyPlan, startConnectProxy } from "@/test/network/connect-proxy";
import { trustForTest } from "@/test/network/trusted-certificate";
import { listenForTest, numberingProvider, sendPlain, stubClientEnv } from "@/test/providers/plain-provider";
import { healthSignalOf } from "../health/breaker";
import { agent, httpAdapter } from "./client";

const closers: Array<() => unknown> = [];
let proxy: ConnectProxy;

beforeAll(async () => {
  stubClientEnv(4_000);
  proxy = await startConnectProxy({ credentials: "sms:p%40ss" });
  env().PROVIDER_PROXY_URL = proxy.url;
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  proxy.asked.length = 0;
  proxy.planAll("open");
});
afterAll(async () => {
  await agent().destroy();
  await proxy.close();
  vi.unstubAllEnvs();
});

/** A provider's server that takes every message, and the requests that it got. */
async function taking(listener?: RequestListener) {
  const requests: string[] = [];
  const port = await listenForTest(
    createHttpServer((request, response) => {
      requests.push(request.headers.host ?? "");
      if (listener) return listener(request, response);
      request.resume().on("end", () => response.end('{"id":"m1"}'));
    }),
  );
  return { url: `http://provider.example:${port}/`, host: `provider.example:${port}`, requests };
}

const notSent = (code: string, fault: "throttled" | "provider", providerDetail: string) => ({
  kind: "retryable",
  code,
  fault,
  detail: "The provider could not be reached through the egress proxy.",
  providerDetail,
});

it("goes to the name of the provider through the proxy, and uses the tunnel again", async () => {
  const { url, host, requests } = await taking();
  for (let sent = 0; sent < 5; sent += 1) {
    expect(await sendPlain(url)).toEqual({ kind: "accepted", providerMessageIds: ["m1"] });
  }
  expect(new Set(proxy.asked)).toEqual(new Set([host]));
  expect(proxy.asked.length).toBeLessThan(5);
  expect(requests).toEqual(Array(5).fill(host));
});

describe("TLS within the tunnel", () => {
  /** A provider's TLS server with a certificate for `name`. @returns its port. */
  async function encrypted(name: string) {
    const names: string[] = [];
    const certificate = selfSigned(name);
    const server = createHttpsServer(certificate, (request, response) => {
      names.push(String((request.socket as tls.TLSSocket).servername));
      request.resume().on("end", () => response.end('{"id":"m1"}'));
    });
    return { port: await listenForTest(server), names, certificate };
  }

  it("checks the certificate for the name in the URL", async () => {
    const { port, names, certificate } = await encrypted("provider.example");
    expect(await sendPlain(`https://provider.example:${port}/`)).toMatchObject({
      kind: "retryable",
      code: "depth_zero_self_signed_cert",
      fault: "provider",
      detail: "The provider could not be reached.",
    });
    trustForTest(certificate);
    expect(await sendPlain(`https://other.example:${port}/`)).toMatchObject({
      kind: "retryable",
      code: "err_tls_cert_altname_invalid",
    });
    expect(names).toEqual([]);
    expect(await sendPlain(`https://provider.example:${port}/`)).toMatchObject({ kind: "accepted" });
    expect(names).toEqual(["provider.example"]);
  });

  it("that is not established sends nothing", async () => {
    const reset = await listenForTest(createServer((socket) => socket.once("data", () => socket.resetAndDestroy())));
    expect(await sendPlain(`https://provider.example:${reset}/`)).toMatchObject({
      kind: "retryable",
      fault: "provider",
    });
    const silent = await listenForTest(createServer());
    expect(await sendPlain(`https://provider.example:${silent}/`)).toMatchObject({
      kind: "retryable",
      code: "und_err_connect_timeout",
    });
  });

  it("that the proxy cuts sends nothing", async () => {
    const { port, names } = await encrypted("provider.example");
    proxy.plan("cut");
    expect(await sendPlain(`https://provider.example:${port}/`)).toMatchObject({
      kind: "retryable",
      code: "econnreset",
    });
    expect(names).toEqual([]);
  });
});

describe("a proxy that makes no connection: nothing was sent", () => {
  it.each<[ProxyPlan, ReturnType<typeof notSent>]>([
    [407, notSent("egress_proxy_407", "throttled", "The egress proxy refused: 407.")],
    [403, notSent("egress_proxy_403", "throttled", "The egress proxy refused: 403.")],
    ["close", notSent("egress_proxy_broken", "throttled", "The egress proxy gave no response that can be read.")],
    ["babble", notSent("egress_proxy_broken", "throttled", "The egress proxy gave no response that can be read.")],
  ])("%s, and does not count against the provider", async (plan, expected) => {
    const { url, requests } = await taking();
    proxy.planAll(plan);
    const outcome = await sendPlain(url);
    expect(outcome).toEqual(expected);
    expect(healthSignalOf(outcome as Parameters<typeof healthSignalOf>[0])).toBeNull();
    expect(requests).toEqual([]);
  });

  it.each<[ProxyPlan, ReturnType<typeof notSent>]>([
    [500, notSent("egress_proxy_500", "provider", "The egress proxy could not connect: 500.")],
    [502, notSent("egress_proxy_502", "provider", "The egress proxy could not connect: 502.")],
    [504, notSent("egress_proxy_504", "provider", "The egress proxy could not connect: 504.")],
    ["hang", notSent("egress_proxy_silent", "provider", "The egress proxy did not connect in time.")],
  ])("%s, like a provider that cannot be reached", async (plan, expected) => {
    const { url, requests } = await taking();
    proxy.planAll(plan);
    expect(await sendPlain(url)).toEqual(expected);
    expect(requests).toEqual([]);
  });

  it("unreachable, and used again when it is back", async () => {
    const { url, requests } = await taking();
    await proxy.goAway();
    expect(await sendPlain(url)).toEqual(
      notSent("egress_proxy_unreachable", "throttled", "The egress proxy could not be reached (ECONNREFUSED)."),
    );
    await proxy.comeBack();
    expect(await sendPlain(url)).toMatchObject({ kind: "accepted" });
    expect(requests).toHaveLength(1);
  });

  it("after a long stall of this process: the message is not written", async () => {
    const { url, requests } = await taking();
    // Others may have sent it meanwhile.
    proxy.beforeNext(() => moveClockAhead(15_000));
    expect(await sendPlain(url)).toMatchObject({ kind: "retryable", code: "process_stalled", fault: "throttled" });
    expect(proxy.asked).toHaveLength(1);
    expect(requests).toEqual([]);
  });

  it("counts each reason", async () => {
    const { url } = await taking();
    proxy.plan(407);
    await sendPlain(url);
    const { values } = await metrics().egressFailures.get();
    expect(values).toContainEqual({ labels: { use: "providers", reason: "407" }, value: expect.any(Number) });
  });

  it("while a token is being requested", async () => {
    const { url, requests } = await taking();
    proxy.planAll(403);
    const buildTokenRequest = () => ({ method: "POST" as const, url: `${url}token`, headers: {}, body: "" });
    const adapter = httpAdapter({ ...numberingProvider(url), buildTokenRequest }, {});
    expect(await adapter.ready?.()).toEqual(notSent("egress_proxy_403", "throttled", "The egress proxy refused: 403."));
    expect(requests).toEqual([]);
  });
});

describe("a request that was written: its outcome is unknown", () => {
  it("when the proxy is killed", async () => {
    const { url } = await taking(() => void proxy.goAway());
    expect(await sendPlain(url)).toMatchObject({
      kind: "unknown",
      providerDetail: "The connection led through the egress proxy.",
    });
    await proxy.comeBack();
  });

  it("when the proxy ends the tunnel at its first bytes", async () => {
    const { url } = await taking();
    proxy.plan("cut");
    expect(await sendPlain(url)).toMatchObject({ kind: "unknown" });
  });
});
