/**
 * Coalescing: while one flush is being committed the next batch fills, so the cost of a transaction is shared by all
 * that arrived meanwhile. No timer: a lone item is flushed at once.
 */
import { isDatabaseUnavailable, overloaded } from "./errors";

export type Batcher<Item, Result> = (item: Item) => Promise<Result>;

type Waiting<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (reason: unknown) => void };

/** Outcome of one member: a value, or the error of that member alone. One bad member never fails its batch. */
export type Settled<Result> = { ok: true; value: Result } | { ok: false; error: unknown };

/** PostgreSQL's classes of errors for which only the data are to blame: bad values, and violated constraints. */
export function isDataError(thrown: unknown): boolean {
  const code = typeof thrown === "object" && thrown !== null && "code" in thrown ? String(thrown.code) : "";
  return code.length === 5 && (code.startsWith("22") || code.startsWith("23"));
}

/**
 * The bound of a queue that sets none. Callers from outside meet bounds of their own, chosen beside their queues. Results of
 * jobs and hand-overs stay far below this one, since few of those run at once; they must not be dropped, and who brings
 * them brings them again after a refusal: a hand-over insists, a job is run again by the queue.
 */
const WAITING_MAX = 200_000;

/**
 * Makes a function that gathers concurrent calls into batches.
 * @param flush carries out a whole batch and returns one outcome per item, in order; a throw fails every member.
 * @param options `maxWeight` bounds a batch (at least one item always goes), `weigh` is an item's weight (default 1),
 *   `parallel` is how many flushes may run at once (default 1). `maxWaiting` bounds the weight of all that wait for a
 *   flush (default {@link WAITING_MAX}): a call past it is refused at once with 503 `overloaded`, and nothing of it was
 *   begun. An item that finds the queue empty is always taken.
 */
export function createBatcher<Item, Result>(
  flush: (items: Item[]) => Promise<Settled<Result>[]>,
  options: { maxWeight: number; maxWaiting?: number; weigh?: (item: Item) => number; parallel?: number },
): Batcher<Item, Result> {
  const { maxWeight, maxWaiting = WAITING_MAX, weigh = () => 1, parallel = 1 } = options;
  let queue: Waiting<Item, Result>[] = [];
  let waitingWeight = 0;
  let running = 0;
  let scheduled = false;

  function takeBatch(): Waiting<Item, Result>[] {
    let weight = 0;
    let end = 0;
    for (const waiting of queue) {
      const own = weigh(waiting.item);
      if (end > 0 && weight + own > maxWeight) break;
      weight += own;
      end += 1;
    }
    const batch = queue.slice(0, end);
    queue = queue.slice(end);
    waitingWeight -= weight;
    return batch;
  }

  /** Fails all that wait. */
  function refuseQueue(reason: unknown): void {
    const refused = queue;
    queue = [];
    waitingWeight = 0;
    for (const waiting of refused) waiting.reject(reason);
  }

  async function settle(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await flush(batch.map((waiting) => waiting.item));
      batch.forEach((waiting, at) => {
        const result = results[at];
        if (result?.ok) waiting.resolve(result.value);
        else waiting.reject(result ? result.error : new Error("The batch returned no outcome for this member."));
      });
    } catch (thrown) {
      // The database refused what one member brought, and with it the batch: nothing was written, so each goes alone.
      if (batch.length > 1 && isDataError(thrown)) for (const waiting of batch) await settle([waiting]);
      else {
        for (const waiting of batch) waiting.reject(thrown);
        // The flush has waited for the database as long as a caller may, and these have waited with it.
        if (isDatabaseUnavailable(thrown)) refuseQueue(thrown);
      }
    }
  }

  async function run(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      await settle(batch);
    } finally {
      running -= 1;
      start();
    }
  }

  function start(): void {
    while (running < parallel && queue.length > 0) {
      running += 1;
      void run(takeBatch());
    }
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      const weight = weigh(item);
      if (queue.length > 0 && waitingWeight + weight > maxWaiting) {
        reject(overloaded());
        return;
      }
      waitingWeight += weight;
      queue.push({ item, resolve, reject });
      if (scheduled) return;
      scheduled = true;
      // After the current round of I/O events, so that requests read in the same round share one flush.
      setImmediate(() => {
        scheduled = false;
        start();
      });
    });
}
