/** Limits the concurrency of one kind of work. Further requests wait briefly, in order, except that owners take turns, or are refused. */

export type GateLimits = {
  atOnce: number;
  /** Highest number of waiting requests; as many prefetches may wait in addition. */
  waiting: number;
  /** Highest number of waiting requests of one owner, so that nobody takes all places; as many prefetches in addition. */
  waitingOfOwner?: number;
  /** Longest wait in milliseconds. */
  waitMs: number;
  /**
   * A place goes to the next request after this time in milliseconds, even if its holder has not left: the holder may be a slow
   * reader.
   */
  holdMs: number;
};

/**
 * Waits for a place. `isAhead`: a prefetch, which nobody is waiting for, so it yields to all other requests. `owner`: whose places are
 * limited together; absent: nobody's.
 * @returns a function that leaves the place; null when there was none in time.
 */
export type Enter = (work?: { isAhead?: boolean; owner?: string }) => Promise<(() => void) | null>;

type Waiting = { admit: () => void; owner: string | undefined };

/** Takes the first request that is not of this owner; if there is none, the first. */
function takeNext(queue: Waiting[], owner: string | undefined): Waiting | undefined {
  const at = owner === undefined ? 0 : queue.findIndex((place) => place.owner !== owner);
  return queue.splice(Math.max(0, at), 1)[0];
}

/** @param beforeStart delays work that has a place already, so that more urgent work goes first. */
export function openGate(
  { atOnce, waiting, waitingOfOwner = waiting, waitMs, holdMs }: GateLimits,
  beforeStart: () => Promise<void> = async () => undefined,
): Enter {
  let inside = 0;
  let lastOwner: string | undefined;
  const queue: Waiting[] = [];
  const queueAhead: Waiting[] = [];
  const occupy = (owner: string | undefined): (() => void) => {
    inside += 1;
    lastOwner = owner;
    let isOut = false;
    const leave = () => {
      if (isOut) return;
      isOut = true;
      clearTimeout(timer);
      inside -= 1;
      (takeNext(queue, lastOwner) ?? takeNext(queueAhead, lastOwner))?.admit();
    };
    const timer = setTimeout(leave, holdMs);
    timer.unref();
    return leave;
  };
  const waitIn = (own: Waiting[], owner: string | undefined): Promise<(() => void) | null> =>
    new Promise((resolve) => {
      const place = {
        owner,
        admit: () => {
          clearTimeout(timer);
          resolve(occupy(owner));
        },
      };
      const timer = setTimeout(() => {
        const at = own.indexOf(place);
        if (at !== -1) own.splice(at, 1);
        resolve(null);
      }, waitMs);
      own.push(place);
    });
  const isFull = (own: readonly Waiting[], owner: string | undefined): boolean =>
    own.length >= waiting ||
    (owner !== undefined && own.filter((place) => place.owner === owner).length >= waitingOfOwner);
  return async ({ isAhead = false, owner } = {}) => {
    const own = isAhead ? queueAhead : queue;
    if (inside >= atOnce && isFull(own, owner)) return null;
    const leave = inside < atOnce ? occupy(owner) : await waitIn(own, owner);
    if (leave) await beforeStart();
    return leave;
  };
}
