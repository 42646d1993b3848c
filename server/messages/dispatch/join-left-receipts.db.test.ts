/** Tests of the sweep of parked receipts during a flood of receipts of unknown messages. */
import { beforeAll, expect, test } from "vitest";
import { HOUR_MS } from "@/server/core/clock";
import { pool } from "@/server/core/db";
import { accepted, claimMany, prepareAttempts, record } from "@/test/database/attempts";
import { rowsReadBy } from "@/test/database/plans";
import { joinLeftReceipts } from "./join-left-receipts";

const FLOOD = 5_000;
const LIMITS = { perStep: 500, perRun: 1_000 };
/** A run that reaches the end looks up less than a step more. */
const READ_PER_RUN = LIMITS.perRun + LIMITS.perStep;

/** Parks receipts a millisecond apart, under the ids `name-1` and so on. */
const park = (name: string, count: number, age: string) =>
  pool().query(
    `INSERT INTO receipts (id, provider, provider_message_id, status, occurred_at, received_at)
     SELECT 'rcpt_' || $1::text || n, 'vonage', $1 || '-' || n, 'delivered', now(), now() - $3::interval + n * interval '1 ms'
     FROM generate_series(1, $2::int) n`,
    [name, count, age],
  );

const left = async (name: string) => {
  const { rows } = await pool().query<{ count: number }>(
    "SELECT count(*)::int AS count FROM receipts WHERE provider_message_id LIKE $1 || '-%' AND message_id IS NULL",
    [name],
  );
  return rows[0]?.count;
};

beforeAll(async () => {
  await prepareAttempts();
  await pool().query("ALTER TABLE receipts SET (autovacuum_enabled = false)");
  await pool().query("VACUUM ANALYZE receipts");
  await park("flood", FLOOD, "30 minutes");
});

test("each run looks up some of them, the next one continues, and a new round begins at the end", async () => {
  const { attempts } = await claimMany(2);
  await Promise.all(attempts.map((attempt, at) => record(attempt, accepted(`own-${at + 1}`))));
  await park("own", 1, "0 seconds");
  for (let run = 0; run < FLOOD / LIMITS.perRun; run += 1) {
    expect(await left("own")).toBe(1);
    expect(await rowsReadBy(() => joinLeftReceipts(HOUR_MS, LIMITS), ["receipts"])).toBeLessThanOrEqual(READ_PER_RUN);
  }
  await joinLeftReceipts(HOUR_MS, LIMITS);
  expect(await left("own")).toBe(0);
  expect(await left("flood")).toBe(FLOOD);

  // The oldest one, so that the first run of the next round comes to it.
  await pool().query("UPDATE receipts SET provider_message_id = 'own-2' WHERE provider_message_id = 'flood-1'");
  await joinLeftReceipts(HOUR_MS, LIMITS);
  expect(await left("own")).toBe(0);
});
