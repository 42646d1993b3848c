/**
 * The concurrency limiter of each provider: it bounds this process's concurrent calls there. A slow provider uses up
 * its own slots only, and one that throttles us has fewer. Messages without a slot wait in the database, where any worker may take them.
 */
import { defineProcessValue } from "../../core/process";
import type { Adapter } from "../port";

/** Permission for one call, from before its message is claimed until the provider has responded. */
export type Slot = {
  /** Target of the call. Kept here, so that nothing has to be read between the begin of an attempt and its call. */
  adapter: Adapter;
  /** Its claimed message waited for it, perhaps for minutes: the provider may have become unavailable, or its settings replaced. */
  hasWaited: boolean;
  /** Releases the slot; safe to call more than once. */
  release: () => void;
};

type Waiter = { adapter: Adapter; grant: (slot: Slot) => void };
type Limiter = { used: number; waiting: Waiter[]; changed: Set<() => void> };

const limiters = defineProcessValue("providers.slots", () => new Map<string, Limiter>());

function limiterOf({ id }: Adapter): Limiter {
  const limiter = limiters().get(id) ?? { used: 0, waiting: [], changed: new Set() };
  limiters().set(id, limiter);
  return limiter;
}

/** The most calls at the moment; at least one, because waiting calls get a slot only when another is released. */
const limitOf = ({ maxInFlight, limitNow }: Adapter): number =>
  limitNow ? Math.max(1, Math.min(maxInFlight, limitNow())) : maxInFlight;

function take(limiter: Limiter, adapter: Adapter, hasWaited = false): Slot {
  limiter.used += 1;
  let isReleased = false;
  return {
    adapter,
    hasWaited,
    release: () => {
      if (isReleased) return;
      isReleased = true;
      limiter.used -= 1;
      grantNext(limiter);
    },
  };
}

/** Grants free slots to waiting calls in their order, and wakes those that wait in {@link acquireSlots}. */
function grantNext(limiter: Limiter): void {
  for (let next = limiter.waiting[0]; next && limiter.used < limitOf(next.adapter); next = limiter.waiting[0]) {
    limiter.waiting.shift();
    next.grant(take(limiter, next.adapter, true));
  }
  for (const wake of limiter.changed) wake();
}

/**
 * Acquires up to `count` of the slots that are free now. With none free it waits up to `withinMs` milliseconds for the
 * first. The limit is the one of this adapter, so a changed setting holds at once.
 */
export async function acquireSlots(adapter: Adapter, count: number, withinMs: number): Promise<Slot[]> {
  const limiter = limiterOf(adapter);
  const isFree = () => limiter.waiting.length === 0 && limiter.used < limitOf(adapter);
  if (!isFree() && withinMs > 0) await untilFree(limiter, isFree, withinMs);
  const slots: Slot[] = [];
  while (slots.length < count && isFree()) slots.push(take(limiter, adapter));
  return slots;
}

const untilFree = (limiter: Limiter, isFree: () => boolean, withinMs: number): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      limiter.changed.delete(wake);
      resolve();
    };
    const wake = () => {
      if (isFree()) end();
    };
    const timer = setTimeout(end, withinMs);
    limiter.changed.add(wake);
  });

/** Waits for a slot without a timeout, ahead of {@link acquireSlots}, because its message is already claimed. */
export function waitForSlot(adapter: Adapter): Promise<Slot> {
  const limiter = limiterOf(adapter);
  if (limiter.waiting.length === 0 && limiter.used < limitOf(adapter)) return Promise.resolve(take(limiter, adapter));
  return new Promise((grant) => limiter.waiting.push({ adapter, grant }));
}

/**
 * Whether as many claimed messages wait for a slot of a provider as it has slots in this process. Further ones must wait in the
 * database: here their number would be unlimited when messages fall back to this provider from another one.
 */
export function hasManyWaiting(provider: string): boolean {
  const waiting = limiters().get(provider)?.waiting ?? [];
  const [first] = waiting;
  return first !== undefined && waiting.length >= limitOf(first.adapter);
}

/** Slots in use now. */
export const slotsInUse = (adapter: Adapter): number => limiterOf(adapter).used;
