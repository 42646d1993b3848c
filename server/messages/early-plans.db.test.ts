/**
 * The plans of a young installation. A connection keeps the plan of a named statement, and one made while a table had a
 * handful of rows would read all of it long after it has grown.
 */
import { expect, onTestFinished, test } from "vitest";
import { pool } from "@/server/core/db";
import { env } from "@/server/core/env";
import { sendMessage } from "@/server/messages/accept/send";
import { redactMessage } from "@/server/messages/redact";
import { type Plan, planOf, type Statement, statementsOf } from "@/test/database/plans";
import { makeAccount } from "@/test/database/seed";
import { statementsOfAMessage } from "@/test/database/statements-of-a-message";

/** Tables that gain or lose rows with every message. */
const GROWING = [
  ...["messages", "message_attempts", "attempt_parts", "receipts", "events", "webhook_deliveries", "webhook_tries"],
  ...["pending_messages", "sent_messages", "failed_messages", "waiting_messages", "ledger_entries"],
  ...["idempotency_keys", "inbound_messages", "message_metadata", "request_log"],
];

/** Of an index that begins with the account: all that the account has. */
const ALL_OF_AN_ACCOUNT = /^\(account_id = [^()]+\)$/;

const tablesReadWhole = (plan: Plan): string[] => {
  const isWhole =
    plan["Node Type"] === "Seq Scan" ||
    (plan["Node Type"] === "Index Scan" && ALL_OF_AN_ACCOUNT.test(plan["Index Cond"] ?? ""));
  return [...(isWhole ? [plan["Relation Name"] ?? ""] : []), ...(plan.Plans ?? []).flatMap(tablesReadWhole)];
};

/** Tables that statements of some work read as a whole, or of which they read all that an account has. */
async function readWholeBy(statements: readonly Statement[]): Promise<string[]> {
  await pool().query(`VACUUM ANALYZE ${GROWING.join(", ")}`);
  const found: string[] = [];
  for (const statement of statements) {
    const whole = tablesReadWhole(await planOf(statement)).filter((table) => GROWING.includes(table));
    if (whole.length > 0) found.push(`${statement.name}: ${whole}`);
  }
  return found;
}

test("no statement of a message's life reads a whole table, or all of an account, although each is small when it is planned", async () => {
  const statements = await statementsOfAMessage();
  expect(statements.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["attempts.claim", "messages.move", "receipts.find_attempts", "webhooks.load_due"]),
  );
  expect(await readWholeBy(statements)).toEqual([]);
});

test("nor does one of a repeated send or of a redaction", async () => {
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
