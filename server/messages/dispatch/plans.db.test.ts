/**
 * The plans of statements that find their rows by id, after a quiet hour: autovacuum has then written down that nothing is
 * pending, and a backlog has come since. A plan that trusts this walks the partial index of everything pending, once for
 * each job.
 */
import pg from "pg";
import { beforeAll, expect, test, vi } from "vitest";
import { accepted, prepareAttempts, record, report } from "@/e2e/support/attempts";
import { makeRoute } from "@/e2e/support/routes";
import { makeAccount } from "@/e2e/support/seed";
import { plainRequest } from "@/server/accounts/idempotency";
import { HOUR_MS } from "@/server/core/clock";
import { pool } from "@/server/core/db";
import { sendBulk } from "@/server/messages/accept/send";
import { applyReceipts } from "@/server/messages/receipts/apply-receipts";
import { createEndpoint } from "@/server/webhooks/service";
import { loadDue, parkDeliveries } from "@/server/webhooks/store";
import { type Attempt, begin, giveBack } from "./claims";
import { claimAttempts } from "./dispatch";
import { expireUnconfirmed, failStranded, requeueOrphans } from "./sweeps";

/** Messages of the job under test, and of the backlog that it must not walk. */
const OWN = 20;
const BACKLOG = 20_000;
/** Rows that a plan by id may read per own row and table: the row, its attempts, its account and sender. */
const READ_PER_ROW_MAX = 10;

/** `name`: of a statement without one, its text. */
type Statement = { name: string; text: string; values: unknown[] };

/** The statements with parameters that `work` runs, as they were sent. */
async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const sent = new Map<string, Statement>();
  const { query } = pg.Client.prototype;
  const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [config, values] = args as [Partial<Statement> | string | undefined, unknown];
    if (typeof config === "string" && Array.isArray(values)) sent.set(config, { name: config, text: config, values });
    else if (typeof config === "object" && config.text) {
      sent.set(config.name ?? config.text, { values: [], ...config, name: config.name ?? config.text } as Statement);
    }
    return (query as (...all: unknown[]) => unknown).apply(this, args) as never;
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return [...sent.values()];
}

type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Plan[];
};

/** Rows read from `relations`, kept or filtered away. */
function rowsRead(plan: Plan, relations: readonly string[]): number {
  const removed = (plan["Rows Removed by Filter"] ?? 0) + (plan["Rows Removed by Index Recheck"] ?? 0);
  const isRead = plan["Relation Name"] !== undefined && relations.includes(plan["Relation Name"]);
  const own =
    isRead && plan["Node Type"] !== "ModifyTable" ? (plan["Actual Rows"] + removed) * plan["Actual Loops"] : 0;
  return (plan.Plans ?? []).reduce((sum, child) => sum + rowsRead(child, relations), own);
}

/**
 * Rows of the lists by status that this connection has read and not reported yet, also in triggers, whose plans no statement
 * shows.
 */
const LISTS_READ = `SELECT (sum(seq_tup_read) + sum(idx_tup_fetch))::int4 AS read FROM pg_stat_xact_user_tables
  WHERE relname IN ('pending_messages', 'sent_messages', 'failed_messages')`;

/** Runs a statement, a named one in its generic plan, and takes back what it did. */
async function explain({ name, text, values }: Statement): Promise<{ plan: Plan; listsRead: number }> {
  const client = await pool().connect();
  try {
    await client.query("BEGIN");
    const before = await client.query<{ read: number }>(LISTS_READ);
    if (name !== text) await client.query("SET LOCAL plan_cache_mode = force_generic_plan");
    const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: Plan }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
      values,
    );
    const [plan] = rows;
    if (!plan) throw new Error("no plan");
    const after = await client.query<{ read: number }>(LISTS_READ);
    const listsRead = (after.rows[0]?.read ?? 0) - (before.rows[0]?.read ?? 0);
    return { plan: plan["QUERY PLAN"][0].Plan, listsRead };
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}

type Backlog = { ids: string[]; endpointId: string; deliveryIds: string[] };

let backlog: Backlog = { ids: [], endpointId: "", deliveryIds: [] };

/** Copies a message `BACKLOG` times, each to another number. */
const copyMessage = (id: string, status: string) =>
  pool().query(
    `INSERT INTO messages SELECT (jsonb_populate_record(m, jsonb_build_object('status', $2::text,
         'id', 'msg_' || substr(m.id, 5, 10) || $2 || lpad(n::text, 12, '0'), 'to_number', '+1415' || lpad(n::text, 7, '0')))).*
     FROM messages m, generate_series(1, $3) n WHERE m.id = $1`,
    [id, status, BACKLOG],
  );

const addDeliveries = async (endpointId: string, accountId: string, count: number): Promise<string[]> => {
  const { rows } = await pool().query<{ id: string }>(
    `INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, next_attempt_at, created_at)
     SELECT 'whd_' || gen_random_uuid(), $2, $1, 'evt_' || gen_random_uuid(), now(), now() FROM generate_series(1, $3)
     RETURNING id`,
    [endpointId, accountId, count],
  );
  return rows.map((row) => row.id);
};

beforeAll(async () => {
  await prepareAttempts();
  await makeRoute({ prefix: "1", chain: ["twilio"] });
  const account = await makeAccount();
  const send = async (): Promise<string[]> => {
    const recipients = Array.from({ length: OWN }, (_, at) => `+1628558${String(at).padStart(4, "0")}`);
    const input = { recipients, from: account.senderId, body: "Hi" };
    return (await sendBulk(account.actor, input, plainRequest())).messages.map((message) => message.id);
  };
  const lists = ["pending_messages", "sent_messages", "failed_messages"];
  for (const table of ["messages", "message_attempts", "webhook_deliveries", ...lists]) {
    await pool().query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
  }
  const { id: endpointId } = await createEndpoint(account.actor, { url: "https://93.184.215.14/hook" }, plainRequest());
  // A quiet hour: everything has ended, and the statistics say so.
  const [first = ""] = await send();
  await copyMessage(first, "delivered");
  await pool().query("UPDATE messages SET status = 'delivered' WHERE status = 'pending'");
  await addDeliveries(endpointId, account.accountId, BACKLOG);
  await pool().query("UPDATE webhook_deliveries SET status = 'delivered'");
  await pool().query(`VACUUM ANALYZE messages, message_attempts, webhook_deliveries, ${lists.join(", ")}`);
  // Then a backlog.
  await copyMessage(first, "pending");
  await copyMessage(first, "sent");
  await pool().query(
    `INSERT INTO message_attempts (message_id, seq, provider, started_at, worker_id)
     SELECT id, 1, 'vonage', now(), 'another' FROM messages WHERE status = 'pending'`,
  );
  await addDeliveries(endpointId, account.accountId, BACKLOG);
  backlog = { ids: await send(), endpointId, deliveryIds: await addDeliveries(endpointId, account.accountId, OWN) };
});

/** Rows of `relations` that each of the named statements reads, where that is more than a few per row of its own. */
async function excessiveReads(statements: Statement[], names: readonly string[], relations: readonly string[]) {
  const asked = statements.filter(({ name }) => names.includes(name));
  expect(asked.map(({ name }) => name).sort()).toEqual([...names].sort());
  const reads: { name: string; read: number }[] = [];
  for (const statement of asked) {
    const { plan, listsRead } = await explain(statement);
    reads.push({ name: statement.name, read: rowsRead(plan, relations) + listsRead });
  }
  return reads.filter(({ read }) => read > OWN * READ_PER_ROW_MAX);
}

test("dispatch, begin and give back find their messages and attempts by id", async () => {
  let claimed: Attempt[] = [];
  const statements = await statementsOf(async () => {
    claimed = await claimAttempts(backlog.ids);
    await Promise.all(claimed.map(begin));
    await giveBack(claimed);
  });
  for (const { slot } of claimed) slot?.release();
  expect(claimed).toHaveLength(OWN);
  const names = ["dispatch.candidates", "attempts.claim", "attempts.begin", "attempts.give_back"];
  expect(await excessiveReads(statements, names, ["messages", "message_attempts"])).toEqual([]);
});

test("moves and sweeps find their messages by id in the lists of their status", async () => {
  const at = "id-of-";
  const moves = await statementsOf(async () => {
    const claimed = await claimAttempts(backlog.ids);
    for (const { slot } of claimed) slot?.release();
    expect(claimed).toHaveLength(OWN);
    await Promise.all(claimed.map((attempt) => record(attempt, accepted(at + attempt.message.id))));
  });
  expect(await excessiveReads(moves, ["messages.move"], ["messages"])).toEqual([]);
  const ends = await statementsOf(() =>
    applyReceipts(
      "twilio",
      backlog.ids.map((id) => report(at + id, "delivered")),
    ),
  );
  expect(await excessiveReads(ends, ["messages.lock", "messages.move"], ["messages"])).toEqual([]);
  // Nothing of the backlog is old enough.
  const sweeps = await statementsOf(async () => {
    await requeueOrphans(HOUR_MS);
    await failStranded(HOUR_MS);
    await expireUnconfirmed(HOUR_MS);
  });
  const names = sweeps.map(({ name }) => name);
  expect(names).toHaveLength(3);
  expect(await excessiveReads(sweeps, names, ["messages", "message_attempts"])).toEqual([]);
});

test("a webhook job finds its deliveries by id", async () => {
  const { endpointId, deliveryIds } = backlog;
  const statements = await statementsOf(async () => {
    await loadDue({ endpointId, deliveryIds });
    await pool().query("UPDATE webhook_endpoints SET is_active = false WHERE id = $1", [endpointId]);
    await parkDeliveries(endpointId, deliveryIds);
  });
  const names = ["webhooks.load_due", "webhooks.park_deliveries"];
  expect(await excessiveReads(statements, names, ["webhook_deliveries"])).toEqual([]);
});
