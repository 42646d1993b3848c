import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { pool } from "@/server/core/db";
import type { Statement } from "@/test/database/plans";
import { statementsOfAMessage } from "@/test/database/statements-of-a-message";

const plan = readFileSync("deploy/citus.sql", "utf8");
const namesIn = (form: RegExp): string[] => [...plan.matchAll(form)].map(([, name = ""]) => name).sort();

const distributed = new Map(
  [...plan.matchAll(/create_distributed_table\('(\w+)', '(\w+)'/g)].map(([, table = "", column = ""]) => [
    table,
    column,
  ]),
);
const reference = namesIn(/create_reference_table\('(\w+)'/g);
const local = namesIn(/^-- local (\w+): \w/gm);
const unkeyed = namesIn(/^-- unkeyed (\w+): \w/gm);
const blocked = [...plan.matchAll(/^-- blocked (\w+): (\(.+\))$/gm)].map(([, table, key]) => `${table} ${key}`);

const TABLES = `SELECT c.relname AS name, array_agg(a.attname::text) AS columns
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND c.relname NOT LIKE '\\_%' GROUP BY 1`;

const UNIQUE_KEYS = `SELECT DISTINCT c.relname AS name,
    ARRAY(SELECT pg_get_indexdef(i.indexrelid, n, true) FROM generate_series(1, i.indnkeyatts) n) AS columns
  FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
  WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace AND NOT c.relispartition`;

type Columns = { name: string; columns: string[] };

describe("deploy/citus.sql", () => {
  test("gives every table one place, by a column that it has", async () => {
    const { rows } = await pool().query<Columns>(TABLES);
    const placed = [...distributed.keys(), ...reference, ...local, ...unkeyed];
    expect(placed.toSorted()).toEqual(rows.map(({ name }) => name).sort());
    for (const { name, columns } of rows) {
      const column = distributed.get(name);
      if (column) expect(columns, name).toContain(column);
      if (unkeyed.includes(name)) expect(columns, name).not.toContain("account_id");
    }
  });

  test("names every unique key that lacks the account, which Citus would refuse", async () => {
    const { rows } = await pool().query<Columns>(UNIQUE_KEYS);
    const lacking = rows.flatMap(({ name, columns }) => {
      const column = distributed.get(name);
      return column && !columns.includes(column) ? [`${name} (${columns.join(", ")})`] : [];
    });
    expect(lacking.sort()).toEqual(blocked.toSorted());
  });
});

/**
 * Statements on the way of a message that find rows of an account by something else. Each would ask every shard; one that no
 * longer does is taken off the list.
 */
const UNROUTED: Record<string, string> = {
  "dispatch.candidates": "messages by their ids, which is all that a job carries",
  "attempts.claim": "messages and attempts by the message's id",
  "attempts.finish": "attempts by the message's id and the claim",
  "attempts.of_messages": "attempts by the message's id",
  "messages.lock": "messages by their ids",
  "messages.move": "messages by their ids",
  "waiting.sender_rates": "the throughput limits of all senders, kept for a second",
  "receipts.confirm_attempts": "attempts by the message's id",
  "receipts.find_attempts": "attempts by the provider's id: a receipt names no account",
  "receipts.find_own_sendings": "attempts by our reference: a receipt names no account",
  "receipts.insert": "receipts, which have no account yet",
  "receipts.join": "receipts by the provider's id",
  "receipts.parked": "receipts by the provider's id",
  "webhooks.read_owner": "the account of an endpoint, kept for good",
  "webhooks.load_target": "the endpoint by its id, although its account is known",
  "webhooks.lock_endpoints": "endpoints by their ids",
  "webhooks.read_deliveries": "deliveries by their ids",
  "webhooks.update_endpoints": "endpoints by their ids",
};

/** Tables of accounts that a statement names. */
const tablesOf = ({ text }: Statement): string[] => [
  ...new Set(
    [...text.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE)\s+(?:ONLY\s+)?"?([a-z_]+)"?/gi)]
      .map(([, name = ""]) => name)
      .filter((name) => distributed.has(name) || unkeyed.includes(name)),
  ),
];

/** Names and aliases of stored tables in a statement; anything else that has an account was given with the statement. */
const storedNames = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE)\s+([a-z_]+)(?:\s+AS)?(?:\s+([a-z_]+)\b)?/g)].flatMap((match) =>
      match.slice(1).filter((name) => name !== undefined),
    ),
  );

/** The account compared with a value that was given, or written by an INSERT. A join of two stored tables routes nothing. */
function isRouted({ text }: Statement, tables: readonly string[]): boolean {
  if (tables.length === 1 && tables[0] === "accounts") return true;
  if (/\bINSERT INTO \w+(?: AS \w+)? \([^)]*\baccount_id\b/.test(text)) return true;
  if (/\baccount_id\s*(?:=\s*(?:\$|ANY)|IN\b)/.test(text)) return true;
  const stored = storedNames(text);
  return [...text.matchAll(/\b(\w+)\.(?:account_id|id)\s*=\s*(\w+)\.account_id\b/g)].some(
    ([, left = "", right = ""]) => !stored.has(left) || !stored.has(right),
  );
}

test("the statements on the way of a message name the account, or are known not to", async () => {
  const ofAccounts = (await statementsOfAMessage()).filter((statement) => tablesOf(statement).length > 0);
  expect(ofAccounts.length).toBeGreaterThan(15);
  const unrouted = ofAccounts.filter((statement) => !isRouted(statement, tablesOf(statement)));
  expect(unrouted.map(({ name }) => name).sort()).toEqual(Object.keys(UNROUTED).sort());
});
