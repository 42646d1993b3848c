/**
 * Advances: requests of the current minute that a process has counted in the database ahead of time, so that a busy
 * caller costs one statement for many requests. No request is admitted that was not counted before it, and permits that a
 * process does not use are lost for that minute. Pure; times are milliseconds of a monotonic clock.
 */

/**
 * Permits of one id. `used`: requests of the minute so far, over all processes, without the permits that are left here.
 * `limit`: of a minute, when it was counted. `until`: end of the minute.
 */
type Advance = { permits: number; used: number; limit: number; until: number };

/** `rate`: requests per second over the last window; `seen`: those of the present one, which began at `since`. */
type Known = Advance & { rate: number; seen: number; since: number };

/** The database's count. `used`: before this count. `asked`: requests counted, `extra`: permits counted in addition. */
type Counted = { used: number; asked: number; extra: number; limit: number; until: number };

/** Requests below this limit are counted one by one, so that each process may use up all of it. */
const LIMIT_MIN = 600;
/** Below this rate, requests per second, they are counted one by one too. */
const RATE_MIN = 5;
/** An advance covers as long as the window over which a rate is taken... */
const WINDOW_MS = 1_000;
/** ...and at most this share of what is left, so that close to the limit requests are counted one by one again. */
const SHARE_MAX = 1 / 16;
const IDS_MAX = 20_000;

/** The advances of a process, by the id that is limited. */
export function openAdvances() {
  const known = new Map<string, Known>();

  /** Notes `count` requests and returns how many a second there are. */
  const rateOf = (entry: Known, count: number, now: number): number => {
    const windowMs = now - entry.since;
    if (windowMs >= WINDOW_MS) {
      entry.rate = (entry.seen * 1_000) / windowMs;
      entry.seen = 0;
      entry.since = now;
    }
    entry.seen += count;
    return entry.rate;
  };

  return {
    /** Whether a permit is left. `limit`: the limit must still be this; null: any. */
    has(id: string, limit: number | null, now: number): boolean {
      const entry = known.get(id);
      return entry !== undefined && entry.permits > 0 && now < entry.until && (limit ?? entry.limit) === entry.limit;
    },

    /** Takes a permit, which must be there. @returns the advance without it. */
    take(id: string, now: number): Advance {
      const entry = known.get(id);
      if (!entry || entry.permits === 0) throw new Error("There is no permit left.");
      entry.permits -= 1;
      entry.used += 1;
      rateOf(entry, 1, now);
      return entry;
    },

    /** How many permits to count in addition to `asked` requests. */
    wanted(id: string, asked: number, now: number): number {
      const entry = known.get(id);
      if (!entry) return 0;
      const rate = rateOf(entry, asked, now);
      const isCurrent = now < entry.until;
      if (rate < RATE_MIN || (isCurrent && entry.permits > 0)) return 0;
      const left = entry.limit - asked - (isCurrent ? entry.used : 0);
      return Math.max(0, Math.floor(Math.min((rate * WINDOW_MS) / 1_000, left * SHARE_MAX)));
    },

    /** Notes a count. @returns the permits that were left before it, which the database's count includes. */
    note(id: string, { used, asked, extra, limit, until }: Counted, now: number): number {
      if (limit < LIMIT_MIN) return 0;
      const before = known.get(id);
      const kept = before && now < before.until && before.limit === limit ? before.permits : 0;
      const granted = Math.max(0, Math.floor(Math.min(extra, limit - used - asked)));
      if (!before && known.size >= IDS_MAX) known.clear();
      const { rate, seen, since } = before ?? { rate: 0, seen: asked, since: now };
      const usedByAll = Math.min(limit, used + asked) - kept;
      known.set(id, { permits: kept + granted, used: usedByAll, limit, until, rate, seen, since });
      return kept;
    },
  };
}
