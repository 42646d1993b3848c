/** The order of the throttle queue: the next messages at a provider. */
import { inOrderOfIndex, type Tx } from "../../core/db";
import { unnest } from "../../core/unnest";
import type { OutboundMessage } from "../../providers/port";
import type { Candidate } from "./claims";
import { isExpired, type Revoked, revokedOf } from "./fail-undispatched";

/** A message at the head of the queue, to be attempt number `seq`. */
export type Waiting = Candidate & {
  seq: number;
  tag: number;
  revoked: Revoked;
  isExpired: boolean;
  isScheduled: boolean;
};

/** The id of a sender's token bucket. */
export const senderBucket = (accountId: string, sender: string): string => `sender:${accountId}:${sender}`;

/** SQL: as {@link senderBucket}, for the columns `account_id` and `sender` of `alias`. */
const senderBucketOf = (alias: string): string => `'sender:' || ${alias}.account_id || ':' || ${alias}.sender`;

type Sender = { accountId: string; sender: string };

const SENDERS = unnest<Sender>(
  { account_id: ["text", ({ accountId }) => accountId], sender: ["text", ({ sender }) => sender] },
  2,
);

/** Finds which of these senders have messages queued at `provider`. @returns the ids of their buckets. */
export async function queuedSenders(tx: Tx, provider: string, senders: readonly Sender[]): Promise<string[]> {
  if (senders.length === 0) return [];
  const { rows } = await tx.query<{ id: string }>({
    name: "waiting.senders",
    // OFFSET 0: each sender is looked up, because a join may read everything queued at the provider.
    text: `SELECT ${senderBucketOf("s")} AS id FROM ${SENDERS.as("s")}
           WHERE EXISTS (SELECT 1 FROM waiting_messages w
             WHERE w.provider = $1 AND w.account_id = s.account_id AND w.sender = s.sender OFFSET 0)`,
    values: [provider, ...SENDERS.values(senders)],
  });
  return rows.map((row) => row.id);
}

/** The first `$2` messages of provider `$1`. */
const HEADS = `SELECT message_id FROM waiting_messages WHERE provider = $1 ORDER BY tag, message_id LIMIT $2`;

/**
 * As {@link HEADS}, without the senders whose buckets are `$3`. Reads the heads of each sender's messages: a slow sender may
 * have a hundred thousand messages queued, which must not be scanned every time.
 */
const HEADS_OF_OTHERS = `WITH RECURSIVE lines AS (
    (SELECT account_id, sender FROM waiting_messages WHERE provider = $1 ORDER BY account_id, sender LIMIT 1)
    UNION ALL
    SELECT n.account_id, n.sender FROM lines l CROSS JOIN LATERAL (
      SELECT account_id, sender FROM waiting_messages
      WHERE provider = $1 AND (account_id, sender) > (l.account_id, l.sender) ORDER BY account_id, sender LIMIT 1) n)
  SELECT h.message_id FROM lines l CROSS JOIN LATERAL (
    SELECT message_id, tag FROM waiting_messages w
    WHERE w.provider = $1 AND w.account_id = l.account_id AND w.sender = l.sender ORDER BY tag, message_id LIMIT 50) h
  WHERE ${senderBucketOf("l")} <> ALL($3::text[]) ORDER BY h.tag, h.message_id LIMIT $2`;

const REVOKED = revokedOf("m");

/**
 * The messages whose ids the query `heads` selects, locked, in any order. Each is looked up by its id, however many the planner
 * expects.
 */
const nextIn = (
  heads: string,
): string => `SELECT m.id, m.to_number AS "to", m.from_sender AS "from", m.body, m.encoding,
    m.segments, m.expires_at AS "expiresAt", ${REVOKED.dlt} AS dlt, w.account_id AS "accountId", w.seq, w.tag, t.tried, COALESCE(t.unknown, false) AS "afterUnknown",
    ${REVOKED.column} AS revoked, ${isExpired("m")} AS "isExpired", m.scheduled_at IS NOT NULL AS "isScheduled"
  FROM (SELECT * FROM waiting_messages WHERE message_id = ANY(ARRAY(${heads})) FOR UPDATE SKIP LOCKED) w
  JOIN messages m ON m.id = w.message_id ${REVOKED.joins}
  LEFT JOIN LATERAL (SELECT array_agg(a.provider ORDER BY a.seq) AS tried, bool_or(a.outcome = 'unknown') AS unknown
    FROM message_attempts a WHERE a.message_id = w.message_id) t ON true`;

/** The queue's order. */
const inOrder = (one: Waiting, other: Waiting): number =>
  one.tag - other.tag || (one.message.id < other.message.id ? -1 : 1);

/** Reads and locks up to `limit` messages that are next at `provider`, without senders whose buckets are in `blocked`. */
export async function nextInQueue(tx: Tx, provider: string, blocked: string[], limit: number): Promise<Waiting[]> {
  const { rows } = await inOrderOfIndex(tx, () =>
    tx.query<OutboundMessage & Omit<Waiting, "message" | "tried"> & { tried: string[] | null }>(
      blocked.length === 0
        ? { name: "waiting.next", text: nextIn(HEADS), values: [provider, limit] }
        : { name: "waiting.next_beside", text: nextIn(HEADS_OF_OTHERS), values: [provider, limit, blocked] },
    ),
  );
  return rows
    .map(({ accountId, seq, tag, tried, afterUnknown, revoked, isExpired, isScheduled, ...message }) => {
      return { message, accountId, seq, tag, revoked, isExpired, isScheduled, tried: tried ?? [], afterUnknown };
    })
    .sort(inOrder);
}
