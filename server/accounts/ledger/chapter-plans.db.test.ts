/** A chapter that is read again long after it was closed. */
import { expect, test } from "vitest";
import { plansRun, rowsRead } from "@/test/database/plans";
import { makeAccount } from "@/test/database/seed";
import { DAY_MS } from "../../core/clock";
import { pool } from "../../core/db";
import { firstIdAt } from "../../core/ids";
import { type Chapter, closeChapter, verifyChapter } from "./chapters";

const OLD = 10;
const SINCE = 20_000;

/** Billed messages that were accepted so many days ago. */
const add = (accountId: string, daysAgo: number, count: number) =>
  pool().query(
    `WITH made AS (
       INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros, currency, chain, created_at)
       SELECT left($2::text, -8) || lpad(n::text, 8, '0'), $1, '+14155550123', 'DEMO', 'Hi', 'GSM-7', 1, 'delivered', 10, 'USD', '{sandbox}',
         now() - make_interval(days => $3) FROM generate_series(1, $4) n RETURNING *)
     INSERT INTO ledger_entries (account_id, kind, amount_micros, held_micros, message_id, created_at)
     SELECT account_id, k.kind, k.amount, k.held, id, created_at FROM made, (VALUES ('reserve', -10, 10), ('settle', 0, -10)) k (kind, amount, held)`,
    [accountId, firstIdAt("message", new Date(Date.now() - daysAgo * DAY_MS)), daysAgo, count],
  );

test("the messages that came later are not read with it", async () => {
  const run = await plansRun(async () => {
    const { accountId } = await makeAccount();
    await pool().query("DELETE FROM ledger_entries");
    await add(accountId, 60, OLD);
    await add(accountId, 40, SINCE);
    await pool().query("VACUUM ANALYZE messages, ledger_entries");
    while (await closeChapter());
    const { rows } = await pool().query<Chapter>(
      `SELECT after_id AS "afterId", through_id AS "throughId", began_at AS "beganAt", ended_at AS "endedAt"
       FROM ledger_chapters ORDER BY through_id LIMIT 1`,
    );
    expect(await verifyChapter(rows[0] as Chapter)).toEqual([]);
  });
  const reads = run.filter(({ text }) => text.includes("billed AS")).map(({ plan }) => rowsRead(plan, ["messages"]));
  expect(reads.length).toBeGreaterThan(0);
  expect(Math.max(...reads)).toBeLessThanOrEqual(2 * OLD);
});
