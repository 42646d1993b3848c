/**
 * Attempts: handing messages to providers. An attempt's row is committed before its provider is called, so a crash of
 * ours leaves a trace, and what may have been sent is never blindly sent again.
 */
import { coalesce, isDataError, type Settled } from "../core/batch";
import { now } from "../core/clock";
import { pool, type Tx, transaction } from "../core/db";
import { env } from "../core/env";
import { log } from "../core/log";
import { perProcess } from "../core/process";
import { storableText } from "../core/wire";
import type { OutboundMessage, Outcome } from "../providers/port";
import { joinReceipts } from "./receipts";
import { applyChanges, type Change, type LockedMessage, lockMessages, type Step } from "./transitions";

/** A message handed to `provider` as its attempt number `seq`, which is committed. */
export type Attempt = { message: OutboundMessage; seq: number; provider: string; claimedAt: Date };

type Finished = { attempt: Attempt; outcome: Outcome; latencyMs: number };

/** Outcomes per transaction. */
const OUTCOMES_MAX = 500;
const DETAIL_MAX = 500;
const CODE_MAX = 100;

/**
 * Claims the first attempt of each message that is still pending and was never tried. A message that another run of the
 * same job claimed before is left out, so two runs never send it twice.
 */
export async function claimFirstAttempts(messageIds: readonly string[]): Promise<Attempt[]> {
  const claimedAt = now();
  const { rows } = await pool().query<OutboundMessage & { provider: string }>({
    name: "attempts.claim_first",
    text: `WITH claimed AS (
             INSERT INTO message_attempts (message_id, seq, provider, started_at)
             SELECT m.id, 1, m.chain[1], $2::timestamptz FROM messages m
             WHERE m.id = ANY($1::text[]) AND m.status = 'pending'
             ON CONFLICT (message_id, seq) DO NOTHING
             RETURNING message_id, provider
           )
           SELECT m.id, m.to_number AS "to", m.from_sender AS "from", m.body, m.encoding, m.segments, c.provider
           FROM claimed c JOIN messages m ON m.id = c.message_id ORDER BY m.id`,
    values: [messageIds, claimedAt.toISOString()],
  });
  return rows.map(({ provider, ...message }) => ({ message, provider, seq: 1, claimedAt }));
}

/**
 * Records how an attempt ended and moves its message accordingly, together with whatever else ended meanwhile.
 * May be repeated when it is not known whether it was committed.
 * @returns the next attempt, already claimed, when the message goes on to the next provider of its chain; else null.
 */
export function recordOutcome(attempt: Attempt, outcome: Outcome, latencyMs: number): Promise<Attempt | null> {
  const queue = perProcess("attempts.outcomes", () =>
    coalesce<Finished, Attempt | null>((batch) => transaction((tx) => record(tx, batch)), { maxWeight: OUTCOMES_MAX }),
  );
  return queue({ attempt, outcome, latencyMs }).catch((thrown) => {
    if (outcome.kind !== "accepted" || !isRepeatedId(thrown)) throw thrown;
    // The provider took it, whatever it calls it: sent and billed, only its receipts cannot be told from the other's.
    log("error", "attempt.provider_id_repeated", { provider: attempt.provider, message_id: attempt.message.id });
    return queue({ attempt, outcome: { kind: "accepted", providerMessageId: "" }, latencyMs });
  });
}

const isRepeatedId = (thrown: unknown): boolean =>
  isDataError(thrown) && (thrown as { constraint?: string }).constraint === "message_attempts_provider_id";

type Verdict = { step: Step | null; next: Attempt | null };

async function record(tx: Tx, batch: Finished[]): Promise<Settled<Attempt | null>[]> {
  const messages = await lockMessages(
    tx,
    batch.map((finished) => finished.attempt.message.id),
  );
  const at = now();
  const changes: Change[] = [];
  const nexts = batch.map((finished): Attempt | null => {
    const message = messages.get(finished.attempt.message.id);
    if (message?.status !== "pending") return null;
    const { step, next } = judge(message, finished, at);
    if (step) changes.push({ message, attempts: finished.attempt.seq, steps: [step] });
    return next;
  });
  // Pipelined: they reach the database in this order.
  await Promise.all([
    finishAttempts(tx, batch, at),
    applyChanges(tx, changes),
    claimNext(
      tx,
      nexts.filter((next) => next !== null),
      at,
    ),
    joinReceipts(
      tx,
      batch.flatMap(({ attempt: { provider, message }, outcome }) =>
        outcome.kind === "accepted" && outcome.providerMessageId
          ? [{ provider, providerMessageId: outcome.providerMessageId, messageId: message.id }]
          : [],
      ),
    ),
  ]);
  return nexts.map((value) => ({ ok: true, value }));
}

/**
 * What an outcome means for its message. Accepted: sent. Refused: failed, the chain stops. Retryable: the next provider.
 * Unknown: by ON_UNKNOWN_OUTCOME the next provider or nothing; with no provider left it waits for a receipt.
 */
function judge(message: LockedMessage, { attempt, outcome }: Finished, at: Date): Verdict {
  if (outcome.kind === "accepted") {
    const { provider } = attempt;
    return { step: { to: "sent", at, provider, providerMessageId: outcome.providerMessageId }, next: null };
  }
  const failed = (code: string, text: string): Verdict => ({
    step: { to: "failed", at, provider: attempt.provider, error: { code, message: text } },
    next: null,
  });
  if (outcome.kind === "refused") {
    return failed(storableText(outcome.code, CODE_MAX), storableText(outcome.detail, DETAIL_MAX));
  }
  if (outcome.kind === "unknown" && env().ON_UNKNOWN_OUTCOME === "hold") return { step: null, next: null };
  const provider = message.chain[attempt.seq];
  if (provider)
    return { step: null, next: { message: attempt.message, seq: attempt.seq + 1, provider, claimedAt: at } };
  if (outcome.kind === "unknown") return { step: null, next: null };
  return failed(
    "no_provider_available",
    `No provider took the message; the last answer was: ${storableText(outcome.detail, DETAIL_MAX)}`,
  );
}

async function finishAttempts(tx: Tx, batch: Finished[], at: Date): Promise<void> {
  await tx.query({
    name: "attempts.finish",
    text: `UPDATE message_attempts a SET outcome = u.outcome, provider_message_id = u.provider_message_id, code = u.code,
             detail = u.detail, latency_ms = u.latency_ms, finished_at = $8::timestamptz
           FROM unnest($1::text[], $2::int2[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int4[])
             AS u (message_id, seq, outcome, provider_message_id, code, detail, latency_ms)
           WHERE a.message_id = u.message_id AND a.seq = u.seq`,
    values: [
      batch.map(({ attempt }) => attempt.message.id),
      batch.map(({ attempt }) => attempt.seq),
      batch.map(({ outcome }) => outcome.kind),
      batch.map(({ outcome }) => (outcome.kind === "accepted" ? outcome.providerMessageId || null : null)),
      batch.map(({ outcome }) => (outcome.kind === "accepted" ? null : storableText(outcome.code, CODE_MAX))),
      batch.map(({ outcome }) => (outcome.kind === "accepted" ? null : storableText(outcome.detail, DETAIL_MAX))),
      batch.map(({ latencyMs }) => Math.round(latencyMs)),
      at.toISOString(),
    ],
  });
}

/** Only the one who recorded the attempt before goes on, so a row that is there already is our own, from a lost COMMIT. */
async function claimNext(tx: Tx, nexts: Attempt[], at: Date): Promise<void> {
  if (nexts.length === 0) return;
  await tx.query({
    name: "attempts.claim_next",
    text: `INSERT INTO message_attempts (message_id, seq, provider, started_at)
           SELECT *, $4::timestamptz FROM unnest($1::text[], $2::int2[], $3::text[])
           ON CONFLICT (message_id, seq) DO NOTHING`,
    values: [
      nexts.map((next) => next.message.id),
      nexts.map((next) => next.seq),
      nexts.map((next) => next.provider),
      at.toISOString(),
    ],
  });
}
