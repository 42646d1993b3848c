/** The one connection of a process that listens for changes, open while a page watches. */
import type pg from "pg";
import { beginSession, SessionClient } from "../core/database/session";
import { directDatabaseUrl } from "../core/env";
import { changesIn, LIVE_CHANNEL, LIVE_TOPICS, type LiveTopic } from "../core/live";
import { errorFields, log } from "../core/log";
import { defineProcessValue, onShutdown } from "../core/process";

/** Called with what changed. */
export type Watcher = (topics: readonly LiveTopic[]) => void;

/** Time for a response while it connects; without this limit a silent database would end all notices. */
const CONNECT_TIMEOUT_MS = 5_000;
const RECONNECT_AFTER_MS = { first: 500, most: 15_000 };

type Listener = {
  watchers: Map<string, Set<Watcher>>;
  client: pg.Client | null;
  isConnecting: boolean;
  pauseMs: number;
  isOver: boolean;
};

const listener = defineProcessValue("live.listener", (): Listener => {
  const made: Listener = {
    watchers: new Map(),
    client: null,
    isConnecting: false,
    pauseMs: RECONNECT_AFTER_MS.first,
    isOver: false,
  };
  onShutdown(async () => {
    made.isOver = true;
    // Not waited for: a database that is silent does not say goodbye, and the requests under way are still to be served.
    leave();
  });
  return made;
});

/** Notifies watchers of a change, or, after a gap in listening, that anything may have changed. */
function notifyAll(): void {
  for (const watchers of listener().watchers.values()) for (const watcher of watchers) watcher(LIVE_TOPICS);
}

function take(payload: string): void {
  for (const [accountId, topics] of changesIn(payload)) {
    for (const watcher of listener().watchers.get(accountId) ?? []) watcher(topics);
  }
}

/** Reconnects as long as a page watches. */
async function connect(): Promise<void> {
  const state = listener();
  if (state.client || state.isConnecting || state.isOver || state.watchers.size === 0) return;
  state.isConnecting = true;
  const client = new SessionClient({
    connectionString: directDatabaseUrl(),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: CONNECT_TIMEOUT_MS,
    application_name: "messaging-live",
  });
  const lose = (thrown?: Error) => {
    if (state.client !== client && !state.isConnecting) return;
    state.client = null;
    state.isConnecting = false;
    client.removeAllListeners();
    client.on("error", () => undefined);
    void client.end().catch(() => undefined);
    if (state.isOver || state.watchers.size === 0) return;
    log("warn", "live.connection_lost", errorFields(thrown));
    setTimeout(() => void connect(), state.pauseMs).unref();
    state.pauseMs = Math.min(state.pauseMs * 2, RECONNECT_AFTER_MS.most);
  };
  client.on("notification", ({ payload }) => take(payload ?? ""));
  client.on("error", lose);
  client.on("end", () => lose());
  try {
    await client.connect();
    await beginSession(client);
    await client.query(`LISTEN ${LIVE_CHANNEL}`);
    state.client = client;
    state.isConnecting = false;
    state.pauseMs = RECONNECT_AFTER_MS.first;
    if (state.watchers.size === 0) leave();
    else notifyAll();
  } catch (thrown) {
    lose(thrown as Error);
  }
}

/** Closes the connection when no page watches any more. */
function leave(): void {
  const { client } = listener();
  listener().client = null;
  client?.removeAllListeners();
  client?.on("error", () => undefined);
  void client?.end().catch(() => undefined);
}

/** Watches an account. @returns what ends it. */
export function watch(accountId: string, watcher: Watcher): () => void {
  const { watchers } = listener();
  const own = watchers.get(accountId) ?? new Set();
  watchers.set(accountId, own.add(watcher));
  void connect();
  return () => {
    own.delete(watcher);
    if (own.size === 0 && watchers.get(accountId) === own) watchers.delete(accountId);
    if (watchers.size === 0 && !listener().isConnecting) leave();
  };
}

/** Watchers of an account, and of all. */
export function countWatchers(accountId: string): { ofAccount: number; all: number } {
  const { watchers } = listener();
  let all = 0;
  for (const each of watchers.values()) all += each.size;
  return { ofAccount: watchers.get(accountId)?.size ?? 0, all };
}
