/**
 * A supervised job queue. graphile-worker's runner may end at any time (it could not report finished jobs, or one of its workers
 * died), which looks like a requested stop. So every end that was not requested here starts a new runner.
 */
import { SECOND_MS } from "../server/core/clock";
import { errorFields, log } from "../server/core/log";
import { keepDoing } from "../server/core/process";
import { PAUSES_MS, type QueuePlan, type Running, retire, sleep, startRunner } from "./runner";
import { unlockUnacknowledged } from "./unacknowledged-jobs";

export type Queue = {
  /** Starts a new runner; running jobs finish in the old one. */
  restart: (reason: string) => void;
  /** Starts no more jobs, and lets running ones finish within 30 seconds. */
  stop: () => Promise<void>;
};

/** After this time a runner counts as stable, and its restart begins with the shortest pause. */
const STABLE_MS = 30 * SECOND_MS;
/** Pause between checks for jobs that this process has locked unknowingly. */
const OWN_LOCKS_EVERY_MS = 3 * SECOND_MS;

/** A promise that is resolved from outside. */
type Signal<Value> = { raised: Promise<Value>; raise: (value: Value) => void };

function makeSignal<Value>(): Signal<Value> {
  let raise: (value: Value) => void = () => undefined;
  const raised = new Promise<Value>((resolve) => {
    raise = resolve;
  });
  return { raised, raise };
}

/** A request to stop. */
type Stop = Signal<void> & { isRequested: () => boolean };

function makeStop(): Stop {
  const { raised, raise } = makeSignal<void>();
  let isRequested = false;
  return {
    raised,
    raise: () => {
      isRequested = true;
      raise();
    },
    isRequested: () => isRequested,
  };
}

/**
 * Starts a runner, retrying until it succeeds.
 * @param failures the number of runners that have ended early before.
 * @throws the error of the start, once a stop is requested.
 */
async function startPersistently(plan: QueuePlan, stop: Stop, failures: number): Promise<Running> {
  for (let tries = failures; ; tries += 1) {
    await sleep(PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)] ?? 0, stop.raised);
    try {
      return await startRunner(plan);
    } catch (thrown) {
      log("warn", "queue.not_started", { queue: plan.name, ...errorFields(thrown) });
      if (stop.isRequested()) throw thrown;
    }
  }
}

/** Retires old runners while new ones run. */
function openRetirement() {
  const retiring = new Set<Promise<void>>();
  return {
    add: (old: Running): void => {
      const gone: Promise<void> = retire(old).finally(() => retiring.delete(gone));
      retiring.add(gone);
    },
    underWay: () => [...retiring],
  };
}

/** Starts a queue and keeps it running. Resolves once it runs, however long the database is unavailable. */
export async function keepQueue(plan: QueuePlan): Promise<Queue> {
  const stop = makeStop();
  const retirement = openRetirement();
  let restart = makeSignal<string>();
  let running: Running | null = await startPersistently(plan, stop, 0);

  const stopWatching = keepDoing(async () => {
    if (running) {
      await unlockUnacknowledged(running).catch((thrown) => log("warn", "queue.locks_not_read", errorFields(thrown)));
    }
    // All queues of a process check at the same time, so that they share one statement.
    return OWN_LOCKS_EVERY_MS - (performance.now() % OWN_LOCKS_EVERY_MS);
  });

  async function supervise(): Promise<void> {
    for (let failures = 0; running && !stop.isRequested(); ) {
      restart = makeSignal();
      const reason = await Promise.race([running.ended, restart.raised, stop.raised.then(() => null)]);
      if (reason === null) return;
      log("error", "queue.restarted", { queue: plan.name, reason });
      failures = performance.now() - running.startedAtMs > STABLE_MS ? 0 : failures + 1;
      retirement.add(running);
      running = null;
      running = await startPersistently(plan, stop, failures);
    }
  }

  // It rejects only when a stop is requested while a new runner cannot be started.
  const supervised = supervise().catch(() => undefined);
  return {
    restart: (reason) => restart.raise(reason),
    stop: async () => {
      stop.raise();
      const watched = stopWatching();
      await supervised;
      if (running) retirement.add(running);
      await Promise.allSettled([watched, ...retirement.underWay()]);
    },
  };
}
