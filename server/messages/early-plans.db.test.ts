/**
 * Tests of the plans of a young installation. A connection keeps the plan of a named statement: one made while a table had a handful of
 * rows might read the whole table long after it has grown.
 */
import { expect, onTestFinished, test } from "vitest";
import { pool, transaction } from "@/server/core/db";
import { env } from "@/server/core/env";
import { sendMessage } from "@/server/messages/accept/send";
import { redactMessage } from "@/server/messages/changes/redact";
import { begin } from "@/server/messages/dispatch/claims";
import { findMessage } from "@/server/messages/history";
import { findUnderWay } from "@/server/messages/receipts/early-receipts";
import { withoutForeign } from "@/server/messages/receipts/unverified-receipts";
import { recoverDeliveries } from "@/server/webhooks/history/recover";
import { loadDue } from "@/server/webhooks/store";
import { claimed, prepareAttempts } from "@/test/database/attempts";
import { type Plan, planOf, type Statement, statementsOf } from "@/test/database/plans";
import { makeAccount } from "@/test/database/seed";
import { statementsOfAMessage } from "@/test/database/statements-of-a-message";
import { asSuperuser } from "@/test/database/superuser";
import { startWebhook } from "@/test/database/webhooks";

/** Tables that gain or lose rows with every message. */
const GROWING = [
  ...["messages", "message_attempts", "attempt_parts", "receipts", "events", "webhook_deliveries", "webhook_tries"],
  ...["pending_messages", "sent_messages", "failed_messages", "waiting_messages", "ledger_entries"],
  ...["idempotency_keys", "inbound_messages", "message_metadata", "request_log"],
];

/** The condition of an index that begins with the account, when it reads everything of the account. */
const ALL_OF_AN_ACCOUNT = /^\(account_id = [^()]+\)$/;

const tablesReadWhole = (plan: Plan): string[] => {
  const isWhole =
    plan["Node Type"] === "Seq Scan" ||
    (plan["Node Type"] === "Index Scan" && ALL_OF_AN_ACCOUNT.test(plan["Index Cond"] ?? ""));
  return [...(isWhole ? [plan["Relation Name"] ?? ""] : []), ...(plan.Plans ?? []).flatMap(tablesReadWhole)];
};

/** The columns of each index without expressions, in its order. */
async function readIndexes(): Promise<Map<string, string[]>> {
  const { rows } = await pool().query<{ name: string; columns: string[] }>(
    `SELECT i.indexrelid::regclass::text AS name, array_agg(a.attname::text ORDER BY a.attnum) AS columns
     FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indexrelid AND a.attnum <= i.indnkeyatts
     WHERE i.indexprs IS NULL GROUP BY 1`,
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}

/** Left sides of an index's conditions. */
const COMPARED = /\((\w+) (?:=|<|>|IS)/g;

/** First columns of indexes that have one or few values while a table is small; statistics follow as soon as there are more. */
const OWNERS = ["account_id", "endpoint_id"];

/**
 * Indexes of which a column is compared but an earlier one is not, unless that is only the owner's: since PostgreSQL 18 they are searched
 * once for each value of the earlier column (skip scan).
 */
function indexesSkipped(plan: Plan, indexes: ReadonlyMap<string, string[]>): string[] {
  const name = plan["Index Name"] ?? "";
  const compared = new Set([...(plan["Index Cond"] ?? "").matchAll(COMPARED)].map(([, column]) => column));
  const [first = "", ...others] = indexes.get(name) ?? [];
  const isFound = (column: string) => compared.has(column);
  const behind = isFound(first) || OWNERS.includes(first) ? others.map(isFound) : [false, ...others.map(isFound)];
  const isSkipped = behind.includes(false) && behind.lastIndexOf(true) > behind.indexOf(false);
  return [...(isSkipped ? [name] : []), ...(plan.Plans ?? []).flatMap((child) => indexesSkipped(child, indexes))];
}

/**
 * Tables that the statements read completely, or of which they read everything of an account, and indexes that they search more than
 * once for a key.
 */
async function readWholeBy(statements: readonly Statement[]): Promise<string[]> {
  await pool().query(`VACUUM ANALYZE ${GROWING.join(", ")}`);
  const indexes = await readIndexes();
  const found: string[] = [];
  for (const statement of statements) {
    const plan = await planOf(statement);
    const read = [
      ...tablesReadWhole(plan).filter((table) => GROWING.includes(table)),
      ...indexesSkipped(plan, indexes),
    ];
    if (read.length > 0) found.push(`${statement.name}: ${read}`);
  }
  return found;
}

test("no statement of a message's life reads a whole table, or all rows of an account, even if planned while the tables are small", async () => {
  const statements = await statementsOfAMessage();
  expect(statements.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["attempts.claim", "messages.move", "receipts.find_attempts", "webhooks.load_due"]),
  );
  expect(await readWholeBy(statements)).toEqual([]);
});

test("no statement of a repeated send or of a redaction reads a whole table, or all rows of an account", async () => {
  env().REQUEST_LOG_TEXTS = true;
  onTestFinished(() => {
    env().REQUEST_LOG_TEXTS = false;
  });
  const account = await makeAccount();
  const idempotency = { key: "one", requestHash: "h" };
  const send = () =>
    sendMessage(
      account.actor,
      { to: "+15550100006", from: account.senderId, body: "Hello" },
      { idempotency: () => idempotency, responseHeaders: {} },
    );
  const { id } = await send();
  await pool().query("UPDATE messages SET status = 'failed', failed_at = now() WHERE id = $1", [id]);
  const statements = await statementsOf(async () => {
    await send();
    await redactMessage(account.actor, id);
  });
  expect(statements.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["messages.with_text", "messages.redact", "request_log.of_message"]),
  );
  expect(await readWholeBy(statements)).toEqual([]);
});

test("no whole table is read to begin an attempt that waited, or to look up receipts that may belong to another message", async () => {
  await prepareAttempts();
  const { id, first } = await claimed();
  const from = { provider: first.provider, providerMessageId: "1", isVerified: false };
  const receipt = { ...from, id: "receipt", report: { status: "delivered" as const, recipient: first.message.to } };
  const statements = await statementsOf(async () => {
    await begin(first);
    await transaction(async (tx) => {
      await findUnderWay(tx, [{ ...from, id: "receipt", number: first.message.to }]);
      await withoutForeign(tx, [receipt as never], new Map([["receipt", { messageId: id } as never]]));
    });
  });
  expect(statements.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["attempts.begin", "receipts.under_way", "receipts.recipients"]),
  );
  expect(await readWholeBy(statements)).toEqual([]);
});

test("no whole table is read to recover an endpoint's deliveries", async () => {
  const { account, endpoint, receiver } = await startWebhook();
  await receiver.close();
  const statements = await statementsOf(() =>
    recoverDeliveries(account.actor, { id: endpoint.id, since: "2026-01-01T00:00:00Z" }),
  );
  expect(statements.map(({ name }) => name)).toContain("webhooks.recover_deliveries");
  expect(await readWholeBy(statements)).toEqual([]);
});

test("a connection that has seen the indexes while they were small skips no index column", async () => {
  // A connection remembers the height of an index until it uses it, so an unused index seems low and cheap.
  await pool().query("TRUNCATE messages CASCADE");
  const [get, due] = await statementsOf(async () => {
    await findMessage((await makeAccount()).actor, "msg_1").catch(() => undefined);
    await loadDue("acc_1", { endpointId: "whe_1", deliveryIds: ["dlv_1"], attemptsMade: 0, round: 0 });
  }).then((all) => all.filter(({ name }) => name === "messages.get" || name === "webhooks.load_due"));
  if (!get || !due) throw new Error("not sent");
  const insert = (first: number, last: number) =>
    asSuperuser(
      `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, cost_micros, currency, chain, status, created_at)
       SELECT 'msg_' || lpad(n::text, 26, '0'), a.id, '+15550100006', 'T', 'Hello', 'gsm7', 1, 1, 'EUR', '{sandbox}', 'delivered', now()
       FROM (SELECT id FROM accounts LIMIT 1) a, generate_series($1::int4, $2::int4) n`,
      [first, last],
    );
  await insert(1, 1);
  await planOf(get);
  await insert(2, 2_000);
  await pool().query("SELECT 1 FROM messages WHERE id = $1", ["msg_1"]);
  const indexes = await readIndexes();
  expect(indexesSkipped(await planOf(get), indexes)).toEqual([]);
  expect(indexesSkipped(await planOf(due), indexes)).toEqual([]);
});
