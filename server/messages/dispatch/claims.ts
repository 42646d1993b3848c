/**
 * Claims. An attempt has two steps, each committed before the next: a worker claims it, then begins it just before the
 * provider is called. A crash leaves either a claim, which any worker may take back, or a begun attempt, which may have
 * been sent and is never blindly repeated. Every statement here matches the claim's token, so that none can touch an attempt
 * that another worker has claimed since.
 */

import { addJob } from "../../core/add-jobs";
import { createBatcher } from "../../core/batcher";
import { SECOND_MS } from "../../core/clock";
import { filterEquals, filterIsNull, pool, type Queryable, type Tx, transaction } from "../../core/db";
import { errorFields, log } from "../../core/log";
import { defineProcessValue } from "../../core/process";
import { unnest } from "../../core/unnest";
import { workerId } from "../../core/worker-id";
import type { Slot } from "../../providers/health/slots";
import type { OutboundMessage } from "../../providers/port";
import { isSuppressed } from "../../suppressions/store";
import { reapplySuperseded } from "../receipts/apply-receipts";
import { isDue } from "../scheduled";
import { lockMessages } from "../transitions";
import { isExpired, revokedOf } from "./fail-undispatched";

/** Pause before messages whose providers are all unavailable are dispatched again. */
export const UNAVAILABLE_RETRY_MS = 5 * SECOND_MS;
/**
 * A begin that took longer is repeated before the attempt is made. A process that stalled for longer may have been declared dead;
 * beginning the attempt again shows whether the process still owns it.
 */
export const BEGUN_FRESH_MS = 10 * SECOND_MS;

/**
 * For this long after it was read that a message may be sent, its attempt may be made without asking the database again. A process
 * that stalled for longer, or lost the database meanwhile, may have missed a STOP or a suspension.
 */
export const ALLOWED_FRESH_MS = SECOND_MS;

/** A message to be sent, with its earlier attempts. */
export type Candidate = {
  message: OutboundMessage;
  accountId: string;
  /** Providers of the earlier attempts. */
  tried: string[];
  /** Whether one of them may have taken the message. */
  afterUnknown: boolean;
  /** Whether it was scheduled; absent: not, or it was claimed before. Its time may be changed until it is claimed. */
  isScheduled?: boolean;
};

/** An attempt to send a message through `provider`, number `seq` of its message. */
export type Attempt = Candidate & {
  seq: number;
  provider: string;
  /** Token of the claim (UUID). */
  claim: string;
  claimedAt: Date;
  /** Slot of the provider's concurrency limiter; null: to be acquired before the call. */
  slot: Slot | null;
  /** Set if it has taken a probe of its half-open provider. */
  isProbe?: true;
  /** `performance.now()` before it was read that it may be made, if it began with its claim; null: claimed only. */
  begunAtMs: number | null;
};

/** Sender and recipient, as suppressions match them. */
export const sendingOf = ({ accountId, message }: Candidate) => ({
  accountId,
  toNumber: message.to,
  fromSender: message.from,
});

/**
 * Claims that this process knows to be its own, from before they are written until their outcome is. Any other claim of
 * this worker was committed although the reply was lost, and its attempt will not be made (recover.ts).
 */
export const knownClaims = defineProcessValue("attempts.known_claims", () => new Set<string>());

const lastClaim = defineProcessValue("attempts.last_claim", () => ({ atMs: Number.NEGATIVE_INFINITY }));

/** Adds claims that are about to be written to {@link knownClaims}. */
export function noteClaims(attempts: readonly Pick<Attempt, "claim">[]): void {
  if (attempts.length === 0) return;
  lastClaim().atMs = performance.now();
  for (const { claim: token } of attempts) knownClaims().add(token);
}

/** The time when this process last noted or dropped claims, by `performance.now()`. */
export const lastClaimMs = (): number => lastClaim().atMs;

/**
 * Gives back claims that may or may not have been committed; their attempts are not made. This is tried once and immediately, so that a
 * worker that dies soon after leaves none behind; `giveBackUnheard` (recover.ts) finds the rest.
 */
export function abandonClaims(attempts: readonly Attempt[]): void {
  dropClaims(attempts);
  giveBack(attempts).catch((thrown) => log("warn", "attempts.claims_not_given_back", errorFields(thrown)));
}

/** Removes claims from {@link knownClaims}. */
export function dropClaims(attempts: readonly Pick<Attempt, "claim">[]): void {
  // This includes claims without an acknowledgement, however late that becomes known.
  lastClaim().atMs = performance.now();
  for (const { claim: token } of attempts) knownClaims().delete(token);
}

/**
 * Claims attempts; one is skipped when its message has an attempt of that number, was refused or withdrawn, has expired, is not
 * due or is no longer pending.
 * @param tx null: in a separate transaction, or in one statement if none of them follows another attempt or was scheduled.
 * @param begins whether an attempt begins with its claim, because the call follows at once.
 * @param readAtMs `performance.now()` before it was read that the messages may be sent.
 * @returns the attempts that this process is to make.
 */
export async function claim(
  tx: Tx | null,
  attempts: readonly Attempt[],
  begins: (attempt: Attempt) => boolean,
  readAtMs = performance.now(),
): Promise<Attempt[]> {
  if (attempts.length === 0) return [];
  noteClaims(attempts);
  const claims = attempts.map((attempt) => ({ begins: begins(attempt), ...attempt }));
  let isBegun: ReadonlyMap<string, boolean>;
  try {
    isBegun = await insertClaims(tx, claims);
  } catch (thrown) {
    abandonClaims(attempts);
    throw thrown;
  }
  dropClaims(attempts.filter((attempt) => !isBegun.has(attempt.claim)));
  return attempts
    .filter((attempt) => isBegun.has(attempt.claim))
    .map((attempt) => ({ ...attempt, begunAtMs: isBegun.get(attempt.claim) ? readAtMs : null }));
}

/**
 * Whether it was read within {@link ALLOWED_FRESH_MS} that an attempt may be made. If not, it begins again, which looks for STOPs and
 * suspensions.
 * @param begunAtMs that of the attempt.
 */
export const isAllowedFreshly = (begunAtMs: number | null): begunAtMs is number =>
  begunAtMs !== null && performance.now() - begunAtMs < ALLOWED_FRESH_MS;

type NewClaim = Attempt & { begins: boolean };

const NEW_CLAIMS = unnest<NewClaim>(
  {
    message_id: ["text", ({ message }) => message.id],
    seq: ["int2", ({ seq }) => seq],
    provider: ["text", ({ provider }) => provider],
    claim: ["uuid", ({ claim: token }) => token],
    begins: ["bool", ({ begins }) => begins],
  },
  2,
);

/**
 * Inserts claims. A claim that follows another attempt first locks its message, in a separate statement: an outcome of the
 * earlier attempt may be about to fail or refuse the message, and a statement that waits for a lock still sees the other tables
 * as they were before. So does the claim of a scheduled message, which may be about to get another time (changes/reschedule.ts). Most
 * claims are first attempts of other messages, which race with nothing. No attempt can have been refused before a first
 * one either: any attempt of its message takes its number. (The look-up counts, because for NOT EXISTS after OR the planner may
 * build a hash of all refused attempts, for which it reads the whole table.)
 * @returns for each claim that was inserted, whether its attempt is begun.
 */
async function insertClaims(tx: Tx | null, claims: readonly NewClaim[]): Promise<Map<string, boolean>> {
  const raced = claims.filter(({ seq, isScheduled }) => seq > 1 || isScheduled).map(({ message }) => message.id);
  if (raced.length === 0) return insertFreeClaims(tx ?? pool(), claims);
  if (tx === null) return transaction((own) => insertClaims(own, claims));
  // Pipelined: the second statement begins when the first one has the locks.
  const [, isBegun] = await Promise.all([lockMessages(tx, raced), insertFreeClaims(tx, claims)]);
  return isBegun;
}

async function insertFreeClaims(on: Queryable, claims: readonly NewClaim[]): Promise<Map<string, boolean>> {
  const { rows } = await on.query<{ claim: string; isBegun: boolean }>({
    name: "attempts.claim",
    text: `INSERT INTO message_attempts (message_id, seq, provider, started_at, worker_id, claim, begun_at)
           SELECT c.message_id, c.seq, c.provider, clock_timestamp(), $1, c.claim,
             CASE WHEN c.begins THEN clock_timestamp() END
           FROM ${NEW_CLAIMS.as("c")}
           JOIN messages m ON m.id = c.message_id AND ${filterEquals("m.status", "pending")} AND NOT ${isExpired("m")}
             AND ${isDue("m")}
           WHERE c.seq = 1 OR (SELECT count(*) FROM message_attempts r WHERE r.message_id = c.message_id AND r.outcome = 'refused') = 0
           ON CONFLICT (message_id, seq) DO NOTHING RETURNING claim, begun_at IS NOT NULL AS "isBegun"`,
    values: [workerId(), ...NEW_CLAIMS.values(claims)],
  });
  return new Map(rows.map((row) => [row.claim, row.isBegun]));
}

const NEXT_CLAIMS = unnest<Attempt>(
  {
    message_id: ["text", ({ message }) => message.id],
    seq: ["int2", ({ seq }) => seq],
    provider: ["text", ({ provider }) => provider],
    claim: ["uuid", ({ claim: token }) => token],
  },
  2,
);

/**
 * Claims the attempts that follow outcomes; they begin later. An attempt that exists already belongs to another worker. A message
 * that has expired gets none: dispatch fails it, or leaves it to its receipt.
 * @returns the tokens of the claims that were made.
 */
export async function claimNext(tx: Tx, nexts: readonly Attempt[]): Promise<Set<string>> {
  if (nexts.length === 0) return new Set();
  const { rows } = await tx.query<{ claim: string }>({
    name: "attempts.claim_next",
    text: `INSERT INTO message_attempts (message_id, seq, provider, started_at, worker_id, claim)
           SELECT c.message_id, c.seq, c.provider, clock_timestamp(), $1, c.claim
           FROM ${NEXT_CLAIMS.as("c")}
           CROSS JOIN LATERAL (SELECT expires_at FROM messages WHERE id = c.message_id OFFSET 0) m
           WHERE NOT ${isExpired("m")}
           ON CONFLICT (message_id, seq) DO NOTHING RETURNING claim`,
    values: [workerId(), ...NEXT_CLAIMS.values(nexts)],
  });
  const claimed = new Set(rows.map((row) => row.claim));
  const messageIds = nexts.filter(({ claim: token }) => !claimed.has(token)).map(({ message }) => message.id);
  if (messageIds.length > 0) await addJob(tx, "dispatch_messages", { messageIds });
  return claimed;
}

type Claimed = Pick<Attempt, "claim" | "seq"> & { message: { id: string } };

const CLAIMED = unnest<Claimed>({
  message_id: ["text", ({ message }) => message.id],
  seq: ["int2", ({ seq }) => seq],
  claim: ["uuid", ({ claim: token }) => token],
});

/** Attempts begun per statement. */
const BEGUN_MAX = 500;

const REVOKED = revokedOf("m");

const beginQueue = defineProcessValue("attempts.begin", () =>
  createBatcher<Claimed, boolean>(
    async (batch) => {
      const { rows } = await pool().query<{ claim: string }>({
        name: "attempts.begin",
        text: `UPDATE message_attempts a SET begun_at = clock_timestamp() FROM ${CLAIMED.as("b")}
               WHERE a.message_id = b.message_id AND a.seq = b.seq AND a.claim = b.claim AND ${filterIsNull("a.outcome")}
                 AND EXISTS (SELECT 1 FROM messages m ${REVOKED.joins}
                   WHERE m.id = b.message_id AND ${filterEquals("m.status", "pending")} AND NOT ${isExpired("m")}
                     AND ${REVOKED.column} IS NULL AND NOT ${isSuppressed("m")})
               RETURNING a.claim`,
        values: CLAIMED.values(batch),
      });
      const begun = new Set(rows.map((row) => row.claim));
      return batch.map(({ claim: token }) => ({ ok: true, value: begun.has(token) }));
    },
    { name: "begin", maxWeight: BEGUN_MAX },
  ),
);

/**
 * Begins a claimed attempt, batched with others of this process; may be repeated. Minutes may have passed since dispatch looked
 * at the message, so a STOP or a suspension is looked for again.
 * @returns false when the attempt must not be made: another worker owns it, or its message is no longer pending, has expired,
 *   or must no longer be sent.
 */
export const begin = (attempt: Claimed): Promise<boolean> => beginQueue()(attempt);

/**
 * Deletes claims of attempts that were never made, and has their messages dispatched again. May be repeated.
 * @returns how many were deleted.
 */
export async function giveBack(attempts: readonly Claimed[]): Promise<number> {
  return attempts.length === 0 ? 0 : transaction((tx) => deleteClaims(tx, attempts));
}

/** As {@link giveBack}, in a transaction. `keepsBegun`: attempts that were begun stay. @returns how many were deleted. */
export async function deleteClaims(
  tx: Tx,
  attempts: readonly Claimed[],
  { keepsBegun } = { keepsBegun: false },
): Promise<number> {
  // The lock keeps receipts away until they find these attempts gone.
  const messages = await lockMessages(
    tx,
    attempts.map(({ message }) => message.id),
  );
  const { rows } = await tx.query<{ id: string }>({
    name: "attempts.give_back",
    text: `DELETE FROM message_attempts a USING ${CLAIMED.as("b")}
           WHERE a.message_id = b.message_id AND a.seq = b.seq AND a.claim = b.claim AND ${filterIsNull("a.outcome")}
             AND (a.begun_at IS NULL OR NOT $4)
           RETURNING a.message_id AS id`,
    values: [...CLAIMED.values(attempts), keepsBegun],
  });
  const ids = rows.map((row) => row.id);
  if (ids.length === 0) return 0;
  await addJob(tx, "dispatch_messages", { messageIds: ids });
  await reapplySuperseded(
    tx,
    ids.filter((id) => messages.get(id)?.status === "sent"),
  );
  return ids.length;
}
