/** Tests that a stall of this process does not count as a failure of the provider. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import net, { type AddressInfo, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { moveClockAhead } from "@/test/clock";
import { stallFor, stallThen, startServerApart } from "@/test/network/stalls";
import { PLAIN_SEND, plainProvider, stubClientEnv } from "@/test/providers/plain-provider";
import { MINUTE_MS } from "../../core/clock";
import { healthSignalOf } from "../health/breaker";
import { httpAdapter } from "./client";

const TIMEOUT_MS = 1_000;

const closers: Array<() => unknown> = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
beforeAll(() => stubClientEnv(TIMEOUT_MS));
afterAll(() => vi.unstubAllEnvs());

const provider = (url: string) => plainProvider(url, ({ body }) => ({ kind: "accepted", providerMessageIds: [body] }));

const send = (url: string) => httpAdapter(provider(url), {}).send(PLAIN_SEND);

async function serverApart(options: Parameters<typeof startServerApart>[0]) {
  const server = await startServerApart(options);
  closers.push(server.close);
  return server;
}

test("responses that arrived during a stall of the event loop are read, however late", async () => {
  const { url, requests } = await serverApart({ answer: "m1", afterMs: 300 });
  const outcomes = Promise.all(Array.from({ length: 20 }, () => send(url)));
  await requests(20);
  await stallFor(2 * TIMEOUT_MS);
  expect(await outcomes).toEqual(Array(20).fill({ kind: "accepted", providerMessageIds: ["m1"] }));
});

test("a connection lost during a stall is an unknown outcome, and does not count against the provider", async () => {
  const { url, requests } = await serverApart({ answer: null, afterMs: 300 });
  const sent = send(url);
  await requests(1);
  await stallFor(2 * TIMEOUT_MS);
  const outcome = await sent;
  expect(outcome).toMatchObject({ kind: "unknown" });
  expect(healthSignalOf(outcome)).toBeNull();
});

test("a connection closed by the provider during a stall is not used for the next message", async () => {
  const { url, requests } = await serverApart({ answer: "m1", afterMs: 0, keepMs: 500 });
  expect(await send(url)).toMatchObject({ kind: "accepted" });
  await requests(1);
  const sent = stallThen(2_500, () => Promise.all([send(url), send(url)]));
  expect(await sent).toMatchObject([{ kind: "accepted" }, { kind: "accepted" }]);
});

test("after a long stall no idle connection is used", async () => {
  const sockets: Socket[] = [];
  const server = createServer((request, response) => {
    sockets.push(request.socket);
    request.resume().on("end", () => response.end("m1"));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (let count = 0; count < 5; count += 1) await send(url);
  const former = new Set(sockets.splice(0));
  expect(former.size).toBeLessThan(5);
  moveClockAhead(15_000);
  expect(await send(url)).toMatchObject({ kind: "accepted" });
  expect(sockets.map((socket) => former.has(socket))).toEqual([false]);
});

const NOT_WRITTEN = { kind: "retryable", code: "process_stalled", fault: "throttled" };

test("a message whose connection is established only after a long stall is not written, because others may have sent it", async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end("m1");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { connect } = net;
  const connecting = vi.spyOn(net, "connect").mockImplementationOnce(((...args: Parameters<typeof connect>) => {
    moveClockAhead(MINUTE_MS);
    return connect(...args);
  }) as typeof connect);
  closers.push(() => connecting.mockRestore());
  const outcome = await send(url);
  expect(outcome).toMatchObject(NOT_WRITTEN);
  expect(healthSignalOf(outcome)).toBeNull();
  expect(await send(url)).toMatchObject({ kind: "accepted" });
  expect(requests).toBe(1);
});

test("a message is not written after an immediately preceding long stall", async () => {
  const { url } = await serverApart({ answer: "m1", afterMs: 0 });
  const build = vi.fn(() => {
    moveClockAhead(MINUTE_MS);
    return { method: "POST" as const, url, headers: {}, body: "hi" };
  });
  const outcome = await httpAdapter({ ...provider(url), buildRequest: build }, {}).send(PLAIN_SEND);
  expect(outcome).toMatchObject(NOT_WRITTEN);
  expect(build).toHaveBeenCalledTimes(1);
});

/** Sends one message and prints its outcome. */
const CHILD = `
import { z } from "zod";
import { httpAdapter } from "./server/providers/http/client";
const provider = {
  id: "twilio", settings: z.record(z.string(), z.unknown()), maxInFlight: 1,
  buildRequest: () => ({ method: "POST", url: process.env.URL, headers: {}, body: "hi" }),
  readResponse: ({ body }) => ({ kind: "accepted", providerMessageIds: [body] }),
};
httpAdapter(provider, {}).send(${JSON.stringify(PLAIN_SEND)}).then((outcome) => {
  process.stdout.write(JSON.stringify(outcome), () => process.exit(0));
});
`;

test("a response that arrived while the process was stopped is read when it continues", async () => {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", CHILD], {
    cwd: new URL("../../..", import.meta.url),
    env: { ...process.env, URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` },
    stdio: ["ignore", "pipe", "inherit"],
  });
  closers.push(() => child.kill("SIGKILL"));
  let printed = "";
  child.stdout.on("data", (chunk: Buffer) => {
    printed += chunk;
  });
  const ended = once(child, "close");
  const [, response] = (await once(server, "request")) as [unknown, ServerResponse];
  child.kill("SIGSTOP");
  response.end("m1");
  await new Promise((resolve) => setTimeout(resolve, 2 * TIMEOUT_MS));
  child.kill("SIGCONT");
  await ended;
  expect(JSON.parse(printed)).toEqual({ kind: "accepted", providerMessageIds: ["m1"] });
});
