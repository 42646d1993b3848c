/**
 * The heartbeats of the other workers, as this process has watched them. Silence is measured by its own monotonic clock: if the
 * database's clock were set forward by a minute, all workers would seem dead at once.
 */

/** A worker's row: its last heartbeat, in milliseconds of the database's clock, is only compared for equality. */
type Heartbeat = { id: string; seenAt: number };

export type HeartbeatWatch = {
  /**
   * Notes what was read. Times in milliseconds of a monotonic clock.
   * @returns for how long each worker has been silent, at least: from the end of the first read of its last heartbeat to the
   *   beginning of this one.
   */
  note: (heartbeats: readonly Heartbeat[], askedAtMs: number, readAtMs: number) => Map<string, number>;
  /** Restarts the measurement of silence, which our own stall or an outage of the database may explain. */
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
