import { expect, test } from "vitest";
import { addJob } from "@/server/core/add-jobs";
import { pool } from "@/server/core/db";
import { besideOpenTransaction } from "@/test/database/dead-versions";
import { blocksRead, statementsOf } from "@/test/database/plans";
import { openFetchBounds } from "./fetch-bounds";
import { keepQueue } from "./queue";
import { QUEUE_SETTINGS } from "./queue-connections";
import { toSend } from "./queue-statements";

const DEAD = 15_000;
const OWN = 3;
/** Dead versions are read once, in index order, up to the first live job. */
const BLOCKS_FROM_THE_OLDEST_MAX = DEAD / 20;
const BLOCKS_MAX = 60;
const BLOCKS_MAX_BY_NAME: Record<string, number> = {
  get_job: BLOCKS_FROM_THE_OLDEST_MAX,
  "get_job/age": BLOCKS_MAX,
  "get_job/time": BLOCKS_MAX,
  complete_jobs: BLOCKS_MAX,
};

const CHURN = [
  `INSERT INTO graphile_worker._private_jobs (task_id, payload, run_at)
   SELECT t.id, '{}', now() - interval '1 minute' - n * interval '1 millisecond'
   FROM graphile_worker._private_tasks t, generate_series(1, ${DEAD}) n WHERE t.identifier = 'review_sender'`,
  "UPDATE graphile_worker._private_jobs SET locked_by = 'a worker', locked_at = now()",
  "DELETE FROM graphile_worker._private_jobs",
];

const addOwn = async () => {
  for (let job = 0; job < OWN; job += 1) await addJob(pool(), "review_sender", { senderId: `snd_${job}` });
};

async function startQueue() {
  let done = 0;
  const taskList = {
    review_sender: () => {
      done += 1;
    },
  };
  const queue = await keepQueue({ name: "test", taskList, concurrency: 2 });
  return { stop: queue.stop, done: () => done };
}

const isEmpty = async () => (await pool().query("SELECT 1 FROM graphile_worker._private_jobs")).rowCount === 0;

test("a queue finds its jobs among dead ones by position, by id and from the last fetch on", async () => {
  const statements = await statementsOf(async () => {
    // More jobs than one fetch takes.
    await addOwn();
    const queue = await startQueue();
    await expect.poll(queue.done).toBe(OWN);
    await addOwn();
    await expect.poll(queue.done).toBe(2 * OWN);
    await queue.stop();
  });
  expect(await isEmpty()).toBe(true);
  const named = statements.flatMap((statement) => {
    const name = statement.name.replace(/^(get_job|complete_jobs)\d*\/graphile_worker/, "$1");
    return name in BLOCKS_MAX_BY_NAME ? [{ ...statement, name }] : [];
  });
  expect(new Set(named.map(({ name }) => name))).toEqual(new Set(Object.keys(BLOCKS_MAX_BY_NAME)));
  const settings = Object.entries(QUEUE_SETTINGS).map(([name, value]) => `SET LOCAL ${name} = ${value}`);
  await besideOpenTransaction(CHURN, async () => {
    await addOwn();
    for (const statement of named) {
      const blocks = await blocksRead(statement, settings.join("; "));
      expect(blocks, statement.name).toBeLessThan(BLOCKS_MAX_BY_NAME[statement.name] ?? 0);
    }
  });
  await pool().query("DELETE FROM graphile_worker._private_jobs");
});

test("a job that appears before the last fetched ones is run", async () => {
  const queue = await startQueue();
  await addOwn();
  await expect.poll(queue.done).toBe(OWN);
  await pool().query(
    `INSERT INTO graphile_worker._private_jobs (task_id, payload, run_at)
     SELECT id, '{}', now() - interval '1 hour' FROM graphile_worker._private_tasks WHERE identifier = 'review_sender'`,
  );
  await expect.poll(queue.done).toBe(OWN + 1);
  await queue.stop();
  expect(await isEmpty()).toBe(true);
});

test.each(["get_job/graphile_worker", "complete_jobs/graphile_worker", "add_job"])(
  "a statement %s with different wording is sent unchanged",
  (name) => {
    const query = { name, text: "select 1", values: [1] };
    expect(toSend(query, openFetchBounds())).toEqual({ query, settle: null });
  },
);
