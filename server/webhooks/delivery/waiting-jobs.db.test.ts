import { afterEach, expect, test, vi } from "vitest";
import { explain, rowsRead, statementsOf } from "@/test/database/plans";
import { deliveryJobsOf } from "@/test/database/webhooks";
import { HOUR_MS, MINUTE_MS } from "../../core/clock";
import { pool } from "../../core/db";
import { createFairSlots } from "./fair-slots";
import { addKnownDeliveryJobs } from "./outbox";
import { claimJobs, createRequeue, endJobs } from "./waiting-jobs";

const LEASE_MS = 30_000;

afterEach(() => {
  vi.useRealTimers();
});

/** Adds jobs of an endpoint that are due soon. @returns their ids. */
async function addWaiting(endpointId: string, count: number): Promise<string[]> {
  const runAt = new Date(Date.now() + 1_000);
  const added = Array.from({ length: count }, (_, at) => ({
    payload: { endpointId, deliveryIds: [`${endpointId}-${at}`], attemptsMade: at % 2 },
    runAt,
  }));
  return (await addKnownDeliveryJobs(pool(), added)).map((job) => job.id);
}

const lock = (id: string | undefined) =>
  pool().query("UPDATE graphile_worker._private_jobs SET locked_at = now(), locked_by = 'another' WHERE id = $1", [id]);

test("a claim puts off the time of its jobs, and leaves out one that is running or gone", async () => {
  const [running, gone, ...waiting] = await addWaiting("end_claim", 4);
  await lock(running);
  await pool().query("DELETE FROM graphile_worker._private_jobs WHERE id = $1", [gone]);
  const claimedAt = Date.now();
  const claimed = await claimJobs([running ?? "", gone ?? "", ...waiting], LEASE_MS);
  expect(claimed.map((job) => job.id).sort()).toEqual(waiting.toSorted());
  const left = await deliveryJobsOf("end_claim");
  expect(left).toHaveLength(3);
  const later = left.filter(({ runAt }) => runAt.getTime() >= claimedAt + LEASE_MS - 1_000);
  expect(later.flatMap(({ payload }) => payload.deliveryIds).sort()).toEqual(
    claimed.flatMap((job) => job.deliveryIds).sort(),
  );
});

test("jobs that are queued again after the process's clock was set back wait no longer than before", async () => {
  const slots = createFairSlots(4);
  slots.acquire("account", "end_clock");
  const requeue = createRequeue(slots);
  const again = (id: string) =>
    requeue({ accountId: "account", payload: { endpointId: "end_clock", deliveryIds: [id], attemptsMade: 0 } });
  await again("before");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - HOUR_MS });
  await again("after");
  const { rows } = await pool().query<{ now: Date }>("SELECT now()");
  const late = (await deliveryJobsOf("end_clock")).filter(
    ({ runAt }) => runAt.getTime() > (rows[0]?.now.getTime() ?? 0) + 5 * MINUTE_MS,
  );
  expect(late).toEqual([]);
});

test("a job that is running already is not ended by another one", async () => {
  const [running, ...waiting] = await addWaiting("end_ended", 3);
  await lock(running);
  await endJobs([running ?? "", ...waiting]);
  expect(await deliveryJobsOf("end_ended")).toHaveLength(1);
});

test("jobs are found by id, whatever the statistics of a quiet hour say", async () => {
  await pool().query("ALTER TABLE graphile_worker._private_jobs SET (autovacuum_enabled = false)");
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  await pool().query("VACUUM ANALYZE graphile_worker._private_jobs");
  // The statements are known to the connections from a time when the queue was short.
  for (let run = 0; run < 10; run += 1) {
    const ids = await addWaiting("end_quiet", 1);
    await claimJobs(ids, LEASE_MS);
    await endJobs(ids);
  }
  const ids = (await addWaiting("end_backlog", 20_000)).slice(10_000, 10_010);
  const statements = await statementsOf(async () => {
    await claimJobs(ids, LEASE_MS);
    await endJobs(ids);
  });
  const read: number[] = [];
  for (const statement of statements) read.push(rowsRead((await explain(statement)).plan, ["_private_jobs"]));
  expect(read).toEqual([0, 0]);
});
