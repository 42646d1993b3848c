/**
 * How often somebody may come: a bucket of tokens per caller, filled at a steady pace. Counted in this process alone and in
 * bounded memory, because it stands before everything that costs something.
 */

export type BucketLimits = {
  /** Tokens that a full bucket holds: what may come at once after a pause. */
  burst: number;
  perSecond: number;
  /** Callers remembered at most; beyond, the one that came least recently is forgotten, which fills its bucket. */
  callersMax: number;
};

/** Takes `cost` tokens. @param nowMs of a clock that only goes forward. @returns 0 when they were there, else the wait in ms. */
export type TakeTokens = (caller: string, cost: number, nowMs: number) => number;

/** A set of buckets. A cost above `burst` is taken from a full bucket: it is late, never impossible. */
export function openBuckets({ burst, perSecond, callersMax }: BucketLimits): TakeTokens {
  // In the order of their last visits, because each visit puts its caller to the end.
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
