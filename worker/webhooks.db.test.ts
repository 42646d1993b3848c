import type { ServerResponse } from "node:http";
import type { Task } from "graphile-worker";
import { expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { startRunner } from "@/test/database/queue";
import { deliveriesOf, makeMessages, raiseEvents, startWebhook, takeDeliveryJobs } from "@/test/database/webhooks";
import { webhookTasks } from "./tasks";

async function lockedJobs(): Promise<number | null> {
  const { rowCount } = await pool().query("SELECT 1 FROM graphile_worker._private_jobs WHERE locked_at IS NOT NULL");
  return rowCount;
}

test("a stopping worker finishes the requests that it has begun, and leaves the rest to the next worker", async () => {
  const hanging: ServerResponse[] = [];
  const { account, endpoint, receiver } = await startWebhook((response) => void hanging.push(response));
  await raiseEvents(account, await makeMessages(account, 60));
  let stop: AbortSignal | undefined;
  const deliver: Task = (payload, helpers) => {
    stop = helpers.abortSignal;
    return webhookTasks.deliver_events(payload, helpers);
  };
  const runner = await startRunner({ deliver_events: deliver }, 1);
  try {
    await expect.poll(() => hanging.length).toBe(16);
    const stopped = runner.stop();
    await expect.poll(() => stop?.aborted).toBe(true);
    for (const response of hanging.splice(0)) response.writeHead(200).end();
    await stopped;
    expect(receiver.received).toHaveLength(16);
    const states = (await deliveriesOf(endpoint.id)).map((delivery) => `${delivery.status} ${delivery.attempts}`);
    expect(states).toEqual(Array(16).fill("delivered 1"));
    expect(await lockedJobs()).toBe(0);
    const left = (await takeDeliveryJobs(endpoint.id)).flatMap((job) => job.payload.deliveryIds);
    expect(left).toHaveLength(44);
  } finally {
    await receiver.close();
  }
});
