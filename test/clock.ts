/** The clock of a test's own process, `performance.now()`. */

const AHEAD = Symbol.for("test.clock-ahead-ms");

const shared = globalThis as { [AHEAD]?: number };

/**
 * Moves the clock ahead, as a stall of the process does. It stays ahead: no real clock goes back, and code that has seen the later time
 * would not notice the next stall.
 */
export function moveClockAhead(ms: number): void {
  if (shared[AHEAD] === undefined) {
    const now = performance.now.bind(performance);
    performance.now = () => now() + (shared[AHEAD] ?? 0);
  }
  shared[AHEAD] = (shared[AHEAD] ?? 0) + ms;
}
