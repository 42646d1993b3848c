/**
 * Claims. An attempt has two steps, each committed before the next: a worker claims it, then begins it just before the
 * provider is called. A crash leaves either a claim, which anybody may take back, or a begun attempt, which may have
 * been sent and is never blindly sent again. Every statement here matches the claim's token, so that none of them can
 * touch an attempt that has become somebody else's.
 */
import { createBatcher } from "../../core/batcher";
import { SECOND_MS } from "../../core/clock";
import { filterEquals, filterIsNull, pool, type Queryable, type Tx, transaction } from "../../core/db";
import { addJob } from "../../core/jobs";
import { errorFields, log } from "../../core/log";
import { perProcess } from "../../core/process";
import { workerId } from "../../core/worker-id";
import type { Slot } from "../../providers/health/slots";
import type { Adapter, OutboundMessage } from "../../providers/port";

/** How soon messages are looked at again whose providers are all held. */
export const UNAVAILABLE_RETRY_MS = 5 * SECOND_MS;
/**
 * For so long after it was begun an attempt may be made without asking the database again. A process that stood still for
 * longer may have been taken for dead, and finds out here whether the attempt is still its own.
 */
export const BEGUN_FRESH_MS = 10 * SECOND_MS;

/** A message that is to be sent, with the attempts before. */
export type Candidate = {
  message: OutboundMessage;
  accountId: string;
  /** Providers of the attempts before. */
  tried: string[];
  /** Whether one of them may have taken the message. */
  afterUnknown: boolean;
};

/** An attempt to send a message through `provider`, its attempt number `seq`. */
export type Attempt = Candidate & {
  seq: number;
  provider: string;
  /** Token of the claim (UUID). */
  claim: string;
  claimedAt: Date;
  /** Where the limiter has let it in; null: it has to wait for a slot. */
  slot: Slot | null;
  /** `performance.now()` before the statement that began it was sent; null: claimed only. */
  begunAtMs: number | null;
};

/** Who sends to whom, as suppressions see it. */
export const sendingOf = ({ accountId, message }: Candidate) => ({
  accountId,
  toNumber: message.to,
  fromSender: message.from,
});

/** Whether attempts that have a slot are begun with their claim. Where a connection must stand first, they begin when it does. */
export const beginsAtOnce = (adapter: Adapter): boolean => adapter.ready === undefined;

/**
 * The claims that this process knows to be its own, from before they are written until their outcome is. Claims of this
 * worker that are not among them were committed although the reply was lost: nobody will make them (recover.ts).
 */
export const knownClaims = (): Set<string> => perProcess("attempts.known_claims", () => new Set<string>());

/**
 * Gives back claims of which it is not known whether they were committed: nobody makes them. This is tried once, at once, so
 * that even a worker that dies soon after leaves none; whatever is left, a later look finds (recover.ts).
 */
export function disownClaims(attempts: readonly Attempt[]): void {
  forgetClaims(attempts);
  giveBack(attempts).catch((thrown) => log("warn", "attempts.claims_not_given_back", errorFields(thrown)));
}

/** Forgets claims that nobody has committed. */
export function forgetClaims(attempts: readonly Pick<Attempt, "claim">[]): void {
  for (const { claim: token } of attempts) knownClaims().delete(token);
}

/**
 * Claims attempts, each unless its message has one of that number already, was refused for good or is no longer pending.
 * @param begins whether an attempt is begun with its claim, because the call follows at once.
 * @returns those that are ours to make.
 */
export async function claim(
  tx: Queryable,
  attempts: readonly Attempt[],
  begins: (attempt: Attempt) => boolean,
): Promise<Attempt[]> {
  if (attempts.length === 0) return [];
  const known = knownClaims();
  for (const attempt of attempts) known.add(attempt.claim);
  const sentAtMs = performance.now();
  const claimed = new Map<string, boolean>();
  try {
    for (const row of await insertClaims(tx, attempts, begins)) claimed.set(row.claim, row.isBegun);
  } catch (thrown) {
    disownClaims(attempts);
    throw thrown;
  }
  forgetClaims(attempts.filter((attempt) => !claimed.has(attempt.claim)));
  return attempts.flatMap((attempt) => {
    const isBegun = claimed.get(attempt.claim);
    return isBegun === undefined ? [] : [{ ...attempt, begunAtMs: isBegun ? sentAtMs : null }];
  });
}

async function insertClaims(tx: Queryable, attempts: readonly Attempt[], begins: (attempt: Attempt) => boolean) {
  const { rows } = await tx.query<{ claim: string; isBegun: boolean }>({
    name: "attempts.claim",
    text: `INSERT INTO message_attempts (message_id, seq, provider, started_at, worker_id, claim, begun_at)
           SELECT c.message_id, c.seq, c.provider, clock_timestamp(), $5, c.claim,
             CASE WHEN c.begins THEN clock_timestamp() END
           FROM unnest($1::text[], $2::int2[], $3::text[], $4::uuid[], $6::bool[])
             AS c (message_id, seq, provider, claim, begins)
           JOIN messages m ON m.id = c.message_id AND ${filterEquals("m.status", "pending")}
           WHERE NOT EXISTS (SELECT 1 FROM message_attempts r WHERE r.message_id = c.message_id AND r.outcome = 'refused')
           ON CONFLICT (message_id, seq) DO NOTHING RETURNING claim, begun_at IS NOT NULL AS "isBegun"`,
    values: [
      attempts.map((attempt) => attempt.message.id),
      attempts.map((attempt) => attempt.seq),
      attempts.map((attempt) => attempt.provider),
      attempts.map((attempt) => attempt.claim),
      workerId(),
      attempts.map(begins),
    ],
  });
  return rows;
}

/**
 * Claims the attempts that follow on outcomes; they are begun later. One that is there already is somebody else's.
 * @returns the claims that are ours.
 */
export async function claimNext(tx: Tx, nexts: readonly Attempt[]): Promise<Set<string>> {
  if (nexts.length === 0) return new Set();
  const { rows } = await tx.query<{ claim: string }>({
    name: "attempts.claim_next",
    text: `INSERT INTO message_attempts (message_id, seq, provider, started_at, worker_id, claim)
           SELECT c.message_id, c.seq, c.provider, clock_timestamp(), $5, c.claim
           FROM unnest($1::text[], $2::int2[], $3::text[], $4::uuid[]) AS c (message_id, seq, provider, claim)
           ON CONFLICT (message_id, seq) DO NOTHING RETURNING claim`,
    values: [
      nexts.map((next) => next.message.id),
      nexts.map((next) => next.seq),
      nexts.map((next) => next.provider),
      nexts.map((next) => next.claim),
      workerId(),
    ],
  });
  return new Set(rows.map((row) => row.claim));
}

type Claimed = Pick<Attempt, "claim" | "seq"> & { message: { id: string } };

const columnsOf = (claimed: readonly Claimed[]) => [
  claimed.map(({ message }) => message.id),
  claimed.map(({ seq }) => seq),
  claimed.map(({ claim: token }) => token),
];

/** Attempts begun per statement. */
const BEGUN_MAX = 500;

/**
 * Begins a claimed attempt; may be repeated. Together with all that begin meanwhile in this process.
 * @returns false when it is no longer ours, or its message no longer pending: then it must not be made.
 */
export function begin(attempt: Claimed): Promise<boolean> {
  const queue = perProcess("attempts.begin", () =>
    createBatcher<Claimed, boolean>(
      async (batch) => {
        const { rows } = await pool().query<{ claim: string }>({
          name: "attempts.begin",
          text: `UPDATE message_attempts a SET begun_at = clock_timestamp()
                 FROM unnest($1::text[], $2::int2[], $3::uuid[]) AS b (message_id, seq, claim)
                 WHERE a.message_id = b.message_id AND a.seq = b.seq AND a.claim = b.claim
                   AND ${filterIsNull("a.outcome")}
                   AND EXISTS (SELECT 1 FROM messages m WHERE m.id = b.message_id AND ${filterEquals("m.status", "pending")})
                 RETURNING a.claim`,
          values: columnsOf(batch),
        });
        const begun = new Set(rows.map((row) => row.claim));
        return batch.map(({ claim: token }) => ({ ok: true, value: begun.has(token) }));
      },
      { maxWeight: BEGUN_MAX },
    ),
  );
  return queue(attempt);
}

/** Takes back attempts of ours that were never made, and has them dispatched anew. May be repeated. */
export async function giveBack(attempts: readonly Claimed[]): Promise<void> {
  if (attempts.length === 0) return;
  await transaction(async (tx) => {
    const { rows } = await tx.query<{ id: string }>({
      name: "attempts.give_back",
      text: `DELETE FROM message_attempts a USING unnest($1::text[], $2::int2[], $3::uuid[]) AS b (message_id, seq, claim)
             WHERE a.message_id = b.message_id AND a.seq = b.seq AND a.claim = b.claim
               AND ${filterIsNull("a.outcome")} RETURNING a.message_id AS id`,
      values: columnsOf(attempts),
    });
    if (rows.length > 0) await addJob(tx, "dispatch_messages", { messageIds: rows.map((row) => row.id) });
  });
}
