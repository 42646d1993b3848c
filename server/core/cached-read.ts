import { defineProcessValue } from "./process";

/** `readAt`: milliseconds of the process's monotonic clock. */
type Cached<Value> = { value: Value; readAt: number } | null;
type Cache<Value> = { cached: Cached<Value>; reading: Promise<Value> | null };

/** A cached value: `get` returns it up to `maxAgeMs` after it was read, `invalidate` makes the next `get` read it again. */
export type CachedRead<Value> = { get: () => Promise<Value>; invalidate: () => void };

/**
 * Read-through cache of one value with a time to live. Concurrent callers share one read; a failed read is not cached.
 * @param name names the cache; one per process.
 * @param maxAgeMs time to live in milliseconds from the end of the read, so that a slow database is not read all the time.
 */
export function cachedRead<Value>(name: string, maxAgeMs: number, read: () => Promise<Value>): CachedRead<Value> {
  const cacheOf = defineProcessValue(`cache.${name}`, (): Cache<Value> => ({ cached: null, reading: null }));
  return {
    get: async () => {
      const cache = cacheOf();
      if (cache.cached && performance.now() - cache.cached.readAt < maxAgeMs) return cache.cached.value;
      if (cache.reading) return cache.reading;
      const reading: Promise<Value> = read()
        .then((value) => {
          if (cache.reading === reading) cache.cached = { value, readAt: performance.now() };
          return value;
        })
        .finally(() => {
          if (cache.reading === reading) cache.reading = null;
        });
      cache.reading = reading;
      return reading;
    },
    // A read under way may have begun before the change, so its value is not cached either.
    invalidate: () => {
      const cache = cacheOf();
      cache.cached = null;
      cache.reading = null;
    },
  };
}
