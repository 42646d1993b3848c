import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { checkHealth, invalidateHealth } from "@/server/api/health";
import { addJob } from "@/server/core/add-jobs";
import { pool } from "@/server/core/db";
import { QUEUES } from "@/server/core/jobs";
import { explain, rowsRead, statementsOf } from "@/test/database/plans";
import { queuePlans } from "./plans";
import { keepQueue } from "./queue";
import { QUEUE_SETTINGS } from "./queue-connections";
import { RECURRING } from "./schedule";
import { unlockOrphanedJobs } from "./take-over";
import { unlockUnacknowledged } from "./unacknowledged-jobs";

const BACKLOG = 5_000;
const OWN = 3;
/** A row is read to choose it, and once more to lock it. */
const READ_PER_JOB_MAX = 4;

test("a queue reads no jobs of other queues, whatever waits ahead and whatever the statistics say", async () => {
  await pool().query("ALTER TABLE graphile_worker._private_jobs SET (autovacuum_enabled = false)");
  await pool().query("VACUUM ANALYZE graphile_worker._private_jobs");
  await addJob(pool(), "dispatch_messages", { messageIds: ["msg_1"] });
  await pool().query(
    `INSERT INTO graphile_worker._private_jobs (task_id, payload, run_at, max_attempts, priority)
     SELECT j.task_id, j.payload, j.run_at - n * interval '1 millisecond', j.max_attempts, j.priority
     FROM graphile_worker._private_jobs j, generate_series(1, $1) n`,
    [BACKLOG],
  );
  for (let job = 0; job < OWN; job += 1) await addJob(pool(), "review_sender", { senderId: `snd_${job}` });
  let done = 0;
  const statements = await statementsOf(async () => {
    const queue = await keepQueue({
      name: "test",
      taskList: {
        review_sender: () => {
          done += 1;
        },
      },
      concurrency: 2 * OWN,
    });
    await expect.poll(() => done).toBe(OWN);
    await queue.stop();
  });
  const fetches = statements.filter(({ text }) => /_private_jobs[\s\S]*skip locked/.test(text));
  expect(fetches).toHaveLength(1);
  // The next fetch has as many jobs.
  for (let job = 0; job < OWN; job += 1) await addJob(pool(), "review_sender", { senderId: `snd_${job}` });
  const settings = Object.entries(QUEUE_SETTINGS).map(([name, value]) => `SET LOCAL ${name} = ${value}`);
  for (const fetch of fetches) {
    const { plan, isCompiled } = await explain(fetch, settings.join("; "));
    expect(isCompiled).toBe(false);
    const read = rowsRead(plan, ["_private_jobs"]);
    expect(read).toBeGreaterThanOrEqual(OWN);
    expect(read).toBeLessThanOrEqual(OWN * READ_PER_JOB_MAX);
  }
});

/** Connections of queues that listen for announcements. */
async function listeners(): Promise<number> {
  const { rowCount } = await pool().query(
    `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'worker-queue'
       AND query LIKE 'LISTEN %' AND state = 'idle'`,
  );
  return rowCount ?? 0;
}

/** A queue of one task, which listens and never polls; `done` counts its runs. */
async function listeningQueue() {
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  let done = 0;
  const taskList = {
    review_sender: () => {
      done += 1;
    },
  };
  // No poll: only an announcement can find the job.
  const queue = await keepQueue({ name: "test", taskList, concurrency: 1, pollMs: 3_600_000 });
  // A queue runs a moment before it listens; until then it misses announcements.
  await expect.poll(listeners).toBe(1);
  return { queue, done: () => done };
}

test("a job is run when it is announced, even right after a fetch that found nothing", async () => {
  const { queue, done } = await listeningQueue();
  for (let job = 1; job <= 20; job += 1) {
    await pool().query("SELECT pg_notify('jobs:insert', '{\"count\":1}')");
    await addJob(pool(), "review_sender", { senderId: `snd_${job}` });
    await expect.poll(done).toBe(job);
  }
  await queue.stop();
});

test("a queue that found no connection for its first read of its tasks still runs their jobs", async () => {
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  const query = pg.Client.prototype.query as (...all: unknown[]) => Promise<unknown>;
  let refused = 0;
  const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...all: unknown[]) {
    const { text = "" } = all[0] as { text?: string };
    if (refused > 0 || !text.includes("_private_tasks as tasks (identifier)")) return query.apply(this, all);
    refused += 1;
    return Promise.reject(Object.assign(new Error("sorry, too many clients already"), { code: "53300" }));
  } as never);
  let done = 0;
  const taskList = {
    review_sender: () => {
      done += 1;
    },
  };
  const queue = await keepQueue({ name: "test", taskList, concurrency: 1 });
  await addJob(pool(), "review_sender", { senderId: "snd_1" });
  await expect.poll(() => done).toBe(1);
  expect(refused).toBe(1);
  await queue.stop();
  spy.mockRestore();
});

/** Does `work`, and counts the fetches of jobs meanwhile. */
async function fetchesOf(work: () => Promise<void>): Promise<number> {
  const spy = vi.spyOn(pg.Client.prototype, "query");
  try {
    await work();
    const sent = spy.mock.calls.map(([query]) => (query as { text?: string }).text ?? "");
    return sent.filter((text) => /_private_jobs[\s\S]*skip locked/.test(text)).length;
  } finally {
    spy.mockRestore();
  }
}

test("a queue does not fetch when jobs of other queues are announced", async () => {
  const { queue, done } = await listeningQueue();
  const add = async (name: "dispatch_messages" | "join_receipts", runAt?: Date) =>
    name === "dispatch_messages"
      ? addJob(pool(), name, { messageIds: ["msg_1"] }, { runAt: runAt ?? null })
      : addJob(pool(), name, { provider: "smpp", providerMessageIds: ["1"] }, { runAt: runAt ?? null });
  const fetches = await fetchesOf(async () => {
    for (let job = 0; job < 10; job += 1) {
      await add(job % 2 === 0 ? "dispatch_messages" : "join_receipts");
      await add("dispatch_messages", new Date(Date.now() + 20));
      await pause(40);
    }
    await addJob(pool(), "review_sender", { senderId: "snd_1" }, { runAt: new Date(Date.now() + 20) });
    await expect.poll(done).toBe(1);
  });
  await queue.stop();
  // The fetch of its own job, and one after it.
  expect(fetches).toBeLessThanOrEqual(3);
});

test("searches for locked and for due jobs read only those, however many wait for their time", async () => {
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  await pool().query("INSERT INTO workers (id, pools) VALUES ('alive', '{pool}')");
  await pool().query("VACUUM ANALYZE graphile_worker._private_jobs");
  await addJob(pool(), "dispatch_messages", { messageIds: ["msg_1"] });
  await pool().query(
    `INSERT INTO graphile_worker._private_jobs (task_id, payload, run_at, locked_by, locked_at)
     SELECT j.task_id, j.payload, now() + interval '1 day', l.pool, l.at
     FROM graphile_worker._private_jobs j, generate_series(1, $1) n
     LEFT JOIN LATERAL (SELECT 'pool' AS pool, now() - interval '1 hour' AS at WHERE n % 10000 = 0) l ON true`,
    [10 * BACKLOG],
  );
  const statements = await statementsOf(async () => {
    const queue = await keepQueue({ name: "test", taskList: { review_sender: () => undefined }, concurrency: 1 });
    await unlockOrphanedJobs();
    invalidateHealth();
    await checkHealth();
    await queue.stop();
  });
  const names = ["queue.own_locks", "worker.pools_of_nobody", "health.queue"];
  const looks = statements.filter(({ name }) => names.includes(name));
  expect(looks).toHaveLength(names.length);
  for (const look of looks) {
    expect(rowsRead((await explain(look)).plan, ["_private_jobs"]), look.name).toBeLessThanOrEqual(10);
  }
  await pool().query("DELETE FROM graphile_worker._private_jobs");
});

const EVERY_MINUTE: ReadonlySet<string> = new Set(QUEUES.sweeps);

test("jobs of every minute run while jobs of every hour take long", async () => {
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  const names = new Set<string>(RECURRING.map(({ task }) => task));
  const [done, underWay] = [new Set<string>(), new Set<string>()];
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const taskOf = (name: string) => async () => {
    underWay.add(name);
    if (!EVERY_MINUTE.has(name)) await ended;
    done.add(name);
  };
  const plans = queuePlans().filter(({ taskList }) => Object.keys(taskList).some((name) => names.has(name)));
  const queues = await Promise.all(
    plans.map(({ taskList, ...plan }) => {
      const tasks = Object.keys(taskList).map((name) => [name, taskOf(name)]);
      return keepQueue({ ...plan, taskList: Object.fromEntries(tasks) });
    }),
  );
  const add = async (isOfMinute: boolean) => {
    for (const name of names) {
      if (EVERY_MINUTE.has(name) === isOfMinute) await pool().query("SELECT graphile_worker.add_job($1)", [name]);
    }
  };
  try {
    await add(false);
    await expect.poll(() => underWay.size).toBeGreaterThanOrEqual(3);
    await add(true);
    await expect.poll(() => [...done].sort()).toEqual([...EVERY_MINUTE].sort());
    end();
    await expect.poll(() => done.size).toBe(names.size);
  } finally {
    end();
    await Promise.all(queues.map((queue) => queue.stop()));
  }
});

test("a job that a queue works on for long stays locked, and one that it does not know of is unlocked", async () => {
  const lock = async (senderId: string, poolId: string): Promise<string> => {
    await addJob(pool(), "review_sender", { senderId });
    const { rows } = await pool().query<{ id: string }>(
      `UPDATE graphile_worker._private_jobs SET locked_by = $2, locked_at = now() - interval '1 minute'
       WHERE payload ->> 'senderId' = $1 RETURNING id::text AS id`,
      [senderId, poolId],
    );
    return rows[0]?.id ?? "";
  };
  const known = await lock("snd_known", "pool_own");
  const unknown = await lock("snd_unknown", "pool_own");
  const others = await lock("snd_others", "pool_other");
  await unlockUnacknowledged({ poolId: "pool_own", jobs: new Map([[known, { doneAtMs: null }]]) });
  const { rows } = await pool().query<{ id: string }>(
    "SELECT id::text AS id FROM graphile_worker._private_jobs WHERE locked_by IS NOT NULL ORDER BY id",
  );
  expect(rows.map(({ id }) => id)).toEqual([known, others]);
  await pool().query("DELETE FROM graphile_worker._private_jobs WHERE id = ANY($1::int8[])", [
    [known, unknown, others],
  ]);
});
