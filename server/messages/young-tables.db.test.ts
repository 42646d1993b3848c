/** Tests the plans of tables that have never been analyzed, as in the first minutes of an installation. */
import { expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { applyReceipts } from "@/server/messages/receipts/apply-receipts";
import { accepted, claimed, prepareAttempts, record, report } from "@/test/database/attempts";
import { type Plan, planOf, type Statement, statementsOf } from "@/test/database/plans";
import { statementsOfAMessage } from "@/test/database/statements-of-a-message";

/** Tables that grow with messages. */
const GROWING = [
  ...["messages", "message_attempts", "attempt_parts", "receipts", "events", "webhook_deliveries", "webhook_tries"],
  ...["ledger_entries", "idempotency_keys", "inbound_messages", "message_metadata"],
];

/** Indexes of these tables of which a plan reads all entries, except partial ones, which have few. */
async function readFromEndToEnd(statement: Statement): Promise<string[]> {
  const { rows } = await pool().query<{ name: string }>(
    "SELECT indexrelid::regclass::text AS name FROM pg_index WHERE indpred IS NOT NULL",
  );
  const partial = new Set(rows.map(({ name }) => name));
  const find = (plan: Plan): string[] => {
    const { "Index Name": index, "Relation Name": table = "", "Index Cond": condition } = plan;
    const isWhole = index !== undefined && GROWING.includes(table) && condition === undefined && !partial.has(index);
    return [...(isWhole ? [index] : []), ...(plan.Plans ?? []).flatMap(find)];
  };
  const found = find(await planOf(statement));
  return found.length > 0 ? [`${statement.name}: ${found}`] : [];
}

const each = async (statements: readonly Statement[]): Promise<string[]> =>
  (await Promise.all(statements.map(readFromEndToEnd))).flat();

test("no statement of a message's life reads a table from end to end", async () => {
  const statements = await statementsOfAMessage();
  expect(statements.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["messages.move", "receipts.find_attempts"]),
  );
  expect(await each(statements)).toEqual([]);
});

test("no statement for the receipts of a message's parts reads a table from end to end", async () => {
  await prepareAttempts();
  const message = await claimed("x".repeat(400));
  const ids = ["a", "b", "c"].map((part) => `${message.id}-${part}`);
  await record(message.first, accepted(...ids));
  const statements = await statementsOf(async () => {
    for (const id of ids) await applyReceipts(message.first.provider, [report(id, "delivered")]);
  });
  expect(statements.map(({ name }) => name)).toContain("parts.of_messages");
  expect(await each(statements)).toEqual([]);
});

test("autovacuum skips the growing tables until a thousand rows have changed", async () => {
  const { rows } = await pool().query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relname = ANY($1)
       AND reloptions @> '{autovacuum_analyze_threshold=1000,autovacuum_vacuum_threshold=1000}'`,
    [GROWING],
  );
  expect(rows.map(({ name }) => name).sort()).toEqual(GROWING.toSorted());
});
