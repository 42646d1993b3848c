/** The lines of the waiting room: whose turn is next at a provider. */
import type { Tx } from "../../core/db";
import type { OutboundMessage } from "../../providers/port";
import type { Candidate } from "./claims";
import { REVOKED_COLUMN, REVOKED_JOINS, type Revoked } from "./fail-undispatched";

/** A message whose turn it is, as its attempt number `seq`. */
export type Waiting = Candidate & { seq: number; tag: number; revoked: Revoked };

/** The id of a sender's bucket, in JavaScript and in SQL over columns `account_id` and `sender`. */
export const senderBucket = (accountId: string, sender: string): string => `sender:${accountId}:${sender}`;
const SENDER_BUCKET = "'sender:' || account_id || ':' || sender";

/** Which of these senders have messages waiting for `provider`: the ids of their buckets. */
export async function queuedSenders(
  tx: Tx,
  provider: string,
  senders: readonly { accountId: string; sender: string }[],
): Promise<string[]> {
  if (senders.length === 0) return [];
  const { rows } = await tx.query<{ id: string }>({
    name: "waiting.senders",
    text: `SELECT ${SENDER_BUCKET} AS id FROM unnest($2::text[], $3::text[]) AS s (account_id, sender)
           WHERE EXISTS (SELECT 1 FROM waiting_messages w
             WHERE w.provider = $1 AND w.account_id = s.account_id AND w.sender = s.sender)`,
    values: [provider, senders.map((entry) => entry.accountId), senders.map((entry) => entry.sender)],
  });
  return rows.map((row) => row.id);
}

const HEADS = `SELECT message_id FROM waiting_messages WHERE provider = $1 ORDER BY tag, message_id LIMIT $2`;

/**
 * The same without the senders whose buckets are `$3`: by the heads of the other senders' lines, as what waits for a slow
 * sender may be a hundred thousand messages, which must not be read past on every turn.
 */
const HEADS_BESIDE = `WITH RECURSIVE lines AS (
    (SELECT account_id, sender FROM waiting_messages WHERE provider = $1 ORDER BY account_id, sender LIMIT 1)
    UNION ALL
    SELECT n.account_id, n.sender FROM lines l CROSS JOIN LATERAL (
      SELECT account_id, sender FROM waiting_messages
      WHERE provider = $1 AND (account_id, sender) > (l.account_id, l.sender) ORDER BY account_id, sender LIMIT 1) n)
  SELECT h.message_id FROM lines l CROSS JOIN LATERAL (
    SELECT message_id, tag FROM waiting_messages w
    WHERE w.provider = $1 AND w.account_id = l.account_id AND w.sender = l.sender ORDER BY tag, message_id LIMIT 50) h
  WHERE ${SENDER_BUCKET} <> ALL($3::text[]) ORDER BY h.tag, h.message_id LIMIT $2`;

const nextIn = (
  heads: string,
): string => `SELECT m.id, m.to_number AS "to", m.from_sender AS "from", m.body, m.encoding,
    m.segments, w.account_id AS "accountId", w.seq, w.tag, t.tried, COALESCE(t.unknown, false) AS "afterUnknown",
    ${REVOKED_COLUMN} AS revoked
  FROM (SELECT * FROM waiting_messages WHERE message_id IN (${heads}) FOR UPDATE SKIP LOCKED) w
  JOIN messages m ON m.id = w.message_id ${REVOKED_JOINS}
  LEFT JOIN LATERAL (SELECT array_agg(a.provider ORDER BY a.seq) AS tried, bool_or(a.outcome = 'unknown') AS unknown
    FROM message_attempts a WHERE a.message_id = w.message_id) t ON true
  ORDER BY w.tag, w.message_id`;

/** Up to `limit` messages whose turn is next at `provider`, locked; those of the senders in `blocked` are passed over. */
export async function nextInQueue(tx: Tx, provider: string, blocked: string[], limit: number): Promise<Waiting[]> {
  const { rows } = await tx.query<OutboundMessage & Omit<Waiting, "message" | "tried"> & { tried: string[] | null }>(
    blocked.length === 0
      ? { name: "waiting.next", text: nextIn(HEADS), values: [provider, limit] }
      : { name: "waiting.next_beside", text: nextIn(HEADS_BESIDE), values: [provider, limit, blocked] },
  );
  return rows.map(({ accountId, seq, tag, tried, afterUnknown, revoked, ...message }) => {
    return { message, accountId, seq, tag, revoked, tried: tried ?? [], afterUnknown };
  });
}
