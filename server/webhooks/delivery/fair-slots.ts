/**
 * Shares this worker's webhook slots fairly, so that slow endpoints delay neither other endpoints nor other accounts.
 *
 * - slot: one of the webhook jobs that this worker runs at once. It serves one endpoint at a time.
 * - account share: the slots that one account may use: a quarter at most, and no more than are still free, so that any number
 *   of accounts with slow endpoints leave a slot for the next one.
 * - endpoint's slots: the slots that serve one endpoint. There are few of them, fewer while the endpoint fails, is paced or the
 *   account share is nearly used up, so that a slow endpoint leaves slots for the account's other endpoints.
 * - waiting job: one that got no slot and is queued again, for later. It is delegated to the running jobs of its account, which
 *   do its work before it is due. Only its id is kept in memory, up to a limit; the deliveries are in the queue.
 */
import { createDelegatedJobs, type DelegatedJobs, type WaitingJob } from "./delegated-jobs";
import { REQUESTS_END_WITHIN_MS } from "./retry";

export type Slot = {
  /** Whether the job may begin its next work, given whether the endpoint is failing. */
  mayStart: (isFailing: boolean) => boolean;
  /**
   * Moves on to delegated jobs that are not due yet, of one endpoint, round and try, with at most `max` deliveries; the
   * endpoints of the account take turns. Empty if there are none, or if the slot is needed elsewhere: it is then released.
   */
  takeNext: (nowMs: number, max: number) => WaitingJob[];
  /** Releases the slot; a second call does nothing. */
  release: () => void;
};

export type FairSlots = {
  /** A slot for the endpoint, or null when the endpoint's slots or the account share are used up. */
  acquire: (accountId: string, endpointId: string) => Slot | null;
  /**
   * Leaves a waiting job to the running jobs of the account. There may be none: ask for a slot afterwards.
   * @returns false when the memory limit is reached.
   */
  delegate: (accountId: string, job: WaitingJob, nowMs: number) => boolean;
  /** How long a job that got no slot waits, in milliseconds. `clockMs`: of a clock that is never set back. */
  requeueAfterMs: (accountId: string, endpointId: string, clockMs: number) => number;
};

const SHARE_DIVISOR = 4;
const SLOTS_PER_ENDPOINT = 4;
const SLOTS_PER_FAILING_ENDPOINT = 1;
const SLOTS_BY_PACE: Readonly<Record<EndpointPace, number>> = { unpaced: SLOTS_PER_ENDPOINT, paced: 1, paused: 0 };
/** How long a job waits if it got no slot, or if its work is being done. */
export const REQUEUE_AFTER_MS = REQUESTS_END_WITHIN_MS;
/** At most 200 jobs a second are requeued for one endpoint, so that a long backlog does not return all at once. */
const SPACING_MS = 5;

/** `acquired`: slots that serve the endpoint; `started`: those of them whose work has begun. */
type EndpointSlots = { endpointId: string; acquired: number; started: number; isFailing: boolean };
type AccountShare = {
  accountId: string;
  acquired: number;
  endpoints: Map<string, EndpointSlots>;
  /** By endpoint, the end of the last wait that `requeueAfterMs` gave one of its jobs, by the clock of `clockMs`. */
  lastRequeueMs: Map<string, number>;
};

export type EndpointPace = "unpaced" | "paced" | "paused";

/** The slots of a worker. `slots`: all of them; `shareMax`: of one account; `acquired`: in use. */
type Allotment = {
  slots: number;
  shareMax: number;
  paceOf: (endpointId: string) => EndpointPace;
  acquired: number;
  shares: Map<string, AccountShare>;
  delegated: DelegatedJobs;
};

/**
 * @param slots the webhook jobs that this worker runs at once.
 * @param paceOf how an endpoint is sent requests: a `paced` one gets a single slot, a `paused` one none.
 */
export function createFairSlots(
  slots: number,
  paceOf: (endpointId: string) => EndpointPace = () => "unpaced",
): FairSlots {
  const delegated = createDelegatedJobs();
  const shares = new Map<string, AccountShare>();
  const shareMax = Math.max(1, Math.floor(slots / SHARE_DIVISOR));
  const allotment: Allotment = { slots, shareMax, paceOf, acquired: 0, shares, delegated };
  return {
    acquire: (accountId, endpointId) => {
      const share = shares.get(accountId) ?? newShare(accountId);
      const endpoint = withFreeSlot(allotment, share, endpointId);
      if (!endpoint) return null;
      shares.set(accountId, share);
      return createSlot(allotment, share, endpoint);
    },
    delegate: (accountId, job, nowMs) => {
      if (!delegated.add(accountId, job, nowMs)) return false;
      if (!shares.has(accountId)) shares.set(accountId, newShare(accountId));
      return true;
    },
    requeueAfterMs: (accountId, endpointId, clockMs) => {
      const lastRequeueMs = shares.get(accountId)?.lastRequeueMs;
      const atMs = Math.max(clockMs + REQUEUE_AFTER_MS, (lastRequeueMs?.get(endpointId) ?? 0) + SPACING_MS);
      lastRequeueMs?.set(endpointId, atMs);
      return atMs - clockMs;
    },
  };
}

const newShare = (accountId: string): AccountShare => ({
  accountId,
  acquired: 0,
  endpoints: new Map(),
  lastRequeueMs: new Map(),
});

/** The endpoint's slots, or null when none of them is free. */
function withFreeSlot(
  { slots, shareMax, paceOf, acquired }: Allotment,
  share: AccountShare,
  endpointId: string,
): EndpointSlots | null {
  const shareSize = Math.max(1, Math.min(shareMax, slots - acquired));
  if (share.acquired >= shareSize) return null;
  const endpoint = share.endpoints.get(endpointId) ?? { endpointId, acquired: 0, started: 0, isFailing: false };
  const byPace = SLOTS_BY_PACE[paceOf(endpointId)];
  const size = endpoint.isFailing ? Math.min(SLOTS_PER_FAILING_ENDPOINT, byPace) : byPace;
  const isFree = endpoint.acquired < Math.max(1, Math.min(size, shareSize - share.acquired));
  return size > 0 && isFree ? endpoint : null;
}

/** Counts one more slot, or with -1 one fewer, that serves the endpoint. */
function count(allotment: Allotment, share: AccountShare, endpoint: EndpointSlots, by: 1 | -1): void {
  endpoint.acquired += by;
  share.acquired += by;
  allotment.acquired += by;
}

/** Forgets an endpoint without slots, and an account without slots: it has no running job left for its delegated ones. */
function dropUnused({ shares, delegated }: Allotment, share: AccountShare, endpoint: EndpointSlots | null): void {
  if (endpoint?.acquired === 0) share.endpoints.delete(endpoint.endpointId);
  if (share.acquired > 0) return;
  // They run when they are due.
  delegated.drop(share.accountId);
  shares.delete(share.accountId);
}

function createSlot(allotment: Allotment, share: AccountShare, first: EndpointSlots): Slot {
  let served: EndpointSlots | null = null;
  let hasStarted = false;

  function serve(endpoint: EndpointSlots): void {
    served = endpoint;
    share.endpoints.set(endpoint.endpointId, endpoint);
    count(allotment, share, endpoint, 1);
  }

  /** Frees the slot. `dropUnused` comes last, because choosing the next endpoint must know whether this one fails. */
  function vacate(): EndpointSlots | null {
    const endpoint = served;
    if (!endpoint) return null;
    if (hasStarted) endpoint.started -= 1;
    hasStarted = false;
    served = null;
    count(allotment, share, endpoint, -1);
    return endpoint;
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
      const { delegated } = allotment;
      const vacated = vacate();
      let taken: WaitingJob[] = [];
      for (const endpointId of vacated ? delegated.endpointsOf(share.accountId) : []) {
        const next = withFreeSlot(allotment, share, endpointId);
        if (next) taken = delegated.takeAlike(share.accountId, endpointId, nowMs, max);
        if (!next || taken.length === 0) continue;
        serve(next);
        break;
      }
      dropUnused(allotment, share, vacated);
      return taken;
    },
    release: () => {
      if (served) dropUnused(allotment, share, vacate());
    },
  };
}
