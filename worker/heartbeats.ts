/**
 * The heartbeats of the other workers, as this process has watched them. Silence is measured by its own monotonic clock: if the
 * database's clock were set forward by a minute, all workers would seem dead at once.
 */

/** A worker's row: its last heartbeat, in milliseconds of the database's clock, is only compared for equality. */
type Heartbeat = { id: string; seenAt: number };

export type HeartbeatWatch = {
  /**
   * Records a read of the heartbeats. Times are in milliseconds of a monotonic clock.
   * @returns the minimum time for which each worker has been silent: from the end of the first read of its last heartbeat to the
   *   beginning of this read.
   */
  note: (heartbeats: readonly Heartbeat[], askedAtMs: number, readAtMs: number) => Map<string, number>;
  /** Restarts the measurement, because our own stall or an outage of the database may explain the silence. */
  forget: () => void;
};

/** Begins to watch. */
export function watchHeartbeats(): HeartbeatWatch {
  let last = new Map<string, { seenAt: number; sinceMs: number }>();
  return {
    note: (heartbeats, askedAtMs, readAtMs) => {
      last = new Map(
        heartbeats.map(({ id, seenAt }) => {
          const known = last.get(id);
          return [id, known?.seenAt === seenAt ? known : { seenAt, sinceMs: readAtMs }];
        }),
      );
      return new Map([...last].map(([id, { sinceMs }]) => [id, Math.max(0, askedAtMs - sinceMs)]));
    },
    forget: () => last.clear(),
  };
}
