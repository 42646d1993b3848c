import { defineProcessValue } from "./process";

/** `begunAt`: milliseconds of the process's monotonic clock. */
type Reading<Value> = { begunAt: number; value: Promise<Value> };
/** `countsFrom`: like `begunAt`, the time from which the value's age counts. */
type Cached<Value> = { value: Value; countsFrom: number };
type Cache<Value> = { cached: Cached<Value> | null; reading: Reading<Value> | null };

/** A cached value: `get` returns it until it is `maxAgeMs` old, `invalidate` makes the next `get` read it again. */
export type CachedRead<Value> = { get: () => Promise<Value>; invalidate: () => void };

/**
 * Read-through cache of one value with a time to live. Concurrent callers share one read; a failed read is not cached. No caller
 * gets a value whose read began more than `maxAgeMs` before its call: during such a read it waits for the next one.
 * @param name names the cache; one per process.
 * @param maxAgeMs time to live in milliseconds from the beginning of the read, because a change may follow at once.
 * @param options `isCostly`: it counts from the end, and all callers share a read however long ago it began, so that a slow
 * database is not read all the time. For figures, on which nothing is decided.
 */
export function cachedRead<Value>(
  name: string,
  maxAgeMs: number,
  read: () => Promise<Value>,
  { isCostly = false } = {},
): CachedRead<Value> {
  const cacheOf = defineProcessValue(`cache.${name}`, (): Cache<Value> => ({ cached: null, reading: null }));
  const isFresh = (sinceMs: number): boolean => performance.now() - sinceMs < maxAgeMs;

  function begin(cache: Cache<Value>): Promise<Value> {
    const begunAt = performance.now();
    const value: Promise<Value> = read()
      .then((found) => {
        const countsFrom = isCostly ? performance.now() : begunAt;
        if (cache.reading?.value === value) cache.cached = { value: found, countsFrom };
        return found;
      })
      .finally(() => {
        if (cache.reading?.value === value) cache.reading = null;
      });
    cache.reading = { begunAt, value };
    return value;
  }

  return {
    get: async () => {
      const cache = cacheOf();
      for (;;) {
        const { cached, reading } = cache;
        if (cached && isFresh(cached.countsFrom)) return cached.value;
        if (!reading) return begin(cache);
        if (isCostly || isFresh(reading.begunAt)) return reading.value;
        await reading.value;
      }
    },
    // A read under way may have begun before the change, so its value is not cached either.
    invalidate: () => {
      const cache = cacheOf();
      cache.cached = null;
      cache.reading = null;
    },
  };
}
