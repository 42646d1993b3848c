/**
 * A supervised job queue. graphile-worker's runner may end at any time (it could not report finished jobs, or one of its
 * workers died), and that looks like a requested stop: so every end starts a new runner.
 */
import { SECOND_MS } from "../server/core/clock";
import { errorFields, log } from "../server/core/log";
import { keepDoing } from "../server/core/process";
import { PAUSES_MS, type QueuePlan, type Running, retire, sleep, startRunner, unlockUnacknowledged } from "./runner";

export type Queue = {
  /** Starts a new runner; jobs under way finish in the old one. */
  restart: (reason: string) => void;
  /** Starts no more jobs, and lets those under way finish within 30 seconds. */
  stop: () => Promise<void>;
};

/** After this time a runner counts as stable, and its restart begins with the shortest pause. */
const STABLE_MS = 30 * SECOND_MS;
/** Pause between checks for jobs that this process has locked unknowingly. */
const OWN_LOCKS_EVERY_MS = 3 * SECOND_MS;

/** Starts a queue and keeps it running. Resolves once it runs, however long the database is unavailable. */
export async function keepQueue(plan: QueuePlan): Promise<Queue> {
  let isStopping = false;
  let askToStop: () => void = () => undefined;
  const stopAsked = new Promise<void>((resolve) => {
    askToStop = resolve;
  });
  let askToRestart: (reason: string) => void = () => undefined;
  const retiring = new Set<Promise<void>>();
  const retireSoon = (old: Running) => {
    const gone: Promise<void> = retire(old).finally(() => retiring.delete(gone));
    retiring.add(gone);
  };

  /** Starts a runner, retrying until it succeeds. @param failures how many runners have ended early before. */
  async function startPersistently(failures: number): Promise<Running> {
    for (let tries = failures; ; tries += 1) {
      await sleep(PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)] ?? 0, stopAsked);
      try {
        return await startRunner(plan);
      } catch (thrown) {
        log("warn", "queue.not_started", { queue: plan.name, ...errorFields(thrown) });
        if (isStopping) throw thrown;
      }
    }
  }

  let running: Running | null = await startPersistently(0);
  const stopWatching = keepDoing(async () => {
    if (running) {
      await unlockUnacknowledged(running).catch((thrown) => log("warn", "queue.locks_not_read", errorFields(thrown)));
    }
    // All queues of a process at the same time, so that one statement does for them.
    return OWN_LOCKS_EVERY_MS - (performance.now() % OWN_LOCKS_EVERY_MS);
  });

  async function supervise(): Promise<void> {
    for (let failures = 0; running && !isStopping; ) {
      const restartAsked = new Promise<string>((resolve) => {
        askToRestart = resolve;
      });
      const reason = await Promise.race([running.ended, restartAsked, stopAsked.then(() => null)]);
      if (reason === null) return;
      log("error", "queue.restarted", { queue: plan.name, reason });
      failures = performance.now() - running.startedAtMs > STABLE_MS ? 0 : failures + 1;
      retireSoon(running);
      running = null;
      running = await startPersistently(failures);
    }
  }

  // It rejects only when a stop is requested while a new runner cannot be started.
  const supervised = supervise().catch(() => undefined);
  return {
    restart: (reason) => askToRestart(reason),
    stop: async () => {
      isStopping = true;
      askToStop();
      const watched = stopWatching();
      await supervised;
      if (running) retireSoon(running);
      await Promise.allSettled([watched, ...retiring]);
    },
  };
}
