import { perProcess } from "./process";

/** `readAt`: milliseconds of the process's monotonic clock, which nobody sets back. */
type Kept<Value> = { value: Value; readAt: number } | null;
type Slot<Value> = { kept: Kept<Value>; reading: Promise<Value> | null };

/** What is read rarely and asked often: the value at most `maxAgeMs` old, and a way to have it read anew. */
export type CachedRead<Value> = { get: () => Promise<Value>; forget: () => void };

/**
 * Keeps what `read` returned for `maxAgeMs`; concurrent callers share one read. A failing read is not kept.
 * @param name one value per process and name.
 */
export function cachedRead<Value>(name: string, maxAgeMs: number, read: () => Promise<Value>): CachedRead<Value> {
  const slot = () => perProcess<Slot<Value>>(`fresh.${name}`, () => ({ kept: null, reading: null }));
  return {
    get: async () => {
      const own = slot();
      if (own.kept && performance.now() - own.kept.readAt < maxAgeMs) return own.kept.value;
      if (own.reading) return own.reading;
      const reading: Promise<Value> = read()
        .then((value) => {
          if (own.reading === reading) own.kept = { value, readAt: performance.now() };
          return value;
        })
        .finally(() => {
          if (own.reading === reading) own.reading = null;
        });
      own.reading = reading;
      return reading;
    },
    // What is being read now may be from before the change, so it is not kept either.
    forget: () => {
      const own = slot();
      own.kept = null;
      own.reading = null;
    },
  };
}
