/**
 * Terms.
 * - lane: the jobs of one endpoint that run in this process. It is narrow, so that a slow endpoint fills its own lane and
 *   every other one finds the worker's slots free.
 * - place: one job's part of a lane.
 * - work: deliveries of an endpoint that one job would carry. A job that finds its lane full hands its work over to those
 *   that run, so the lane stays busy, and is queued again for the case that this process dies.
 */

/** `untilMs`: when the last request may be begun, because the job that was queued again comes soon; null: no such job. */
export type Work = {
  endpointId: string;
  deliveryIds: string[];
  attemptsMade?: number;
  round?: number;
  untilMs: number | null;
};

export type Place = {
  /** Whether the job may begin its next work, now that it is known how its endpoint does. */
  mayStart: (isFailing: boolean) => boolean;
  /** Gives the place back; to be called exactly once. */
  leave: () => void;
};

export type Lanes = {
  /** A place in the endpoint's lane, or null when the lane is full. */
  enter: (endpointId: string) => Place | null;
  /** Leaves work to whoever has a place in the lane. */
  handOver: (work: Work & { untilMs: number }) => void;
  /** Work that was handed over and may still be begun, at most `max` deliveries; null when there is none. */
  take: (endpointId: string, nowMs: number, max: number) => Work | null;
  /** When a job that finds its lane full is to come back by itself. */
  comeBackAt: (endpointId: string, nowMs: number) => Date;
};

const JOBS_PER_ENDPOINT = 4;
const JOBS_PER_FAILING_ENDPOINT = 1;
const COME_BACK_MS = 30_000;
/** At most 200 jobs a second come back for one endpoint, so that a long backlog does not ask all at once. */
const SPACING_MS = 5;

type Lane = { entered: number; started: number; isFailing: boolean; lastSlotMs: number };

export function createLanes(): Lanes {
  const lanes = new Map<string, Lane>();
  const waiting = new Map<string, (Work & { untilMs: number })[]>();

  function enter(endpointId: string): Place | null {
    const lane = lanes.get(endpointId) ?? { entered: 0, started: 0, isFailing: false, lastSlotMs: 0 };
    if (lane.entered >= (lane.isFailing ? JOBS_PER_FAILING_ENDPOINT : JOBS_PER_ENDPOINT)) return null;
    lanes.set(endpointId, lane);
    lane.entered += 1;
    let hasStarted = false;
    return {
      mayStart: (isFailing) => {
        lane.isFailing = isFailing;
        if (hasStarted) lane.started -= 1;
        hasStarted = !isFailing || lane.started < JOBS_PER_FAILING_ENDPOINT;
        if (hasStarted) lane.started += 1;
        return hasStarted;
      },
      leave: () => {
        lane.entered -= 1;
        if (hasStarted) lane.started -= 1;
        if (lane.entered > 0) return;
        lanes.delete(endpointId);
        waiting.delete(endpointId);
      },
    };
  }

  function handOver(work: Work & { untilMs: number }): void {
    const queue = waiting.get(work.endpointId);
    if (queue) queue.push(work);
    else waiting.set(work.endpointId, [work]);
  }

  function take(endpointId: string, nowMs: number, max: number): Work | null {
    const queue = waiting.get(endpointId) ?? [];
    let taken: (Work & { untilMs: number }) | null = null;
    for (let next = queue[0]; next; next = queue[0]) {
      const isTooLate = next.untilMs <= nowMs;
      if (taken && !isTooLate) {
        if (taken.attemptsMade !== next.attemptsMade || taken.round !== next.round) break;
        if (taken.deliveryIds.length + next.deliveryIds.length > max) break;
        taken.deliveryIds.push(...next.deliveryIds);
        taken.untilMs = Math.min(taken.untilMs, next.untilMs);
      } else if (!isTooLate) {
        taken = { ...next, deliveryIds: [...next.deliveryIds] };
      }
      queue.shift();
    }
    if (queue.length === 0) waiting.delete(endpointId);
    return taken;
  }

  function comeBackAt(endpointId: string, nowMs: number): Date {
    const lane = lanes.get(endpointId);
    const slotMs = Math.max(nowMs + COME_BACK_MS, (lane?.lastSlotMs ?? 0) + SPACING_MS);
    if (lane) lane.lastSlotMs = slotMs;
    return new Date(slotMs);
  }

  return { enter, handOver, take, comeBackAt };
}
