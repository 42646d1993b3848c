/**
 * Tests with a transaction that stays open: tables with short-lived rows then consist mostly of dead versions. They have few live rows,
 * so every index seems suitable.
 */

import { expect, test } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { HOUR_MS } from "@/server/core/clock";
import { pool, transaction } from "@/server/core/db";
import { claimAttempts } from "@/test/database/attempts";
import { besideOpenTransaction } from "@/test/database/dead-versions";
import { blocksRead, explain, rowsRead, statementsOf } from "@/test/database/plans";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";
import { statementsOfAMessage } from "@/test/database/statements-of-a-message";
import { sendBulk, sendMessage } from "./accept/send";
import { cancelMessage } from "./changes/cancel";
import { rescheduleMessage } from "./changes/reschedule";
import { type Attempt, giveBack } from "./dispatch/claims";
import { failExpired } from "./dispatch/expire";
import { enqueueThrottled } from "./dispatch/throttle-queue";

const DEAD = 20_000;
/** Blocks that a statement may read: a few for each of its look-ups. Dead versions fill hundreds in each table. */
const BLOCKS_MAX = 120;
/** Blocks of a look-up in one index. */
const BLOCKS_PER_KEY_MAX = 8;
const OWN = 20;

/** Statements that leave {@link DEAD} versions in each of the tables that rows pass through. */
const CHURN: [string, string, ...string[]] = [
  `INSERT INTO pending_messages (account_id, message_id, created_at)
   SELECT 'acc_', 'msg_' || lpad(n::text, 26, '0'), now() - n * interval '1 millisecond' FROM generate_series(1, ${DEAD}) n`,
  "DELETE FROM pending_messages WHERE account_id = 'acc_'",
  `INSERT INTO sent_messages (account_id, message_id, created_at, sent_at)
   SELECT 'acc_', 'msg_' || lpad(n::text, 26, '0'), now(), now() FROM generate_series(1, ${DEAD}) n`,
  "DELETE FROM sent_messages WHERE account_id = 'acc_'",
  `INSERT INTO waiting_messages (message_id, provider, account_id, sender, segments, seq, tag, created_at)
   SELECT 'msg_' || lpad(n::text, 26, '0'), 'sandbox', 'acc_', 'SHOP', 1, 1, n, now() FROM generate_series(1, ${DEAD}) n`,
  "DELETE FROM waiting_messages",
  `INSERT INTO message_attempts (message_id, seq, provider, started_at, begun_at, worker_id)
   SELECT 'msg_' || lpad(n::text, 26, '0'), 1, 'sandbox', now(), now(), 'worker' FROM generate_series(1, ${DEAD}) n`,
  "UPDATE message_attempts SET outcome = 'accepted' WHERE worker_id = 'worker'",
  `INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, next_attempt_at, created_at)
   SELECT 'whd_' || gen_random_uuid(), account_id, id, 'evt_' || gen_random_uuid(), now(), now()
   FROM webhook_endpoints, generate_series(1, ${DEAD})`,
  "UPDATE webhook_deliveries SET status = 'delivered'",
  `INSERT INTO receipts (id, provider, provider_message_id, status, occurred_at, received_at)
   SELECT 'rcp_' || gen_random_uuid(), 'sandbox', gen_random_uuid(), 'delivered', now(), now() FROM generate_series(1, ${DEAD})`,
  "UPDATE receipts SET message_id = 'msg_' WHERE message_id IS NULL",
];

/** Statements that cannot be sent twice: their rows exist. */
const DONE_ONCE = /^(messages\.insert|accounts\.post_money|receipts\.insert|webhooks\.insert_(events|deliveries))$/;

test("no statement of a message's life reads dead versions", async () => {
  const sent = await statementsOfAMessage();
  // graphile-worker's statements are tested with worker/queue-statements.ts.
  const statements = sent.filter(({ name }) => !name.includes("graphile_worker") && !DONE_ONCE.test(name));
  expect(statements.length).toBeGreaterThan(25);
  await besideOpenTransaction(CHURN, async () => {
    const found: string[] = [];
    for (const statement of statements) {
      const blocks = await blocksRead(statement);
      if (blocks > BLOCKS_MAX) found.push(`${statement.name}: ${blocks}`);
    }
    expect(found.join(", ")).toBe("");
  });
});

/** Messages of one account that are pending. */
async function pendingMessages(count: number): Promise<string[]> {
  await makeRoute();
  const account = await makeAccount();
  const recipients = Array.from({ length: count }, (_, at) => `+1628559${String(at).padStart(4, "0")}`);
  const input = { recipients, from: account.senderId, body: "Hi" };
  return (await sendBulk(account.actor, input, plainRequest())).messages.map(({ id }) => id);
}

test("a message that moves on is removed from the list of its status by one key", async () => {
  const ids = await pendingMessages(OWN);
  const client = await pool().connect();
  // Statements of triggers are not explained.
  const indexBlocks = async () => {
    await client.query("SELECT pg_stat_force_next_flush()");
    const { rows } = await client.query<{ blocks: number }>(
      "SELECT sum(idx_blks_hit + idx_blks_read)::int4 AS blocks FROM pg_statio_user_indexes WHERE relname = 'pending_messages'",
    );
    return rows[0]?.blocks ?? 0;
  };
  try {
    const [add, remove] = CHURN;
    await besideOpenTransaction([add, remove, "DELETE FROM pending_messages"], async () => {
      await pool().query("UPDATE messages SET status = 'pending' WHERE id = ANY($1::text[])", [ids]);
      const before = await indexBlocks();
      await client.query("UPDATE messages SET status = 'delivered' WHERE id = ANY($1::text[])", [ids]);
      expect((await indexBlocks()) - before).toBeLessThan(OWN * BLOCKS_PER_KEY_MAX);
    });
  } finally {
    client.release();
  }
});

/** Statements that leave {@link DEAD} versions of messages of as many accounts. */
const OF_MANY_ACCOUNTS = [
  `INSERT INTO pending_messages (account_id, message_id, created_at)
   SELECT 'many_' || n, 'msg_' || lpad(n::text, 26, '0'), now() FROM generate_series(1, ${DEAD}) n`,
  "DELETE FROM pending_messages WHERE account_id LIKE 'many%'",
];

test("a change of an accepted message reads no dead versions of other accounts", async () => {
  await makeRoute();
  const account = await makeAccount();
  const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();
  const send = () => {
    const input = { to: "+16285590100", from: account.senderId, body: "Hi", send_at: ahead(HOUR_MS) };
    return sendMessage(account.actor, input, plainRequest());
  };
  const [canceled, moved] = [await send(), await send()];
  const statements = await statementsOf(async () => {
    await cancelMessage(account.actor, canceled.id);
    await rescheduleMessage(account.actor, moved.id, { send_at: ahead(2 * HOUR_MS), quiet_hours: undefined });
    // Not one of the service's statements: it has no parameters, so it is not recorded.
    await pool().query(
      `UPDATE pending_messages SET expires_at = created_at - interval '1 day' WHERE message_id = '${moved.id}'`,
    );
    await failExpired();
  });
  const names = statements.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(["attempts.withdraw", "messages.reschedule_pending", "messages.expired"]),
  );
  await besideOpenTransaction(OF_MANY_ACCOUNTS, async () => {
    const found: string[] = [];
    for (const statement of statements.filter(({ name }) => !DONE_ONCE.test(name))) {
      const blocks = await blocksRead(statement);
      if (blocks > BLOCKS_MAX) found.push(`${statement.name}: ${blocks}`);
    }
    expect(found.join(", ")).toBe("");
  });
});

test("a job of messages reads their account's row, which has a version per charge, only once", async () => {
  const ids = await pendingMessages(OWN);
  const statements = await statementsOf(async () => {
    const claimed = await claimAttempts(ids);
    expect(claimed).toHaveLength(OWN);
    for (const { slot } of claimed) slot?.release();
    await giveBack(claimed);
  });
  const candidates = statements.find(({ name }) => name === "dispatch.candidates");
  if (!candidates) throw new Error("The messages were not read.");
  const { plan } = await explain(candidates);
  expect(rowsRead(plan, ["accounts"])).toBe(1);
});

test("a message enters the throttle queue without reading those of its account that have left it", async () => {
  const claimed = await claimAttempts(await pendingMessages(1));
  for (const { slot } of claimed) slot?.release();
  await giveBack(claimed);
  const [{ provider, accountId }] = claimed as [Attempt];
  const statements = await statementsOf(() => transaction((tx) => enqueueThrottled(tx, claimed)));
  const enter = statements.find(({ name }) => name === "waiting.enter") ?? expect.fail();
  const churn = [
    `INSERT INTO waiting_messages (message_id, provider, account_id, sender, segments, seq, tag, created_at)
     SELECT n::text, '${provider}', '${accountId}', 'SHOP', 1, 1, n, now() FROM generate_series(1, ${DEAD}) n`,
    "DELETE FROM waiting_messages",
    `INSERT INTO pace_buckets (id, tokens, refilled_at, virtual_time) VALUES ('provider:${provider}', 0, now(), ${DEAD})
     ON CONFLICT (id) DO UPDATE SET virtual_time = ${DEAD}`,
  ];
  await besideOpenTransaction(churn, async () => {
    const inOrder =
      "SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off; SET LOCAL enable_bitmapscan = off";
    expect(await blocksRead(enter, inOrder)).toBeLessThan(BLOCKS_MAX);
  });
});
