/** How hand-overs end: what each outcome means for its message, its money and its next provider. */
import { coalesce, isDataError, type Settled } from "../core/batch";
import { now } from "../core/clock";
import { type Tx, transaction } from "../core/db";
import { env } from "../core/env";
import { addJob } from "../core/jobs";
import { log } from "../core/log";
import { perProcess } from "../core/process";
import { storableText } from "../core/wire";
import type { Outcome } from "../providers/port";
import { type ProviderTable, providerTable } from "../providers/registry";
import { type Attempt, attemptOf, claimNext, HELD_AGAIN_MS } from "./claims";
import { nextProvider } from "./next-provider";
import { registerParts } from "./parts";
import { joinReceipts } from "./receipts";
import { applyChanges, type Change, type LockedMessage, lockMessages, type Step } from "./transitions";
import { enterRoom, openPaces, type Paces } from "./waiting-room";

type Finished = { attempt: Attempt; outcome: Outcome; latencyMs: number };

/** Outcomes per transaction. */
const OUTCOMES_MAX = 500;
const DETAIL_MAX = 500;
const CODE_MAX = 100;
/**
 * Records how an attempt ended and moves its message accordingly, together with whatever else ended meanwhile.
 * May be repeated when it is not known whether it was committed.
 * @returns the next attempt, already claimed, when the message goes straight on to the next provider of its chain.
 */
export function recordOutcome(attempt: Attempt, outcome: Outcome, latencyMs: number): Promise<Attempt | null> {
  const queue = perProcess("attempts.outcomes", () =>
    coalesce<Finished, Attempt | null>(
      async (batch) => {
        const [table, paces] = await Promise.all([providerTable(), openPaces()]);
        return transaction((tx) => record(tx, batch, table, paces));
      },
      { maxWeight: OUTCOMES_MAX },
    ),
  );
  return queue({ attempt, outcome, latencyMs }).catch((thrown) => {
    if (outcome.kind !== "accepted" || !isRepeatedId(thrown)) throw thrown;
    // The provider took it, whatever it calls it: sent and billed, only its receipts cannot be told from the other's.
    log("error", "attempt.provider_id_repeated", { provider: attempt.provider, message_id: attempt.message.id });
    return queue({ attempt, outcome: { kind: "accepted", providerMessageIds: [] }, latencyMs });
  });
}

const isRepeatedId = (thrown: unknown): boolean =>
  isDataError(thrown) && (thrown as { constraint?: string }).constraint === "message_attempts_provider_id";

/** What follows from an outcome: a move of the message, and where it goes on. */
type Verdict = { step: Step | null; next: "held" | { attempt: Attempt; isPaced: boolean } | null };

async function record(
  tx: Tx,
  batch: Finished[],
  table: ProviderTable,
  paces: Paces,
): Promise<Settled<Attempt | null>[]> {
  const messages = await lockMessages(
    tx,
    batch.map((finished) => finished.attempt.message.id),
  );
  const at = now();
  const changes: Change[] = [];
  const verdicts = batch.map((finished): Verdict => {
    const message = messages.get(finished.attempt.message.id);
    if (message?.status !== "pending") return { step: null, next: null };
    const verdict = judge(message, finished, at, table, paces);
    if (verdict.step) changes.push({ message, attempts: finished.attempt.seq, steps: [verdict.step] });
    return verdict;
  });
  const nexts = verdicts.flatMap(({ next }) => (next && next !== "held" ? [next] : []));
  const heldIds = batch.flatMap(({ attempt }, index) => (verdicts[index]?.next === "held" ? [attempt.message.id] : []));
  const taken = batch.flatMap(({ attempt, outcome }) =>
    outcome.kind === "accepted" ? [{ attempt, providerMessageIds: outcome.providerMessageIds }] : [],
  );
  // Pipelined: they reach the database in this order.
  await Promise.all([
    finishAttempts(tx, batch, at),
    registerParts(tx, taken),
    applyChanges(tx, changes),
    claimNext(
      tx,
      nexts.flatMap((next) => (next.isPaced ? [] : [next.attempt])),
    ),
    enterRoom(
      tx,
      nexts.flatMap((next) => (next.isPaced ? [next.attempt] : [])),
    ),
    heldIds.length > 0 &&
      addJob(tx, "dispatch_messages", { messageIds: heldIds }, { runAt: new Date(at.getTime() + HELD_AGAIN_MS) }),
    joinReceipts(
      tx,
      taken.flatMap(({ attempt: { provider, message, seq }, providerMessageIds }) =>
        providerMessageIds.map((providerMessageId) => ({
          provider,
          providerMessageId,
          messageId: message.id,
          seq,
          isPart: providerMessageIds.length > 1,
        })),
      ),
    ),
  ]);
  return verdicts.map(({ next }) => ({
    ok: true,
    value: next && next !== "held" && !next.isPaced ? next.attempt : null,
  }));
}

/**
 * What an outcome means for its message. Accepted: sent. Refused: failed, the chain stops. Retryable: the next provider.
 * Unknown: by ON_UNKNOWN_OUTCOME the next provider or nothing; with no provider left it waits for a receipt.
 */
function judge(
  message: LockedMessage,
  { attempt, outcome }: Finished,
  at: Date,
  table: ProviderTable,
  paces: Paces,
): Verdict {
  const { provider } = attempt;
  if (outcome.kind === "accepted") {
    const [providerMessageId = ""] = outcome.providerMessageIds;
    return { step: { to: "sent", at, provider, providerMessageId }, next: null };
  }
  const failed = (code: string, text: string): Verdict => ({
    step: { to: "failed", at, provider, error: { code, message: text } },
    next: null,
  });
  if (outcome.kind === "refused") {
    return failed(storableText(outcome.code, CODE_MAX), storableText(outcome.detail, DETAIL_MAX));
  }
  if (outcome.kind === "unknown" && env().ON_UNKNOWN_OUTCOME === "hold") return { step: null, next: null };
  const tried = [...attempt.tried, provider];
  const afterUnknown = attempt.afterUnknown || outcome.kind === "unknown";
  // A provider that is being tried out again takes messages through the dispatch alone, which counts them.
  const next = nextProvider(message.chain, tried, (id) => table.isHeld(id) || table.stateOf(id)?.breaker === "probing");
  if (next.kind === "held") return { step: null, next: "held" };
  if (next.kind === "provider") {
    const following = attemptOf({ ...attempt, tried, afterUnknown }, next.provider, at);
    return { step: null, next: { attempt: following, isPaced: paces.isPaced(following) } };
  }
  // One of them may have it: a receipt will tell, or time.
  if (afterUnknown) return { step: null, next: null };
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
           WHERE a.message_id = u.message_id AND a.seq = u.seq
             AND (a.outcome IS DISTINCT FROM 'accepted' OR u.outcome = 'accepted')`,
    values: [
      batch.map(({ attempt }) => attempt.message.id),
      batch.map(({ attempt }) => attempt.seq),
      batch.map(({ outcome }) => outcome.kind),
      batch.map(({ outcome }) => (outcome.kind === "accepted" ? outcome.providerMessageIds[0] || null : null)),
      batch.map(({ outcome }) => (outcome.kind === "accepted" ? null : storableText(outcome.code, CODE_MAX))),
      batch.map(({ outcome }) => (outcome.kind === "accepted" ? null : storableText(outcome.detail, DETAIL_MAX))),
      batch.map(({ latencyMs }) => Math.round(latencyMs)),
      at.toISOString(),
    ],
  });
}
