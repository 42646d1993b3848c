/** Records how attempts ended: moves their messages, settles or refunds money, and claims the next attempts. */

import { addJob } from "../../core/add-jobs";
import { createBatcher, isDataError, type Settled } from "../../core/batcher";
import { now } from "../../core/clock";
import { type Tx, transaction } from "../../core/db";
import { env } from "../../core/env";
import { constraintOf } from "../../core/errors";
import { log } from "../../core/log";
import { defineProcessValue } from "../../core/process";
import { hasManyWaiting } from "../../providers/health/slots";
import { providerTable } from "../../providers/registry";
import { joinReceipts, reapplySuperseded } from "../receipts/apply-receipts";
import { deliverReported } from "../receipts/deliver-reported";
import { type AcceptedIds, freeReusedIds, isPartReporter, registerParts, type TakenIds } from "../receipts/parts";
import { haveAlone, lockIds, refuseMovedIds, refuseSharedIds, type SharedIds, shareIds } from "../receipts/shared-ids";
import { applyChanges, type Change, lockMessages, withSuperseded } from "../transitions";
import { type AttemptResult, takenIdsOf, withoutIds } from "./attempt-result";
import { type Attempt, claimNext, dropClaims, noteClaims, UNAVAILABLE_RETRY_MS } from "./claims";
import { type Conditions, type Decision, decideNext, NO_CHANGE } from "./decide-next";
import { finishAttempts, readAttempts } from "./message-attempts";
import { type Retry, retryThrottled } from "./retry-throttled";
import { enqueueThrottled, loadThroughputLimits } from "./throttle-queue";

/** Outcomes per transaction. */
const OUTCOMES_MAX = 500;

const outcomeQueue = defineProcessValue("attempts.outcomes", () =>
  createBatcher<AttemptResult, Attempt | null>(recordAll, {
    name: "outcomes",
    maxWeight: OUTCOMES_MAX,
    // The database moves one batch while this process decides on another (docs/decisions/0047).
    parallelWhenFull: 2,
  }),
);

/**
 * Records how an attempt ended and moves its message, batched with other results. The same result may be recorded again
 * when it is unknown whether it was committed; of several results of one attempt only the first continues the message.
 * @returns the next attempt, already claimed, when the message falls back to the next provider at once.
 */
export function recordOutcome(result: AttemptResult): Promise<Attempt | null> {
  const queue = outcomeQueue();
  const { attempt, outcome } = result;
  return queue(result)
    .catch((thrown) => {
      if (!isRepeatedId(thrown)) throw thrown;
      return queue({ ...result, isRepeated: true });
    })
    .catch((thrown) => {
      if (!isRepeatedId(thrown)) throw thrown;
      // The provider took the message, so it is sent and billed. Its receipts can be matched only by our reference.
      log("error", "attempt.provider_id_repeated", { provider: attempt.provider, message_id: attempt.message.id });
      return queue({ ...result, outcome: withoutIds(outcome) });
    });
}

/** Unique keys of providers' ids. */
const KEYS_OF_IDS: ReadonlySet<unknown> = new Set(["message_attempts_provider_id", "attempt_parts_pkey"]);

const isRepeatedId = (thrown: unknown): boolean => isDataError(thrown) && KEYS_OF_IDS.has(constraintOf(thrown));

async function recordAll(batch: AttemptResult[]): Promise<Settled<Attempt | null>[]> {
  const nexts = new Map<AttemptResult, Attempt | null>();
  while (nexts.size < batch.length) {
    const results = onePerMessage(batch.filter((result) => !nexts.has(result)));
    const [table, limits] = await Promise.all([providerTable(), loadThroughputLimits()]);
    const throughput: Conditions["throughput"] = {
      isThrottled: (next) => limits.isThrottled(next) || hasManyWaiting(next.provider),
    };
    const onUnknownOutcome = env().ON_UNKNOWN_OUTCOME;
    const recorded = await transaction((tx) => record(tx, results, { table, throughput, onUnknownOutcome }));
    for (const result of results) nexts.set(result, recorded.get(result) ?? null);
  }
  return batch.map((result) => ({ ok: true, value: nexts.get(result) ?? null }));
}

/** The first result of each message: the next one is decided in a separate transaction, which sees this one's effects. */
function onePerMessage(results: readonly AttemptResult[]): AttemptResult[] {
  const first = new Map<string, AttemptResult>();
  for (const result of results) {
    const { id } = result.attempt.message;
    if (!first.has(id)) first.set(id, result);
  }
  return [...first.values()];
}

/** @returns the next attempts that are claimed and to be made at once, by the result that they follow. */
async function record(
  tx: Tx,
  results: readonly AttemptResult[],
  circumstances: Omit<Conditions, "at">,
): Promise<Map<AttemptResult, Attempt>> {
  const ids = results.map(idOf);
  const repeated = results.filter(mayShareIds).flatMap(takenIdsOf);
  const locked = new Set([...ids, ...(await lockIds(tx, repeated))]);
  const [messages, attempts] = await Promise.all([lockMessages(tx, locked), readAttempts(tx, ids)]);
  const conditions = { ...circumstances, at: now() };
  const decided = results.map((result): Decided => {
    const message = messages.get(result.attempt.message.id);
    if (message?.status !== "pending") return { result, decision: NO_CHANGE, change: null };
    const decision = decideNext(message, result, attempts.get(message.id) ?? [], conditions);
    const { step } = decision;
    return { result, decision, change: step && { message, attempts: result.attempt.seq, steps: [step] } };
  });
  const all = effectsOf(decided, await shareIds(tx, repeated));
  const effects = { ...all, changes: await withSuperseded(tx, all.changes) };
  noteClaims(effects.toClaim);
  const [claimed] = await Promise.all([
    write(tx, effects, conditions.at),
    // After all other writes.
    refuseMovedIds(tx, repeated, locked),
  ]);
  const sent = results.filter(({ attempt }) => messages.get(attempt.message.id)?.status === "sent");
  await reapplySuperseded(tx, sent.filter(cameToNothing).map(idOf));
  await deliverReported(tx, sent.filter(hasFewerParts).flatMap(takenIdsOf));
  dropClaims(effects.toClaim.filter(({ claim }) => !claimed.has(claim)));
  return nextAttempts(decided, claimed);
}

const idOf = ({ attempt }: AttemptResult): string => attempt.message.id;

/** Whether a later attempt certainly did not send the message: earlier ones may then decide it. */
const cameToNothing = ({ attempt, outcome }: AttemptResult): boolean =>
  attempt.seq > 1 && (outcome.kind === "refused" || outcome.kind === "retryable");

/** Whether receipts that arrived before the response may have waited for more parts than there are. */
const hasFewerParts = ({ attempt, outcome }: AttemptResult): boolean =>
  outcome.kind === "accepted" &&
  isPartReporter(attempt.provider) &&
  outcome.providerMessageIds.length < attempt.message.segments;

/** A result, and the decision on its message. */
type Decided = { result: AttemptResult; decision: Decision; change: Change | null };

/** Everything that one transaction writes. */
type Effects = {
  results: readonly AttemptResult[];
  changes: Change[];
  /** Next attempts to be made at once. */
  toClaim: Attempt[];
  /** Next attempts that wait for a throughput limit, or for one of many slots. */
  toEnqueue: Attempt[];
  /** Messages whose remaining providers are all unavailable. */
  unavailableIds: string[];
  retries: Retry[];
  acceptedIds: AcceptedIds[];
  /** Accepted ids that an earlier message may have. */
  reusedIds: TakenIds[];
  sharedIds: SharedIds;
};

function effectsOf(decided: readonly Decided[], sharedIds: SharedIds): Effects {
  const results = decided.map(({ result }) => result);
  const effects: Effects = {
    results,
    changes: decided.flatMap(({ change }) => change ?? []),
    toClaim: [],
    toEnqueue: [],
    unavailableIds: [],
    retries: [],
    acceptedIds: results.flatMap((result) => acceptedIdsOf(result, sharedIds)),
    reusedIds: results.filter(mayReuseIds).flatMap(takenIdsOf),
    sharedIds,
  };
  for (const { result, decision } of decided) {
    const { next } = decision;
    const messageId = result.attempt.message.id;
    if (next?.kind === "unavailable") effects.unavailableIds.push(messageId);
    else if (next?.kind === "again") effects.retries.push({ ...next, messageId });
    else if (next?.isThrottled) effects.toEnqueue.push(next.attempt);
    else if (next && !next.isClaimed) effects.toClaim.push(next.attempt);
  }
  return effects;
}

const NONE: ReadonlySet<string> = new Set();

const acceptedIdsOf = (result: AttemptResult, shared: SharedIds): AcceptedIds[] =>
  takenIdsOf(result).map((taken) => {
    const isInParts = result.outcome.kind === "unknown" || taken.providerMessageIds.length > 1;
    return { isInParts, sharedIds: shared.get(taken.attempt) ?? NONE, ...taken };
  });

/** Whether an unfinished message may have the same ids, which both keep. */
const mayShareIds = ({ attempt, isRepeated }: AttemptResult): boolean =>
  isRepeated === true && isPartReporter(attempt.provider);

/** Whether a finished message may have to give up the ids. */
const mayReuseIds = ({ attempt, isRepeated }: AttemptResult): boolean =>
  (isRepeated === true) !== isPartReporter(attempt.provider);

/**
 * Writes the effects in one round trip. The statements are pipelined and reach the database in this order: reused ids are
 * freed before attempts take them, and parked receipts are joined last, when messages have moved and ids are stored.
 * @returns the tokens of the claims that were made.
 */
async function write(tx: Tx, effects: Effects, at: Date): Promise<Set<string>> {
  const { unavailableIds: messageIds } = effects;
  const runAt = new Date(at.getTime() + UNAVAILABLE_RETRY_MS);
  const ofParts = effects.reusedIds.filter(({ attempt }) => isPartReporter(attempt.provider));
  const [claimed] = await Promise.all([
    claimNext(tx, effects.toClaim),
    freeReusedIds(tx, effects.reusedIds),
    haveAlone(tx, ofParts),
    finishAttempts(tx, effects.results, effects.sharedIds),
    registerParts(tx, effects.acceptedIds),
    applyChanges(tx, effects.changes),
    enqueueThrottled(tx, effects.toEnqueue),
    retryThrottled(tx, effects.retries, at),
    messageIds.length > 0 && addJob(tx, "dispatch_messages", { messageIds }, { runAt }),
    joinReceipts(tx, effects.acceptedIds.flatMap(receiptTargetsOf)),
    refuseSharedIds(tx, ofParts),
  ]);
  return claimed;
}

/** It is unknown whose receipts are parked under a shared id, so these are left out. */
const receiptTargetsOf = ({ attempt, providerMessageIds, isInParts, sharedIds }: AcceptedIds) =>
  providerMessageIds
    .filter((id) => !sharedIds.has(id))
    .map((providerMessageId) => {
      const { provider, message, seq } = attempt;
      return { provider, providerMessageId, messageId: message.id, seq, isPart: isInParts };
    });

function nextAttempts(decided: readonly Decided[], claimed: ReadonlySet<string>): Map<AttemptResult, Attempt> {
  const nexts = new Map<AttemptResult, Attempt>();
  for (const { result, decision } of decided) {
    const { next } = decision;
    if (next?.kind !== "attempt" || next.isThrottled) continue;
    if (next.isClaimed || claimed.has(next.attempt.claim)) nexts.set(result, next.attempt);
  }
  return nexts;
}
