/** Due tries that are sent again by hand beside a long queue: few jobs are read, whatever the statistics say of them. */
import { expect, test } from "vitest";
import { explain, rowsRead, type Statement, statementsOf } from "@/test/database/plans";
import {
  deliveriesOf,
  raiseSent,
  runDeliveryJobs,
  type TestWebhook,
  takeDeliveryJobs,
  webhooksOfFile,
} from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";
import { pool } from "../../core/db";
import { resendDeliveries } from "./resend";

const BACKLOG = 20_000;
/** As many as are read at most, and the few that are running. */
const READ_MAX = 2_100;

const start = webhooksOfFile();

const analyze = () => pool().query("VACUUM ANALYZE graphile_worker._private_jobs");

/** A delivery whose second try has been due for ten seconds; its job waits. */
async function overdue(): Promise<TestWebhook> {
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  const webhook = await start(status(500));
  await raiseSent(webhook);
  await runDeliveryJobs(webhook.endpoint.id);
  const dueAt = "date_trunc('milliseconds', clock_timestamp() - interval '10 seconds')";
  await pool().query(`UPDATE webhook_deliveries SET next_attempt_at = ${dueAt} WHERE endpoint_id = $1`, [
    webhook.endpoint.id,
  ]);
  await pool().query(`UPDATE graphile_worker._private_jobs SET run_at = ${dueAt}`);
  await pool().query("ALTER TABLE graphile_worker._private_jobs SET (autovacuum_enabled = false)");
  await analyze();
  return webhook;
}

const addJobs = (task: string, runAt: string) =>
  pool().query(
    `INSERT INTO graphile_worker._private_jobs (task_id, payload, run_at, max_attempts, priority)
     SELECT (SELECT id FROM graphile_worker._private_tasks WHERE identifier = $1),
       json_build_object('endpointId', 'whe_' || n, 'deliveryIds', json_build_array('dlv_' || n), 'attemptsMade', 1),
       ${runAt}, 25, 0 FROM generate_series(1, $2::int) n`,
    [task, BACKLOG],
  );

async function again({ account, endpoint }: TestWebhook) {
  const [delivery] = await deliveriesOf(endpoint.id);
  const done: unknown[] = [];
  const sent = await statementsOf(async () => {
    done.push(await resendDeliveries(account.actor, { id: endpoint.id, delivery_ids: [delivery?.id ?? ""] }));
  });
  const reads = sent.filter(({ text }) => text.includes("_private_jobs") && !text.includes("INSERT"));
  return { result: done[0], reads };
}

const jobsReadBy = async (statement: Statement) => rowsRead((await explain(statement)).plan, ["_private_jobs"]);

const LEFT = { recovered: 0, left: 1, tried_by: null };

test.each([
  ["messages that wait to be dispatched", "dispatch_messages", "now() - interval '5 seconds'"],
  ["tries of later", "deliver_webhooks", "now() + interval '1 hour'"],
  ["tries that were due before", "deliver_webhooks", "now() - interval '1 hour'"],
  ["tries that have become due since", "deliver_webhooks", "now() - n * interval '1 microsecond'"],
])("beside %s", async (_, task, runAt) => {
  const webhook = await overdue();
  await addJobs(task, runAt);
  const { result, reads } = await again(webhook);
  expect(result).toMatchObject(LEFT);
  expect(reads).toHaveLength(1);
  const before = await Promise.all(reads.map(jobsReadBy));
  await analyze();
  const after = await Promise.all(reads.map(jobsReadBy));
  expect(Math.max(...before, ...after)).toBeLessThan(READ_MAX);
});

test("a try that was lost is sent again beside later tries, and is left to the sweep beside more due ones than are read", async () => {
  const webhook = await overdue();
  await takeDeliveryJobs(webhook.endpoint.id);
  await addJobs("deliver_webhooks", "now() - n * interval '1 microsecond'");
  expect((await again(webhook)).result).toMatchObject(LEFT);
  await pool().query("UPDATE graphile_worker._private_jobs SET run_at = run_at + interval '1 hour'");
  expect((await again(webhook)).result).toMatchObject({ recovered: 1, left: 0 });
});

test("one whose job waits for a slot is found behind others that wait", async () => {
  const webhook = await overdue();
  await addJobs("deliver_webhooks", "now() + interval '1 hour' + n * interval '1 second'");
  await pool().query(
    `UPDATE graphile_worker._private_jobs SET run_at = clock_timestamp() + interval '40 seconds' WHERE payload ->> 'endpointId' = $1`,
    [webhook.endpoint.id],
  );
  expect((await again(webhook)).result).toMatchObject({ recovered: 0, left: 1, tried_by: expect.any(String) });
});
