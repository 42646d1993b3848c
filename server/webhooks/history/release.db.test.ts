/** Resumptions that are left to the sweep: of each endpoint it does a limited part in a run, and none when its worker stops. */
import { expect, test } from "vitest";
import { holdAfter } from "@/test/database/intercepted-statements";
import { deliveriesOf, makeMessages, raiseEvents, type TestWebhook, webhooksOfFile } from "@/test/database/webhooks";
import { pool } from "../../core/db";
import { pauseEndpoint } from "../pause";
import { sweepWebhooks } from "../tasks";
import { releaseInterrupted } from "./release";

const start = webhooksOfFile();

/** An endpoint that has parked 1,200 deliveries, and whose resumption has died before it has sent any. */
async function resumed(): Promise<TestWebhook> {
  const webhook = await start();
  const { account, endpoint } = webhook;
  await pauseEndpoint(account.actor, endpoint.id);
  await raiseEvents(account, await makeMessages(account, 1_200));
  await pool().query(
    `UPDATE webhook_endpoints SET is_active = true, disabled_at = NULL, paused_at = NULL, paused_by = NULL,
       generation = generation + 1 WHERE id = $1`,
    [endpoint.id],
  );
  return webhook;
}

const parkedOf = async ({ endpoint }: TestWebhook): Promise<number> =>
  (await deliveriesOf(endpoint.id)).filter(({ status }) => status === "held").length;

test("a run makes a limited number of steps for each endpoint, and the next one continues", async () => {
  const webhooks = [await resumed(), await resumed()];
  await releaseInterrupted({ stepsMax: 1 });
  expect(await Promise.all(webhooks.map(parkedOf))).toEqual([200, 200]);
  await sweepWebhooks();
  expect(await Promise.all(webhooks.map(parkedOf))).toEqual([0, 0]);
});

test("a worker that stops ends the sweep between two steps; another one continues", async () => {
  const webhooks = [await resumed(), await resumed()];
  const stop = new AbortController();
  const step = holdAfter("webhooks.recover_deliveries");
  const sweep = sweepWebhooks(stop.signal);
  await step.reached;
  stop.abort();
  step.release();
  await sweep;
  expect(new Set(await Promise.all(webhooks.map(parkedOf)))).toEqual(new Set([200, 1_200]));
  await sweepWebhooks(new AbortController().signal);
  expect(await Promise.all(webhooks.map(parkedOf))).toEqual([0, 0]);
});
