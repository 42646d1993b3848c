import { afterEach, expect, test, vi } from "vitest";
import { FAULT, failStatements, holdAfter } from "@/test/database/intercepted-statements";
import { untilWaiting } from "@/test/database/lock-waits";
import { blocksRead, statementsOf } from "@/test/database/plans";
import {
  deliveriesOf,
  raiseSent,
  recordWaitingOf,
  runDeliveryJobs,
  type TestWebhook,
  takeDeliveryJobs,
  webhooksOfFile,
} from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";
import { MINUTE_MS } from "../../core/clock";
import { pool, type Tx, transaction } from "../../core/db";
import { resendDeliveries } from "../history/resend";
import { lockEndpoints } from "../store";
import { sweepWebhooks } from "../tasks";
import { requeueOrphanedDeliveries } from "./sweep";

const setUp = webhooksOfFile();

afterEach(() => vi.restoreAllMocks());

const overdue = ({ endpoint }: TestWebhook, minutes: number) =>
  pool().query(
    "UPDATE webhook_deliveries SET next_attempt_at = now() - make_interval(mins => $2) WHERE endpoint_id = $1",
    [endpoint.id, minutes],
  );

test("deliveries that lost their job are sent once each", async () => {
  const setup = await setUp();
  await raiseSent(setup, 250);
  await recordWaitingOf(setup.endpoint.id);
  await takeDeliveryJobs(setup.endpoint.id);
  await overdue(setup, 10);
  await Promise.all([sweepWebhooks(), sweepWebhooks(), sweepWebhooks()]);
  await sweepWebhooks();
  await runDeliveryJobs(setup.endpoint.id);
  expect(new Set((await deliveriesOf(setup.endpoint.id)).map((each) => each.status))).toEqual(new Set(["delivered"]));
  expect(setup.receiver.received).toHaveLength(250);
});

/** Has `count` sweeps find the overdue deliveries of an endpoint and wait for it, while `work` changes them. */
async function sweepBeside({ endpoint }: TestWebhook, count: number, work: (tx: Tx) => Promise<unknown>) {
  let sweeps: Promise<number>[] = [];
  await transaction(async (tx) => {
    await tx.query("SET LOCAL idle_in_transaction_session_timeout = 0");
    await lockEndpoints(tx, [endpoint.id]);
    sweeps = Array.from({ length: count }, () => requeueOrphanedDeliveries(5 * MINUTE_MS));
    await untilWaiting("webhook_endpoints", count);
    await work(tx);
  });
  return (await Promise.all(sweeps)).reduce((sum, requeued) => sum + requeued, 0);
}

test("what two sweeps have found at once is requeued by one of them", async () => {
  const setup = await setUp();
  await raiseSent(setup, 3);
  await recordWaitingOf(setup.endpoint.id);
  await takeDeliveryJobs(setup.endpoint.id);
  await overdue(setup, 10);
  expect(await sweepBeside(setup, 2, async () => undefined)).toBe(3);
  const jobs = await takeDeliveryJobs(setup.endpoint.id);
  expect(jobs.flatMap(({ payload }) => payload.deliveryIds)).toHaveLength(3);
});

test("what was delivered since a sweep has found it is not requeued", async () => {
  const setup = await setUp();
  await raiseSent(setup, 2);
  await recordWaitingOf(setup.endpoint.id);
  await takeDeliveryJobs(setup.endpoint.id);
  await overdue(setup, 10);
  const deliver = (tx: Tx) =>
    tx.query("UPDATE webhook_deliveries SET status = 'delivered' WHERE endpoint_id = $1", [setup.endpoint.id]);
  expect(await sweepBeside(setup, 1, deliver)).toBe(0);
  expect(await takeDeliveryJobs(setup.endpoint.id)).toEqual([]);
});

test("a requeued delivery continues with its next try and round", async () => {
  const setup = await setUp(status(500));
  await raiseSent(setup, 2);
  await runDeliveryJobs(setup.endpoint.id);
  await takeDeliveryJobs(setup.endpoint.id);
  await pool().query("UPDATE webhook_deliveries SET round = 3 WHERE endpoint_id = $1", [setup.endpoint.id]);
  await overdue(setup, 10);
  await sweepWebhooks();
  expect((await takeDeliveryJobs(setup.endpoint.id)).map((job) => job.payload)).toMatchObject([
    { round: 3, attemptsMade: 1, deliveryIds: expect.objectContaining({ length: 2 }) },
  ]);
});

test("a delivery with a waiting or running job, or that is not overdue, is not requeued", async () => {
  const setup = await setUp();
  const jobsNow = async () => {
    const { rows } = await pool().query<{ n: bigint }>(
      "SELECT count(*) AS n FROM graphile_worker._private_jobs WHERE payload->>'endpointId' = $1",
      [setup.endpoint.id],
    );
    return Number(rows[0]?.n);
  };
  await raiseSent(setup, 3);
  await recordWaitingOf(setup.endpoint.id);
  await overdue(setup, 10);
  await sweepWebhooks();
  expect(await jobsNow()).toBe(1);
  await pool().query(
    `UPDATE graphile_worker._private_jobs SET locked_at = now(), locked_by = 'another worker', attempts = max_attempts
     WHERE payload->>'endpointId' = $1`,
    [setup.endpoint.id],
  );
  await sweepWebhooks();
  expect(await jobsNow()).toBe(1);
  await pool().query(
    "UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL WHERE payload->>'endpointId' = $1",
    [setup.endpoint.id],
  );
  await overdue(setup, 4);
  await sweepWebhooks();
  expect(await jobsNow()).toBe(1);
  // A job without attempts left no longer carries its deliveries. It is not revived at once.
  await overdue(setup, 10);
  await sweepWebhooks();
  expect(await jobsNow()).toBe(2);
});

test("a delivery that lost its job is requeued even if one of an earlier round, which would do nothing, still waits", async () => {
  const setup = await setUp(status(500));
  const { account, endpoint } = setup;
  await raiseSent(setup);
  await runDeliveryJobs(endpoint.id);
  const [delivery] = await deliveriesOf(endpoint.id);
  await resendDeliveries(account.actor, { id: endpoint.id, delivery_ids: [delivery?.id ?? ""] });
  await pool().query(
    "DELETE FROM graphile_worker._private_jobs WHERE payload->>'endpointId' = $1 AND payload->>'round' = '1'",
    [endpoint.id],
  );
  await overdue(setup, 10);
  await sweepWebhooks();
  expect((await takeDeliveryJobs(endpoint.id)).map((job) => job.payload.round).sort()).toEqual([0, 1]);
});

test("orphaned deliveries of a disabled endpoint are parked in the end", async () => {
  const setup = await setUp();
  await raiseSent(setup, 2);
  await recordWaitingOf(setup.endpoint.id);
  await takeDeliveryJobs(setup.endpoint.id);
  await pool().query("UPDATE webhook_endpoints SET is_active = false WHERE id = $1", [setup.endpoint.id]);
  await overdue(setup, 10);
  await sweepWebhooks();
  await runDeliveryJobs(setup.endpoint.id);
  expect((await deliveriesOf(setup.endpoint.id)).map((each) => each.status)).toEqual(["held", "held"]);
  expect(setup.receiver.received).toEqual([]);
});

test("thousands of orphaned deliveries are requeued by one sweep", async () => {
  const setup = await setUp();
  await raiseSent(setup, 4_500);
  await recordWaitingOf(setup.endpoint.id);
  await takeDeliveryJobs(setup.endpoint.id);
  expect(await requeueOrphanedDeliveries(-MINUTE_MS)).toBeGreaterThanOrEqual(4_500);
  const jobs = await takeDeliveryJobs(setup.endpoint.id);
  expect(new Set(jobs.flatMap((job) => job.payload.deliveryIds)).size).toBe(4_500);
});

test("a run requeues a limited number of orphaned deliveries, and none once its worker stops; the next run continues", async () => {
  const setup = await setUp();
  await raiseSent(setup, 2_100);
  await recordWaitingOf(setup.endpoint.id);
  await takeDeliveryJobs(setup.endpoint.id);
  await overdue(setup, 10);
  expect(await requeueOrphanedDeliveries(5 * MINUTE_MS, { signal: AbortSignal.abort() })).toBe(0);
  const stop = new AbortController();
  const found = holdAfter("webhooks.lock_endpoints", setup.endpoint.id);
  const stopped = requeueOrphanedDeliveries(5 * MINUTE_MS, { signal: stop.signal });
  await found.reached;
  stop.abort();
  found.release();
  expect(await stopped).toBe(2_000);
  await overdue(setup, 10);
  await takeDeliveryJobs(setup.endpoint.id);
  expect(await requeueOrphanedDeliveries(5 * MINUTE_MS, { stepsMax: 1 })).toBe(2_000);
  expect(await requeueOrphanedDeliveries(5 * MINUTE_MS, { stepsMax: 1 })).toBe(100);
  const jobs = await takeDeliveryJobs(setup.endpoint.id);
  expect(new Set(jobs.flatMap((job) => job.payload.deliveryIds)).size).toBe(2_100);
});

test("first tries whose job was given up are made in the end, and their job is not revived while it runs", async () => {
  const setup = await setUp();
  await raiseSent(setup, 3);
  const giveUp = (lockedAt: string) =>
    pool().query(
      `UPDATE graphile_worker._private_jobs SET attempts = max_attempts, locked_at = ${lockedAt},
         run_at = now() + interval '1 day', updated_at = now() - interval '6 minutes' WHERE payload->>'endpointId' = $1`,
      [setup.endpoint.id],
    );
  const isDue = async () => {
    const { rows } = await pool().query<{ isDue: boolean }>(
      `SELECT attempts < max_attempts AND run_at <= now() AS "isDue" FROM graphile_worker._private_jobs
       WHERE payload->>'endpointId' = $1`,
      [setup.endpoint.id],
    );
    return rows.map((row) => row.isDue);
  };
  await giveUp("now()");
  await sweepWebhooks();
  expect(await isDue()).toEqual([false]);
  await giveUp("NULL");
  await sweepWebhooks();
  expect(await isDue()).toEqual([true]);
  await runDeliveryJobs(setup.endpoint.id);
  expect(setup.receiver.received).toHaveLength(3);
});

test("first tries are revived and secrets erased although other deliveries cannot be looked for", async () => {
  const setup = await setUp();
  await raiseSent(setup, 1);
  await pool().query(
    `UPDATE graphile_worker._private_jobs SET attempts = max_attempts, updated_at = now() - interval '6 minutes'
     WHERE payload->>'endpointId' = $1`,
    [setup.endpoint.id],
  );
  await pool().query(
    `UPDATE webhook_endpoints SET previous_secret_sealed = secret_sealed, previous_secret_until = now() - interval '1 minute'
     WHERE id = $1`,
    [setup.endpoint.id],
  );
  failStatements("FROM webhook_deliveries d");
  await expect(sweepWebhooks()).rejects.toThrow(FAULT);
  const { rows } = await pool().query(
    `SELECT j.attempts, e.previous_secret_sealed FROM webhook_endpoints e
     JOIN graphile_worker._private_jobs j ON j.payload->>'endpointId' = e.id WHERE e.id = $1`,
    [setup.endpoint.id],
  );
  expect(rows).toEqual([{ attempts: 0, previous_secret_sealed: null }]);
});

test("a sweep beside a backlog takes each waiting job apart once, however many deliveries it has", async () => {
  const JOBS = 300;
  const setup = await setUp();
  await raiseSent(setup);
  await recordWaitingOf(setup.endpoint.id);
  await pool().query(
    `INSERT INTO graphile_worker._private_jobs (task_id, payload, run_at, max_attempts)
     SELECT t.id, json_build_object('endpointId', 'whe_' || n, 'round', 0, 'attemptsMade', 1, 'deliveryIds',
       (SELECT json_agg('dlv_' || md5(n::text || i) || md5(i::text)) FROM generate_series(1, 100) i)), now(), 25
     FROM graphile_worker._private_tasks t, generate_series(1, $1::int) n WHERE t.identifier = 'deliver_webhooks'`,
    [JOBS],
  );
  await overdue(setup, 10);
  const sent = await statementsOf(() => requeueOrphanedDeliveries(5 * MINUTE_MS));
  const [search] = sent.filter(({ text }) => text.includes("carried"));
  if (!search) throw new Error("not searched");
  // Each look at a long payload reads some blocks.
  expect(await blocksRead(search)).toBeLessThan(20 * JOBS);
  await pool().query("DELETE FROM graphile_worker._private_jobs");
});
