import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, expect, test, vi } from "vitest";
import { answerTrpc } from "./trpc-door";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** The signal of the call, as tRPC keeps it: without its request. */
const call = vi.hoisted(() => ({ signal: null as AbortSignal | null }));
vi.mock("../trpc", () => ({
  handleTrpc: async ({ signal }: Request) => {
    call.signal = signal;
    return new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
  },
}));

const server = createServer((request, response) => void answerTrpc(request, response, Buffer.alloc(0)));
afterEach(() => void server.close());

test("a page that leaves ends what it follows, although garbage was collected meanwhile", async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const leave = new AbortController();
  const { port } = server.address() as AddressInfo;
  await fetch(`http://127.0.0.1:${port}/api/trpc/live.changes`, { signal: leave.signal });
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
