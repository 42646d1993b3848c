import { perProcess } from "../core/process";
import type { Adapter } from "./port";

type Lane = { free: number; waiting: Array<() => void> };

const laneOf = (adapter: Adapter): Lane =>
  perProcess(`providers.lane.${adapter.id}`, () => ({ free: adapter.maxInFlight, waiting: [] }));

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
