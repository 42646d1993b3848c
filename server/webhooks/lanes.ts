/**
 * Lanes: how many jobs of one endpoint may run at once in this process. A slow endpoint fills its own lane, and every
 * other one finds the worker's slots free.
 */

/** A job's place in the lane of its endpoint. */
export type Place = {
  /** Whether the job may start, now that it is known how its endpoint does. */
  mayStart: (isFailing: boolean) => boolean;
  /** Gives the place back; to be called exactly once. */
  leave: () => void;
};

export type Lanes = {
  /** A place in the endpoint's lane, or null when the lane is full. */
  enter: (endpointId: string) => Place | null;
  /** When a job that found no place should come back: in 1 to 2 s, later when many wait for the same endpoint. */
  comeBackAt: (endpointId: string, nowMs: number) => Date;
};

const JOBS_PER_ENDPOINT = 4;
const JOBS_PER_FAILING_ENDPOINT = 1;
const COME_BACK_MS = 1_000;
const JITTER_MS = 1_000;
/** At most 200 jobs a second come back for one endpoint, so that a long backlog is not all asking at once. */
const SPACING_MS = 5;

type Lane = { entered: number; started: number; isFailing: boolean; lastSlotMs: number };

export function createLanes(random: () => number = Math.random): Lanes {
  const lanes = new Map<string, Lane>();

  function enter(endpointId: string): Place | null {
    const lane = lanes.get(endpointId) ?? { entered: 0, started: 0, isFailing: false, lastSlotMs: 0 };
    if (lane.entered >= (lane.isFailing ? JOBS_PER_FAILING_ENDPOINT : JOBS_PER_ENDPOINT)) return null;
    lanes.set(endpointId, lane);
    lane.entered += 1;
    let hasStarted = false;
    return {
      mayStart: (isFailing) => {
        lane.isFailing = isFailing;
        if (isFailing && lane.started >= JOBS_PER_FAILING_ENDPOINT) return false;
        lane.started += 1;
        hasStarted = true;
        return true;
      },
      leave: () => {
        lane.entered -= 1;
        if (hasStarted) lane.started -= 1;
        if (lane.entered === 0) lanes.delete(endpointId);
      },
    };
  }

  function comeBackAt(endpointId: string, nowMs: number): Date {
    const lane = lanes.get(endpointId);
    const slotMs = Math.max(nowMs + COME_BACK_MS, (lane?.lastSlotMs ?? 0) + SPACING_MS);
    if (lane) lane.lastSlotMs = slotMs;
    return new Date(slotMs + Math.floor(random() * JITTER_MS));
  }

  return { enter, comeBackAt };
}
