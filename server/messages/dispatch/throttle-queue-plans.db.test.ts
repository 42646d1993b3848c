/**
 * Tests of the throttle queue's plans with outdated statistics: autovacuum last saw the queue empty, or with another provider's
 * messages, and a long queue has formed since.
 */
import { beforeAll, beforeEach, expect, test } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { HOUR_MS, MINUTE_MS } from "@/server/core/clock";
import { pool, transaction } from "@/server/core/db";
import { sendMessage } from "@/server/messages/accept/send";
import { providerTable } from "@/server/providers/registry";
import { claimAttempts, prepareAttempts } from "@/test/database/attempts";
import { copyMessage } from "@/test/database/messages/copies";
import { explain, type Plan, planOf, rowsRead, type Statement, statementsOf } from "@/test/database/plans";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { asSuperuser } from "@/test/database/superuser";
import { rerouteUnavailable } from "./provider-unavailable";
import { failStranded } from "./sweeps";
import { claimFromThrottleQueue, drainThrottleQueue, enqueueThrottled } from "./throttle-queue";
import { nextInQueue, queuedSenders } from "./throttle-queue-order";

const QUEUED = 20_000;
const TAKEN = 20;
/** Rows of the queue that a statement may read for each message that it takes. */
const READ_PER_MESSAGE_MAX = 10;

let account: TestAccount;

beforeAll(async () => {
  await prepareAttempts();
  account = await makeAccount();
  const input = { to: "+14155550123", from: account.senderId, body: "Hi" };
  const { id } = await sendMessage(account.actor, input, plainRequest());
  for (const table of ["messages", "waiting_messages"]) {
    await pool().query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  }
  await pool().query("ALTER TABLE waiting_messages SET (vacuum_truncate = off)");
  await copyMessage(id, QUEUED, {
    id: "'msg_' || substr(m.id, 5, 14) || lpad(n::text, 12, '0')",
    to_number: "'+1415' || lpad(n::text, 7, '0')",
  });
  await pool().query("VACUUM ANALYZE messages");
});

beforeEach(() => asSuperuser("TRUNCATE waiting_messages, message_attempts"));

/** Queues all messages at a provider, those with lower ids behind the others. */
const queueAt = (provider: string) =>
  pool().query(
    `INSERT INTO waiting_messages (message_id, provider, account_id, sender, segments, seq, tag, created_at)
     SELECT id, $1, account_id, from_sender, 1, 1, n, now() - n * interval '20 milliseconds'
     FROM (SELECT *, row_number() OVER (ORDER BY id DESC) AS n FROM messages) m`,
    [provider],
  );

/** Content of the table when the statistics were made, before the queue at `twilio`. */
const FORMER: Record<string, () => Promise<unknown>> = {
  "an empty queue": async () => undefined,
  "another provider's queue": () => queueAt("vonage"),
  // Vacuum leaves empty pages if somebody holds a lock on the table at that moment.
  "pages without rows": async () => {
    await queueAt("twilio");
    await pool().query("DELETE FROM waiting_messages");
  },
  "a few messages of this provider": async () => {
    await queueAt("twilio");
    await pool().query("DELETE FROM waiting_messages WHERE tag > 3");
  },
};

async function queueBehind(former: string): Promise<void> {
  await FORMER[former]?.();
  await pool().query("VACUUM ANALYZE waiting_messages");
  await pool().query("DELETE FROM waiting_messages");
  await queueAt("twilio");
}

/** Sent by `inOrderOfIndex`, with these settings. */
const SORTING_OFF =
  "SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off; SET LOCAL enable_bitmapscan = off";
const IN_ORDER = new Set([
  "waiting.next",
  "waiting.next_beside",
  "waiting.empty",
  "waiting.enter",
  "unavailable.release",
  "unavailable.give_up",
]);

/** How a plan reads the queue: the indexes that it uses, or the kind of step that uses none. */
const waysToQueue = (plan: Plan): string[] => [
  ...(plan["Relation Name"] === "waiting_messages" ? [plan["Index Name"] ?? plan["Node Type"]] : []),
  ...(plan.Plans ?? []).flatMap(waysToQueue),
];

/** The statements that read more than a few rows of the queue per message, planned with and without their values. */
async function excessiveReads(statements: readonly Statement[]) {
  const reads: { name: string; kind: string; read: number }[] = [];
  for (const statement of statements) {
    for (const [kind, planned] of [
      ["generic", statement],
      ["custom", { ...statement, name: statement.text }],
    ] as const) {
      const { plan } = await explain(planned, IN_ORDER.has(statement.name) ? SORTING_OFF : "");
      reads.push({ name: statement.name, kind, read: rowsRead(plan, ["waiting_messages"]) });
    }
  }
  return reads.filter(({ read }) => read > TAKEN * READ_PER_MESSAGE_MAX);
}

test.each(Object.keys(FORMER))(
  "serving and emptying read the head of the queue, with statistics of %s",
  async (former) => {
    await queueBehind(former);
    const statements = await statementsOf(async () => {
      expect(await claimFromThrottleQueue("twilio", TAKEN)).toHaveLength(TAKEN);
      expect(await drainThrottleQueue("twilio", TAKEN)).toBe(TAKEN);
      expect(await transaction((tx) => nextInQueue(tx, "twilio", ["a blocked sender"], TAKEN))).toHaveLength(TAKEN);
    });
    const ofQueue = statements.filter(({ text }) => text.includes("waiting_messages"));
    expect(ofQueue.map(({ name }) => name)).toEqual([
      "waiting.next",
      "waiting.leave",
      "waiting.empty",
      "waiting.next_beside",
    ]);
    expect(await excessiveReads(ofQueue)).toEqual([]);
  },
);

test.each(Object.keys(FORMER))(
  "rerouting and giving up read the messages that are next by age, with statistics of %s",
  async (former) => {
    await queueBehind(former);
    await pool().query(
      "UPDATE waiting_messages SET created_at = created_at - interval '10 minutes' WHERE message_id IN (SELECT message_id FROM waiting_messages ORDER BY created_at LIMIT $1)",
      [TAKEN],
    );
    // No money was reserved for the copied messages.
    await pool().query("UPDATE accounts SET held_micros = 1000000000");
    const table = await providerTable();
    const state = { ...(table.stateOf("twilio") ?? expect.fail()), unavailableForMs: 11 * MINUTE_MS };
    const statements = await statementsOf(() => rerouteUnavailable(state, table, { once: TAKEN, call: TAKEN }));
    const ofQueue = statements.filter(({ name }) => name.startsWith("unavailable."));
    expect(ofQueue.map(({ name }) => name)).toEqual(["unavailable.release", "unavailable.give_up"]);
    expect(await excessiveReads(ofQueue)).toEqual([]);
  },
);

test.each(Object.keys(FORMER))(
  "entering reads the end of the account's queue, with statistics of %s",
  async (former) => {
    await queueBehind(former);
    await pool().query("DELETE FROM waiting_messages WHERE tag <= $1", [TAKEN]);
    const { rows } = await pool().query<{ id: string }>("SELECT id FROM messages ORDER BY id DESC LIMIT $1", [TAKEN]);
    const attempts = await claimAttempts(rows.map(({ id }) => id));
    for (const { slot } of attempts) slot?.release();
    await pool().query("DELETE FROM message_attempts");
    const [enter, ...more] = await statementsOf(() =>
      transaction((tx) =>
        enqueueThrottled(
          tx,
          attempts.map((attempt) => ({ ...attempt, provider: "twilio" })),
        ),
      ),
    );
    if (!enter || more.length > 0) throw new Error("not one statement");
    await pool().query("DELETE FROM waiting_messages WHERE message_id = ANY($1::text[])", [rows.map(({ id }) => id)]);
    expect(await excessiveReads([enter])).toEqual([]);
  },
);

test.each(Object.keys(FORMER))(
  "dispatch and sweeps look up messages in the queue by their ids, with statistics of %s",
  async (former) => {
    await queueBehind(former);
    const { rows } = await pool().query<{ id: string }>("SELECT id FROM messages ORDER BY id LIMIT $1", [TAKEN]);
    const statements = await statementsOf(async () => {
      await claimAttempts(rows.map(({ id }) => id));
      await failStranded(HOUR_MS);
    });
    const ways: Record<string, string[]> = {};
    for (const statement of statements) ways[statement.name] = waysToQueue(await planOf(statement));
    expect(ways).toMatchObject({
      "dispatch.candidates": ["waiting_messages_pkey"],
      "sweeps.look": ["waiting_messages_pkey"],
    });
  },
);

test.each(Object.keys(FORMER))("a sender's place in the queue is looked up, with statistics of %s", async (former) => {
  await queueBehind(former);
  const senders = [{ accountId: account.accountId, sender: account.senderId }];
  const [statement] = await statementsOf(() => transaction((tx) => queuedSenders(tx, "twilio", senders)));
  if (!statement) throw new Error("not sent");
  expect(await excessiveReads([statement])).toEqual([]);
});
