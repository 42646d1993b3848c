/** Writes of facts that only this process knows, through outages of the database. */
import { isDataError } from "../../core/batcher";
import { now } from "../../core/clock";
import { isConnectionFailure } from "../../core/database/connection-failure";
import { errorCodeOf, isApiError } from "../../core/errors";

/** Pauses before a write is retried; the last one is repeated. */
const RETRY_DELAYS_MS = [100, 300, 1_000, 2_000, ...Array<number>(8).fill(5_000)];

type Patience = {
  /** Retries beyond {@link RETRY_DELAYS_MS} end at this time (milliseconds since 1970), or when the process is stopping. */
  until: number;
  isStopping: () => boolean;
  /** Called with each failure after which the write is retried. */
  onFailure: (thrown: unknown) => void;
};

/** Whether a later try may succeed because the database then works again: a fault of our own code has no code. */
const isOfDatabase = (thrown: unknown): boolean =>
  isApiError(thrown) || isConnectionFailure(thrown) || errorCodeOf(thrown) !== "";

/**
 * Retries a write while the database is unavailable. A value that the database refuses ends it at once.
 * @throws the last failure.
 */
export async function retryWrite<Result>(
  write: () => Promise<Result>,
  { until, isStopping, onFailure }: Patience,
): Promise<Result> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await write();
    } catch (thrown) {
      const isPatient = !isStopping() && now().getTime() <= until && isOfDatabase(thrown);
      if (isDataError(thrown) || (failures >= RETRY_DELAYS_MS.length && !isPatient)) throw thrown;
      onFailure(thrown);
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAYS_MS[failures] ?? RETRY_DELAYS_MS.at(-1)));
    }
  }
}
