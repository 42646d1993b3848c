import { SECOND_MS } from "../server/core/clock";

/**
 * How long a worker's stop may take: jobs under way have half a minute, and calls of providers their own timeout; then the
 * outcomes are written (`STOPPING` in retry-write.ts). Other workers take over what is left, as from a worker that was killed.
 */
export const stopWithinMs = (providerTimeoutMs: number): number =>
  Math.max(35 * SECOND_MS, providerTimeoutMs + 20 * SECOND_MS);
