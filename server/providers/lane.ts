/**
 * How much of a provider's work this process has taken on. A provider that is slow fills its own lane and no other: what
 * does not fit is not claimed, and waits in the database where any worker may take it.
 */
import { perProcess } from "../core/process";
import type { Adapter } from "./port";

type Lane = { free: number; waiting: Array<() => void>; claimed: number };

/** Messages claimed for a provider beyond the calls that may be under way; so few that they are sent within a minute. */
const CLAIMED_PER_CALL = 4;
const LOOK_EVERY_MS = 10;

const laneOf = (adapter: Adapter): Lane =>
  perProcess(`providers.lane.${adapter.id}`, () => ({ free: adapter.maxInFlight, waiting: [], claimed: 0 }));

/** Runs `work` when fewer than the provider's `maxInFlight` calls are under way in this process; first come, first served. */
export async function inLane<Result>(adapter: Adapter, work: () => Promise<Result>): Promise<Result> {
  const lane = laneOf(adapter);
  if (lane.free > 0) lane.free -= 1;
  else await new Promise<void>((resolve) => lane.waiting.push(resolve));
  try {
    return await work();
  } finally {
    // A place is handed straight to the next in line, so nobody can slip in between.
    const next = lane.waiting.shift();
    if (next) next();
    else lane.free += 1;
  }
}

/**
 * Takes room for up to `count` messages of a provider; each must be given back with {@link leaveLane}. When there is none
 * it waits up to `withinMs` for some: a fast provider has room again in a moment.
 * @returns for how many there was room.
 */
export async function takeRoom(adapter: Adapter, count: number, withinMs: number): Promise<number> {
  const lane = laneOf(adapter);
  const limit = adapter.maxInFlight * CLAIMED_PER_CALL;
  for (const deadline = performance.now() + withinMs; lane.claimed >= limit && performance.now() < deadline; ) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  const taken = Math.max(0, Math.min(count, limit - lane.claimed));
  lane.claimed += taken;
  return taken;
}

/** Goes on to a provider without asking for room: the next of a chain, which must not wait with a message in hand. */
export const enterLane = (adapter: Adapter): void => {
  laneOf(adapter).claimed += 1;
};

/** Gives back room for `count` messages. */
export const leaveLane = (adapter: Adapter, count = 1): void => {
  laneOf(adapter).claimed -= count;
};
