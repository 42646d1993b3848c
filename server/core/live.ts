/**
 * Notifies every process that data of an account changed, for open pages. Only a hint: it carries no data, and
 * nothing depends on its delivery. NOTIFY takes one lock for the whole database at COMMIT, so it stays out of the
 * transactions of messages: changes are gathered here, and sent a little later in a separate statement.
 */
import { pool } from "./db";
import { errorFields, log } from "./log";
import { defineProcessValue } from "./process";

/** Subjects that pages follow. */
export const LIVE_TOPICS = ["messages", "deliveries", "suppressions"] as const;
export type LiveTopic = (typeof LIVE_TOPICS)[number];

export const LIVE_CHANNEL = "live";

const NOTIFY_EVERY_MS = 500;
/** Longest payload in bytes; PostgreSQL accepts fewer than 8,000. Accounts and topics are ASCII. */
const PAYLOAD_MAX = 7_000;

type Gathered = { topics: Map<string, Set<LiveTopic>>; timer: NodeJS.Timeout | null };

const gathered = defineProcessValue("live.gathered", (): Gathered => ({ topics: new Map(), timer: null }));

/** Notes a committed change. Costs one map entry per account in half a second. */
export function noteChange(accountId: string, topic: LiveTopic): void {
  const state = gathered();
  const known = state.topics.get(accountId);
  if (known) known.add(topic);
  else state.topics.set(accountId, new Set([topic]));
  if (state.timer) return;
  state.timer = setTimeout(() => void notifyChanges(), NOTIFY_EVERY_MS);
  state.timer.unref();
}

/** Payloads such as `acc_1:messages,deliveries acc_2:messages`, as few as possible. */
export function payloadsOf(changes: ReadonlyMap<string, ReadonlySet<LiveTopic>>): string[] {
  const payloads: string[] = [];
  for (const [accountId, topics] of changes) {
    const entry = `${accountId}:${[...topics].join(",")}`;
    const last = payloads.at(-1);
    if (last !== undefined && last.length + entry.length < PAYLOAD_MAX)
      payloads[payloads.length - 1] = `${last} ${entry}`;
    else payloads.push(entry);
  }
  return payloads;
}

/** The changes of a payload; unknown parts, such as those of a later version, are ignored. */
export function changesIn(payload: string): Map<string, LiveTopic[]> {
  const changes = new Map<string, LiveTopic[]>();
  for (const entry of payload.split(" ")) {
    const [accountId = "", names = ""] = entry.split(":");
    const topics = LIVE_TOPICS.filter((topic) => names.split(",").includes(topic));
    if (accountId && topics.length > 0) changes.set(accountId, topics);
  }
  return changes;
}

/** Sends the gathered changes, without waiting for the disk: the lock is held only for an instant. */
export async function notifyChanges(): Promise<void> {
  const state = gathered();
  if (state.timer) clearTimeout(state.timer);
  state.timer = null;
  const payloads = payloadsOf(state.topics);
  state.topics = new Map();
  if (payloads.length === 0) return;
  try {
    await pool().query({
      name: "live.notify",
      text: `SELECT set_config('synchronous_commit', 'off', true), pg_notify('${LIVE_CHANNEL}', payload)
             FROM unnest($1::text[]) payload`,
      values: [payloads],
    });
  } catch (thrown) {
    // Pages also poll from time to time.
    log("debug", "live.not_notified", errorFields(thrown));
  }
}
