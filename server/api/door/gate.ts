/** Limits the concurrency of one kind of work. Further requests wait briefly, in order, or are refused. */

export type GateLimits = {
  atOnce: number;
  /** Highest number of waiting requests; as many prefetches may wait in addition. */
  waiting: number;
  /** Longest wait in milliseconds. */
  waitMs: number;
  /**
   * A place goes to the next request after this time in milliseconds, even if its holder has not left: the holder may be a slow
   * reader.
   */
  holdMs: number;
};

/**
 * Waits for a place. `isAhead`: a prefetch, which nobody is waiting for, so it yields to all other requests.
 * @returns a function that leaves the place; null when there was none in time.
 */
export type Enter = (work?: { isAhead: boolean }) => Promise<(() => void) | null>;

/** @param beforeStart delays work that has a place already, so that more urgent work goes first. */
export function openGate(
  { atOnce, waiting, waitMs, holdMs }: GateLimits,
  beforeStart: () => Promise<void> = async () => undefined,
): Enter {
  let inside = 0;
  const queue: Array<() => void> = [];
  const queueAhead: Array<() => void> = [];
  const occupy = (): (() => void) => {
    inside += 1;
    let isOut = false;
    const leave = () => {
      if (isOut) return;
      isOut = true;
      clearTimeout(timer);
      inside -= 1;
      (queue.shift() ?? queueAhead.shift())?.();
    };
    const timer = setTimeout(leave, holdMs);
    timer.unref();
    return leave;
  };
  const waitIn = (own: Array<() => void>): Promise<(() => void) | null> =>
    new Promise((resolve) => {
      const admit = () => {
        clearTimeout(timer);
        resolve(occupy());
      };
      const timer = setTimeout(() => {
        const at = own.indexOf(admit);
        if (at !== -1) own.splice(at, 1);
        resolve(null);
      }, waitMs);
      own.push(admit);
    });
  return async ({ isAhead } = { isAhead: false }) => {
    const own = isAhead ? queueAhead : queue;
    if (inside >= atOnce && own.length >= waiting) return null;
    const leave = inside < atOnce ? occupy() : await waitIn(own);
    if (leave) await beforeStart();
    return leave;
  };
}
