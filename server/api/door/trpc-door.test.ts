import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, test, vi } from "vitest";
import { answerTrpc } from "./trpc-door";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** The signal of the call, which tRPC keeps without its request. */
const call = vi.hoisted(() => ({ signal: null as AbortSignal | null }));
/** As tRPC does, ends the stream when its call is aborted. */
vi.mock("../trpc", () => ({
  handleTrpc: async ({ signal }: Request) => {
    call.signal = signal;
    const start = (controller: ReadableStreamDefaultController) =>
      signal.addEventListener("abort", () => controller.close());
    return new Response(new ReadableStream({ start }), { headers: { "content-type": "text/event-stream" } });
  },
}));

let server: Server | null = null;
afterEach(() => void server?.close());

/** Follows changes, for at most `streamMaxMs`, until `signal` is aborted. */
async function follow(signal: AbortSignal, streamMaxMs?: number): Promise<Response> {
  const started = createServer((request, response) => void answerTrpc(request, response, Buffer.alloc(0), streamMaxMs));
  server = started;
  await new Promise<void>((resolve) => started.listen(0, "127.0.0.1", resolve));
  const { port } = started.address() as AddressInfo;
  return fetch(`http://127.0.0.1:${port}/api/trpc/live.changes`, { signal });
}

test("a stream ends in order after its maximum time", async () => {
  const response = await follow(new AbortController().signal, 100);
  expect(await response.text()).toBe("");
});

test("a page that leaves ends its stream, even if garbage was collected meanwhile", async () => {
  const leave = new AbortController();
  await follow(leave.signal);
  let hasHeard = false;
  call.signal?.addEventListener("abort", () => {
    hasHeard = true;
  });
  for (let round = 0; round < 5; round += 1) {
    collectGarbage();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  leave.abort();
  await expect.poll(() => hasHeard).toBe(true);
});
