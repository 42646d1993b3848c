/** Deliveries whose try is due, and that are sent again by hand: what becomes of them is up to the jobs that carry them. */
import { expect, test } from "vitest";
import {
  deliveriesOf,
  deliveryJobsOf,
  raiseSent,
  runDeliveryJobs,
  type TestWebhook,
  takeDeliveryJobs,
  webhooksOfFile,
} from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";
import { pool } from "../../core/db";
import { newId } from "../../core/ids";
import { deliverWebhooks } from "../tasks";
import { resendDeliveries } from "./resend";

const start = webhooksOfFile();

/** A delivery whose second try has been due for a while; its job waits. */
async function overdue() {
  const webhook = await start(status(500));
  await raiseSent(webhook);
  await runDeliveryJobs(webhook.endpoint.id);
  await pool().query(
    "UPDATE webhook_deliveries SET next_attempt_at = clock_timestamp() - interval '10 seconds' WHERE endpoint_id = $1",
    [webhook.endpoint.id],
  );
  return webhook;
}

const setJob = ({ endpoint }: TestWebhook, change: string) =>
  pool().query(`UPDATE graphile_worker._private_jobs SET ${change} WHERE payload ->> 'endpointId' = $1`, [endpoint.id]);

/** Locks the job for a worker that was last heard of so many seconds ago. */
async function lockFor(webhook: TestWebhook, silentS: number): Promise<Date> {
  const [id, poolId] = [newId("event"), newId("event")];
  const { rows } = await pool().query<{ seenAt: Date }>(
    `INSERT INTO workers (id, pools, seen_at) VALUES ($1, $2, clock_timestamp() - $3 * interval '1 second')
     RETURNING seen_at AS "seenAt"`,
    [id, [poolId], silentS],
  );
  await setJob(webhook, `locked_by = '${poolId}', locked_at = clock_timestamp() - interval '10 minutes', attempts = 1`);
  return rows[0]?.seenAt ?? new Date(0);
}

async function again({ account, endpoint }: TestWebhook) {
  const [delivery] = await deliveriesOf(endpoint.id);
  const result = await resendDeliveries(account.actor, { id: endpoint.id, delivery_ids: [delivery?.id ?? ""] });
  const [now] = await deliveriesOf(endpoint.id);
  return { ...result, state: `${now?.status} ${now?.round} ${now?.attempts}` };
}

const SENT_AGAIN = { recovered: 1, left: 0, tried_by: null, state: "pending 1 0" };
const LEFT = { recovered: 0, left: 1, state: "pending 0 1" };

test("one that no job carries is sent again", async () => {
  const webhook = await overdue();
  await takeDeliveryJobs(webhook.endpoint.id);
  expect(await again(webhook)).toMatchObject(SENT_AGAIN);
  webhook.receiver.respondWith(status(200));
  await runDeliveryJobs(webhook.endpoint.id);
  expect((await deliveriesOf(webhook.endpoint.id))[0]).toMatchObject({ status: "delivered", round: 1, attempts: 1 });
});

test.each([
  ["failed by a failure of ours, and waits for long", "attempts = 3, run_at = now() + interval '1 hour'"],
  ["was given up", "attempts = max_attempts, run_at = now()"],
  ["belongs to an earlier try", `run_at = now(), payload = (payload::jsonb || '{"attemptsMade": 0}')::json`],
])("one whose job %s is sent again, and that job does nothing", async (_, change) => {
  const webhook = await overdue();
  await setJob(webhook, change);
  const [former] = await deliveryJobsOf(webhook.endpoint.id);
  expect(await again(webhook)).toMatchObject(SENT_AGAIN);
  if (former) await deliverWebhooks(former.payload);
  expect(webhook.receiver.received).toHaveLength(1);
});

test("one that is queued for now, or being sent by a worker that lives, is left to its job", async () => {
  const webhook = await overdue();
  await setJob(webhook, "run_at = now()");
  expect(await again(webhook)).toMatchObject({ ...LEFT, tried_by: null });
  await lockFor(webhook, 0);
  expect(await again(webhook)).toMatchObject({ ...LEFT, tried_by: null });
});

test("one whose job waits for a slot is left to it, and the result says until when", async () => {
  const webhook = await overdue();
  await setJob(webhook, "run_at = clock_timestamp() + interval '20 seconds', attempts = 0");
  const { rows } = await pool().query<{ at: Date }>(
    "SELECT run_at AS at FROM graphile_worker._private_jobs WHERE payload ->> 'endpointId' = $1",
    [webhook.endpoint.id],
  );
  expect(await again(webhook)).toMatchObject({ ...LEFT, tried_by: rows[0]?.at.toISOString() });
});

test("one whose worker is silent is left until others take over, and the result says when that is", async () => {
  const webhook = await overdue();
  const seenAt = await lockFor(webhook, 20);
  expect(await again(webhook)).toMatchObject({ ...LEFT, tried_by: new Date(seenAt.getTime() + 60_000).toISOString() });
});

test("one whose worker has been silent for so long that nothing of it is under way is sent again", async () => {
  const webhook = await overdue();
  await lockFor(webhook, 120);
  expect(await again(webhook)).toMatchObject(SENT_AGAIN);
});
