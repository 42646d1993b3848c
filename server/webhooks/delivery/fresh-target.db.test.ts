/** Jobs that outlast a change of their endpoint. */
import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { pool } from "@/server/core/db";
import { openTransaction, untilWaiting } from "@/test/database/lock-waits";
import {
  deliveriesOf,
  makeMessages,
  raiseEvents,
  runDeliveryJobs,
  type TestWebhook,
  webhooksOfFile,
} from "@/test/database/webhooks";
import { type Received, startReceiver } from "@/test/network/receiver";
import { standStill } from "@/test/network/stalls";
import { deleteEndpoint, rotateSecret, updateEndpoint } from "../service";
import { verifySignature } from "./signature";

const start = webhooksOfFile();

/** Longer than the ordinary jitter of a busy machine. */
const STALL_MS = 400;

const isSignedWith = (secret: string, request: Received | undefined): boolean =>
  verifySignature({
    header: String(request?.headers["service-signature"]),
    secret,
    rawBody: request?.body ?? Buffer.alloc(0),
    nowSeconds: Math.floor(Date.now() / 1_000),
  }).valid;

/** A job of 17 deliveries, 16 of which are being sent when `change` is made; all are acknowledged. */
async function changeDuringJob(change: (webhook: TestWebhook) => Promise<unknown>): Promise<TestWebhook> {
  const hanging: ServerResponse[] = [];
  const webhook = await start((response) => void hanging.push(response));
  const { account, endpoint, receiver } = webhook;
  await raiseEvents(account, await makeMessages(account, 17));
  const running = runDeliveryJobs(endpoint.id, { freshMs: 0 });
  await expect.poll(() => hanging).toHaveLength(16);
  await change(webhook);
  receiver.respondWith((response) => void response.writeHead(200).end());
  for (const response of hanging) response.writeHead(200).end();
  await running;
  return webhook;
}

test("after a rotation of the secret the next request of a running job is signed with the new one too", async () => {
  let secret = "";
  const { receiver } = await changeDuringJob(async ({ account, endpoint }) => {
    secret = (await rotateSecret(account.actor, endpoint.id)).signing_secret;
  });
  expect(receiver.received).toHaveLength(17);
  expect(isSignedWith(secret, receiver.received.at(-1))).toBe(true);
});

test("a job that waited for the database after it had read the endpoint reads it again", async () => {
  const { account, endpoint, receiver } = await start();
  await raiseEvents(account, await makeMessages(account, 1));
  const freshMs = 50;
  // The endpoint is read, its messages are not.
  const blocking = await openTransaction((tx) => tx.query("LOCK TABLE messages IN ACCESS EXCLUSIVE MODE"));
  const running = runDeliveryJobs(endpoint.id, { freshMs });
  await untilWaiting();
  const { signing_secret: secret } = await rotateSecret(account.actor, endpoint.id);
  await pause(2 * freshMs);
  await blocking.commit();
  await running;
  expect(receiver.received).toHaveLength(1);
  expect(isSignedWith(secret, receiver.received[0])).toBe(true);
});

test("a job whose process stood still while it read the endpoint again reads it once more", async () => {
  const { account, endpoint, receiver } = await start();
  await raiseEvents(account, await makeMessages(account, 1));
  let secret = "";
  let reads = 0;
  const query = pool().query.bind(pool()) as (...args: unknown[]) => Promise<unknown>;
  const queried = vi.spyOn(pool(), "query").mockImplementation((async (...args: [{ name?: string }]) => {
    const result = await query(...args);
    if (args[0].name !== "webhooks.load_target") return result;
    reads += 1;
    // The reply of the job's second read arrives while its process stands still.
    if (reads === 2) {
      secret = (await rotateSecret(account.actor, endpoint.id)).signing_secret;
      standStill(STALL_MS);
    }
    return result;
  }) as never);
  try {
    await runDeliveryJobs(endpoint.id, { freshMs: 0 });
  } finally {
    queried.mockRestore();
  }
  expect(receiver.received).toHaveLength(1);
  expect(isSignedWith(secret, receiver.received[0])).toBe(true);
});

test("after a change of the URL the next request of a running job goes to the new one", async () => {
  const other = await startReceiver();
  try {
    const { receiver } = await changeDuringJob(({ account, endpoint }) =>
      updateEndpoint(account.actor, { id: endpoint.id, url: other.url }),
    );
    expect(receiver.received).toHaveLength(16);
    expect(other.received).toHaveLength(1);
  } finally {
    await other.close();
  }
});

test("once the endpoint is deleted a running job begins no request, although those before are acknowledged", async () => {
  const { endpoint, receiver } = await changeDuringJob(({ account, endpoint: { id } }) =>
    deleteEndpoint(account.actor, id),
  );
  expect(receiver.received).toHaveLength(16);
  const states = (await deliveriesOf(endpoint.id)).map((each) => each.status).sort();
  expect(states).toEqual(["abandoned", ...Array(16).fill("delivered")]);
});
