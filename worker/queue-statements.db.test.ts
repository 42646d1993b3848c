import { expect, test } from "vitest";
import { addJob } from "@/server/core/add-jobs";
import { pool } from "@/server/core/db";
import { besideOpenTransaction } from "@/test/database/dead-versions";
import { blocksRead, statementsOf } from "@/test/database/plans";
import { keepQueue } from "./queue";
import { byKey } from "./queue-statements";
import { QUEUE_SETTINGS } from "./runner";

const DEAD = 15_000;
const OWN = 3;
/** What has died is read once, in the order of its index, to find the first job that has not. */
const BLOCKS_MAX = DEAD / 20;

const CHURN = [
  `INSERT INTO graphile_worker._private_jobs (task_id, payload, run_at)
   SELECT t.id, '{}', now() - n * interval '1 millisecond'
   FROM graphile_worker._private_tasks t, generate_series(1, ${DEAD}) n WHERE t.identifier = 'review_sender'`,
  "UPDATE graphile_worker._private_jobs SET locked_by = 'a worker', locked_at = now()",
  "DELETE FROM graphile_worker._private_jobs",
];

const addOwn = async () => {
  for (let job = 0; job < OWN; job += 1) await addJob(pool(), "review_sender", { senderId: `snd_${job}` });
};

test("a queue finds its jobs among those that have died, by place and by id", async () => {
  let done = 0;
  const statements = await statementsOf(async () => {
    await addOwn();
    const taskList = {
      review_sender: () => {
        done += 1;
      },
    };
    const queue = await keepQueue({ name: "test", taskList, concurrency: 2 * OWN });
    await expect.poll(() => done).toBe(OWN);
    await queue.stop();
  });
  const { rowCount } = await pool().query("SELECT 1 FROM graphile_worker._private_jobs");
  expect(rowCount).toBe(0);
  const own = statements.filter(({ name }) => /^(get_job|complete_jobs)/.test(name));
  expect(own.map(({ name }) => name.replace(/\d*\/.*/, "")).sort()).toEqual(["complete_jobs", "get_job"]);
  const settings = Object.entries(QUEUE_SETTINGS).map(([name, value]) => `SET LOCAL ${name} = ${value}`);
  await besideOpenTransaction(CHURN, async () => {
    await addOwn();
    for (const statement of own) {
      const blocks = await blocksRead(statement, settings.join("; "));
      expect(blocks, statement.name).toBeLessThan(BLOCKS_MAX);
    }
  });
});

test("a statement that is worded differently is sent as it is", () => {
  const text = "select 1";
  expect([byKey("get_job/graphile_worker", text), byKey("another", text)]).toEqual([text, text]);
});
