/** Measurements of a message's stages: per batch where possible, with labels resolved once. */
import type { Settled } from "../core/batcher";
import { metrics } from "../core/metrics";
import { defineProcessValue } from "../core/process";
import { traceSteps } from "../core/spans";

type Counted = { inc: (by: number) => void };
type Observed = { observe: (seconds: number) => void };

const children = defineProcessValue("observability.children", () => new Map<string, Counted | Observed>());

function once<Child extends Counted | Observed>(key: string, make: () => Child): Child {
  let child = children().get(key) as Child | undefined;
  if (!child) {
    child = make();
    children().set(key, child);
  }
  return child;
}

/** Counts the stored messages of a batch once it is committed, and returns the results. */
export async function countAcceptedBatch<Result extends { replayed: boolean }>(
  batch: readonly { messages: readonly unknown[] }[],
  flushing: Promise<Settled<Result>[]>,
): Promise<Settled<Result>[]> {
  const settled = await flushing;
  const stored = settled.reduce(
    (sum, result, at) => (result.ok && !result.value.replayed ? sum + (batch[at]?.messages.length ?? 0) : sum),
    0,
  );
  metrics().accepted.inc(stored);
  return settled;
}

type Move = {
  status: string;
  message: { id: string; status: string; createdAt: Date; scheduledAt: Date | null };
  steps: readonly { to: string; at: Date }[];
};

/**
 * Counts the moves of messages, measures how long messages took until they were sent, and adds the moves to their traces.
 */
export function observeMoves(moves: readonly Move[]): void {
  const counts = new Map<string, number>();
  const { acceptToSent, moves: moved } = metrics();
  for (const { message, steps } of moves) {
    for (const { to, at } of steps) {
      counts.set(to, (counts.get(to) ?? 0) + 1);
      if (to !== "sent") continue;
      const dueAt = message.scheduledAt ?? message.createdAt;
      acceptToSent.observe(Math.max(0, at.getTime() - dueAt.getTime()) / 1_000);
    }
  }
  traceSteps(() =>
    moves.flatMap(({ message, steps }) =>
      steps.map(({ to, at }) => ({ subject: message.id, name: `message ${to}`, at })),
    ),
  );
  for (const [status, count] of counts) once(`move ${status}`, () => moved.labels(status)).inc(count);
}

/** Counts how an attempt ended and how long its call took. */
export function observeCall(provider: string, outcome: string, latencyMs: number): void {
  once(`attempt ${provider} ${outcome}`, () => metrics().attempts.labels(provider, outcome)).inc(1);
  once(`call ${provider}`, () => metrics().providerCalls.labels(provider)).observe(latencyMs / 1_000);
}

/** Measures a try of a webhook. `statusCode`: null without a response. */
export function observeTry(made: { acknowledged: boolean; statusCode: number | null; latencyMs: number }): void {
  const outcome = made.acknowledged ? "delivered" : made.statusCode === null ? "failed" : "refused";
  once(`try ${outcome}`, () => metrics().webhookTries.labels(outcome)).observe(made.latencyMs / 1_000);
}

/** Stores the result of a comparison of accounts and ledger. */
export function observeLedger(drifted: number): void {
  metrics().ledgerDrifted.set(drifted);
  metrics().ledgerCheckedAt.set(Math.round(Date.now() / 1_000));
}
