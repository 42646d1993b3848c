/** Hand-overs under way in this process: each claimed attempt is seen through to an outcome, whatever it takes. */
import { isDataError } from "../core/batch";
import { MINUTE_MS, now } from "../core/clock";
import { errorFields, log } from "../core/log";
import { perProcess } from "../core/process";
import { forOperators } from "../providers/answer";
import { enterLane, inLane, leaveLane } from "../providers/lane";
import type { Adapter, Outcome } from "../providers/port";
import { receiptUrlFor } from "../providers/receipt-url";
import { referenceTo } from "../providers/reference";
import { type ProviderState, providerTable, standingAdapter } from "../providers/registry";
import { noteOutcome } from "../providers/tend";
import { endingOf, recordEnding } from "./attempts";
import { type Attempt, unclaim } from "./claims";

/** A hand-over whose end nobody knows is given up, and refunded, after this time. */
export const UNRESOLVED_AFTER_MS = 15 * MINUTE_MS;
/** A call that has not begun so long after it was claimed is not made: it must not meet what is failed and refunded. */
export const BEGUN_WITHIN_MS = UNRESOLVED_AFTER_MS / 2;
const INSIST_DELAYS_MS = [100, 300, 1_000, 2_000, 5_000, 10_000, 20_000, 20_000];
const INSIST_AGAIN_MS = 20_000;

type UnderWay = { all: Set<Promise<void>>; isStopping: boolean };

const underWay = () => perProcess<UnderWay>("messages.hand_overs", () => ({ all: new Set(), isStopping: false }));

/** Begins to hand over attempts that are claimed and have room in their providers' lanes; does not wait for their ends. */
export function beginHandOvers(attempts: readonly Attempt[]): void {
  for (const attempt of attempts) begin(attempt, true);
}

/** Records what has become known of an attempt, and begins what follows. */
export async function goOnWith(attempt: Attempt, outcome: Outcome): Promise<void> {
  const next = await goOn(attempt, outcome, 0);
  if (next) begin(next, false);
}

function begin(attempt: Attempt, hasRoom: boolean): void {
  const own = underWay();
  const ended: Promise<void> = seeThrough(attempt, hasRoom)
    .catch((thrown) => {
      // What could not be recorded stays an open attempt, which the sweep resolves.
      log("error", "attempt.not_recorded", { message_id: attempt.message.id, ...errorFields(thrown) });
    })
    .finally(() => own.all.delete(ended));
  own.all.add(ended);
}

/** Returns when no hand-over is under way in this process. */
export async function settleHandOvers(): Promise<void> {
  const { all } = underWay();
  while (all.size > 0) await Promise.all(all);
}

/** Lets what has been begun come to its end; what still waits in a lane is left to somebody else. */
export async function stopHandOvers(): Promise<void> {
  underWay().isStopping = true;
  await settleHandOvers();
}

/** Follows one message along its chain of providers until one takes it, it must wait, or the chain ends. */
async function seeThrough(first: Attempt, hasRoom: boolean): Promise<void> {
  for (let attempt: Attempt | null = first; attempt; ) {
    const ended: Attempt = attempt;
    const made = await handOver(ended, hasRoom && ended === first);
    if (made === "stopped") return giveBack(ended);
    attempt = await goOn(ended, made.outcome, made.latencyMs);
  }
}

/** Has somebody else make an attempt that was not made. Until the sweep would take it for one that was, this is tried again. */
const giveBack = (attempt: Attempt): Promise<void> =>
  insist("attempt.not_given_back_yet", () => unclaim(attempt), attempt.claimedAt.getTime() + UNRESOLVED_AFTER_MS);

/** Records an outcome. @returns the next attempt, already claimed, when it is to be made at once. */
function goOn(attempt: Attempt, outcome: Outcome, latencyMs: number): Promise<Attempt | null> {
  const ending = endingOf(attempt, outcome, latencyMs);
  return insist("attempt.outcome_not_written_yet", () => recordEnding(ending));
}

/**
 * What a provider answered is known to us alone: while the database is away it is held and written again, for a minute.
 * After that the attempt stays open, as after a crash. @param until goes on until then, unless this process is to stop.
 */
async function insist<Result>(event: string, ask: () => Promise<Result>, until = 0): Promise<Result> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await ask();
    } catch (thrown) {
      const isOver = failures >= INSIST_DELAYS_MS.length && (underWay().isStopping || now().getTime() > until);
      if (isDataError(thrown) || isOver) throw thrown;
      log("warn", event, errorFields(thrown));
      await new Promise((resolve) => setTimeout(resolve, INSIST_DELAYS_MS[failures] ?? INSIST_AGAIN_MS));
    }
  }
}

async function findProvider(id: string): Promise<{ adapter: Adapter | null; state: ProviderState | null }> {
  const table = await providerTable();
  return { adapter: table.adapterOf(id), state: table.stateOf(id) };
}

type Made = { outcome: Outcome; latencyMs: number };

/** Makes one call. "stopped": it was not made, and somebody else is to make it. */
async function handOver(attempt: Attempt, hasRoom: boolean): Promise<Made | "stopped"> {
  const { provider } = attempt;
  const found = await insist("attempt.provider_not_read_yet", () => findProvider(provider)).catch((thrown) => {
    log("error", "attempt.provider_not_read", { provider, ...errorFields(thrown) });
    return null;
  });
  if (!found) {
    const standing = hasRoom ? standingAdapter(provider) : null;
    if (standing) leaveLane(standing);
    return "stopped";
  }
  const { adapter, state } = found;
  if (!adapter || !state) {
    const detail = `${provider} has no credentials here.`;
    return { outcome: { kind: "retryable", code: "provider_not_configured", detail, fault: "message" }, latencyMs: 0 };
  }
  if (!hasRoom) enterLane(adapter);
  try {
    const made = await inLane(adapter, () => send(adapter, attempt));
    if (made !== "stopped") {
      await noteOutcome(state, forOperators(made.outcome), made.latencyMs).catch((thrown) =>
        log("warn", "provider.outcome_not_noted", { provider, ...errorFields(thrown) }),
      );
    }
    return made;
  } finally {
    leaveLane(adapter);
  }
}

async function send(adapter: Adapter, { message, seq, claimedAt }: Attempt): Promise<Made | "stopped"> {
  // Whoever stops begins nothing more; what was not begun is somebody else's.
  if (underWay().isStopping) return "stopped";
  if (now().getTime() - claimedAt.getTime() > BEGUN_WITHIN_MS) {
    const detail = `No place at ${adapter.id} became free in time.`;
    return { outcome: { kind: "retryable", code: "waited_too_long", detail, fault: "throttled" }, latencyMs: 0 };
  }
  const reference = referenceTo(message.id, seq);
  const startedAt = performance.now();
  try {
    const outcome = await adapter.send({ message, reference, receiptUrl: receiptUrlFor(adapter.id, reference) });
    return { outcome, latencyMs: performance.now() - startedAt };
  } catch (thrown) {
    // A bug of ours, perhaps after the request went out: it must not be sent again without knowing.
    log("error", "provider.adapter_threw", { provider: adapter.id, message_id: message.id, ...errorFields(thrown) });
    const outcome = {
      kind: "unknown",
      code: "adapter_error",
      detail: "The hand-over ended in an internal error.",
    } as const;
    return { outcome, latencyMs: performance.now() - startedAt };
  }
}
