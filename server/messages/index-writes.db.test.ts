import { beforeAll, expect, test } from "vitest";
import { accepted, claimMany, prepareAttempts, record, report } from "@/test/database/attempts";
import { asSuperuser } from "@/test/database/superuser";
import { pool } from "../core/db";
import type { Attempt } from "./dispatch/claims";
import { applyReceipts } from "./receipts/apply-receipts";

beforeAll(prepareAttempts);

const idAtProvider = ({ message }: Attempt): string => `id-${message.id}`;

/** `entries`: written to its indexes; null before PostgreSQL 15, whose log SQL cannot read, so that only rows are counted. */
type Writes = { inserted: number; updated: number; hot: number; entries: number | null };

const hasReadableLog = async (): Promise<boolean> => {
  const { rows } = await pool().query<{ version: number }>(
    "SELECT current_setting('server_version_num')::int4 AS version",
  );
  return (rows[0]?.version ?? 0) >= 150_000;
};

/** Writes to `messages` in the write-ahead log, which has one record per row and per index entry. */
const WRITES_IN_LOG = `
  SELECT count(*) FILTER (WHERE w.record_type LIKE 'INSERT%' AND c.relkind = 'r')::int4 AS inserted,
    count(*) FILTER (WHERE w.record_type LIKE '%UPDATE%' AND c.relkind = 'r')::int4 AS updated,
    count(*) FILTER (WHERE w.record_type LIKE 'HOT_UPDATE%')::int4 AS hot,
    count(*) FILTER (WHERE c.relkind = 'i' AND w.record_type ~ '^(INSERT_LEAF|INSERT_POST|SPLIT)')::int4 AS entries
  FROM pg_get_wal_records_info($1, pg_current_wal_flush_lsn()) w
  CROSS JOIN LATERAL regexp_match(w.block_ref, 'blkref #0: rel [0-9]+/([0-9]+)/([0-9]+)') AS first_block
  JOIN pg_class c ON c.relfilenode = first_block[2]::oid
  LEFT JOIN pg_index i ON i.indexrelid = c.oid
  WHERE first_block[1]::oid = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND 'messages'::regclass IN (c.oid, i.indrelid)`;

/** Rows written so far by the server's statistics. These are delayed, so nothing else may write to `messages` in this file. */
async function readCounters(): Promise<Omit<Writes, "entries">> {
  // A connection reports its counts with its next command, at most twice a second.
  await Promise.all(Array.from({ length: pool().options.max ?? 1 }, () => pool().query("SELECT pg_sleep(0.02)")));
  const { rows } = await pool().query<Omit<Writes, "entries">>(
    `SELECT n_tup_ins::int4 AS inserted, n_tup_upd::int4 AS updated, n_tup_hot_upd::int4 AS hot
     FROM pg_stat_user_tables WHERE relname = 'messages'`,
  );
  return rows[0] ?? { inserted: 0, updated: 0, hot: 0 };
}

/** Runs `work`. @returns what it wrote to `messages`. @param count of the rows that it writes. */
async function writesOf(count: number, work: () => Promise<unknown>): Promise<Writes> {
  if (await hasReadableLog()) {
    const { rows } = await pool().query<{ at: string }>("SELECT pg_current_wal_insert_lsn()::text AS at");
    await work();
    const [found] = await asSuperuser<Writes>(WRITES_IN_LOG, [rows[0]?.at ?? "0/0"]);
    return found ?? { inserted: 0, updated: 0, hot: 0, entries: 0 };
  }
  const before = await readCounters();
  await work();
  let after = before;
  const written = async () => {
    after = await readCounters();
    return after.inserted + after.updated - before.inserted - before.updated;
  };
  await expect.poll(written).toBe(count);
  const { inserted, updated, hot } = after;
  return {
    inserted: inserted - before.inserted,
    updated: updated - before.updated,
    hot: hot - before.hot,
    entries: null,
  };
}

test("the updates of a message's life stay on its page and write no index entry", async () => {
  const isLogRead = await hasReadableLog();
  if (isLogRead) await asSuperuser("CREATE EXTENSION IF NOT EXISTS pg_walinspect");
  const entriesOf = (rows: number) => (isLogRead ? 5 * rows : null);
  // The index by reference leaves out messages without one.
  const indexes = await pool().query(
    "SELECT 1 FROM pg_index WHERE indrelid = 'messages'::regclass AND indexrelid <> 'messages_reference'::regclass",
  );
  expect(indexes.rowCount).toBe(5);
  const count = 200;
  let attempts: Attempt[] = [];
  const acceptance = await writesOf(count, async () => {
    attempts = (await claimMany(count)).attempts;
  });
  expect(acceptance).toEqual({ inserted: count, updated: 0, hot: 0, entries: entriesOf(count) });
  const sent = await writesOf(count, () =>
    Promise.all(attempts.map((attempt) => record(attempt, accepted(idAtProvider(attempt))))),
  );
  // The server removes old versions by itself, but not while another test has a long transaction open.
  await pool().query("VACUUM messages");
  const reports = attempts.map((attempt) => report(idAtProvider(attempt), "delivered"));
  const delivered = await writesOf(count, () => applyReceipts("vonage", reports));
  for (const { inserted, updated, hot, entries } of [sent, delivered]) {
    expect({ inserted, updated }).toEqual({ inserted: 0, updated: count });
    // A page whose messages all move in one transaction has room for nearly all of them.
    expect(hot).toBeGreaterThan(0.75 * count);
    expect(entries).toBe(entriesOf(updated - hot));
  }
});
