/**
 * Tests of the attempts that recovery and the sweeps read when many timed out long ago: their outcome stays unknown for as long as
 * their messages are kept.
 */
import { beforeAll, expect, test } from "vitest";
import { MINUTE_MS } from "@/server/core/clock";
import { pool } from "@/server/core/db";
import { claimed, prepareAttempts, record, UNKNOWN } from "@/test/database/attempts";
import { copyMessage } from "@/test/database/messages/copies";
import { explain, rowsRead, type Statement, statementsOf } from "@/test/database/plans";
import { keepLease } from "@/worker/lease";
import { lookUpUnknown } from "./look-up";
import { findForgottenWorkers, giveBackUnheard, resolveBegun, takeBackClaims } from "./recover";
import { failUnresolved } from "./sweeps";

const PAST = 20_000;
const READ_MAX = 20;

beforeAll(async () => {
  await prepareAttempts();
  // A provider with look-ups; it is never called.
  Object.assign(process.env, {
    SINCH_SERVICE_PLAN_ID: "plan",
    SINCH_API_TOKEN: "token",
    SINCH_BASE_URL: "http://127.0.0.1:9",
  });
  await pool().query("ALTER TABLE message_attempts SET (autovacuum_enabled = false)");
  const { id, first } = await claimed();
  await record(first, UNKNOWN);
  await copyMessage(id, PAST, {
    id: "'msg_' || substr(m.id, 5, 10) || lpad(n::text, 12, '0')",
    status: "'failed'",
    failed_at: "now() - interval '2 days'",
    created_at: "now() - interval '3 days'",
  });
  await pool().query(
    `INSERT INTO message_attempts (message_id, seq, provider, outcome, started_at, begun_at, finished_at, worker_id)
     SELECT m.id, 1, 'sinch', 'unknown', m.created_at, m.created_at, m.created_at, 'ended' FROM messages m WHERE status = 'failed'`,
  );
  await pool().query("VACUUM ANALYZE messages, message_attempts, pending_messages");
  // Two open attempts, which recovery is for.
  await claimed();
  await claimed();
});

async function readsOf(statements: Statement[]): Promise<Record<string, number>> {
  const reads: Record<string, number> = {};
  for (const statement of statements) {
    reads[statement.name] = rowsRead((await explain(statement)).plan, ["messages", "message_attempts"]);
  }
  return reads;
}

test("recovery, look-ups and sweeps do not read attempts that timed out long ago", async () => {
  const statements = await statementsOf(async () => {
    await giveBackUnheard();
    await findForgottenWorkers();
    await takeBackClaims(["nobody"]);
    await resolveBegun(["nobody"]);
    await lookUpUnknown("sinch");
    await failUnresolved(MINUTE_MS);
  });
  // Without the statements for providers and routes, which run once a second.
  const reads = await readsOf(statements.filter(({ text }) => text.includes("message_attempts")));
  const named = ["recover.own", "recover.forgotten_workers", "recover.unbegun", "recover.begun", "look_up.take"];
  expect(Object.keys(reads)).toEqual(expect.arrayContaining(named));
  expect(Object.keys(reads)).toHaveLength(named.length + 1);
  expect(Object.entries(reads).filter(([, read]) => read > READ_MAX)).toEqual([]);
});

test("a worker that gives up its lease does not read attempts that timed out long ago", async () => {
  const statements = await statementsOf(async () => {
    const release = await keepLease(() => undefined);
    await release();
  });
  const giveUp = statements.filter(({ text }) => text.includes("DELETE FROM workers"));
  expect(giveUp).toHaveLength(1);
  const reads = await readsOf(giveUp);
  expect(Object.entries(reads).filter(([, read]) => read > READ_MAX)).toEqual([]);
});

test("a sweep reads unresolved messages page by page, however many an outage left", async () => {
  // Pending messages with an attempt that timed out and a later, young one.
  await pool().query("UPDATE messages SET status = 'pending', failed_at = NULL WHERE status = 'failed'");
  await pool().query(
    `UPDATE message_attempts a SET started_at = a.started_at + row.number * interval '1 millisecond'
     FROM (SELECT message_id, row_number() OVER () AS number FROM message_attempts) row WHERE row.message_id = a.message_id`,
  );
  await pool().query(
    `INSERT INTO message_attempts (message_id, seq, provider, outcome, started_at, begun_at, finished_at)
     SELECT message_id, 2, 'sinch', 'unknown', now(), now(), now() FROM message_attempts WHERE worker_id = 'ended'`,
  );
  await pool().query("VACUUM ANALYZE messages, message_attempts, pending_messages");
  const statements = await statementsOf(() => failUnresolved(MINUTE_MS));
  const reads = await readsOf(statements);
  // A page and three rows for each message of it: its own and its attempts.
  expect(Object.entries(reads).filter(([, read]) => read > 5 * 2_000)).toEqual([]);
});
