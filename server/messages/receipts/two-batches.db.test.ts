import { beforeAll, expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { applyReceipts } from "@/server/messages/receipts/apply-receipts";
import { contradictions } from "@/test/database/account-truth";
import { accepted, claimMany, prepareAttempts, record, report } from "@/test/database/attempts";
import { openTransaction, untilWaiting } from "@/test/database/lock-waits";

/** The number of receipts that fills a transaction. */
const FULL = 500;

beforeAll(prepareAttempts);

/** Messages of one account that a provider has accepted, under their own ids. */
async function acceptedMessages(count: number) {
  const { owner, attempts } = await claimMany(count);
  const ids = attempts.map(({ message }) => message.id);
  await Promise.all(attempts.map((attempt) => record(attempt, accepted(attempt.message.id))));
  const statuses = async () => {
    const { rows } = await pool().query<{ status: string; count: number }>(
      "SELECT status, count(*)::int4 AS count FROM messages WHERE account_id = $1 GROUP BY status ORDER BY status",
      [owner.accountId],
    );
    return Object.fromEntries(rows.map((row) => [row.status, row.count]));
  };
  return { owner, ids, statuses };
}

const deliver = (ids: readonly string[]) =>
  applyReceipts(
    "vonage",
    ids.map((id) => report(id, "delivered")),
  );

test("a full batch of receipts does not wait for the previous one, which waits for a message", async () => {
  const { owner, ids, statuses } = await acceptedMessages(2 * FULL);
  const blocker = await openTransaction(async (tx) => {
    await tx.query("SET LOCAL idle_in_transaction_session_timeout = 0");
    return tx.query("SELECT 1 FROM messages WHERE id = $1 FOR UPDATE", [ids[0]]);
  });
  const former = deliver(ids.slice(0, FULL));
  const latter = deliver(ids.slice(FULL));
  await untilWaiting("FOR", 1);
  await latter;
  expect(await statuses()).toEqual({ delivered: FULL, sent: FULL });
  await blocker.commit();
  await former;
  expect(await statuses()).toEqual({ delivered: 2 * FULL });
  expect(await contradictions(owner.accountId)).toEqual([]);
});

test("two full batches about the same messages, in opposite orders, deliver each once", async () => {
  const { owner, ids, statuses } = await acceptedMessages(FULL);
  await Promise.all([deliver(ids), deliver(ids.toReversed())]);
  expect(await statuses()).toEqual({ delivered: FULL });
  const { rows } = await pool().query(
    `SELECT count(*)::int4 AS receipts, count(*) FILTER (WHERE applied)::int4 AS applied,
       (SELECT count(*)::int4 FROM events WHERE account_id = $1 AND type = 'message.delivered') AS events
     FROM receipts WHERE message_id = ANY($2)`,
    [owner.accountId, ids],
  );
  expect(rows).toEqual([{ receipts: 2 * FULL, applied: FULL, events: FULL }]);
  expect(await contradictions(owner.accountId)).toEqual([]);
});
