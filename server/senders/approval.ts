/** Whether an account may send with a sender ID: asked for each message, and cached for a second. */
import { createBatcher } from "../core/batcher";
import { pool } from "../core/db";
import { defineProcessValue } from "../core/process";
import { unnest } from "../core/unnest";
import { otherSpellingOf } from "../messages/phone";

/** How long an approval is cached: a suspension applies everywhere within this time. */
const FRESH_MS = 1_000;
const KEPT_MAX = 10_000;
const LOOKUPS_MAX = 500;
/** Queue limit. One statement takes hundreds, so only an unavailable database fills the queue. */
const WAITING_MAX = 20_000;

/** An approved sender as it is registered. `until`: the end of its cache lifetime, by this process's monotonic clock. */
type Approval = { senderId: string; until: number };

/** Approvals by what callers wrote, oldest first. */
const approved = defineProcessValue("senders.approved", () => new Map<string, Approval>());
/** Counts the approvals dropped in this process, so that a read that overlaps with one is not cached. */
const dropped = defineProcessValue("senders.dropped", () => ({ count: 0 }));
const cacheKey = (accountId: string, senderId: string): string => `${accountId} ${senderId}`;

function remember(key: string, senderId: string, readAt: number): void {
  const cache = approved();
  cache.delete(key);
  cache.set(key, { senderId, until: readAt + FRESH_MS });
  for (const oldest of cache.keys()) {
    if (cache.size <= KEPT_MAX) break;
    cache.delete(oldest);
  }
}

type Asked = { accountId: string; from: string };

const ASKED = unnest<Asked & { place: number }>({
  place: ["int4", ({ place }) => place],
  account_id: ["text", ({ accountId }) => accountId],
  written: ["text", ({ from }) => from],
  other: ["text", ({ from }) => otherSpellingOf(from) ?? from],
});

const lookUpQueue = defineProcessValue("senders.lookup", () =>
  createBatcher<Asked, string | null>(
    async (asked) => {
      const { rows } = await pool().query<{ place: number; senderId: string }>({
        name: "senders.approved",
        // Earlier versions registered both spellings of a number; then the one that was written counts.
        text: `SELECT a.place, s.sender_id AS "senderId" FROM ${ASKED.as("a")}
               CROSS JOIN LATERAL (SELECT o.sender_id, o.status FROM senders o
                 WHERE o.account_id = a.account_id AND o.sender_id IN (a.written, a.other)
                 ORDER BY o.sender_id <> a.written LIMIT 1) s
               WHERE s.status = 'approved'`,
        values: ASKED.values(asked.map((one, place) => ({ ...one, place }))),
      });
      const found = new Map(rows.map(({ place, senderId }) => [place, senderId]));
      return asked.map((_, place) => ({ ok: true, value: found.get(place) ?? null }));
    },
    { name: "sender_lookups", maxWeight: LOOKUPS_MAX, maxWaiting: WAITING_MAX },
  ),
);

/**
 * The sender ID with which the account may send, as it is registered: a number may be written with its `+` or without. Null: it
 * may not. Approvals are cached for one second, so a suspension applies within that time; refusals are not cached, so an
 * approval applies at once. Concurrent look-ups share a statement.
 */
export async function approvedSender(accountId: string, from: string): Promise<string | null> {
  const key = cacheKey(accountId, from);
  const readAt = performance.now();
  const cached = approved().get(key);
  if (cached && cached.until > readAt) return cached.senderId;
  const { count } = dropped();
  const senderId = await lookUpQueue()({ accountId, from });
  if (senderId !== null && dropped().count === count) remember(key, senderId, readAt);
  return senderId;
}

/** Drops a cached approval in this process, after the sender's status has changed. */
export function invalidateApproval(accountId: string, senderId: string): void {
  dropped().count += 1;
  for (const spelling of [senderId, otherSpellingOf(senderId) ?? senderId]) {
    approved().delete(cacheKey(accountId, spelling));
  }
}
