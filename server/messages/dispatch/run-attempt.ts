/** Runs attempts in this process: each is begun, made, and its outcome recorded, through database outages too. */
import { MINUTE_MS, now, secondsUntil } from "../../core/clock";
import { hasStalledSince, stalledMs } from "../../core/deadline";
import { errorFields, log } from "../../core/log";
import { metrics } from "../../core/metrics";
import { defineProcessValue } from "../../core/process";
import { inSpan } from "../../core/spans";
import { noteOutcome, returnProbes } from "../../providers/health/provider-health";
import { type Slot, waitForSlot } from "../../providers/health/slots";
import { forOperators } from "../../providers/http/response";
import { noteMissingSettings } from "../../providers/missing-settings";
import type { Adapter, OutboundMessage, SendOutcome, SendPermission, SendRequest } from "../../providers/port";
import { receiptUrlFor } from "../../providers/receipt-url";
import { referenceTo } from "../../providers/reference";
import { closeAdapters, isSandboxOpenTo, providerTable } from "../../providers/registry";
import { attemptResult } from "./attempt-result";
import {
  ALLOWED_FRESH_MS,
  type Attempt,
  BEGUN_FRESH_MS,
  begin,
  dropClaims,
  giveBack,
  isAllowedFreshly,
} from "./claims";
import { recordOutcome } from "./record-outcome";
import { retryWrite } from "./retry-write";

/** A message whose outcome stays unknown fails, and is refunded, after this time. */
export const UNRESOLVED_AFTER_MS = 15 * MINUTE_MS;
/** A claimed attempt that could not begin within this time is not made: its message may be about to fail. */
export const BEGUN_WITHIN_MS = UNRESOLVED_AFTER_MS / 2;

/**
 * When this many outcomes wait to be recorded, no more attempts are claimed. Calls that run ahead of the database only make
 * receipts arrive before their outcomes, and leave more unknown after a crash.
 */
const UNRECORDED_MAX = 1_000;

/** `stoppingSinceMs`: by `performance.now()`; null: this process goes on. */
type UnderWay = { all: Set<Promise<void>>; stoppingSinceMs: number | null };

const underWay = defineProcessValue<UnderWay>("attempts.under_way", () => ({ all: new Set(), stoppingSinceMs: null }));

const isStopping = (): boolean => underWay().stoppingSinceMs !== null;

/** Starts claimed attempts; does not wait for their outcomes. */
export function startAttempts(attempts: readonly Attempt[]): void {
  for (const attempt of attempts) start(attempt);
}

/** Records an outcome that became known later, and starts the attempt that follows. */
export async function continueWith(attempt: Attempt, outcome: SendOutcome): Promise<void> {
  const next = await record(attempt, outcome, 0);
  if (next) start(next);
}

function start(attempt: Attempt): void {
  const own = underWay();
  const ended: Promise<void> = runChain(attempt)
    // An unrecorded outcome leaves its attempt open, as a crash would; the sweep resolves it.
    .catch((thrown) => log("error", "attempt.not_recorded", { message_id: attempt.message.id, ...errorFields(thrown) }))
    .finally(() => {
      own.all.delete(ended);
      metrics().inFlight.set(own.all.size);
    });
  own.all.add(ended);
  metrics().inFlight.set(own.all.size);
}

/** Resolves when no attempt is under way in this process. */
export async function settleAttempts(): Promise<void> {
  const { all } = underWay();
  while (all.size > 0) await Promise.all(all);
}

/** Waits for the calls under way, and gives back attempts that have not begun. */
export async function stopAttempts(): Promise<void> {
  underWay().stoppingSinceMs ??= performance.now();
  // Closing the SMPP binds ends calls that would otherwise retry for minutes.
  await Promise.all([settleAttempts(), closeAdapters()]);
}

/** Runs one message along its chain until a provider takes it, it must wait, or the chain ends. */
async function runChain(first: Attempt): Promise<void> {
  for (let attempt: Attempt | null = first; attempt; ) {
    const current: Attempt = attempt;
    const made = await make(current).finally(() => current.slot?.release());
    if (made === "not-made") {
      [attempt] = await Promise.all([giveBackUnmade(current), giveBackProbe(current)]);
      continue;
    }
    attempt = await record(current, made.outcome, made.latencyMs);
    // After a failure to record the claim is kept: the attempt was made, and must not be given back.
    dropClaims([current]);
  }
}

/**
 * Gives back an attempt that was not made, and has its message dispatched again; nothing happens if another worker owns it. If the
 * database is unavailable for longer, `giveBackUnheard` (recover.ts) does it, because a claim that this process does not know was not made.
 * @returns the next attempt, if others have declared this worker dead meanwhile and the chain continues.
 */
async function giveBackUnmade(attempt: Attempt): Promise<Attempt | null> {
  const until = attempt.claimedAt.getTime() + UNRESOLVED_AFTER_MS;
  try {
    if ((await keepWriting("attempt.not_given_back_yet", () => giveBack([attempt]), until)) > 0) return null;
    // The worker that took over knew only that it was begun, and recorded an unknown outcome.
    const { outcome, latencyMs } = NOT_BEGUN;
    return await record(attempt, outcome, latencyMs);
  } finally {
    dropClaims([attempt]);
  }
}

/** Lets another message probe a half-open provider that was not called; a failure to do so is only logged. */
async function giveBackProbe({ provider, isProbe }: Attempt): Promise<void> {
  if (!isProbe) return;
  try {
    await returnProbes(provider, 1);
  } catch (thrown) {
    log("warn", "provider.probe_not_given_back", { provider, ...errorFields(thrown) });
  }
}

/** Number of outcomes that wait to be recorded, and callers that wait until there are fewer. */
const unrecorded = defineProcessValue("attempts.unrecorded", () => ({ count: 0, waiting: [] as (() => void)[] }));

/** Resolves when fewer than {@link UNRECORDED_MAX} outcomes of this process wait to be recorded. */
export async function recordingKeepsUp(): Promise<void> {
  const own = unrecorded();
  while (own.count >= UNRECORDED_MAX) await new Promise<void>((resolve) => own.waiting.push(resolve));
}

/**
 * Records an outcome. Only this process knows the provider's response, so it is kept until it is written or the process ends;
 * {@link recordingKeepsUp} bounds how many are kept. @returns the next attempt, claimed, when it follows at once.
 */
async function record(attempt: Attempt, outcome: SendOutcome, latencyMs: number): Promise<Attempt | null> {
  const result = attemptResult(attempt, outcome, latencyMs);
  const own = unrecorded();
  own.count += 1;
  let next: Attempt | null = null;
  try {
    next = await keepWriting("attempt.outcome_not_written_yet", () => recordOutcome(result), Number.POSITIVE_INFINITY);
    return next;
  } finally {
    // Its claim may have been committed, with a reply that was lost: it is not made, so it must not count as known.
    if (next === null) dropClaims([{ claim: result.nextClaim }]);
    own.count -= 1;
    if (own.count < UNRECORDED_MAX) for (const resolve of own.waiting.splice(0)) resolve();
  }
}

/** Retries a write that fails until `until`, and for a while once this process is stopping; each failure is logged as `event`. */
const keepWriting = <Result>(event: string, write: () => Promise<Result>, until: number): Promise<Result> =>
  retryWrite(write, {
    until,
    stoppingSinceMs: () => underWay().stoppingSinceMs,
    onFailure: (thrown) => log("warn", event, errorFields(thrown)),
  });

/** For attempts whose provider was not called: if the database stays unavailable, they are given back later. */
const BRIEFLY = 0;

type CallResult = { outcome: SendOutcome; latencyMs: number };

const notSent = (code: string, detail: string, fault: "message" | "throttled"): CallResult => ({
  outcome: { kind: "retryable", code, detail, fault },
  latencyMs: 0,
});

const notConfigured = (provider: string): CallResult =>
  notSent("provider_not_configured", `${provider} is not set up here.`, "message");

/** Recorded as throttled, so its provider may be tried again: it never received the message. */
const NOT_BEGUN = notSent("not_begun", "Our process stood still before it called the provider.", "throttled");

/**
 * Waits for a slot of the provider. @returns null when no credentials are configured; "unknown" when this process cannot open them.
 */
async function slotOf(provider: string): Promise<Slot | null | "unknown"> {
  const table = await providerTable();
  const state = table.stateOf(provider);
  if (state?.isUnreadable) return "unknown";
  const adapter = table.openAdapter(provider);
  if (!adapter) noteMissingSettings(provider, state?.problem ?? null);
  return adapter && waitForSlot(adapter);
}

/**
 * Whether an attempt may still go through the adapter: its provider is available, and its settings were not replaced. A half-open
 * provider may be called by a probe only; dispatch, which counts them, decides again on any other attempt.
 */
async function isCurrent(adapter: Adapter, { isProbe }: Attempt): Promise<boolean> {
  const table = await providerTable();
  if (table.isUnavailable(adapter.id) || table.openAdapter(adapter.id) !== adapter) return false;
  return isProbe === true || table.stateOf(adapter.id)?.breaker !== "probing";
}

/** Reads the providers, for an attempt. @returns "unknown" when the database cannot be asked for the configuration. */
const tryToRead = <Result>(provider: string, read: () => Promise<Result>): Promise<Result | "unknown"> =>
  keepWriting("attempt.provider_not_read_yet", read, BRIEFLY).catch((thrown) => {
    log("error", "attempt.provider_not_read", { provider, ...errorFields(thrown) });
    return "unknown" as const;
  });

/** Makes one attempt. "not-made": the provider was not called; dispatch decides again on the message. */
async function make(attempt: Attempt): Promise<CallResult | "not-made"> {
  const { provider } = attempt;
  // A live message that was accepted before the sandbox was switched off must not be delivered there.
  if (provider === "sandbox" && !isSandboxOpenTo(attempt.accountId)) return notConfigured(provider);
  // Nearly all attempts have their slot already: each `await` avoided saves a promise per message.
  const slot = attempt.slot ?? (await tryToRead(provider, () => slotOf(provider)));
  if (slot === "unknown") return "not-made";
  if (!slot) return notConfigured(provider);
  try {
    if (slot.hasWaited && (await tryToRead(provider, () => isCurrent(slot.adapter, attempt))) !== true)
      return "not-made";
    const made = await callWhenReady(slot.adapter, attempt);
    if (typeof made === "object") await reportHealth(attempt, made);
    return made;
  } finally {
    slot.release();
  }
}

/** Reports an outcome to the provider's health; a failure to do so is only logged. */
async function reportHealth({ provider, isProbe }: Attempt, { outcome, latencyMs }: CallResult): Promise<void> {
  try {
    const state = (await providerTable()).stateOf(provider);
    if (state) await noteOutcome(state, forOperators(outcome), { latencyMs, isProbe });
  } catch (thrown) {
    log("warn", "provider.outcome_not_noted", { provider, ...errorFields(thrown) });
  }
}

async function callWhenReady(adapter: Adapter, attempt: Attempt): Promise<CallResult | "not-made"> {
  if (isStopping()) return "not-made";
  const startedAt = performance.now();
  if (adapter.ready) {
    const refusal = await adapter.ready();
    if (isStopping()) return "not-made";
    if (refusal) return madeWith(refusal, startedAt);
  }
  if (now().getTime() - attempt.claimedAt.getTime() > BEGUN_WITHIN_MS) {
    return notSent("waited_too_long", `No slot at ${adapter.id} became free in time.`, "throttled");
  }
  const { begunAtMs } = attempt;
  const permission = isAllowedFreshly(begunAtMs) ? permissionSince(begunAtMs, attempt) : await tryToBegin(attempt);
  // A stopping process begins no more attempts.
  return !permission || isStopping() ? "not-made" : callTraced(adapter, attempt, permission);
}

/** The result of a call that began at `startedAt`; "not-made" when the adapter did not make it. */
const madeWith = (outcome: SendOutcome, startedAt: number): CallResult | "not-made" =>
  outcome.kind === "retryable" && outcome.isNotMade
    ? "not-made"
    : { outcome, latencyMs: performance.now() - startedAt };

/** The permission to make an attempt that was read at `readAtMs`. It is renewed by another begin. */
const permissionSince = (readAtMs: number, attempt: Attempt): SendPermission => ({
  untilMs: readAtMs + ALLOWED_FRESH_MS,
  renew: async () => {
    try {
      const markMs = stalledMs();
      if (!(await begin(attempt))) return null;
      // Counted from the reply: a slow database must not keep messages from being sent for good. A stall of ours counts.
      return performance.now() + ALLOWED_FRESH_MS - (stalledMs() - markMs);
    } catch (thrown) {
      log("warn", "attempt.not_begun_again", { message_id: attempt.message.id, ...errorFields(thrown) });
      return null;
    }
  },
});

/** Begins the attempt, again if that took too long or this process stood still meanwhile. @returns null when it must not be made, as {@link begin}, or is not begun. */
async function tryToBegin(attempt: Attempt): Promise<SendPermission | null> {
  try {
    for (;;) {
      const sentAtMs = performance.now();
      const markMs = stalledMs();
      if (!(await keepWriting("attempt.not_begun_yet", () => begin(attempt), BRIEFLY))) return null;
      const begunAtMs = performance.now();
      const isFresh = begunAtMs - sentAtMs < BEGUN_FRESH_MS && !hasStalledSince(markMs, ALLOWED_FRESH_MS);
      if (isFresh) return permissionSince(begunAtMs, attempt);
    }
  } catch (thrown) {
    log("error", "attempt.not_begun", { message_id: attempt.message.id, ...errorFields(thrown) });
    return null;
  }
}

/** Remaining validity period, for the provider; it had not expired when the attempt began. */
function validityOf({ expiresAt }: OutboundMessage): Pick<SendRequest, "validity"> {
  if (!expiresAt) return {};
  return { validity: { seconds: secondsUntil(expiresAt), until: expiresAt } };
}

/** {@link call} within a span of the message's trace. */
const callTraced = (adapter: Adapter, attempt: Attempt, permission: SendPermission): Promise<CallResult | "not-made"> =>
  inSpan(
    () => ({
      name: `provider ${adapter.id}`,
      kind: "client",
      subject: attempt.message.id,
      attributes: {
        "messaging.message.id": attempt.message.id,
        "messaging_service.account_id": attempt.accountId,
        "messaging_service.provider": adapter.id,
        "messaging_service.attempt": attempt.seq,
      },
    }),
    async (span) => {
      const made = await call(adapter, attempt, permission);
      const outcome = made === "not-made" ? made : made.outcome.kind;
      span?.set({ "messaging_service.outcome": outcome });
      if (outcome !== "accepted") span?.fail(outcome);
      return made;
    },
  );

async function call(
  adapter: Adapter,
  { message, seq }: Attempt,
  permission: SendPermission,
): Promise<CallResult | "not-made"> {
  const reference = referenceTo(message.id, seq);
  const startedAt = performance.now();
  try {
    const outcome = await adapter.send({
      message,
      reference,
      receiptUrl: receiptUrlFor(adapter.id, reference),
      permission,
      ...validityOf(message),
    });
    return madeWith(outcome, startedAt);
  } catch (thrown) {
    // A bug of ours, perhaps after the request was written: it must not be repeated blindly.
    log("error", "provider.adapter_threw", { provider: adapter.id, message_id: message.id, ...errorFields(thrown) });
    const detail = "The attempt ended in an internal error.";
    return { outcome: { kind: "unknown", code: "adapter_error", detail }, latencyMs: performance.now() - startedAt };
  }
}
