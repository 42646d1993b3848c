/** Writes facts that only this process knows, even through outages of the database. */
import { isDataError } from "../../core/batcher";
import { now } from "../../core/clock";
import { isConnectionFailure } from "../../core/database/connection-failure";
import { errorCodeOf, isApiError } from "../../core/errors";

/** Pauses before a write is retried; the last one is repeated. */
const RETRY_DELAYS_MS = [100, 300, 1_000, 2_000, ...Array<number>(8).fill(5_000)];

/** A process that is stopping has no time for long pauses: even if half of its commits are lost, the next one may succeed. */
const STOPPING_PAUSE_MS = 250;
/**
 * A process retries its writes for `forMs` after the request to stop; a write that begins later is retried for at least `leastMs`.
 */
export const STOPPING = { forMs: 20_000, leastMs: 10_000 } as const;

type Patience = {
  /** Retries beyond {@link RETRY_DELAYS_MS} end at this time (milliseconds since 1970). */
  until: number;
  /** When this process was asked to stop, by `performance.now()`; null: it was not. */
  stoppingSinceMs: () => number | null;
  /** Called with each failure after which the write is retried. */
  onFailure: (thrown: unknown) => void;
};

/** Whether a later try may succeed because the database works again by then: an error in our own code has no error code. */
const isOfDatabase = (thrown: unknown): boolean =>
  isApiError(thrown) || isConnectionFailure(thrown) || errorCodeOf(thrown) !== "";

/** Pauses for `ms`, or shortly once the process is to stop. */
async function pause(ms: number, stoppingSinceMs: Patience["stoppingSinceMs"]): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs = stoppingSinceMs() === null ? leftMs - STOPPING_PAUSE_MS : 0) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(leftMs, STOPPING_PAUSE_MS)));
  }
}

/**
 * Retries a write while the database is unavailable. A value that the database refuses ends it at once.
 * @throws the last failure.
 */
export async function retryWrite<Result>(
  write: () => Promise<Result>,
  { until, stoppingSinceMs, onFailure }: Patience,
): Promise<Result> {
  const begunMs = performance.now();
  for (let failures = 0; ; failures += 1) {
    try {
      return await write();
    } catch (thrown) {
      const sinceMs = stoppingSinceMs();
      const isOver =
        sinceMs === null
          ? failures >= RETRY_DELAYS_MS.length && !(now().getTime() <= until && isOfDatabase(thrown))
          : performance.now() >= Math.max(sinceMs + STOPPING.forMs, begunMs + STOPPING.leastMs);
      if (isDataError(thrown) || isOver) throw thrown;
      onFailure(thrown);
      await pause(RETRY_DELAYS_MS[failures] ?? RETRY_DELAYS_MS.at(-1) ?? 0, stoppingSinceMs);
    }
  }
}
