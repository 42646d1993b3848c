import { expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { QUEUES } from "@/server/core/jobs";
import { asSuperuser } from "@/test/database/superuser";
import { indexQueues } from "./queue-indexes";

async function indexed(): Promise<string[]> {
  const client = await pool().connect();
  try {
    await indexQueues(client);
  } finally {
    // Without time-outs now.
    client.release(true);
  }
  const { rows } = await pool().query<{ name: string }>(
    "SELECT indexname AS name FROM pg_indexes WHERE schemaname = 'graphile_worker' AND indexname ~ '^jobs_(of|by)_' ORDER BY 1",
  );
  return rows.map(({ name }) => name);
}

test("each queue has one index, which stays as it is until the queue gets another task or tasks get other ids", async () => {
  const first = await indexed();
  expect(first.map((name) => name.split("_")[2])).toEqual(Object.keys(QUEUES).sort());
  expect(await indexed()).toEqual(first);
  await pool().query("UPDATE graphile_worker._private_tasks SET id = DEFAULT WHERE identifier = 'send_mail'");
  await pool().query("CREATE INDEX jobs_by_task ON graphile_worker._private_jobs (task_id)");
  const second = await indexed();
  expect(second).toHaveLength(first.length);
  expect(second.filter((name) => !first.includes(name))).toEqual([expect.stringMatching(/^jobs_of_webhooks_/)]);
});

test("an index that a killed build has left is built anew", async () => {
  const [index = ""] = await indexed();
  const stateOf = async () => {
    const { rows } = await pool().query<{ oid: string; isValid: boolean }>(
      `SELECT indexrelid::text AS oid, indisvalid AS "isValid" FROM pg_index WHERE indexrelid = $1::regclass`,
      [`graphile_worker.${index}`],
    );
    return rows[0];
  };
  await asSuperuser("UPDATE pg_index SET indisvalid = false WHERE indexrelid = $1::regclass", [
    `graphile_worker.${index}`,
  ]);
  const left = await stateOf();
  expect(left?.isValid).toBe(false);
  await indexed();
  const built = await stateOf();
  expect(built?.isValid).toBe(true);
  expect(built?.oid).not.toBe(left?.oid);
});
