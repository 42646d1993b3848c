/**
 * Group commit: while one flush commits, the next batch fills, so all items that arrived meanwhile share the cost of
 * one transaction. A lone item is flushed at once.
 */
import { isConnectionFailure } from "./database/connection-failure";
import { errorCodeOf, isDatabaseUnavailable, overloaded } from "./errors";
import { metrics } from "./metrics";
import { activeTrace, forTraces, outsideSpans } from "./spans";

export type Batcher<Item, Result> = (item: Item) => Promise<Result>;

type Call<Item, Result> = {
  item: Item;
  /** The span of the caller. */
  trace: string | undefined;
  resolve: (result: Result) => void;
  reject: (reason: unknown) => void;
};

/** Result of one item: a value, or the error of that item alone. One bad item never fails its batch. */
export type Settled<Result> = { ok: true; value: Result } | { ok: false; error: unknown };

/** Whether PostgreSQL blames the data alone: bad values (SQLSTATE class 22) and violated constraints (class 23). */
export function isDataError(thrown: unknown): boolean {
  const code = errorCodeOf(thrown);
  return code.length === 5 && (code.startsWith("22") || code.startsWith("23"));
}

const SQLSTATE = /^(\d|F0|HV|P0|XX)[0-9A-Z]+$/;
/**
 * Failures caused by the database's state, not by a value: a conflict with another transaction (class 40), a lock or a statement
 * that took too long, a standby that cannot write (25), a full disk (53, 58). An item alone would fail in the same way.
 */
const OF_THE_MOMENT = /^((25|40|53|57|58)...|55P03)$/;

/**
 * Whether one item of a batch may be to blame for its failure. This covers more than {@link isDataError}: a value too long for an
 * index (54000) is not a data error, but would block all other items for as long as it is retried.
 */
function mayBeOfOneItem(thrown: unknown): boolean {
  const code = errorCodeOf(thrown);
  return code.length === 5 && SQLSTATE.test(code) && !OF_THE_MOMENT.test(code) && !isConnectionFailure(thrown);
}

/**
 * Default bound of a queue. Queues of calls from outside set their own bounds. Results of jobs and attempts stay far below this
 * bound, since few of those run at once. Refused results are not lost: an attempt repeats its write, and the job queue runs a
 * failed job again.
 */
const WAITING_MAX = 200_000;

/**
 * If the last batch had this many calls, more are expected at any moment: its callers are likely to call again, and one
 * flush for all costs far less than two.
 */
const GATHER_FROM = 8;
/**
 * The pause after a flush lasts until this share of the known callers (those of the flush and those that wait) have called again.
 * Waiting for all of them would leave the database idle because of the slowest; waiting for half would split every batch in two,
 * each with the fixed cost of a flush.
 */
const GATHERED_SHARE = 0.75;

type BatcherOptions<Item> = {
  /** Bounds a batch, which always has at least one item. */
  maxWeight: number;
  /**
   * Largest weight of the queue; {@link WAITING_MAX} by default. A call beyond it is refused at once with 503 `overloaded`,
   * before anything begins. An empty queue accepts any item.
   */
  maxWaiting?: number;
  /** Weight of an item; 1 by default. */
  weigh?: (item: Item) => number;
  /** Concurrent flushes; 1 by default. */
  parallel?: number;
  /**
   * Concurrent flushes while the waiting items fill a batch, which then cannot grow any more; by default as `parallel`. For
   * flushes that wait for each other's locks: the next one gets its locks at once, while the process builds the responses of the
   * previous one.
   */
  parallelWhenFull?: number;
  /**
   * Longest pause after a flush of at least {@link GATHER_FROM} calls, during which the next batch grows; none by default. It
   * ends as soon as {@link GATHERED_SHARE} of the callers have called again.
   */
  gatherMs?: number;
  /** The batcher's label in the metrics; without one it is not measured. */
  name?: string;
};

/** The calls that wait, oldest first, with the sum of their weights. */
type Queue<Item, Result> = { calls: Call<Item, Result>[]; weight: number };

/** Takes the oldest calls, at least one, up to `maxWeight`. */
function takeBatch<Item, Result>(
  queue: Queue<Item, Result>,
  weigh: (item: Item) => number,
  maxWeight: number,
): Call<Item, Result>[] {
  let weight = 0;
  let end = 0;
  for (const { item } of queue.calls) {
    const itemWeight = weigh(item);
    if (end > 0 && weight + itemWeight > maxWeight) break;
    weight += itemWeight;
    end += 1;
  }
  const batch = queue.calls.slice(0, end);
  queue.calls = queue.calls.slice(end);
  queue.weight -= weight;
  return batch;
}

function refuseAll<Item, Result>(queue: Queue<Item, Result>, reason: unknown): void {
  const refused = queue.calls;
  queue.calls = [];
  queue.weight = 0;
  for (const call of refused) call.reject(reason);
}

type Flush<Item, Result> = (items: Item[]) => Promise<Settled<Result>[]>;

/**
 * Flushes a batch and settles its calls. If the database was unavailable, it refuses `queue` too.
 * @returns the error if the database was unavailable; null: it was available.
 */
async function settle<Item, Result>(
  flush: Flush<Item, Result>,
  batch: Call<Item, Result>[],
  queue: Queue<Item, Result>,
): Promise<unknown> {
  try {
    const results = await forTraces(
      () => batch.map(({ trace }) => trace),
      () => flush(batch.map(({ item }) => item)),
    );
    batch.forEach((call, at) => {
      const result = results[at];
      if (result?.ok) call.resolve(result.value);
      else call.reject(result ? result.error : new Error("The batch returned no result for this item."));
    });
    return null;
  } catch (thrown) {
    // One item may have failed the whole batch; nothing of it was written.
    if (batch.length > 1 && mayBeOfOneItem(thrown)) return settleHalves(flush, batch, queue);
    for (const call of batch) call.reject(thrown);
    if (!isDatabaseUnavailable(thrown)) return null;
    // The flush has waited for the database as long as a caller may, and the queue has waited with it.
    refuseAll(queue, thrown);
    return thrown;
  }
}

/** Flushes each half, so that in the end a bad item is alone, and the hundreds of good ones share a few flushes. */
async function settleHalves<Item, Result>(
  flush: Flush<Item, Result>,
  batch: Call<Item, Result>[],
  queue: Queue<Item, Result>,
): Promise<unknown> {
  const middle = Math.ceil(batch.length / 2);
  const latter = batch.slice(middle);
  const unavailable = await settle(flush, batch.slice(0, middle), queue);
  if (unavailable === null) return settle(flush, latter, queue);
  for (const call of latter) call.reject(unavailable);
  return unavailable;
}

/** The pause after a large flush. */
type Pause = {
  /** Begins it, or continues it with the callers now known. */
  begin: (callers: number) => void;
  /** Whether it lasts, as fewer calls wait than it is for. */
  lasts: (waiting: number) => boolean;
  end: () => void;
};

/** @param over called when the time is over. */
function createPause(gatherMs: number, over: () => void): Pause {
  let timer: NodeJS.Timeout | null = null;
  /** Calls that end the pause. */
  let awaited = 0;
  return {
    begin: (callers) => {
      awaited = Math.ceil(callers * GATHERED_SHARE);
      timer ??= setTimeout(() => {
        timer = null;
        over();
      }, gatherMs);
    },
    lasts: (waiting) => timer !== null && waiting < awaited,
    end: () => {
      clearTimeout(timer ?? undefined);
      timer = null;
    },
  };
}

/**
 * Makes a function that gathers concurrent calls into batches.
 * @param flush carries out a whole batch and returns one result per item, in order; a throw fails every item.
 */
export function createBatcher<Item, Result>(
  flush: Flush<Item, Result>,
  options: BatcherOptions<Item>,
): Batcher<Item, Result> {
  const { maxWeight, maxWaiting = WAITING_MAX, weigh = () => 1, parallel = 1, gatherMs = 0, name } = options;
  const { parallelWhenFull = parallel } = options;
  const sizes = name === undefined ? null : metrics().batchItems.labels(name);
  const queue: Queue<Item, Result> = { calls: [], weight: 0 };
  const pause = createPause(gatherMs, start);
  let running = 0;
  let scheduled = false;

  async function run(batch: Call<Item, Result>[]): Promise<void> {
    sizes?.observe(batch.length);
    try {
      await settle(flush, batch, queue);
    } finally {
      running -= 1;
      if (gatherMs > 0 && batch.length >= GATHER_FROM) pause.begin(batch.length + queue.calls.length);
      start();
    }
  }

  const isFull = (): boolean => queue.weight >= maxWeight;

  function start(): void {
    // A full batch does not grow any more.
    if (pause.lasts(queue.calls.length) && !isFull()) return;
    pause.end();
    while (queue.calls.length > 0 && running < (isFull() ? parallelWhenFull : parallel)) {
      running += 1;
      void run(takeBatch(queue, weigh, maxWeight));
    }
  }

  return (item) =>
    new Promise<Result>((resolve, reject) => {
      const weight = weigh(item);
      if (queue.calls.length > 0 && queue.weight + weight > maxWaiting) {
        if (name !== undefined) metrics().batchRefused.inc({ batch: name });
        reject(overloaded());
        return;
      }
      queue.weight += weight;
      queue.calls.push({ item, trace: activeTrace(), resolve, reject });
      if (scheduled) return;
      scheduled = true;
      // After the current round of I/O events: requests read in the same round share one flush.
      outsideSpans(() =>
        setImmediate(() => {
          scheduled = false;
          start();
        }),
      );
    });
}
