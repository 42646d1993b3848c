/** The connections of a queue: their settings, and the announcements and statements that pass through them. */
import type { TaskList } from "graphile-worker";
import pg from "pg";
import { SECOND_MS } from "../server/core/clock";
import { beginSession, SessionClient } from "../server/core/database/session";
import { directDatabaseUrl } from "../server/core/env";
import { errorFields, log } from "../server/core/log";
import { openFetchBounds } from "./fetch-bounds";
import { toSend } from "./queue-statements";

/**
 * Settings of the queue's connections. Statistics from a quiet hour say that few jobs wait, and a plan based on them reads a whole
 * backlog at each fetch, so jobs must be read in index order. A queue's own index (prisma/queue-indexes.ts) can be used if the plan
 * knows its tasks. Before PostgreSQL 18, disabled scans have so high a cost that JIT compiled every fetch, for most of a second.
 */
export const QUEUE_SETTINGS = {
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  plan_cache_mode: "force_custom_plan",
  jit: "off",
} as const;

/** {@link QUEUE_SETTINGS} as a connection parameter. */
export const QUEUE_OPTIONS = Object.entries(QUEUE_SETTINGS)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(" ");

/** The tasks that an announcement names; null: none. */
function namedTasks(payload: string): readonly unknown[] | null {
  try {
    const { tasks } = JSON.parse(payload) as { tasks?: unknown };
    return Array.isArray(tasks) ? tasks : null;
  } catch {
    return null;
  }
}

/**
 * Whether an announcement is for jobs that a queue runs. Announcements without tasks, such as those of graphile-worker and of
 * earlier versions, may be for any queue.
 */
export function concerns(tasks: TaskList, { channel, payload }: pg.Notification): boolean {
  if (channel !== "jobs:insert" || payload === undefined) return true;
  return namedTasks(payload)?.some((name) => String(name) in tasks) ?? true;
}

/**
 * A client that receives only the announcements of its queue's jobs, and looks up jobs by their keys. graphile-worker fetches at each
 * announcement that it receives: without this, every queue would fetch, mostly in vain, whenever a job is added to another one.
 */
const clientFor = (tasks: TaskList) => {
  class QueueClient extends SessionClient {
    override emit(event: string | symbol, ...values: unknown[]): boolean {
      if (event === "notification" && !concerns(tasks, values[0] as pg.Notification)) return true;
      return super.emit(event, ...values);
    }
  }
  const bounds = openFetchBounds();
  const { query } = SessionClient.prototype;
  const send = query as (...all: unknown[]) => Promise<{ rows: { run_at: Date }[] }>;
  // Assigned, because a method would have to repeat all overloads of the driver's method.
  QueueClient.prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [config, ...rest] = args as [Partial<pg.QueryConfig> | string, ...unknown[]];
    if (typeof config !== "object" || config.name === undefined || config.text === undefined)
      return send.apply(this, args);
    const { query: own, settle } = toSend(config as pg.QueryConfig & { text: string }, bounds);
    const sent = send.call(this, own, ...rest);
    if (settle) {
      sent.then(
        ({ rows }) => settle(rows),
        () => settle(null),
      );
    }
    return sent;
  } as typeof query;
  return QueueClient;
};

/** Opens a separate pool: graphile-worker needs the driver's default types, and must not wait behind our statements. */
export function openConnections(max: number, tasks: TaskList): pg.Pool {
  const connections = new pg.Pool({
    Client: clientFor(tasks),
    connectionString: directDatabaseUrl(),
    application_name: "worker-queue",
    options: QUEUE_OPTIONS,
    onConnect: beginSession,
    max,
    connectionTimeoutMillis: 5 * SECOND_MS,
    query_timeout: 15 * SECOND_MS,
  });
  const noteLoss = (thrown: Error) => log("warn", "queue.connection_lost", errorFields(thrown));
  connections.on("error", noteLoss);
  connections.on("connect", (client) => client.on("error", noteLoss));
  return connections;
}
