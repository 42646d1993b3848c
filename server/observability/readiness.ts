/** Whether the installation does its work: for load balancers, orchestrators and people. */
import { cachedRead } from "../core/cached-read";
import { SECOND_MS } from "../core/clock";
import { sinceFullMs } from "../core/database/patient-pool";
import { pool, type Queryable } from "../core/db";
import { env } from "../core/env";
import { errorFields, log } from "../core/log";
import { LEASE_S } from "../core/worker-id";
import { readMigrationState } from "./migrations";
import { pagesProcess } from "./pages-state";
import { secretKey } from "./secret-key-state";

const CHECK_TIMEOUT_MS = 5 * SECOND_MS;
/** The database is queried at most once in this time, however many callers there are. */
const FRESH_MS = SECOND_MS;
/** A process with work to do finds a full disk again within this time; one without is ready again after it. */
const FULL_FOR_MS = 10 * SECOND_MS;

type Check = { ok: boolean };

/** Null: unknown because an earlier check failed. Contains no error text, since the endpoint is public. */
export type Readiness = {
  ok: boolean;
  /** Names of the checks that failed. */
  failing: string[];
  checks: {
    database: Check & { latency_ms: number | null };
    migrations: (Check & { pending: number; newer: number; too_new: number }) | null;
    queue: (Check & { due_jobs: number; lag_s: number; max_lag_s: number }) | null;
    /** `heartbeat_age_s` of the worker with the latest heartbeat; null: there is none. */
    workers: (Check & { alive: number; heartbeat_age_s: number | null; max_age_s: number }) | null;
    /**
     * Only for web processes. It never makes readiness fail: without pages the process still serves the API, which a load
     * balancer would cut off.
     */
    pages?: Check & { restarts: number };
    /** Of web processes with pages only: whether open pages show changes at once. It never makes readiness fail either. */
    live?: Check;
    /** Whether SECRET_KEY opened a stored secret at the start. It never makes readiness fail: the right key may be lost. */
    secret_key?: Check;
  };
};

async function readQueue(on: Queryable): Promise<Readiness["checks"]["queue"]> {
  const { rows } = await on.query<{ due: number; lag: number }>({
    name: "observability.queue",
    text: `SELECT count(*)::int4 AS due, coalesce(extract(epoch FROM clock_timestamp() - min(run_at)), 0)::float8 AS lag
           FROM graphile_worker._private_jobs WHERE is_available AND run_at <= now()`,
  });
  const { due = 0, lag = 0 } = rows[0] ?? {};
  const max = env().READY_QUEUE_LAG_MAX_S;
  return { ok: max === 0 || lag <= max, due_jobs: due, lag_s: Math.max(0, Math.round(lag)), max_lag_s: max };
}

async function readWorkers(on: Queryable): Promise<Readiness["checks"]["workers"]> {
  const { rows } = await on.query<{ alive: number; age: number | null }>({
    name: "observability.workers",
    text: `SELECT count(*) FILTER (WHERE age <= $1)::int4 AS alive, min(age) AS age
           FROM (SELECT extract(epoch FROM clock_timestamp() - seen_at)::float8 AS age FROM workers) w`,
    values: [LEASE_S],
  });
  const { alive = 0, age = null } = rows[0] ?? {};
  const max = env().READY_HEARTBEAT_AGE_MAX_S;
  const heard = age === null ? null : Math.max(0, Math.round(age));
  return { ok: max === 0 || (age !== null && age <= max), alive, heartbeat_age_s: heard, max_age_s: max };
}

async function readDatabase(on: Queryable, startedAt: number): Promise<Readiness["checks"]["database"]> {
  // On in a standby until it is promoted, and in a primary that was made read-only, as hosts do when its disk is nearly full.
  const { rows } = await on.query<{ readsOnly: boolean }>(
    `SELECT current_setting('transaction_read_only')::bool AS "readsOnly"`,
  );
  const takesWrites = rows[0]?.readsOnly === false && sinceFullMs() > FULL_FOR_MS;
  return { ok: takesWrites, latency_ms: Math.round(performance.now() - startedAt) };
}

async function readMigrations(on: Queryable): Promise<NonNullable<Readiness["checks"]["migrations"]>> {
  const { pending, newer, tooNew } = await readMigrationState(on);
  // A begun migration counts, as pending, only if it is known: others are applied while this version goes on serving.
  return {
    ok: pending.length + tooNew.length === 0,
    pending: pending.length,
    newer: newer.length,
    too_new: tooNew.length,
  };
}

/** Limits all work passed to it to `ms` in total; late work rejects, and its result is ignored. */
function openTimeLimit(ms: number) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${ms} ms`)), ms);
  });
  late.catch(() => undefined);
  return {
    within: <T>(work: Promise<T>): Promise<T> => {
      work.catch(() => undefined);
      return Promise.race([work, late]);
    },
    close: () => clearTimeout(timer),
  };
}

/** The checks of the database, one after the other up to the first that fails. Never throws. */
async function readChecks(): Promise<{ checks: Readiness["checks"]; failed: string | null }> {
  const checks: Readiness["checks"] = {
    database: { ok: false, latency_ms: null },
    migrations: null,
    queue: null,
    workers: null,
  };
  const limit = openTimeLimit(CHECK_TIMEOUT_MS);
  const startedAt = performance.now();
  const reached = pool().reachAtOnce();
  let isDone = false;
  try {
    const client = await limit.within(reached);
    checks.database = await limit.within(readDatabase(client, startedAt));
    checks.migrations = await limit.within(readMigrations(client));
    // Their tables may be missing.
    if (checks.migrations.pending === 0) {
      checks.queue = await limit.within(readQueue(client));
      checks.workers = await limit.within(readWorkers(client));
    }
    isDone = true;
    return { checks, failed: null };
  } catch (thrown) {
    log("error", "readiness.failed", errorFields(thrown));
    // The first check without a result is the one that failed.
    return { checks, failed: Object.entries(checks).find(([, result]) => !result?.ok)?.[0] ?? "database" };
  } finally {
    limit.close();
    reached.then(
      // A connection keeps the defaults of the time when it was made: one that was made while the database was read-only would fail every
      // check, and without requests, which a load balancer then withholds, no write would replace it.
      (client) => client.release(!isDone || !checks.database.ok),
      () => undefined,
    );
  }
}

async function readReadiness(): Promise<Readiness> {
  const { checks, failed } = await readChecks();
  const failing = Object.entries(checks).flatMap(([name, result]) =>
    name === failed || (result !== null && !result.ok) ? [name] : [],
  );
  const { isUp, restarts, hearsChanges } = pagesProcess();
  const pages = isUp === null ? {} : { pages: { ok: isUp, restarts } };
  const live = hearsChanges === null ? {} : { live: { ok: hearsChanges } };
  const { opens } = secretKey();
  const key = opens === null ? {} : { secret_key: { ok: opens } };
  return { ok: failing.length === 0, failing, checks: { ...checks, ...pages, ...live, ...key } };
}

const readiness = cachedRead("observability.readiness", FRESH_MS, readReadiness, { isCostly: true });

/**
 * Checks database, migrations, queue lag and workers, at most once a second for all callers. Never throws: failures are
 * part of the result.
 */
export const checkReadiness = (): Promise<Readiness> => readiness.get();

/** The next check queries the database again. */
export const invalidateReadiness = (): void => readiness.invalidate();
