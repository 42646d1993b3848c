/** The plans of statements that the service runs, and the rows that they read. */
import pg from "pg";
import { vi } from "vitest";
import { pool } from "@/server/core/db";
import { asSuperuser } from "./superuser";

/** `name`: the text, if the statement has no name. */
export type Statement = { name: string; text: string; values: unknown[] };

/** Statements that a timer sends some time after a change, possibly while other work is observed. */
const BY_TIMER: ReadonlySet<string> = new Set(["live.notify", "jobs.announce"]);

/** Records the statements with parameters that `work` sends. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
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
  return [...sent.values()].filter(({ name }) => !BY_TIMER.has(name));
}

export type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  "Rows Removed by Join Filter"?: number;
  "Shared Hit Blocks"?: number;
  "Shared Read Blocks"?: number;
  Plans?: Plan[];
};

/** Rows read from `relations`, kept or filtered out. */
export function rowsRead(plan: Plan, relations: readonly string[]): number {
  const removed = (plan["Rows Removed by Filter"] ?? 0) + (plan["Rows Removed by Index Recheck"] ?? 0);
  const isRead = plan["Relation Name"] !== undefined && relations.includes(plan["Relation Name"]);
  const own =
    isRead && plan["Node Type"] !== "ModifyTable" ? (plan["Actual Rows"] + removed) * plan["Actual Loops"] : 0;
  return (plan.Plans ?? []).reduce((sum, child) => sum + rowsRead(child, relations), own);
}

/**
 * Rows of the lists by status that this connection has read and not yet reported, including reads in triggers, whose plans no
 * statement shows.
 */
const LISTS_READ = `SELECT (sum(seq_tup_read) + sum(idx_tup_fetch))::int4 AS read FROM pg_stat_xact_user_tables
  WHERE relname IN ('pending_messages', 'sent_messages', 'failed_messages')`;

/** Missing from the driver's types. */
const { utils } = pg as unknown as { utils: { prepareValue: (value: unknown) => string | null } };

/** A value as the driver would send it, as an untyped literal. */
const literalOf = (value: unknown): string => {
  const text = utils.prepareValue(value);
  return text === null ? "NULL" : pg.escapeLiteral(String(text));
};

type Explained = { Plan: Plan; JIT?: object };

/** Prepares a statement, a named one for its generic plan, in a transaction that is rolled back, and has `work` explain it. */
async function withPrepared<Result>(
  { name, text, values }: Statement,
  settings: string,
  work: (client: pg.PoolClient, explainAs: (options: string) => Promise<Explained>) => Promise<Result>,
): Promise<Result> {
  const client = await pool().connect();
  try {
    await client.query("BEGIN");
    if (name !== text) await client.query("SET LOCAL plan_cache_mode = force_generic_plan");
    if (settings) await client.query(settings);
    // Explained directly, it would be planned for these values only.
    await client.query(`PREPARE explained AS ${text}`);
    const list = values.length > 0 ? `(${values.map(literalOf).join(", ")})` : "";
    return await work(client, async (options) => {
      const { rows } = await client.query<{ "QUERY PLAN": [Explained] }>(
        `EXPLAIN (${options}) EXECUTE explained${list}`,
      );
      const [explained] = rows[0]?.["QUERY PLAN"] ?? [];
      if (!explained) throw new Error("no plan");
      return explained;
    });
  } finally {
    await client.query("ROLLBACK");
    await client.query("DEALLOCATE explained").catch(() => undefined);
    client.release();
  }
}

/**
 * Runs a statement, a named one in its generic plan, and rolls it back.
 * @param settings of the connection that sends it, as SQL.
 * @returns `isCompiled`: whether the server compiled it first (JIT), which takes far longer than any of our statements.
 */
export const explain = (
  statement: Statement,
  settings = "",
): Promise<{ plan: Plan; isCompiled: boolean; listsRead: number }> =>
  withPrepared(statement, settings, async (client, explainAs) => {
    const before = await client.query<{ read: number }>(LISTS_READ);
    const { Plan: plan, JIT } = await explainAs("ANALYZE, FORMAT JSON");
    const after = await client.query<{ read: number }>(LISTS_READ);
    const listsRead = (after.rows[0]?.read ?? 0) - (before.rows[0]?.read ?? 0);
    return { plan, isCompiled: JIT !== undefined, listsRead };
  });

/** The plan of a statement, without running it; the generic plan of a named one. */
export const planOf = (statement: Statement): Promise<Plan> =>
  withPrepared(statement, "", async (_, explainAs) => (await explainAs("FORMAT JSON")).Plan);

/**
 * Blocks of tables and indexes that a statement, a named one in its generic plan, reads; it is rolled back.
 * @param settings of the connection that sends it, as SQL.
 */
export const blocksRead = (statement: Statement, settings = ""): Promise<number> =>
  withPrepared(statement, settings, async (_, explainAs) => {
    const { Plan: plan } = await explainAs("ANALYZE, BUFFERS, FORMAT JSON");
    return (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0);
  });

/** A statement that was run, or one within a function that it called. */
export type RunPlan = { text: string; plan: Plan };

const EXPLAIN_ALL = [
  "session_preload_libraries = 'auto_explain'",
  "auto_explain.log_min_duration = 0",
  "auto_explain.log_analyze = on",
  "auto_explain.log_timing = off",
  "auto_explain.log_format = 'json'",
  "auto_explain.log_level = 'notice'",
  "auto_explain.log_nested_statements = on",
  "plan_cache_mode = 'force_generic_plan'",
];

/**
 * The generic plans of all statements that `work` runs, including those in triggers, with their actual rows: the server explains them
 * as they run, so each meets the rows that it is meant for. Nothing may have opened a connection to the test's database before.
 */
export async function plansRun(work: () => Promise<unknown>): Promise<RunPlan[]> {
  for (const setting of EXPLAIN_ALL) {
    // A name cannot be a parameter of this statement.
    const [row] = await asSuperuser<{ text: string }>(
      "SELECT format('ALTER DATABASE %I SET ', current_database()) AS text",
    );
    await asSuperuser(`${row?.text}${setting}`);
  }
  const run: RunPlan[] = [];
  const note = ({ message = "" }: { message?: string }) => {
    if (!message.includes("plan:")) return;
    const { "Query Text": text, Plan: plan } = JSON.parse(message.slice(message.indexOf("{"))) as {
      "Query Text": string;
      Plan: Plan;
    };
    run.push({ text, plan });
  };
  const { connect } = pg.Client.prototype;
  const spy = vi.spyOn(pg.Client.prototype, "connect").mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    this.on("notice", note);
    return (connect as (...all: unknown[]) => unknown).apply(this, args) as never;
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return run;
}

/**
 * Rows of `relations` that all statements of `work` read, each with its values. PostgreSQL plans a named statement with its values at
 * first, and for any values later: the plan that reads more counts.
 */
export async function rowsReadBy(work: () => Promise<unknown>, relations: readonly string[]): Promise<number> {
  let read = 0;
  for (const statement of await statementsOf(work)) {
    const reads: number[] = [];
    for (const mode of ["force_custom_plan", "force_generic_plan"]) {
      const { plan } = await explain(statement, `SET LOCAL plan_cache_mode = ${mode}`);
      reads.push(rowsRead(plan, relations));
    }
    read += Math.max(...reads);
  }
  return read;
}
