/** Token buckets: so many segments per second, with bursts of at most a second's worth. Pure. */

export type Bucket = {
  id: string;
  /** Segments that may go now; below zero after a message that had more of them than there were tokens. */
  tokens: number;
  virtualTime: number;
  /** Seconds since it was filled last. */
  elapsedS: number;
};

/** Adds what has come in since the last time. A bucket without a rate never runs dry. */
export function refill(bucket: Bucket, rate: number | null): void {
  if (rate === null) {
    bucket.tokens = Number.MAX_SAFE_INTEGER;
    return;
  }
  // What was left of a time without a rate must not let everything through at once.
  const burst = Math.max(1, rate);
  bucket.tokens = Math.min(burst, bucket.tokens + Math.max(0, bucket.elapsedS) * rate);
}

/** Segments that may go now; a bucket that is not there sets no limit. Below one, nothing may. */
export const allowance = (bucket: Bucket | undefined): number => bucket?.tokens ?? Number.MAX_SAFE_INTEGER;
