import { expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { QUEUES } from "@/server/core/jobs";
import { indexQueues } from "./queue-indexes";

async function indexed(): Promise<string[]> {
  const client = await pool().connect();
  try {
    await indexQueues(client);
  } finally {
    client.release();
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
