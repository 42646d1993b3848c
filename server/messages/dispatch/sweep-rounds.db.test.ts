/** Tests of sweeps while a large backlog waits for a throughput limit: nothing is lost, and it is not read in vain every minute. */
import { beforeAll, expect, test } from "vitest";
import { MINUTE_MS } from "@/server/core/clock";
import { pool } from "@/server/core/db";
import { prepareAttempts } from "@/test/database/attempts";
import { copyMessage } from "@/test/database/messages/copies";
import { explain, rowsRead, statementsOf } from "@/test/database/plans";
import { makeAccount } from "@/test/database/seed";
import { sendMessage } from "../accept/send";
import { failStranded, requeueOrphans } from "./sweeps";

const WAITING = 20_000;
const LIMITS = { perStep: 500, inVainMax: 2_000 };
/** Runs in which a round passes the whole backlog. */
const RUNS = WAITING / LIMITS.inVainMax + 1;
/** Rows per message that is looked at: its own in the lists of pending and of waiting messages. */
const READ_PER_MESSAGE = 2;
const TABLES = ["pending_messages", "waiting_messages", "messages", "message_attempts", "_private_jobs"];

const idsOf: { orphan: string; stranded: string } = { orphan: "", stranded: "" };

/** Makes copies of a message, due together an hour ago, whose ids begin with `prefix`. */
const copyAsDue = (id: string, prefix: string, count: number): Promise<string[]> =>
  copyMessage(
    id,
    count,
    {
      id: "$3 || lpad(n::text, 12, '0')",
      created_at: "date_trunc('second', now()) - interval '2 hours'",
      scheduled_at: "date_trunc('second', now()) - interval '1 hour'",
    },
    [prefix],
  );

beforeAll(async () => {
  await prepareAttempts();
  const account = await makeAccount();
  const request = { idempotency: () => null, responseHeaders: {} };
  const { id } = await sendMessage(account.actor, { to: "+14155550123", from: account.senderId, body: "Hi" }, request);
  const lists = ["messages", "message_attempts", "pending_messages", "waiting_messages"];
  for (const table of lists) await pool().query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  // Statistics of a quiet hour.
  await pool().query(`VACUUM ANALYZE ${lists.join(", ")}`);
  await copyAsDue(id, "msg_b", WAITING);
  await pool().query(
    `INSERT INTO waiting_messages (message_id, provider, account_id, sender, segments, seq, tag, created_at)
     SELECT id, 'vonage', account_id, from_sender, 1, 1, 1, now() FROM messages WHERE id LIKE 'msg_b%'`,
  );
  // Behind the backlog: due at the same time, and with later ids.
  const [orphan] = await copyAsDue(id, "msg_c", 1);
  const [stranded] = await copyAsDue(id, "msg_d", 1);
  Object.assign(idsOf, { orphan, stranded });
  await pool().query(
    `INSERT INTO message_attempts (message_id, seq, provider, outcome, started_at, begun_at, finished_at)
     SELECT $1, s, 'vonage', 'retryable', now() - interval '1 hour', now() - interval '1 hour', now() - interval '1 hour'
     FROM generate_series(1, 2) s`,
    [idsOf.stranded],
  );
  await pool().query("DELETE FROM graphile_worker._private_jobs");
});

const dispatched = async (): Promise<string[]> => {
  const { rows } = await pool().query<{ id: string }>(
    `SELECT json_array_elements_text(payload -> 'messageIds') AS id FROM graphile_worker._private_jobs`,
  );
  return rows.map((row) => row.id);
};

const statusOf = async (id: string): Promise<string> => {
  const { rows } = await pool().query<{ status: string }>("SELECT status FROM messages WHERE id = $1", [id]);
  return rows[0]?.status ?? "";
};

test("a run reads a part of the backlog, even if all of it was due at the same moment", async () => {
  for (const sweep of [requeueOrphans, failStranded]) {
    const statements = await statementsOf(() => sweep(MINUTE_MS, LIMITS));
    expect(statements.map(({ name }) => name)).toEqual(["sweeps.begin", "sweeps.look", "sweeps.save"]);
    for (const statement of statements) {
      const { plan, listsRead } = await explain(statement);
      const read = rowsRead(plan, TABLES) + listsRead;
      expect(read, statement.name).toBeLessThanOrEqual(LIMITS.perStep * (READ_PER_MESSAGE + 1));
    }
  }
});

test("later runs find messages behind the backlog that have lost their job or were never failed, and then start over", async () => {
  for (let run = 1; run < RUNS; run += 1) {
    await requeueOrphans(MINUTE_MS, LIMITS);
    await failStranded(MINUTE_MS, LIMITS);
  }
  expect(await dispatched()).toEqual([idsOf.orphan]);
  expect(await statusOf(idsOf.stranded)).toBe("failed");
  await pool().query("DELETE FROM graphile_worker._private_jobs");
  for (let run = 0; run < RUNS; run += 1) await requeueOrphans(MINUTE_MS, LIMITS);
  expect(await dispatched()).toEqual([idsOf.orphan]);
});

test("messages that have lost their jobs are all queued again in one run, if they are older than the backlog of jobs", async () => {
  await pool().query("DELETE FROM graphile_worker._private_jobs; DELETE FROM waiting_messages");
  await pool().query("DELETE FROM sweep_rounds");
  await requeueOrphans(MINUTE_MS, { ...LIMITS, perStep: 3_000 });
  const queued = await dispatched();
  expect(queued).toHaveLength(WAITING + 1);
  expect(new Set(queued).size).toBe(WAITING + 1);
  // Jobs that have waited since before these messages were due.
  await pool().query("UPDATE graphile_worker._private_jobs SET run_at = now() - interval '2 hours', key = NULL");
  await requeueOrphans(MINUTE_MS, LIMITS);
  expect(await dispatched()).toHaveLength(WAITING + 1);
});

test("a job of orphans that still waits keeps its place in a queue that lags", async () => {
  await pool().query("DELETE FROM graphile_worker._private_jobs; DELETE FROM sweep_rounds");
  await requeueOrphans(MINUTE_MS);
  await pool().query("UPDATE graphile_worker._private_jobs SET run_at = now() - interval '30 minutes'");
  const places = async () => {
    const { rows } = await pool().query<{ key: string; runAt: Date }>(
      'SELECT key, run_at AS "runAt" FROM graphile_worker.jobs ORDER BY key',
    );
    return rows;
  };
  const before = await places();
  expect(before).not.toEqual([]);
  await pool().query("DELETE FROM sweep_rounds");
  await requeueOrphans(MINUTE_MS);
  expect(await places()).toEqual(before);
});
