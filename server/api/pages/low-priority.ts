import { existsSync, readdirSync } from "node:fs";
import os from "node:os";

const THREADS = "/proc/self/task";

/**
 * Lets all other processes go first. On Linux each thread has its own priority, and the garbage collector's threads run before our
 * first line does.
 * @param niceness up to 19; with 10, the web process and PostgreSQL get ten times as much when processors are short. 0 changes
 * nothing.
 */
export function lowerPriority(niceness: number): void {
  if (niceness === 0) return;
  const threads = existsSync(THREADS) ? readdirSync(THREADS).map(Number) : [0];
  for (const thread of threads) {
    try {
      os.setPriority(thread, niceness);
    } catch {
      // The thread has ended, or the system refuses: pages are served anyway.
    }
  }
}
