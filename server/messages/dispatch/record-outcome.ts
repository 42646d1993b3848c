/** How hand-overs end: what each outcome means for its message, its money and its next provider. */
import { createBatcher, isDataError, type Settled } from "../../core/batcher";
import { now } from "../../core/clock";
import { type Tx, transaction } from "../../core/db";
import { env } from "../../core/env";
import { addJob } from "../../core/jobs";
import { log } from "../../core/log";
import { perProcess } from "../../core/process";
import { storableText } from "../../core/wire";
import type { SendOutcome } from "../../providers/port";
import { type ProviderTable, providerTable } from "../../providers/registry";
import { joinReceipts } from "../receipts/apply-receipts";
import { type AcceptedIds, isPartReporter, registerParts, takeOverIds } from "../receipts/parts";
import { applyChanges, type Change, lockMessages } from "../transitions";
import { type Attempt, claimNext, forgetClaims, knownClaims, UNAVAILABLE_RETRY_MS } from "./claims";
import { type Decision, decideNext, NO_CHANGE, type StoredAttempt } from "./decide-next";
import { newClaimToken } from "./next-attempt";
import { retryThrottled } from "./retry-throttled";
import { enqueueThrottled, loadThroughputLimits, type ThroughputLimits } from "./throttle-queue";

/**
 * How an attempt ended. `nextClaim` is the token of the attempt that may follow: when this is recorded again because the
 * reply to COMMIT was lost, the attempt that was claimed then is recognised by it.
 */
export type AttemptResult = {
  attempt: Attempt;
  outcome: SendOutcome;
  latencyMs: number;
  nextClaim: string;
  /** The provider has given its id before, perhaps to a message that is over. */
  isRepeated?: boolean;
};

/** Outcomes per transaction. */
const OUTCOMES_MAX = 500;
const DETAIL_MAX = 500;
const CODE_MAX = 100;

/** The ending of an attempt, to be recorded. */
export const attemptResult = (attempt: Attempt, outcome: SendOutcome, latencyMs: number): AttemptResult => ({
  attempt,
  outcome,
  latencyMs,
  nextClaim: newClaimToken(),
});

/**
 * Records how an attempt ended and moves its message accordingly, together with whatever else ended meanwhile. May be
 * repeated with the same ending when it is not known whether it was committed; of several endings of one attempt only
 * the first goes on.
 * @returns the next attempt, already claimed, when the message goes straight on to the next provider of its chain.
 */
export function recordOutcome(ending: AttemptResult): Promise<Attempt | null> {
  const queue = perProcess("attempts.outcomes", () =>
    createBatcher<AttemptResult, Attempt | null>(recordAll, { maxWeight: OUTCOMES_MAX }),
  );
  const { attempt, outcome, latencyMs } = ending;
  return queue(ending)
    .catch((thrown) => {
      if (outcome.kind !== "accepted" || !isRepeatedId(thrown)) throw thrown;
      return queue({ ...attemptResult(attempt, outcome, latencyMs), isRepeated: true });
    })
    .catch((thrown) => {
      if (outcome.kind !== "accepted" || !isRepeatedId(thrown)) throw thrown;
      // The provider took it, whatever it calls it: sent and billed, only its receipts cannot be told from the other's.
      log("error", "attempt.provider_id_repeated", { provider: attempt.provider, message_id: attempt.message.id });
      return queue(attemptResult(attempt, { kind: "accepted", providerMessageIds: [] }, latencyMs));
    });
}

const isRepeatedId = (thrown: unknown): boolean =>
  isDataError(thrown) && (thrown as { constraint?: string }).constraint === "message_attempts_provider_id";

async function recordAll(batch: AttemptResult[]): Promise<Settled<Attempt | null>[]> {
  const results = new Map<AttemptResult, Attempt | null>();
  while (results.size < batch.length) {
    // Endings of one message go one after the other, each in sight of what the one before did.
    const turn = new Map<string, AttemptResult>();
    for (const ending of batch) {
      const { id } = ending.attempt.message;
      if (!results.has(ending) && !turn.has(id)) turn.set(id, ending);
    }
    const endings = [...turn.values()];
    const [table, throughput] = await Promise.all([providerTable(), loadThroughputLimits()]);
    const nexts = await transaction((tx) => record(tx, endings, table, throughput));
    for (const [at, ending] of endings.entries()) results.set(ending, nexts[at] ?? null);
  }
  return batch.map((ending) => ({ ok: true, value: results.get(ending) ?? null }));
}

async function record(
  tx: Tx,
  batch: AttemptResult[],
  table: ProviderTable,
  throughput: ThroughputLimits,
): Promise<(Attempt | null)[]> {
  const ids = batch.map(({ attempt }) => attempt.message.id);
  const [messages, made] = await Promise.all([lockMessages(tx, ids), readMade(tx, ids)]);
  const at = now();
  const conditions = { at, table, throughput, onUnknownOutcome: env().ON_UNKNOWN_OUTCOME };
  const changes: Change[] = [];
  const decisions = batch.map((ending): Decision => {
    const message = messages.get(ending.attempt.message.id);
    if (message?.status !== "pending") return NO_CHANGE;
    const decision = decideNext(message, ending, made.get(message.id) ?? [], conditions);
    if (decision.step) changes.push({ message, attempts: ending.attempt.seq, steps: [decision.step] });
    return decision;
  });
  const nexts = decisions.flatMap(({ next }) => (next?.kind === "attempt" ? [next] : []));
  const following = nexts.filter((next) => !next.isThrottled && !next.isClaimed).map((next) => next.attempt);
  for (const { claim } of following) knownClaims().add(claim);
  const unavailableIds = batch.flatMap(({ attempt }, index) =>
    decisions[index]?.next?.kind === "unavailable" ? [attempt.message.id] : [],
  );
  const again = batch.flatMap(({ attempt }, index) => {
    const next = decisions[index]?.next;
    return next?.kind === "again" ? [{ ...next, messageId: attempt.message.id }] : [];
  });
  const taken = batch.flatMap(acceptedIdsOf);
  const takenOver = batch.flatMap(({ attempt, outcome, isRepeated }) =>
    outcome.kind === "accepted" && (isRepeated || isPartReporter(attempt.provider))
      ? [{ attempt, providerMessageIds: outcome.providerMessageIds }]
      : [],
  );
  // Pipelined: they reach the database in this order.
  const [claimed] = await Promise.all([
    claimNext(tx, following),
    takeOverIds(tx, takenOver),
    finishAttempts(tx, batch),
    registerParts(tx, taken),
    applyChanges(tx, changes),
    enqueueThrottled(
      tx,
      nexts.flatMap((next) => (next.isThrottled ? [next.attempt] : [])),
    ),
    retryThrottled(tx, again, at),
    unavailableIds.length > 0 &&
      addJob(
        tx,
        "dispatch_messages",
        { messageIds: unavailableIds },
        { runAt: new Date(at.getTime() + UNAVAILABLE_RETRY_MS) },
      ),
    joinReceipts(
      tx,
      taken.flatMap(({ attempt: { provider, message, seq }, providerMessageIds, isInParts }) =>
        providerMessageIds.map((providerMessageId) => ({
          provider,
          providerMessageId,
          messageId: message.id,
          seq,
          isPart: isInParts,
        })),
      ),
    ),
  ]);
  forgetClaims(following.filter(({ claim }) => !claimed.has(claim)));
  return decisions.map(({ next }) => {
    if (next?.kind !== "attempt" || next.isThrottled) return null;
    return next.isClaimed || claimed.has(next.attempt.claim) ? next.attempt : null;
  });
}

/** The ids under which a provider took the message, or took some parts of it before it fell silent. */
function acceptedIdsOf({ attempt, outcome }: AttemptResult): AcceptedIds[] {
  if (outcome.kind === "accepted") {
    const { providerMessageIds } = outcome;
    return [{ attempt, providerMessageIds, isInParts: providerMessageIds.length > 1 }];
  }
  if (outcome.kind !== "unknown" || !outcome.taken?.length) return [];
  return [{ attempt, providerMessageIds: outcome.taken, isInParts: true }];
}

/** All attempts of locked messages, in their order. */
async function readMade(tx: Tx, ids: string[]): Promise<Map<string, StoredAttempt[]>> {
  const { rows } = await tx.query<StoredAttempt & { id: string }>({
    name: "attempts.of_messages",
    text: `SELECT message_id AS id, seq, provider, outcome, fault, claim FROM message_attempts
           WHERE message_id = ANY($1::text[]) ORDER BY seq`,
    values: [ids],
  });
  const made = new Map<string, StoredAttempt[]>();
  for (const row of rows) {
    const entry = made.get(row.id);
    if (entry) entry.push(row);
    else made.set(row.id, [row]);
  }
  return made;
}

async function finishAttempts(tx: Tx, batch: AttemptResult[]): Promise<void> {
  await tx.query({
    name: "attempts.finish",
    text: `UPDATE message_attempts a SET outcome = u.outcome, provider_message_id = u.provider_message_id, code = u.code,
             detail = u.detail, latency_ms = u.latency_ms, said = u.said, fault = u.fault, finished_at = clock_timestamp()
           FROM unnest($1::text[], $2::int2[], $3::text[], $4::text[], $5::text[], $6::text[], $7::int4[], $8::text[],
             $9::text[]) AS u (message_id, seq, outcome, provider_message_id, code, detail, latency_ms, said, fault)
           WHERE a.message_id = u.message_id AND a.seq = u.seq
             AND (a.outcome IS NULL OR a.outcome = 'unknown' OR u.outcome = 'accepted')`,
    values: [
      batch.map(({ attempt }) => attempt.message.id),
      batch.map(({ attempt }) => attempt.seq),
      batch.map(({ outcome }) => outcome.kind),
      batch.map(({ outcome }) => (outcome.kind === "accepted" ? outcome.providerMessageIds[0] || null : null)),
      batch.map(({ outcome }) => (outcome.kind === "accepted" ? null : storableText(outcome.code, CODE_MAX))),
      batch.map(({ outcome }) => (outcome.kind === "accepted" ? null : storableText(outcome.detail, DETAIL_MAX))),
      batch.map(({ latencyMs }) => Math.round(latencyMs)),
      batch.map(({ outcome }) =>
        outcome.kind !== "accepted" && outcome.said ? storableText(outcome.said, DETAIL_MAX) : null,
      ),
      batch.map(({ outcome }) => (outcome.kind === "retryable" ? outcome.fault : null)),
    ],
  });
}
