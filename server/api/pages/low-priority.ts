import { existsSync, readdirSync } from "node:fs";
import os from "node:os";

/** Of 19 at most: where processors are short, the web process and PostgreSQL get ten times as much of them. */
const NICENESS = 10;
const THREADS = "/proc/self/task";

/**
 * Lets all other processes go first. On Linux each thread has a priority of its own, and those that collect garbage run before our
 * first line does.
 */
export function lowerPriority(): void {
  const threads = existsSync(THREADS) ? readdirSync(THREADS).map(Number) : [0];
  for (const thread of threads) {
    try {
      os.setPriority(thread, NICENESS);
    } catch {
      // The thread has ended, or the system refuses: pages are served all the same.
    }
  }
}
