/** Settles everything after the faults: waits until nothing moves, then advances time for what is left. */
import type { Database } from "@/e2e/support/books";
import { TEST_ACCOUNT_PREFIX } from "@/server/core/ids";
import { readEndpoints } from "../judge/books";
import { QUEUES, type Queue, workSince } from "../judge/history";
import { exchange } from "./exchange";
import { PROCESS_NAMES } from "./fleet";
import { isSteady } from "./receiver-names";
import type { World } from "./world";

const LOOK_EVERY_MS = 500;
const WORKS_WITHIN_MS = 40_000;
/** How long nothing may move, and how long work may last, before waiting ends. */
const STUCK_AFTER_MS = 40_000;
const QUIET_WITHIN_MS = 240_000;
const FINAL_WITHIN_MS = 60_000;
const AGE_EVERY_MS = 4_000;
/** Younger attempts may be under way and do not count as left behind. */
const OLD_ENOUGH = "interval '10 seconds'";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A queue of a running process that does no work. */
export type FrozenQueue = { process: string; queue: Queue };

/** Ends every fault and restarts everything. */
export async function heal(world: World): Promise<void> {
  const { gates, fleet, carriers, receivers } = world;
  for (const gate of Object.values(gates)) gate.heal();
  fleet.thaw();
  carriers.heal();
  receivers.heal();
  for (const name of PROCESS_NAMES) fleet.start(name);
  await world.allReady();
  await closeBreakers(world.database);
}

/** Lets unavailable providers be tried again. */
const closeBreakers = (database: Database) =>
  database.rows("UPDATE providers SET open_until = now() WHERE open_until > now()");

/** Waits, under load, until every queue of every worker has done some work. @returns those that have not. */
export async function findFrozenQueues({ fleet, database }: World, signal: AbortSignal): Promise<FrozenQueue[]> {
  const sinceMs = Date.now();
  for (;;) {
    const works = new Set((await workSince(database, sinceMs)).map(({ process, queue }) => `${process} ${queue}`));
    const workers = (["worker-1", "worker-2"] as const).flatMap((name) => fleet.lifeOf(name)?.process ?? []);
    const frozen = workers.flatMap((process) =>
      QUEUES.filter((queue) => !works.has(`${process} ${queue}`)).map((queue) => ({ process, queue })),
    );
    if (frozen.length === 0 || Date.now() > sinceMs + WORKS_WITHIN_MS || signal.aborted) return frozen;
    await pause(LOOK_EVERY_MS);
  }
}

/** Their retries are hours away; time is advanced later. */
const WEBHOOKS = "('deliver_events', 'deliver_webhooks')";

/** Messages that move, or could move at once. `mark` changes with each of their changes. */
type State = { running: number; due: number; waiting: number; mark: string };

async function stateOf(database: Database): Promise<State | null> {
  const [row] = await database.rows<State>(
    `SELECT (SELECT count(*) FROM graphile_worker.jobs
              WHERE locked_at IS NOT NULL AND task_identifier NOT IN ${WEBHOOKS})::int AS running,
       (SELECT count(*) FROM graphile_worker.jobs WHERE locked_at IS NULL AND run_at <= now()
          AND attempts < max_attempts AND task_identifier NOT IN ${WEBHOOKS})::int AS due,
       (SELECT count(*) FROM waiting_messages)::int AS waiting,
       concat_ws(' ', (SELECT string_agg(status || count, ',' ORDER BY status)
                        FROM (SELECT status, count(*) FROM messages GROUP BY status) s),
         (SELECT count(*) FROM message_attempts), (SELECT count(*) FROM message_attempts WHERE outcome IS NULL)) AS mark`,
  );
  return row ?? null;
}

/** Time until no message moved; null: never, and `left` lists those that moved or were stuck. */
export type Rest = { tookMs: number | null; left: string };

/** Waits until no message moves for `stillMs`. */
export async function waitUntilQuiet(
  { database, carriers }: World,
  stillMs: number,
  signal: AbortSignal,
): Promise<Rest> {
  const startedAt = Date.now();
  let last = "";
  let left = "";
  let stillSince = Date.now();
  let movedAt = Date.now();
  const isWorthWaiting = () => Date.now() < Math.min(movedAt + STUCK_AFTER_MS, startedAt + QUIET_WITHIN_MS);
  while (isWorthWaiting() && !signal.aborted) {
    const state = await stateOf(database);
    if (state?.mark !== last) movedAt = Date.now();
    if (!state || state.mark !== last || state.running + state.due + state.waiting + carriers.outstanding() > 0) {
      stillSince = Date.now();
    }
    last = state?.mark ?? "";
    left = `${state?.running} jobs locked, ${state?.due} due, ${state?.waiting} messages waiting, ${carriers.outstanding()} receipts to send`;
    if (Date.now() - stillSince >= stillMs) return { tookMs: Date.now() - startedAt, left };
    await pause(LOOK_EVERY_MS);
  }
  return { tookMs: null, left };
}

/** Locked jobs that no process works on. */
export async function countStuckJobs(database: Database): Promise<number> {
  const locked = await database.rows(
    "SELECT 1 FROM graphile_worker.jobs WHERE locked_at < now() - interval '5 seconds'",
  );
  return locked.length;
}

/** A live message still pending at rest: only its age will end it. */
export type Unresolved = { id: string; to: string; attempts: number; open: boolean };

export const readUnresolved = (database: Database): Promise<Unresolved[]> =>
  database.rows<Unresolved>(
    `SELECT m.id, m.to_number AS "to", count(a.seq)::int AS attempts,
       coalesce(bool_or(a.message_id IS NOT NULL AND a.outcome IS NULL), false) AS open
     FROM messages m LEFT JOIN message_attempts a ON a.message_id = m.id
     WHERE m.status = 'pending' AND m.account_id NOT LIKE '${TEST_ACCOUNT_PREFIX}%' GROUP BY m.id`,
  );

/**
 * Enables disabled endpoints again, as customers would, and recovers their missed events. An endpoint whose receiver never fails
 * is left alone: it must get all events without a recovery, also those that waited while it was paused.
 */
export async function recoverEndpoints(world: World): Promise<void> {
  const sinceMs = Date.now() - 3_600_000;
  const fallible = (await readEndpoints(world.database)).filter(({ receiver }) => !isSteady(receiver));
  for (const { id, accountId, isActive } of fallible) {
    const apiKey = world.customers.find((customer) => customer.accountId === accountId)?.apiKey ?? "";
    const ask = (path: string, body: object) =>
      exchange({
        method: "POST",
        url: `${world.urls[0]}/api/v1/webhooks/${id}/${path}`,
        apiKey,
        body: JSON.stringify(body),
      });
    if (!isActive) await ask("enable", {});
    await ask("recover", { since: new Date(sinceMs).toISOString() });
  }
}

/**
 * Advances time by 16 minutes for attempts, messages, webhooks and jobs. Rows that the service is changing are left for the next
 * time, because waiting for them could deadlock.
 */
async function age(database: Database): Promise<void> {
  const unlocked = (select: string) => `IN (${select} FOR UPDATE SKIP LOCKED)`;
  // Not beyond its day, because a message counts on the day of its acceptance.
  const statements = [
    `UPDATE message_attempts SET started_at = started_at - interval '16 minutes',
       finished_at = finished_at - interval '16 minutes'
     WHERE (message_id, seq) ${unlocked(
       `SELECT a.message_id, a.seq FROM message_attempts a JOIN messages m ON m.id = a.message_id
        WHERE m.status = 'pending' AND a.started_at < now() - ${OLD_ENOUGH}`,
     )}`,
    `UPDATE messages SET created_at = GREATEST(created_at - interval '16 minutes', date_trunc('day', created_at, 'UTC'))
     WHERE id ${unlocked(`SELECT id FROM messages WHERE status = 'pending' AND created_at < now() - ${OLD_ENOUGH}`)}`,
    `UPDATE webhook_deliveries SET next_attempt_at = now() - interval '6 minutes'
     WHERE id ${unlocked(
       `SELECT id FROM webhook_deliveries WHERE status = 'pending' AND next_attempt_at > now() - interval '6 minutes'`,
     )}`,
    `UPDATE graphile_worker._private_jobs SET run_at = now()
     WHERE id ${unlocked("SELECT id FROM graphile_worker._private_jobs WHERE run_at > now() AND locked_at IS NULL")}`,
    "SELECT graphile_worker.add_job('sweep_messages')",
    "SELECT graphile_worker.add_job('sweep_webhooks')",
  ];
  for (const statement of statements) await database.rows(statement);
  await closeBreakers(database);
}

/** Messages that are not final, and undelivered webhooks. */
const readUnfinished = async (database: Database): Promise<number> => {
  const [row] = await database.rows<{ count: number }>(
    `SELECT (SELECT count(*) FROM messages WHERE status IN ('pending', 'sent'))::int
       + (SELECT count(*) FROM webhook_deliveries d JOIN webhook_endpoints e ON e.id = d.endpoint_id
          WHERE d.status = 'pending' OR d.status <> 'delivered' AND e.deleted_at IS NULL)::int
       + (SELECT count(*) FROM graphile_worker.jobs WHERE task_identifier = 'deliver_events')::int AS count`,
  );
  return row?.count ?? 0;
};

/** Advances time repeatedly until everything is final or nothing changes any more. */
export async function ageUntilFinal(world: World, signal: AbortSignal): Promise<void> {
  const deadline = Date.now() + FINAL_WITHIN_MS;
  while (Date.now() < deadline && !signal.aborted && (await readUnfinished(world.database)) > 0) {
    await age(world.database);
    await pause(AGE_EVERY_MS);
  }
}
