import { SECOND_MS } from "../server/core/clock";

/**
 * The time that a worker's stop may take: running jobs have half a minute, and calls of providers their own timeout; then the outcomes
 * are written (`STOPPING` in retry-write.ts). Other workers take over the rest, as from a killed worker.
 */
export const stopWithinMs = (providerTimeoutMs: number): number =>
  Math.max(35 * SECOND_MS, providerTimeoutMs + 20 * SECOND_MS);
