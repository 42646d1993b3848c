import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaClient } from "@/prisma/generated/client";
import { env } from "./env";
import { errorFields, log } from "./log";
import { onShutdown, perProcess } from "./process";

/** Whatever runs SQL: a transaction or the pool itself. */
export type Queryable = Pick<pg.Pool, "query">;

/** A transaction under way. Hot paths write SQL through it; everything else uses {@link prisma}. */
export type Tx = Queryable;

const INT8_OID = 20;

/** Money and counters are int8: read them as bigint, never as a float that loses cents. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === INT8_OID && format !== "binary" ? (text: string) => BigInt(text) : pg.types.getTypeParser(oid, format),
};

/** The process's one pool, shared by hand-written SQL and Prisma. */
export const pool = (): pg.Pool =>
  perProcess("db.pool", () => {
    const made = new pg.Pool({
      connectionString: env().DATABASE_URL,
      max: env().DATABASE_POOL_SIZE,
      idleTimeoutMillis: 60_000,
      connectionTimeoutMillis: 10_000,
      // A database host that falls silent, or a lock whose holder did, must cost seconds, not TCP's quarter of an hour.
      keepAlive: true,
      query_timeout: 30_000,
      statement_timeout: 25_000,
      lock_timeout: 10_000,
      idle_in_transaction_session_timeout: 15_000,
      types,
      pipeline: true,
    });
    // A connection that dies is replaced at the next query; without listeners its error would end the process.
    const noteLoss = (thrown: Error) => log("warn", "db.connection_lost", errorFields(thrown));
    made.on("error", noteLoss);
    made.on("connect", (client) => client.on("error", noteLoss));
    onShutdown(() => made.end());
    return made;
  });

/** The process's one Prisma client. */
export const prisma = (): PrismaClient =>
  perProcess("db.prisma", () => new PrismaClient({ adapter: new PrismaPg(pool()) }));

/** Takes a write whose result nobody needs: it goes to the database ahead of COMMIT without being waited for. */
export type Defer = (write: Promise<unknown>) => void;

/** PostgreSQL's codes for a transaction that lost against another, or waited too long for it, and may be run again. */
const RUN_AGAIN = new Set(["40P01", "40001", "55P03"]);
const RUNS_MAX = 4;

const codeOf = (thrown: unknown): string =>
  typeof thrown === "object" && thrown !== null && "code" in thrown ? String(thrown.code) : "";

/**
 * Runs `work` in one transaction: committed when it returns, rolled back when it throws or a deferred write fails.
 * Statements are pipelined: BEGIN travels with the first one, COMMIT with the deferred ones, so a transaction costs as
 * many round trips as it has results to wait for.
 * `work` is run again when the database chose it as the victim of a deadlock, so it must not care how often it runs.
 */
export async function transaction<T>(work: (tx: Tx, defer: Defer) => Promise<T>): Promise<T> {
  for (let run = 1; ; run += 1) {
    try {
      return await runOnce(work);
    } catch (thrown) {
      if (run === RUNS_MAX || !RUN_AGAIN.has(codeOf(thrown))) throw thrown;
      log("warn", "db.transaction_run_again", { code: codeOf(thrown), run });
    }
  }
}

const ABORTED = "25P02";

/** A connection on which even ROLLBACK fails is thrown away, never handed to the next caller. */
async function runOnce<T>(work: (tx: Tx, defer: Defer) => Promise<T>): Promise<T> {
  const client = await pool().connect();
  const writes: Promise<unknown>[] = [];
  const failures: unknown[] = [];
  const defer: Defer = (write) => {
    // Looked at below; until then a failure must not count as one that nobody handles.
    write.catch(() => undefined);
    writes.push(write);
  };
  // Statements sent behind one that fails fail too, and may be heard of first: the first on the wire is the reason.
  const query = ((...args: Parameters<typeof client.query>) => {
    const sent = client.query(...args) as unknown as Promise<unknown>;
    sent.catch((thrown) => failures.push(thrown));
    return sent;
  }) as unknown as Tx["query"];
  const tx: Tx = { query };
  let broken: Error | undefined;
  try {
    defer(tx.query("BEGIN"));
    const result = await work(tx, defer);
    const commit = tx.query("COMMIT");
    defer(commit);
    await Promise.all(writes);
    // In a failed transaction COMMIT succeeds as ROLLBACK.
    if ((await commit).command !== "COMMIT") throw new Error("The transaction was rolled back.");
    return result;
  } catch (thrown) {
    await client.query("ROLLBACK").catch((failed: Error) => {
      broken = failed;
    });
    throw codeOf(thrown) === ABORTED ? (failures[0] ?? thrown) : thrown;
  } finally {
    client.release(broken);
  }
}
