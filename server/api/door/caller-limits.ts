/**
 * Rate limits per caller: token buckets, refilled at a steady rate. They are counted in this process alone and in bounded
 * memory, because they are checked before anything expensive.
 */

export type BucketLimits = {
  /** Capacity of a bucket: the burst allowed after a pause. */
  burst: number;
  perSecond: number;
  /** Highest number of callers remembered; beyond it the least recent one is dropped, which refills its bucket. */
  callersMax: number;
};

/** Takes `cost` tokens. @param nowMs of a clock that only goes forward. @returns 0 if there were enough, otherwise the wait in ms. */
export type TakeTokens = (caller: string, cost: number, nowMs: number) => number;

/** A set of buckets. A cost above `burst` is taken from a full bucket: it is delayed, never impossible. */
export function openBuckets({ burst, perSecond, callersMax }: BucketLimits): TakeTokens {
  // In the order of their last requests, because each request moves its caller to the end.
  const buckets = new Map<string, { tokens: number; atMs: number }>();
  return (caller, cost, nowMs) => {
    const last = buckets.get(caller);
    const tokens = last ? Math.min(burst, last.tokens + ((nowMs - last.atMs) / 1_000) * perSecond) : burst;
    const wanted = Math.min(cost, burst);
    const isPaid = tokens >= wanted;
    buckets.delete(caller);
    buckets.set(caller, { tokens: isPaid ? tokens - wanted : tokens, atMs: nowMs });
    if (buckets.size > callersMax) {
      const [oldest] = buckets.keys();
      if (oldest !== undefined) buckets.delete(oldest);
    }
    return isPaid ? 0 : Math.ceil(((wanted - tokens) / perSecond) * 1_000);
  };
}
