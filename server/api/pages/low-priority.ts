import { existsSync, readdirSync } from "node:fs";
import os from "node:os";

/** Of 19: where processors are short, the web process and PostgreSQL get ten times as much of them. */
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
      // It has ended meanwhile, or the system does not let us: the pages are served all the same.
    }
  }
}
