/**
 * Coalescing: while one flush is being committed the next batch fills, so the cost of a transaction is shared by all
 * that arrived meanwhile. No timer: a lone item is flushed at once.
 */
export type Coalescer<Item, Result> = (item: Item) => Promise<Result>;

type Waiting<Item, Result> = { item: Item; resolve: (result: Result) => void; reject: (reason: unknown) => void };

/** Outcome of one member: a value, or the error of that member alone. One bad member never fails its batch. */
export type Settled<Result> = { ok: true; value: Result } | { ok: false; error: unknown };

/** PostgreSQL's classes of errors for which only the data are to blame: bad values, and violated constraints. */
export function isDataError(thrown: unknown): boolean {
  const code = typeof thrown === "object" && thrown !== null && "code" in thrown ? String(thrown.code) : "";
  return code.length === 5 && (code.startsWith("22") || code.startsWith("23"));
}

/**
 * Makes a function that gathers concurrent calls into batches.
 * @param flush carries out a whole batch and returns one outcome per item, in order; a throw fails every member.
 * @param options `maxWeight` bounds a batch (at least one item always goes), `weigh` is an item's weight (default 1),
 *   `parallel` is how many flushes may run at once (default 1).
 */
export function coalesce<Item, Result>(
  flush: (items: Item[]) => Promise<Settled<Result>[]>,
  options: { maxWeight: number; weigh?: (item: Item) => number; parallel?: number },
): Coalescer<Item, Result> {
  const { maxWeight, weigh = () => 1, parallel = 1 } = options;
  let queue: Waiting<Item, Result>[] = [];
  let running = 0;
  let scheduled = false;

  function takeBatch(): Waiting<Item, Result>[] {
    let weight = 0;
    let end = 0;
    for (const waiting of queue) {
      weight += weigh(waiting.item);
      if (end > 0 && weight > maxWeight) break;
      end += 1;
    }
    const batch = queue.slice(0, end);
    queue = queue.slice(end);
    return batch;
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
      else for (const waiting of batch) waiting.reject(thrown);
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
