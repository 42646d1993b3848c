/**
 * Leases of permits: requests of the current minute that a process has counted in the database ahead of time, so that a busy
 * caller costs one statement for many requests. Nothing is admitted that was not counted before; what a process does not use
 * is lost for that minute.
 */

/** `used`: requests of the minute so far, over all processes, without the permits that are left. `limit`: of a minute. */
export type Lease = { permits: number; used: number; limit: number; until: number };

/** Known of an id: its lease, and what this process has admitted since the last count. */
type Known = Lease & { countedAt: number; admitted: number };

/** Limits below are counted one request at a time, so that each process may use up all of them. */
const LEASED_LIMIT_MIN = 600;
/** A lease covers this time at the present rate of its id... */
const LEASE_MS = 1_000;
/** ...and a share of what is left of the limit, so that close to it requests are counted one at a time again. */
const LEASED_SHARE = 1 / 16;
/** Requests within less than this time are a burst, and no rate. */
const RATE_OVER_MS = 250;
const IDS_MAX = 20_000;

export type Leases = ReturnType<typeof openLeases>;

/** Leases of a process. Times are milliseconds of a monotonic clock. */
export function openLeases() {
  const known = new Map<string, Known>();
  const at = (id: string, now: number): Known | undefined => {
    const lease = known.get(id);
    return lease && now < lease.until ? lease : undefined;
  };

  return {
    /** Whether a permit is left, under the same limit as when it was counted. */
    has(id: string, limit: number | null, now: number): boolean {
      const lease = at(id, now);
      return lease !== undefined && lease.permits > 0 && (limit === null || lease.limit === limit);
    },
    /** Takes a permit, which must be there. */
    take(id: string, now: number): Lease {
      const lease = at(id, now);
      if (!lease || lease.permits === 0) throw new Error("There is no permit.");
      lease.permits -= 1;
      lease.used += 1;
      lease.admitted += 1;
      return lease;
    },
    /** How many permits to count beside `asked` requests; null: the limit is not known, so there is no lease either. */
    wanted(id: string, asked: number, now: number): number {
      const lease = at(id, now);
      if (!lease || lease.limit < LEASED_LIMIT_MIN || lease.permits > 0) return 0;
      const sinceMs = Math.max(RATE_OVER_MS, now - lease.countedAt);
      const expected = ((lease.admitted + asked) * LEASE_MS) / sinceMs;
      const left = lease.limit - lease.used - asked;
      return Math.max(0, Math.floor(Math.min(expected, left * LEASED_SHARE)));
    },
    /**
     * Notes what the database counted.
     * @param counted `used`: before this count. `admitted`: requests that pass. `extra`: permits beside them.
     */
    note(
      id: string,
      counted: { used: number; admitted: number; extra: number; limit: number; until: number },
      now: number,
    ): void {
      const { admitted, limit, until } = counted;
      const before = at(id, now);
      const kept = before?.limit === limit ? before.permits : 0;
      const granted = Math.max(0, Math.min(counted.extra, limit - counted.used - admitted));
      // The database's count includes permits that this process still has.
      const used = counted.used - kept + admitted;
      if (known.size >= IDS_MAX) known.clear();
      known.set(id, { permits: kept + granted, used, limit, until, countedAt: now, admitted: 0 });
    },
  };
}
