/**
 * Terms.
 * - slot: one of the webhook jobs that this worker runs at once.
 * - share: the slots that one account may hold. It is a quarter at most, and no more than are left free, so that any number
 *   of accounts with slow endpoints leave a slot to the next one.
 * - endpoint: the jobs of one endpoint that run in this process. It is narrow, and narrower still when the share of its account
 *   is nearly used up, so that a slow endpoint fills its own endpoint and finds the others' free.
 * - place: one job's part of the share of an account; it is in the endpoint of one endpoint after the other.
 * - work: deliveries of an endpoint that one job would carry. A job that finds no place is queued again, for the case that
 *   this process dies, and hands its work over to the jobs of its account that run, as far as memory is set aside for it.
 */

/** `untilMs`: when the last request may be begun, because the job that was queued again comes soon; null: no such job. */
export type Work = {
  endpointId: string;
  deliveryIds: string[];
  attemptsMade?: number;
  round?: number;
  untilMs: number | null;
};

type WaitingWork = Work & { untilMs: number };

export type Slot = {
  /** Whether the job may begin its next work, now that it is known how its endpoint does. */
  mayStart: (isFailing: boolean) => boolean;
  /**
   * Goes on to work that was handed over and may still be begun, at most `max` deliveries of one endpoint; the endpoints
   * of the account take turns. Null when there is none or the place is needed by others: then it is given back.
   */
  takeNext: (nowMs: number, max: number) => Work | null;
  /** Gives the place back; may be called again. */
  leave: () => void;
};

export type FairSlots = {
  /** A place in the endpoint's endpoint, or null when the endpoint is full or its account has its share. */
  enter: (accountId: string, endpointId: string) => Slot | null;
  /** Leaves work to the jobs of the account that run. @returns false when there is none, or no memory for more work. */
  delegate: (accountId: string, work: WaitingWork, nowMs: number) => boolean;
  /** When a job that finds no place is to come back by itself. */
  requeueAt: (accountId: string, endpointId: string, nowMs: number) => Date;
};

const SHARE_DIVISOR = 4;
const JOBS_PER_ENDPOINT = 4;
const JOBS_PER_FAILING_ENDPOINT = 1;
const COME_BACK_MS = 30_000;
/** At most 200 jobs a second come back for one endpoint, so that a long backlog does not ask all at once. */
const SPACING_MS = 5;
/** Deliveries that wait in memory at most; the others wait in the queue alone. A hundred thousand take some 10 MB. */
const WAITING_MAX = { endpoint: 10_000, account: 25_000, all: 100_000 };

type EndpointSlots = { endpointId: string; entered: number; started: number; isFailing: boolean };
type Queue = { works: WaitingWork[]; deliveries: number };
type Account = {
  id: string;
  entered: number;
  lanes: Map<string, EndpointSlots>;
  /** In the order of their turns. */
  queues: Map<string, Queue>;
  waiting: number;
  lastSlotMs: Map<string, number>;
};

/** @param slots the webhook jobs that this worker runs at once. */
export function createFairSlots(slots: number): FairSlots {
  const accounts = new Map<string, Account>();
  const shareMax = Math.max(1, Math.floor(slots / SHARE_DIVISOR));
  let used = 0;
  let waiting = 0;

  /** The endpoint, if one more job may enter it now. */
  function endpointWithFreeSlot(account: Account, endpointId: string): EndpointSlots | null {
    const share = Math.max(1, Math.min(shareMax, slots - used));
    if (account.entered >= share) return null;
    const endpoint = account.lanes.get(endpointId) ?? { endpointId, entered: 0, started: 0, isFailing: false };
    const width = endpoint.isFailing ? JOBS_PER_FAILING_ENDPOINT : JOBS_PER_ENDPOINT;
    return endpoint.entered < Math.max(1, Math.min(width, share - account.entered)) ? endpoint : null;
  }

  function enter(accountId: string, endpointId: string): Slot | null {
    const account = accounts.get(accountId) ?? newAccount(accountId);
    const endpoint = endpointWithFreeSlot(account, endpointId);
    if (!endpoint) return null;
    accounts.set(accountId, account);
    return placeIn(account, endpoint);
  }

  function placeIn(account: Account, first: EndpointSlots): Slot {
    let endpoint: EndpointSlots | null = null;
    let hasStarted = false;

    function stepIn(next: EndpointSlots): void {
      endpoint = next;
      account.lanes.set(next.endpointId, next);
      next.entered += 1;
      account.entered += 1;
      used += 1;
    }

    /** The endpoint stays known for the moment, with how its endpoint does. */
    function stepOut(): EndpointSlots | null {
      const left = endpoint;
      if (!left) return null;
      if (hasStarted) left.started -= 1;
      hasStarted = false;
      endpoint = null;
      left.entered -= 1;
      account.entered -= 1;
      used -= 1;
      return left;
    }

    function forget(left: EndpointSlots | null): void {
      if (left?.entered === 0) account.lanes.delete(left.endpointId);
      if (account.entered > 0) return;
      // Nobody is left to do what waits here; it has its jobs in the queue.
      waiting -= account.waiting;
      accounts.delete(account.id);
    }

    stepIn(first);
    return {
      mayStart: (isFailing) => {
        if (!endpoint) return false;
        endpoint.isFailing = isFailing;
        if (hasStarted) endpoint.started -= 1;
        hasStarted = !isFailing || endpoint.started < JOBS_PER_FAILING_ENDPOINT;
        if (hasStarted) endpoint.started += 1;
        return hasStarted;
      },
      takeNext: (nowMs, max) => {
        const left = stepOut();
        let work: Work | null = null;
        for (const endpointId of left ? [...account.queues.keys()] : []) {
          const next = endpointWithFreeSlot(account, endpointId);
          work = next && takeWork(account, endpointId, nowMs, max);
          if (!next || !work) continue;
          stepIn(next);
          break;
        }
        forget(left);
        return work;
      },
      leave: () => {
        if (endpoint) forget(stepOut());
      },
    };
  }

  function delegate(accountId: string, work: WaitingWork, nowMs: number): boolean {
    const account = accounts.get(accountId);
    if (!account) return false;
    const size = work.deliveryIds.length;
    const hasRoom = () =>
      (account.queues.get(work.endpointId)?.deliveries ?? 0) + size <= WAITING_MAX.endpoint &&
      account.waiting + size <= WAITING_MAX.account &&
      waiting + size <= WAITING_MAX.all;
    if (!hasRoom()) for (const queue of account.queues.values()) dropLate(account, queue, nowMs);
    if (!hasRoom()) return false;
    const queue = account.queues.get(work.endpointId) ?? { works: [], deliveries: 0 };
    account.queues.set(work.endpointId, queue);
    queue.works.push(work);
    count(account, queue, size);
    return true;
  }

  function count(account: Account, queue: Queue, change: number): void {
    queue.deliveries += change;
    account.waiting += change;
    waiting += change;
  }

  function shift(account: Account, queue: Queue): void {
    const gone = queue.works.shift();
    if (gone) count(account, queue, -gone.deliveryIds.length);
  }

  /** Forgets the oldest work as long as its own job comes soon. */
  function dropLate(account: Account, queue: Queue, nowMs: number): void {
    for (let next = queue.works[0]; next && next.untilMs <= nowMs; next = queue.works[0]) shift(account, queue);
  }

  /** Work of this endpoint, put together from what is alike; its next turn comes after those of the others. */
  function takeWork(account: Account, endpointId: string, nowMs: number, max: number): Work | null {
    const queue = account.queues.get(endpointId);
    if (!queue) return null;
    let taken: WaitingWork | null = null;
    for (let next = queue.works[0]; next; next = queue.works[0]) {
      const isTooLate = next.untilMs <= nowMs;
      if (taken && !isTooLate) {
        if (taken.attemptsMade !== next.attemptsMade || taken.round !== next.round) break;
        if (taken.deliveryIds.length + next.deliveryIds.length > max) break;
        taken.deliveryIds.push(...next.deliveryIds);
        taken.untilMs = Math.min(taken.untilMs, next.untilMs);
      } else if (!isTooLate) {
        taken = { ...next, deliveryIds: [...next.deliveryIds] };
      }
      shift(account, queue);
    }
    account.queues.delete(endpointId);
    if (queue.works.length > 0) account.queues.set(endpointId, queue);
    return taken;
  }

  function requeueAt(accountId: string, endpointId: string, nowMs: number): Date {
    const lastSlotMs = accounts.get(accountId)?.lastSlotMs;
    const slotMs = Math.max(nowMs + COME_BACK_MS, (lastSlotMs?.get(endpointId) ?? 0) + SPACING_MS);
    lastSlotMs?.set(endpointId, slotMs);
    return new Date(slotMs);
  }

  return { enter, delegate, requeueAt };
}

const newAccount = (id: string): Account => ({
  id,
  entered: 0,
  lanes: new Map(),
  queues: new Map(),
  waiting: 0,
  lastSlotMs: new Map(),
});
