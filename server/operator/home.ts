import { readUnusualTraffic } from "../alerts/store";
import { type Actor, requireOperator } from "../core/actor";
import { cachedRead } from "../core/cached-read";
import { pool, prisma } from "../core/db";
import { LEASE_S } from "../core/worker-id";
import { type QueueRow, readQueues } from "../observability/queues";
import { checkReadiness } from "../observability/readiness";
import { readReach } from "../routing/service";
import type { OperatorHome } from "./home-schema";

/** The database is queried at most once in this time, however many operators have the page open. */
const FRESH_MS = 2_000;
/** Workers that ended longer ago are not shown. */
const SHOWN_FOR_S = 600;

type WorkerRow = { id: string; startedAt: Date; age: number };

async function readWorkers(): Promise<WorkerRow[]> {
  const { rows } = await pool().query<WorkerRow>({
    name: "operator.workers",
    text: `SELECT id, started_at AS "startedAt", age FROM (
             SELECT id, started_at, greatest(extract(epoch FROM clock_timestamp() - seen_at), 0)::float8 AS age FROM workers
           ) w WHERE age < $1 ORDER BY started_at, id`,
    values: [SHOWN_FOR_S],
  });
  return rows;
}

const hasJobs = ({ due, running, later, givenUp }: QueueRow): boolean => due + running + later + givenUp > 0;

async function readHome(): Promise<OperatorHome> {
  const [readiness, queues, throttled, workers, reach, pendingSenders, suspendedAccounts, traffic] = await Promise.all([
    checkReadiness(),
    readQueues(),
    pool().query<{ count: number }>("SELECT count(*)::int4 AS count FROM waiting_messages"),
    readWorkers(),
    readReach(),
    prisma().sender.count({ where: { status: "pending" } }),
    prisma().account.count({ where: { status: "suspended" } }),
    readUnusualTraffic(null),
  ]);
  return {
    failing: readiness.failing,
    queues: queues
      .filter(hasJobs)
      .sort((a, b) => b.lag - a.lag || a.task.localeCompare(b.task))
      .map(({ givenUp, lag, ...counts }) => ({ ...counts, given_up: givenUp, lag_s: Math.max(0, Math.round(lag)) })),
    throttled: throttled.rows[0]?.count ?? 0,
    workers: workers.map(({ id, startedAt, age }) => ({
      id,
      started_at: startedAt.toISOString(),
      heartbeat_age_s: Math.round(age),
      is_alive: age <= LEASE_S,
    })),
    has_usable_route: reach.isAnyConfigured,
    waiting_prefixes: reach.waiting,
    pending_senders: pendingSenders,
    suspended_accounts: suspendedAccounts,
    unusual_traffic: traffic.map(({ accountId, name, country }) => ({
      account_id: accountId,
      account: name,
      country,
    })),
  };
}

const home = cachedRead("operator.home", FRESH_MS, readHome, { isCostly: true });

/** Queues, workers, and what waits for an operator. Read at most two seconds ago. @throws 403 for non-operators. */
export async function getHome(actor: Actor): Promise<OperatorHome> {
  requireOperator(actor);
  return home.get();
}
