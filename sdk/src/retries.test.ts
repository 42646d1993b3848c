import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, expect, test } from "vitest";
import { refusal, startStub, success } from "../stub-service";
import { MessagingClient } from "./client";

/** Long enough for a request to arrive on a machine that others keep busy. */
const REACHES_SERVICE_MS = 4_000;

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Collects garbage all the time, as a busy program may do while a call waits. */
let collecting: NodeJS.Timeout;
beforeEach(() => {
  collecting = setInterval(collectGarbage, 20);
});
afterEach(() => clearInterval(collecting));

/** A client of a service that never responds. `closed` counts the connections that the client gave up. */
async function hang(timeoutMs: number) {
  let closed = 0;
  const { baseUrl, seen } = await startStub(() => (response) => {
    response.once("close", () => {
      closed += 1;
    });
  });
  const client = new MessagingClient({ baseUrl, apiKey: "ds_live_test", retries: 0, timeoutMs });
  return { client, seen, closed: () => closed };
}

const reasonOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (thrown) => thrown,
  );

test("a try that takes too long is ended although garbage is collected meanwhile", async () => {
  const { client, closed } = await hang(REACHES_SERVICE_MS);
  expect(await reasonOf(client.account.get())).toMatchObject({ name: "TimeoutError" });
  await expect.poll(closed).toBe(1);
});

test("the caller's signal ends a call although garbage is collected meanwhile", async () => {
  const { client, seen, closed } = await hang(60_000);
  const abort = new AbortController();
  const reason = reasonOf(client.account.get({ signal: abort.signal }));
  await expect.poll(() => seen.length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  abort.abort(new Error("enough"));
  expect(await reason).toMatchObject({ message: "enough" });
  await expect.poll(closed).toBe(1);
});

test("a timeout that is longer than any timer is as good as none", async () => {
  const { baseUrl } = await startStub(() => success({ id: "acc_1" }));
  const client = new MessagingClient({ baseUrl, apiKey: "ds_live_test", timeoutMs: Number.POSITIVE_INFINITY });
  expect(await client.account.get()).toEqual({ id: "acc_1" });
});

test("a 408, which a proxy gives when a request did not arrive in time, is repeated where that is safe", async () => {
  const { baseUrl, seen } = await startStub((_, index) => (index % 2 === 0 ? refusal(408) : success({ id: "msg_1" })));
  const client = new MessagingClient({ baseUrl, apiKey: "ds_live_test", backoffMs: 1 });
  await client.messages.send({ to: "+14155550123", from: "DEMO", body: "Hello" });
  const [first, second] = seen.map(({ headers }) => headers["idempotency-key"]);
  expect(second).toBe(first);
  expect(await reasonOf(client.webhooks.test("whe_1"))).toMatchObject({ status: 408 });
  expect(seen).toHaveLength(3);
});
