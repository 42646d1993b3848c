/**
 * The concurrency limiter of each provider: how many calls this process may have under way there at once. A slow provider
 * uses up its own slots and nobody else's; messages that get none wait in the database, where any worker may take them.
 */
import { perProcess } from "../../core/process";
import type { Adapter } from "../port";

/** Permission for one call, from before its message is claimed until the provider has responded. */
export type Slot = {
  /** Whom the call goes to. With it at hand nothing has to be read between the beginning of an attempt and its call. */
  adapter: Adapter;
  /** Gives the slot back; safe to call more than once. */
  release: () => void;
};

type Waiter = { adapter: Adapter; grant: (slot: Slot) => void };
type Limiter = { used: number; waiting: Waiter[]; changed: Set<() => void> };

const limiterOf = ({ id }: Adapter): Limiter =>
  perProcess(`providers.slots.${id}`, () => ({ used: 0, waiting: [], changed: new Set() }));

function take(limiter: Limiter, adapter: Adapter): Slot {
  limiter.used += 1;
  let isReleased = false;
  return {
    adapter,
    release: () => {
      if (isReleased) return;
      isReleased = true;
      limiter.used -= 1;
      grantNext(limiter);
    },
  };
}

/** Hands free slots to the calls that wait for one, in their order, and wakes whoever asked for any. */
function grantNext(limiter: Limiter): void {
  for (let next = limiter.waiting[0]; next && limiter.used < next.adapter.maxInFlight; next = limiter.waiting[0]) {
    limiter.waiting.shift();
    next.grant(take(limiter, next.adapter));
  }
  for (const wake of limiter.changed) wake();
}

/**
 * Acquires up to `count` slots of those that are free now. With none free it waits up to `withinMs` for the first. The
 * limit is the adapter's of now, so a changed setting holds at once.
 */
export async function acquireSlots(adapter: Adapter, count: number, withinMs: number): Promise<Slot[]> {
  const limiter = limiterOf(adapter);
  const isFree = () => limiter.used < adapter.maxInFlight && limiter.waiting.length === 0;
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

/** Waits for a slot however long it takes, before anybody who asks with {@link acquireSlots}: the message is claimed. */
export function waitForSlot(adapter: Adapter): Promise<Slot> {
  const limiter = limiterOf(adapter);
  if (limiter.used < adapter.maxInFlight && limiter.waiting.length === 0)
    return Promise.resolve(take(limiter, adapter));
  return new Promise((grant) => limiter.waiting.push({ adapter, grant }));
}

/** Slots in use now. */
export const slotsInUse = (adapter: Adapter): number => limiterOf(adapter).used;
