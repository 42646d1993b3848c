/**
 * The send to many that this tab carries out. It is independent of the pages: it continues while others are open, and its page
 * shows its progress on return.
 */
import type { BulkResult } from "@/server/messages/schema";
import type { ReadyRow } from "./batches";
import { batchesOf, dropPlan, isResumable, keepPlan, type Plan, type PlanStorage, type Result, readPlan } from "./plan";

export type Sending = {
  plan: Plan | null;
  error: unknown;
  isSending: boolean;
  /** The send ends after the batch under way. */
  isStopping: boolean;
};

export const NOTHING_SENT: Sending = { plan: null, error: null, isSending: false, isStopping: false };

let sending = NOTHING_SENT;
const listeners = new Set<() => void>();

function change(part: Partial<Sending>): void {
  sending = { ...sending, ...part };
  for (const listener of listeners) listener();
}

/** For `useSyncExternalStore`. */
export const sendingStore = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  read: (): Sending => sending,
};

const resultsOf = (batch: readonly ReadyRow[], { messages }: BulkResult): Result[] =>
  batch.map(({ line, to }, at) => {
    const message = messages[at];
    return {
      line,
      to,
      id: message?.id ?? "",
      status: message?.status ?? "",
      error: message?.error?.message ?? "",
    };
  });

/** Shows the plan that was kept before the page was reloaded. The plan of another account is discarded. */
export function restorePlan(storage: PlanStorage, accountId: string): void {
  if (sending.plan?.accountId === accountId) return;
  const kept = readPlan(storage);
  const isOwn = kept?.accountId === accountId;
  if (kept && !isOwn) dropPlan(storage);
  change({ plan: isOwn ? kept : null, error: null });
}

/**
 * Carries a plan out, batch by batch, each confirmed before the next. Confirmed batches are kept for this tab, so that a reload
 * continues where it was; the batch under way is repeated with its key, and carried out once.
 * @param send sends the batch `at`.
 */
export async function carryOut(
  storage: PlanStorage,
  start: Plan,
  send: (plan: Plan, at: number, batch: readonly ReadyRow[]) => Promise<BulkResult>,
): Promise<void> {
  if (sending.isSending || !isResumable(start, Date.now())) return;
  change({ isSending: true, error: null });
  let current = start;
  const keep = () => {
    keepPlan(storage, current);
    change({ plan: current });
  };
  try {
    // The plan is kept before the first request: without it the request could not be repeated safely.
    keep();
    for (const [at, batch] of batchesOf(current).entries()) {
      if (at < current.results.length) continue;
      if (sending.isStopping) break;
      const result = await send(current, at, batch);
      current = { ...current, results: [...current.results, resultsOf(batch, result)] };
      keep();
    }
  } catch (error) {
    change({ error });
  } finally {
    change({ isSending: false, isStopping: false });
  }
}

/** Stops the send after the batch under way, which is completed and counted. */
export function stopSending(): void {
  if (sending.isSending) change({ isStopping: true });
}

/** Discards the plan; a running one is stopped instead. */
export function putPlanAway(storage: PlanStorage): void {
  if (sending.isSending) {
    stopSending();
    return;
  }
  dropPlan(storage);
  change({ plan: null, error: null });
}
