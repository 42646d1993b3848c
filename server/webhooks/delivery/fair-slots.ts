/**
 * Shares this worker's webhook slots fairly, so that slow endpoints delay neither other endpoints nor other accounts.
 *
 * - slot: one of the webhook jobs that this worker runs at once. It serves one endpoint at a time.
 * - account share: the slots that one account may use. It is a quarter at most, and no more than are still free, so that
 *   any number of accounts with slow endpoints leave a slot for the next one.
 * - endpoint's slots: the slots that serve one endpoint. There are few of them, fewer while the endpoint fails or the
 *   account share is nearly used up, so that a slow endpoint leaves slots for the account's other endpoints.
 * - work: deliveries of one endpoint. A job that gets no slot is queued again, in case this process dies, and delegates
 *   its work to the running jobs of its account, within a memory limit.
 */

/** `untilMs`: no request is begun after this time, since the requeued job runs soon after; null: no job is requeued. */
export type Work = {
  endpointId: string;
  deliveryIds: string[];
  attemptsMade?: number;
  round?: number;
  untilMs: number | null;
};

type DelegatedWork = Work & { untilMs: number };

export type Slot = {
  /** Whether the job may begin its next work, given whether the endpoint is failing. */
  mayStart: (isFailing: boolean) => boolean;
  /**
   * Moves on to delegated work that may still be begun, at most `max` deliveries of one endpoint; the endpoints of the
   * account take turns. Null when there is none, or when the slot is needed elsewhere: it is then released.
   */
  takeNext: (nowMs: number, max: number) => Work | null;
  /** Releases the slot; a second call does nothing. */
  release: () => void;
};

export type FairSlots = {
  /** A slot for the endpoint, or null when the endpoint's slots or the account share are used up. */
  acquire: (accountId: string, endpointId: string) => Slot | null;
  /** Leaves work to the running jobs of the account. @returns false when none runs or the memory limit is reached. */
  delegate: (accountId: string, work: DelegatedWork, nowMs: number) => boolean;
  /** When a job that got no slot is to run again. */
  requeueAt: (accountId: string, endpointId: string, nowMs: number) => Date;
};

const SHARE_DIVISOR = 4;
const SLOTS_PER_ENDPOINT = 4;
const SLOTS_PER_FAILING_ENDPOINT = 1;
const REQUEUE_AFTER_MS = 30_000;
/** At most 200 jobs a second are requeued for one endpoint, so that a long backlog does not return all at once. */
const SPACING_MS = 5;
/** Delegated deliveries kept in memory; the rest wait in the queue only. A hundred thousand take some 10 MB. */
const DELEGATED_MAX = { endpoint: 10_000, account: 25_000, total: 100_000 };

/** `acquired`: slots that serve the endpoint; `started`: those of them whose work has begun. */
type EndpointSlots = { endpointId: string; acquired: number; started: number; isFailing: boolean };
type WorkQueue = { works: DelegatedWork[]; deliveries: number };
type AccountShare = {
  accountId: string;
  acquired: number;
  endpoints: Map<string, EndpointSlots>;
  /** Delegated work by endpoint, in the order of the endpoints' turns. */
  queues: Map<string, WorkQueue>;
  /** Delegated deliveries in all queues. */
  delegated: number;
  lastRequeueMs: Map<string, number>;
};

/** @param slots the webhook jobs that this worker runs at once. */
export function createFairSlots(slots: number): FairSlots {
  const shares = new Map<string, AccountShare>();
  const shareMax = Math.max(1, Math.floor(slots / SHARE_DIVISOR));
  let acquired = 0;
  let delegated = 0;

  /** The endpoint's slots, or null when none of them is free. */
  function withFreeSlot(share: AccountShare, endpointId: string): EndpointSlots | null {
    const shareSize = Math.max(1, Math.min(shareMax, slots - acquired));
    if (share.acquired >= shareSize) return null;
    const endpoint = share.endpoints.get(endpointId) ?? { endpointId, acquired: 0, started: 0, isFailing: false };
    const size = endpoint.isFailing ? SLOTS_PER_FAILING_ENDPOINT : SLOTS_PER_ENDPOINT;
    return endpoint.acquired < Math.max(1, Math.min(size, shareSize - share.acquired)) ? endpoint : null;
  }

  function acquire(accountId: string, endpointId: string): Slot | null {
    const share = shares.get(accountId) ?? newShare(accountId);
    const endpoint = withFreeSlot(share, endpointId);
    if (!endpoint) return null;
    shares.set(accountId, share);
    return createSlot(share, endpoint);
  }

  function createSlot(share: AccountShare, first: EndpointSlots): Slot {
    let served: EndpointSlots | null = null;
    let hasStarted = false;

    function serve(endpoint: EndpointSlots): void {
      served = endpoint;
      share.endpoints.set(endpoint.endpointId, endpoint);
      endpoint.acquired += 1;
      share.acquired += 1;
      acquired += 1;
    }

    /** Frees the slot. `forgetUnused` comes after the next endpoint is chosen, which must know if this one fails. */
    function vacate(): EndpointSlots | null {
      const endpoint = served;
      if (!endpoint) return null;
      if (hasStarted) endpoint.started -= 1;
      hasStarted = false;
      served = null;
      endpoint.acquired -= 1;
      share.acquired -= 1;
      acquired -= 1;
      return endpoint;
    }

    function forgetUnused(endpoint: EndpointSlots | null): void {
      if (endpoint?.acquired === 0) share.endpoints.delete(endpoint.endpointId);
      if (share.acquired > 0) return;
      // No job is left to carry the delegated work; its requeued jobs will.
      delegated -= share.delegated;
      shares.delete(share.accountId);
    }

    serve(first);
    return {
      mayStart: (isFailing) => {
        if (!served) return false;
        served.isFailing = isFailing;
        if (hasStarted) served.started -= 1;
        hasStarted = !isFailing || served.started < SLOTS_PER_FAILING_ENDPOINT;
        if (hasStarted) served.started += 1;
        return hasStarted;
      },
      takeNext: (nowMs, max) => {
        const vacated = vacate();
        let work: Work | null = null;
        for (const endpointId of vacated ? [...share.queues.keys()] : []) {
          const next = withFreeSlot(share, endpointId);
          work = next && takeWork(share, endpointId, nowMs, max);
          if (!next || !work) continue;
          serve(next);
          break;
        }
        forgetUnused(vacated);
        return work;
      },
      release: () => {
        if (served) forgetUnused(vacate());
      },
    };
  }

  function delegate(accountId: string, work: DelegatedWork, nowMs: number): boolean {
    const share = shares.get(accountId);
    if (!share) return false;
    const size = work.deliveryIds.length;
    const isWithinLimits = () =>
      (share.queues.get(work.endpointId)?.deliveries ?? 0) + size <= DELEGATED_MAX.endpoint &&
      share.delegated + size <= DELEGATED_MAX.account &&
      delegated + size <= DELEGATED_MAX.total;
    if (!isWithinLimits()) for (const queue of share.queues.values()) dropExpired(share, queue, nowMs);
    if (!isWithinLimits()) return false;
    const queue = share.queues.get(work.endpointId) ?? { works: [], deliveries: 0 };
    share.queues.set(work.endpointId, queue);
    queue.works.push(work);
    countDelegated(share, queue, size);
    return true;
  }

  function countDelegated(share: AccountShare, queue: WorkQueue, change: number): void {
    queue.deliveries += change;
    share.delegated += change;
    delegated += change;
  }

  function dropOldest(share: AccountShare, queue: WorkQueue): void {
    const dropped = queue.works.shift();
    if (dropped) countDelegated(share, queue, -dropped.deliveryIds.length);
  }

  /** Drops the oldest work while its requeued job is due soon. */
  function dropExpired(share: AccountShare, queue: WorkQueue, nowMs: number): void {
    for (let next = queue.works[0]; next && next.untilMs <= nowMs; next = queue.works[0]) dropOldest(share, queue);
  }

  /** Merges the endpoint's oldest works of one round and try, then moves the endpoint to the end of the turns. */
  function takeWork(share: AccountShare, endpointId: string, nowMs: number, max: number): Work | null {
    const queue = share.queues.get(endpointId);
    if (!queue) return null;
    let taken: DelegatedWork | null = null;
    for (let next = queue.works[0]; next; next = queue.works[0]) {
      const isExpired = next.untilMs <= nowMs;
      if (taken && !isExpired) {
        if (taken.attemptsMade !== next.attemptsMade || taken.round !== next.round) break;
        if (taken.deliveryIds.length + next.deliveryIds.length > max) break;
        taken.deliveryIds.push(...next.deliveryIds);
        taken.untilMs = Math.min(taken.untilMs, next.untilMs);
      } else if (!isExpired) {
        taken = { ...next, deliveryIds: [...next.deliveryIds] };
      }
      dropOldest(share, queue);
    }
    share.queues.delete(endpointId);
    if (queue.works.length > 0) share.queues.set(endpointId, queue);
    return taken;
  }

  function requeueAt(accountId: string, endpointId: string, nowMs: number): Date {
    const lastRequeueMs = shares.get(accountId)?.lastRequeueMs;
    const atMs = Math.max(nowMs + REQUEUE_AFTER_MS, (lastRequeueMs?.get(endpointId) ?? 0) + SPACING_MS);
    lastRequeueMs?.set(endpointId, atMs);
    return new Date(atMs);
  }

  return { acquire, delegate, requeueAt };
}

const newShare = (accountId: string): AccountShare => ({
  accountId,
  acquired: 0,
  endpoints: new Map(),
  queues: new Map(),
  delegated: 0,
  lastRequeueMs: new Map(),
});
