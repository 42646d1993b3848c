/** Repeats work that got no lock, so that a migration never blocks the service for long and is applied in the end. */
import { setTimeout as pause } from "node:timers/promises";
import { errorCodeOf } from "../server/core/errors";

const LOCK_PAUSE_MS = 2_000;
export const LOCK_TRIES = 20;

/** SQLSTATEs of a time-out, and of a deadlock with the service, in which PostgreSQL makes one side fail. */
const LOCK_FAILURES = /\b(55P03|40P01)\b/;
/** The same in a failure of Prisma's engine without its code, if the server's messages are English. */
const LOCK_MESSAGES = /lock timeout|deadlock detected/i;

/** The engine writes the code of a failed script into its own message. */
const isLockFailure = (thrown: unknown): boolean =>
  LOCK_FAILURES.test(`${errorCodeOf(thrown)} ${thrown}`) || LOCK_MESSAGES.test(String(thrown));

/**
 * Repeats `work` while it gets no lock, up to {@link LOCK_TRIES} times at the same step; finished steps stay done.
 * @param stepToRepeat undoes what a repetition needs undone and returns the step's name; null: it may not be repeated.
 * @throws what `work` throws.
 */
export async function patiently<T>(
  work: () => Promise<T>,
  stepToRepeat: () => Promise<string | null>,
  pauseMs = LOCK_PAUSE_MS,
): Promise<T> {
  const tries = new Map<string, number>();
  for (;;) {
    try {
      return await work();
    } catch (thrown) {
      if (!isLockFailure(thrown)) throw thrown;
      const step = await stepToRepeat();
      if (step === null) throw thrown;
      const count = (tries.get(step) ?? 0) + 1;
      if (count >= LOCK_TRIES) throw thrown;
      tries.set(step, count);
      await pause(pauseMs);
    }
  }
}
