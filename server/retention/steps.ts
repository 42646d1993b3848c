/** Deletes any number of old rows in bounded steps. */
import { setTimeout as pause } from "node:timers/promises";
import { MINUTE_MS } from "../core/clock";
import { type Tx, transaction } from "../core/db";
import { errorCodeOf } from "../core/errors";
import { errorFields, log } from "../core/log";
import { metrics } from "../core/metrics";

/** Far below the time-out of other statements: a step holds rows and a connection. */
const STEP_TIMEOUT_MS = 5_000;
/** A run ends after this time, so that a stop does not wait longer; the next run continues. */
const RUN_MAX_MS = 10 * MINUTE_MS;
/** SQLSTATEs of a statement that timed out, or waited too long for a lock. */
const TOO_LONG = new Set(["57014", "55P03"]);
const SHRINK = 4;

/** `looked`: rows that the step read, at most `limit`; fewer mean that this was the last step. */
type Step = (tx: Tx, limit: number) => Promise<{ looked: number; forgotten: number }>;

type Limits = {
  /** Initial and maximum rows of a step. */
  size: number;
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
};

/**
 * Runs `step` until it finds less than it may, each time in a transaction of its own with a short time-out. A step that takes
 * longer is repeated with a quarter of the rows, so that no backlog blocks it for ever; the size grows again afterwards. After
 * each step it pauses for as long as the step took.
 * @param kind of the rows, for the metrics.
 * @returns how many rows were deleted, and whether all were read.
 * @throws the time-out of a step of one row.
 */
export async function inSteps(
  kind: string,
  { size, signal, timeoutMs = STEP_TIMEOUT_MS }: Limits,
  step: Step,
): Promise<{ forgotten: number; isDone: boolean }> {
  const runUntil = performance.now() + RUN_MAX_MS;
  let forgotten = 0;
  for (let limit = size; !signal?.aborted && performance.now() < runUntil; ) {
    const startedAt = performance.now();
    const done = await runStep(step, limit, timeoutMs);
    if (done === null) {
      log("warn", "retention.step_cut_off", { kind, rows: limit });
      limit = Math.max(1, Math.floor(limit / SHRINK));
      continue;
    }
    forgotten += done.forgotten;
    metrics().forgotten.inc({ kind }, done.forgotten);
    if (done.looked < limit) return { forgotten, isDone: true };
    limit = Math.min(size, limit * 2);
    await pause(performance.now() - startedAt, undefined, { signal }).catch(() => undefined);
  }
  return { forgotten, isDone: false };
}

/** @returns null when it took too long. @throws as {@link inSteps} */
async function runStep(step: Step, limit: number, timeoutMs: number) {
  try {
    return await transaction(async (tx) => {
      await tx.query(`SET LOCAL statement_timeout = ${timeoutMs}`);
      return step(tx, limit);
    });
  } catch (thrown) {
    if (limit > 1 && TOO_LONG.has(errorCodeOf(thrown))) return null;
    throw thrown;
  }
}

/** Rows per step if a condition alone decides what is deleted. */
const DELETED_PER_STEP = 5_000;

/**
 * Deletes the rows of `table` that meet `condition`, in steps. Rows that others have locked are left for the next run.
 * @param condition SQL with `values` as its parameters, from `$2` on.
 */
export async function deleteInSteps(
  table: string,
  condition: string,
  { values = [], ...limits }: { values?: readonly unknown[] } & Partial<Limits> = {},
): Promise<number> {
  const { forgotten } = await inSteps(table, { size: DELETED_PER_STEP, ...limits }, async (tx, limit) => {
    const { rowCount } = await tx.query(
      `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM ${table} WHERE ${condition} LIMIT $1 FOR UPDATE SKIP LOCKED))`,
      [limit, ...values],
    );
    return { looked: rowCount ?? 0, forgotten: rowCount ?? 0 };
  });
  return forgotten;
}

/** Deletes old rows of a kind. @returns how many. */
export type Forgetting = readonly [kind: string, work: () => Promise<number>];

/**
 * Forgets kinds of data in turn, until `stop` is aborted. A kind that fails does not stop the others.
 * @throws the first failure, at the end.
 */
export async function forgetEach(kinds: readonly Forgetting[], stop?: AbortSignal): Promise<void> {
  await runParts(
    kinds.map(([kind, work]) => async () => {
      if (stop?.aborted) return;
      const forgotten = await work();
      if (forgotten > 0) log("info", "retention.forgotten", { kind, count: forgotten });
    }),
    (at, thrown) => log("warn", "retention.failed", { kind: kinds[at]?.[0], ...errorFields(thrown) }),
  );
}

/**
 * Runs the parts of a recurring job one after another. A part that fails, perhaps every time, does not stop the others.
 * @param noteFailure gets the index of a failed part, and the failure.
 * @throws the first failure, once all parts have run.
 */
export async function runParts(
  parts: readonly (() => Promise<unknown>)[],
  noteFailure = (_at: number, thrown: unknown): void => log("warn", "job.part_failed", errorFields(thrown)),
): Promise<void> {
  const failures: unknown[] = [];
  for (const [at, part] of parts.entries()) {
    try {
      await part();
    } catch (thrown) {
      noteFailure(at, thrown);
      failures.push(thrown);
    }
  }
  if (failures.length > 0) throw failures[0];
}
