/** Token buckets: a rate in segments per second, with bursts of at most one second's worth. Pure. */

export type Bucket = {
  id: string;
  /** Segments that may be sent now; negative after a message that took more segments than there were tokens. */
  tokens: number;
  virtualTime: number;
  /** Seconds since the last refill. */
  elapsedS: number;
};

/** Adds the tokens of the time since the last refill. A bucket without a rate is never empty. */
export function refill(bucket: Bucket, rate: number | null): void {
  if (rate === null) {
    bucket.tokens = Number.MAX_SAFE_INTEGER;
    return;
  }
  // The cap also drops the unlimited tokens from a period without a rate.
  const burst = Math.max(1, rate);
  bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, bucket.elapsedS) * rate);
}

/** Segments that may be sent now: none below one. A missing bucket sets no limit. */
export const allowance = (bucket: Bucket | undefined): number => bucket?.tokens ?? Number.MAX_SAFE_INTEGER;
