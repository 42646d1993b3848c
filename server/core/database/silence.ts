/**
 * Notices that the database has fallen silent or can no longer be reached: its machine is lost, an address moved to another
 * machine, or the network is interrupted. Nobody closes such a connection, TCP retries for a quarter of an hour, and a caller
 * would wait until `query_timeout`.
 */
import type net from "node:net";
import type pg from "pg";
import { hasStalledSince, stalledMs } from "../deadline";
import { errorCodeOf } from "../errors";
import { errorFields, log } from "../log";
import { ownFailureOf } from "../own-failures";
import { SessionClient } from "./session";

const LOOK_EVERY_MS = 500;
/** A connection that owes a response is looked at after this time without a byte. */
const SILENT_FOR_MS = 3_000;
const SILENT_FOR_MAX_MS = 30_000;
/** The same time as a caller waits for a new connection. */
const PROBE_WITHIN_MS = 4_500;
/** The response of a backend that has just finished may be on its way. */
const JUST_DONE_S = 1;

/** `silentForMs`: silence after which it is looked at; grows each time that its statement is found at work. */
type Watched = { bytes: number; silentMs: number; silentForMs: number };
/**
 * Findings of a probe. `null`: the database cannot be reached. `isAtWork`: whether the statement of a session is still running.
 */
type Found = { isAtWork: (processId: number) => boolean } | null;
type Probe = (connectionString: string, processIds: readonly number[], withinMs: number) => Promise<Found>;

/** The database can be reached, or that could not be determined: every statement may be at work. */
const NOTHING_KNOWN: Found = { isAtWork: () => true };
/** Failures of this machine and its name servers, which say nothing about the database. */
const isOurOwn = (thrown: unknown): boolean => ownFailureOf(thrown) !== null || errorCodeOf(thrown) === "ENOTFOUND";

/** Fields of the driver's client that its types leave out. */
type Inner = { processID: number | null; _activeQuery: unknown; _sentQueryQueue: unknown[] };
const inner = (client: pg.Client): Inner => client as unknown as Inner;

const bytesReadBy = (client: pg.Client): number => (client.connection.stream as net.Socket).bytesRead;

/** Whether a response is owed on this connection. */
export const isOwed = (client: pg.Client): boolean =>
  Boolean(inner(client)._activeQuery) || inner(client)._sentQueryQueue.length > 0;

/**
 * Opens a new connection and asks which sessions are still at work. A response of any kind shows that the database can be
 * reached. Behind a pooler the numbers of the sessions are not the database's, so nothing is known about any of them.
 */
const probe: Probe = async (connectionString, processIds, withinMs) => {
  const client = new SessionClient({
    connectionString,
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
    application_name: "messaging-probe",
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ own: number; busy: number[] }>(
      `SELECT pg_backend_pid() AS own, ARRAY(SELECT pid FROM pg_stat_activity
         WHERE pid = ANY($1::int[]) AND (state NOT LIKE 'idle%' OR state IS NULL
           OR state_change > clock_timestamp() - $2 * interval '1 second')) AS busy`,
      [processIds, JUST_DONE_S],
    );
    const [row] = rows;
    if (row?.own !== inner(client).processID) return NOTHING_KNOWN;
    return { isAtWork: (processId) => row.busy.includes(processId) };
  } catch (thrown) {
    return bytesReadBy(client) > 0 || isOurOwn(thrown) ? NOTHING_KNOWN : null;
  } finally {
    void client.end().catch(() => undefined);
  }
};

/** A connection that has been silent for too long, and the bytes that it had received by then. */
type Silent = { client: pg.Client; state: Watched; bytes: number };

/**
 * Counts the silence of connections that owe a response.
 * @param stepMs since the last time.
 */
function findSilent(watched: ReadonlyMap<pg.Client, Watched>, stepMs: number, silentForMs: number): Silent[] {
  for (const [client, state] of watched) {
    const bytes = bytesReadBy(client);
    if (!isOwed(client) || bytes !== state.bytes) Object.assign(state, { bytes, silentMs: 0, silentForMs });
    else state.silentMs += stepMs;
  }
  return [...watched].flatMap(([client, state]) =>
    state.silentMs >= state.silentForMs ? [{ client, state, bytes: state.bytes }] : [],
  );
}

/** Ends the connection unless its statement is at work, as if it had been lost. @returns whether it was ended. */
function endUnlessAtWork({ client, state, bytes }: Silent, found: Found): boolean {
  // The connection has responded meanwhile, and may by now owe another response, which the probe does not cover.
  if (!isOwed(client) || bytesReadBy(client) !== bytes) return false;
  if (found?.isAtWork(inner(client).processID ?? 0)) {
    state.silentMs = 0;
    state.silentForMs = Math.min(state.silentForMs * 2, SILENT_FOR_MAX_MS);
    return false;
  }
  const cause = Object.assign(new Error("The database sent no response, and does not work on one."), {
    code: "ETIMEDOUT",
  });
  client.connection.stream.destroy(cause);
  return true;
}

/**
 * Ends connections of `pool` that owe a response and will not deliver it, as if they had been lost. Long statements are not ended:
 * a probe asks the database whether it is still working on them.
 * @param limits for tests.
 * @returns a function that ends the watch.
 */
export function watchSilence(
  pool: pg.Pool,
  connectionString: string,
  { silentForMs = SILENT_FOR_MS, probeWithinMs = PROBE_WITHIN_MS, ask = probe } = {},
): () => void {
  const watched = new Map<pg.Client, Watched>();
  let lookedAtMs = performance.now();
  let isProbing = false;
  pool.on("connect", (client) => {
    watched.set(client as unknown as pg.Client, { bytes: 0, silentMs: 0, silentForMs });
  });
  pool.on("remove", (client) => watched.delete(client as unknown as pg.Client));

  const look = async (): Promise<void> => {
    const nowMs = performance.now();
    // A stalled process reads nothing, so its silence proves nothing about the database.
    const silent = findSilent(watched, Math.min(nowMs - lookedAtMs, 2 * LOOK_EVERY_MS), silentForMs);
    lookedAtMs = nowMs;
    if (isProbing || silent.length === 0) return;
    isProbing = true;
    const markMs = stalledMs();
    const processIds = silent.map(({ client }) => inner(client).processID ?? 0);
    const found = await ask(connectionString, processIds, probeWithinMs).finally(() => {
      isProbing = false;
    });
    // While this process stalled it may have missed the response to the probe.
    if (found === null && hasStalledSince(markMs)) return;
    const ended = silent.filter((each) => endUnlessAtWork(each, found)).length;
    if (ended > 0) log("warn", "db.silent", { connections: ended, reached: found !== null });
  };
  const timer = setInterval(() => {
    look().catch((thrown) => log("error", "db.not_probed", errorFields(thrown)));
  }, LOOK_EVERY_MS).unref();
  return () => clearInterval(timer);
}
