import type { Duplex } from "node:stream";
import { PrismaPg } from "@prisma/adapter-pg";
import pg from "pg";
import { PrismaClient } from "@/prisma/generated/client";
import { isConnectionFailure, isNeverDone, watchFullDisk } from "./database/connection-failure";
import { noteFull, PatientPool, pauseAfter, type Query, startPatience, WAIT_MAX_MS } from "./database/patient-pool";
import { types } from "./database/pg-types";
import { BEGIN, ONE_PLAN, SESSION_SETTINGS, SessionClient } from "./database/session";
import { watchSilence } from "./database/silence";
import { readFromStandby } from "./database/standby-reads";
import { env } from "./env";
import { errorCodeOf, isOutcomeUnknown, messageOf, outcomeUnknown, overloaded } from "./errors";
import { errorFields, log } from "./log";
import { defineProcessValue, onShutdown } from "./process";

/** Runs SQL: a transaction or the pool itself. */
export type Queryable = Pick<pg.Pool, "query">;

/** An open transaction. Hot paths write SQL through it; everything else uses {@link prisma}. */
export type Tx = Queryable;

/**
 * For a new connection, or for a free one of the pool. A caller whose last try begins at the end of its wait stays below 10 s.
 */
const CONNECT_TIMEOUT_MS = 4_500;
/** A process that stalls within a transaction must not block an account's row for longer. */
const IDLE_IN_TRANSACTION_MS = 2_000;

/** Runs idempotent `work`, and once more if its connection was lost. */
export const repeatWhenLost = <T>(work: () => Promise<T>): Promise<T> =>
  work().catch((thrown) => (isOutcomeUnknown(thrown) ? work() : Promise.reject(thrown)));

/** Sends every statement unnamed, so that none has to be prepared on the connection that a pooler hands it to. */
class NamelessClient extends SessionClient {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const queryNamed = super.query.bind(this) as unknown as Query;
    const query: Query = (first, ...others) =>
      queryNamed(isNamed(first) ? { ...first, name: undefined } : first, ...others);
    this.query = query as unknown as pg.Client["query"];
  }
}

/** Whether `first` is a plain query config with a name. The pool also passes query objects, which are class instances. */
const isNamed = (first: unknown): first is pg.QueryConfig =>
  typeof first === "object" && first !== null && Object.getPrototypeOf(first) === Object.prototype && "name" in first;

/** The pools of this process by their names in the metrics. */
export const pools = defineProcessValue("db.pools", () => new Map<string, pg.Pool>());

/** Limits that a new connection asks for: poolers must let these parameters pass. */
export const SESSION_LIMITS = {
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  statement_timeout: 25_000,
} as const;

type PoolSettings = Pick<pg.PoolConfig, "connectionString" | "connectionTimeoutMillis" | "max" | "statement_timeout">;

function makePool(name: string, config: PoolSettings, settings = SESSION_SETTINGS): PatientPool {
  const made = new PatientPool(name, {
    connectionString: env().DATABASE_URL,
    idleTimeoutMillis: 60_000,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // A lock whose holder has gone silent must cost seconds, not TCP's quarter of an hour.
    query_timeout: 30_000,
    ...SESSION_LIMITS,
    types,
    pipeline: true,
    Client: env().DATABASE_STATEMENT_NAMES ? SessionClient : NamelessClient,
    ...config,
  });
  // A connection that dies is replaced at the next query; without listeners its error would end the process.
  const noteLoss = (thrown: Error) => log("warn", "db.connection_lost", errorFields(thrown));
  made.on("error", noteLoss);
  made.on("connect", (client) => {
    client.on("error", noteLoss);
    watchFullDisk(client);
    // A pooler may hand later statements to another connection, so transactions set them again.
    client.query(settings).catch((thrown) => {
      // Without the settings the connection may lose what it commits.
      noteLoss(thrown);
      void (client as pg.PoolClient & Pick<pg.Client, "end">).end().catch(() => undefined);
    });
  });
  const endWatch = watchSilence(made, config.connectionString ?? env().DATABASE_URL);
  onShutdown(async () => {
    await made.end();
    endWatch();
  });
  pools().set(name, made);
  return made;
}

/** The process's one pool for everything that writes, shared by hand-written SQL and Prisma. */
export const pool = defineProcessValue("db.pool", () => {
  const { DATABASE_POOL_SIZE: max, DATABASE_STATEMENT_NAMES: isNamed, DATABASE_DIRECT_URL: isPooled } = env();
  // A pooler may hand the connection to a list next, and without names each statement is planned each time anyway.
  const settings = isNamed && !isPooled ? `${SESSION_SETTINGS}; ${ONE_PLAN}` : SESSION_SETTINGS;
  return makePool("main", { max, statement_timeout: SESSION_LIMITS.statement_timeout }, settings);
});

/** Connections of {@link readPool}, in addition to DATABASE_POOL_SIZE. */
const READ_CONNECTIONS = 4;
/** A list that takes longer is refused: its caller is likely to have given up, and will ask again. */
const READ_TIMEOUT_MS = 10_000;
const READ_SETTINGS = { max: READ_CONNECTIONS, statement_timeout: READ_TIMEOUT_MS };
const CANCELED = "57014";

/** Nobody waits long for a standby that is unavailable: the primary is read instead. */
const STANDBY_CONNECT_TIMEOUT_MS = 500;

/** @returns a function that connects to the standby at once, or rejects. */
function connectToStandby(connectionString: string): () => Promise<pg.PoolClient> {
  const connectionTimeoutMillis = STANDBY_CONNECT_TIMEOUT_MS;
  const standby = makePool("standby", { ...READ_SETTINGS, connectionString, connectionTimeoutMillis });
  return () => standby.reachAtOnce();
}

/**
 * A separate pool for pages of lists and for sums, which may read much: however many callers page through old messages, a
 * send finds a connection. With DATABASE_READ_URL it reads from that standby, as currently as from the primary.
 * @throws 503 `overloaded` from a statement that takes longer than {@link READ_TIMEOUT_MS}.
 */
export const readPool = defineProcessValue("db.read_pool", () => {
  const made = makePool("read", READ_SETTINGS);
  const onPrimary = made.query.bind(made) as unknown as (...args: unknown[]) => Promise<unknown>;
  const { DATABASE_READ_URL: standby } = env();
  const queryOnce = standby ? readFromStandby(connectToStandby(standby), pool(), onPrimary) : onPrimary;
  const query: Query = (...args) =>
    queryOnce(...args).catch((thrown) => {
      throw errorCodeOf(thrown) === CANCELED ? overloaded(thrown) : thrown;
    });
  made.query = query as unknown as pg.Pool["query"];
  return made;
});

/** The process's one Prisma client. */
export const prisma = defineProcessValue("db.prisma", () => new PrismaClient({ adapter: new PrismaPg(pool()) }));

/** Prisma over {@link readPool}. */
export const readPrisma = defineProcessValue(
  "db.read_prisma",
  () => new PrismaClient({ adapter: new PrismaPg(readPool()) }),
);

/**
 * Loads the query compilers of Prisma's clients; needs no database. Otherwise they load at the first query, and a process that
 * already serves does not respond for up to half a second.
 */
export async function loadPrisma(): Promise<void> {
  for (const client of [prisma(), readPrisma()]) await client.$connect();
}

/**
 * SQL conditions for statements that find their rows by id: they filter, and match no partial index. With the plain form, the
 * planner may walk the index of everything pending instead, if statistics from a quiet hour say that nothing is; it then reads the
 * whole backlog for each job.
 */
export const filterEquals = (column: string, value: string): string => `${column} || '' = '${value}'`;
export const filterIsNull = (column: string): string => `COALESCE(${column}, '') = ''`;

/** Takes a write whose result is not needed: it is sent ahead of COMMIT, and nothing waits for it. */
export type Defer = (write: Promise<unknown>) => void;

/** SQLSTATEs of a transaction that lost against another, or waited too long for it, and may be run again. */
const RUN_AGAIN = new Set(["40P01", "40001", "55P03"]);
const RUNS_MAX = 4;
const LOCK_TIMEOUT = "55P03";
/** After two waits of `lock_timeout` for a lock, most callers are gone; jobs and outcomes are tried again later anyway. */
const LOCK_RUNS_MAX = 2;

/** Whether a transaction that failed with this SQLSTATE in its `run`th run may run again. */
const mayRunAgain = (code: string, run: number): boolean =>
  RUN_AGAIN.has(code) && run < (code === LOCK_TIMEOUT ? LOCK_RUNS_MAX : RUNS_MAX);

/** The connection was lost, and certainly nothing was committed. */
class LostBeforeCommit extends Error {}

/**
 * Runs `work` in one transaction: committed when it returns, rolled back when it throws or a deferred write fails.
 * Statements are pipelined: BEGIN travels with the first one, COMMIT with the deferred ones, so a transaction costs as
 * many round trips as it has results to wait for.
 * `work` runs again after a deadlock, a serialization failure or a lock timeout, and after a connection lost before
 * COMMIT, so it must be repeatable. It must wait for nothing but its own statements: a transaction that is idle for
 * {@link IDLE_IN_TRANSACTION_MS} is ended. Once `work` has returned or thrown, later statements are refused.
 * @throws 503 `database_unavailable` when the database was unreachable for {@link WAIT_MAX_MS}, with nothing committed;
 *   503 `outcome_unknown` when the connection was lost after COMMIT was sent, whether or not it was committed.
 */
export async function transaction<T>(work: (tx: Tx, defer: Defer) => Promise<T>): Promise<T> {
  const patience = startPatience(true);
  for (let run = 1; ; run += 1) {
    const client = await pool().reach(patience);
    try {
      return await runOnce(client, work);
    } catch (thrown) {
      const { cause } = thrown instanceof LostBeforeCommit ? thrown : { cause: undefined };
      if (cause === undefined && !mayRunAgain(errorCodeOf(thrown), run)) throw thrown;
      const reason = cause === undefined ? "" : messageOf(cause);
      // For a row that others had locked: "while locking tuple (0,1) in relation "accounts"".
      const where = thrown instanceof pg.DatabaseError && thrown.where ? { where: thrown.where } : {};
      log("warn", "db.transaction_run_again", { run, code: errorCodeOf(cause ?? thrown), reason, ...where });
      if (cause !== undefined) await pauseAfter(cause, patience);
    }
  }
}

const afterCommit = new WeakMap<Tx, Array<() => void>>();

/**
 * Runs `then` once the transaction is certainly committed; never when it fails, or when its outcome is unknown. A failure of `then` is
 * logged: to its caller the transaction would seem undone.
 */
export function onCommit(tx: Tx, then: () => void): void {
  const before = afterCommit.get(tx);
  if (before) before.push(then);
  else afterCommit.set(tx, [then]);
}

function runAfterCommit(then: () => void): void {
  try {
    then();
  } catch (thrown) {
    log("error", "db.after_commit_failed", errorFields(thrown));
  }
}

const lastStatements = new WeakMap<Tx, Array<() => Promise<unknown>>>();

/**
 * Calls `send` when the transaction's work is done, so that its statements leave in one write with COMMIT. For locks that many
 * transactions want: they are held while the database works and commits, but not during a round trip to this process.
 */
export function beforeCommit(tx: Tx, send: () => Promise<unknown>): void {
  const before = lastStatements.get(tx);
  if (before) before.push(send);
  else lastStatements.set(tx, [send]);
}

/**
 * Allows plans that read whole tables again, for a transaction that does so, and without a time limit. Each statement is planned with its
 * values: in a plan for all values, a bound that may be null is no bound of an index.
 */
export const readWholeTables = (tx: Tx): Promise<unknown> =>
  tx.query(
    "SET LOCAL statement_timeout = 0; SET LOCAL enable_seqscan = on; SET LOCAL plan_cache_mode = force_custom_plan",
  );

const IN_ORDER = ["enable_sort", "enable_incremental_sort", "enable_bitmapscan"];

/**
 * Makes the statements that `send` sends read rows in the order of an index instead of sorting them. For the first rows of a list
 * that grows and empties quickly: by outdated statistics it seems shorter than it is, and sorting all of it seems cheap. An
 * unavoidable sort still happens.
 */
export async function inOrderOfIndex<T>(tx: Tx, send: () => Promise<T>): Promise<T> {
  const turn = (value: "on" | "off") => tx.query(IN_ORDER.map((name) => `SET LOCAL ${name} = ${value}`).join("; "));
  // Pipelined: they reach the database in this order.
  const [, result] = await Promise.all([turn("off"), send(), turn("on")]);
  return result;
}

const ABORTED = "25P02";

/**
 * Holds back writes to `stream` until this turn of the event loop is over, so that statements pipelined together leave in one
 * write. The driver would make a system call for each, and the database would wake up as often.
 */
function gatherWrites(stream: Duplex): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

/** Runs `work` once. A connection on which even ROLLBACK fails is discarded instead of returned to the pool. */
async function runOnce<T>(client: pg.PoolClient, work: (tx: Tx, defer: Defer) => Promise<T>): Promise<T> {
  const writes: Promise<unknown>[] = [];
  const failures: unknown[] = [];
  const defer: Defer = (write) => {
    // Awaited below; until then a failure must not count as an unhandled rejection.
    write.catch(() => undefined);
    writes.push(write);
  };
  // Statements behind a failed one fail too, and may be awaited first: the first failure on the wire is the cause.
  let isOver = false;
  const query = ((...args: Parameters<typeof client.query>) => {
    // Work that went on in parallel to the failure would write outside any transaction, or in another one.
    if (isOver) return Promise.reject(new Error("The transaction is over."));
    gatherWrites(client.connection.stream);
    const sent = client.query(...args) as unknown as Promise<unknown>;
    sent.catch((thrown) => failures.push(thrown));
    return sent;
  }) as unknown as Tx["query"];
  const tx: Tx = { query };
  let commit: Promise<pg.QueryResult> | null = null;
  let broken: Error | undefined;
  try {
    defer(tx.query(BEGIN));
    const result = await work(tx, defer);
    const lost = failures.find(isConnectionFailure);
    if (lost !== undefined) throw lost;
    for (const send of lastStatements.get(tx) ?? []) defer(send());
    commit = tx.query("COMMIT");
    defer(commit);
    isOver = true;
    await Promise.all(writes);
    // In a failed transaction COMMIT succeeds as ROLLBACK.
    if ((await commit).command !== "COMMIT") throw new Error("The transaction was rolled back.");
    for (const then of afterCommit.get(tx) ?? []) runAfterCommit(then);
    return result;
  } catch (thrown) {
    isOver = true;
    const reason = errorCodeOf(thrown) === ABORTED ? (failures[0] ?? thrown) : thrown;
    if (isConnectionFailure(reason)) {
      noteFull(reason);
      broken = reason as Error;
      if (commit && !(await isSurelyUndone(commit, failures.find(isConnectionFailure)))) throw outcomeUnknown(reason);
      throw new LostBeforeCommit("The connection was lost before COMMIT.", { cause: reason });
    }
    await client.query("ROLLBACK").catch((failed: Error) => {
      broken = failed;
    });
    throw reason;
  } finally {
    client.release(broken);
  }
}

/** SQLSTATE of a connection exception: a pooler reports so, at any statement, that it has lost the database. */
const isOfPooler = (thrown: unknown): boolean => errorCodeOf(thrown).startsWith("08");

/**
 * Whether a transaction whose connection was lost after its COMMIT was queued is certainly not committed: COMMIT never
 * left this process or was refused, or the database ended the connection, with an error, before it reached COMMIT.
 */
async function isSurelyUndone(commit: Promise<pg.QueryResult>, firstLoss: unknown): Promise<boolean> {
  const failure: unknown = await commit.catch((thrown) => thrown);
  return (
    (await isNeverDone(failure)) ||
    (firstLoss !== failure && firstLoss instanceof pg.DatabaseError && !isOfPooler(firstLoss))
  );
}
