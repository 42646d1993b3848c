/**
 * Attempts: handing messages to providers. An attempt's row is committed before its provider is called, so a crash of
 * ours leaves a trace, and what may have been sent is never blindly sent again.
 */
import { SECOND_MS } from "../core/clock";
import { type Queryable, type Tx, transaction } from "../core/db";
import { addJob } from "../core/jobs";
import type { OutboundMessage } from "../providers/port";

/** How soon messages are looked at again whose providers are all held. */
export const HELD_AGAIN_MS = 5 * SECOND_MS;

/** A message that is to be handed over, with what has been tried before. */
export type Candidate = {
  message: OutboundMessage;
  accountId: string;
  /** Providers of the attempts before. */
  tried: string[];
  /** Whether one of them may have taken the message. */
  afterUnknown: boolean;
};

/** A message handed to `provider` as its attempt number `seq`, which is committed. */
export type Attempt = Candidate & { seq: number; provider: string; claimedAt: Date };

/** Who sends to whom, as suppressions see it. */
export const sendingOf = ({ accountId, message }: Candidate) => ({
  accountId,
  toNumber: message.to,
  fromSender: message.from,
});

/** The attempt of `candidate` at `provider`. */
export const attemptOf = (candidate: Candidate, provider: string, claimedAt: Date): Attempt => ({
  ...candidate,
  seq: candidate.tried.length + 1,
  provider,
  claimedAt,
});

/**
 * Commits attempts, each unless its message has one of that number already, was refused for good or is no longer pending.
 * @returns those that are ours to make.
 */
export async function claim(tx: Queryable, attempts: readonly Attempt[]): Promise<Attempt[]> {
  if (attempts.length === 0) return [];
  const { rows } = await tx.query<{ id: string }>({
    name: "attempts.claim",
    text: `INSERT INTO message_attempts (message_id, seq, provider, started_at)
           SELECT c.message_id, c.seq, c.provider, c.started_at
           FROM unnest($1::text[], $2::int2[], $3::text[], $4::timestamptz[]) AS c (message_id, seq, provider, started_at)
           JOIN messages m ON m.id = c.message_id AND m.status = 'pending'
           WHERE NOT EXISTS (SELECT 1 FROM message_attempts r WHERE r.message_id = c.message_id AND r.outcome = 'refused')
           ON CONFLICT (message_id, seq) DO NOTHING RETURNING message_id AS id`,
    values: [
      attempts.map((attempt) => attempt.message.id),
      attempts.map((attempt) => attempt.seq),
      attempts.map((attempt) => attempt.provider),
      attempts.map((attempt) => attempt.claimedAt.toISOString()),
    ],
  });
  const claimed = new Set(rows.map((row) => row.id));
  return attempts.filter((attempt) => claimed.has(attempt.message.id));
}

/** Takes back an attempt that was never made, because this process is to stop, and has somebody else make it. */
export async function unclaim({ message, seq }: Attempt): Promise<void> {
  await transaction(async (tx) => {
    const { rowCount } = await tx.query(
      "DELETE FROM message_attempts WHERE message_id = $1 AND seq = $2 AND outcome IS NULL",
      [message.id, seq],
    );
    if (rowCount) await addJob(tx, "dispatch_messages", { messageIds: [message.id] });
  });
}

/**
 * Commits the attempts that follow on outcomes. One that is there already is somebody else's to make.
 * @returns those that are ours.
 */
export async function claimNext(tx: Tx, nexts: readonly Attempt[]): Promise<Set<Attempt>> {
  if (nexts.length === 0) return new Set();
  const { rows } = await tx.query<{ id: string }>({
    name: "attempts.claim_next",
    text: `INSERT INTO message_attempts (message_id, seq, provider, started_at)
           SELECT * FROM unnest($1::text[], $2::int2[], $3::text[], $4::timestamptz[])
           ON CONFLICT (message_id, seq) DO NOTHING RETURNING message_id AS id`,
    values: [
      nexts.map((next) => next.message.id),
      nexts.map((next) => next.seq),
      nexts.map((next) => next.provider),
      nexts.map((next) => next.claimedAt.toISOString()),
    ],
  });
  const claimed = new Set(rows.map((row) => row.id));
  return new Set(nexts.filter((next) => claimed.has(next.message.id)));
}
