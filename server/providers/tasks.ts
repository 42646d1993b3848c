import { SECOND_MS } from "../core/clock";
import { errorFields, log } from "../core/log";
import { keepDoing } from "../core/process";
import { unflushedCounts } from "./health/counts";
import { updateProviderHealth } from "./health/provider-health";
import { agent } from "./http/client";
import { activeAdapters } from "./registry";

const HEALTH_EVERY_MS = SECOND_MS;

/**
 * Makes the shared values of attempts, test messages and callbacks. Call this first: values are closed in the reverse order of
 * registration, so these are closed last at a stop.
 */
export function prepareProviders(): void {
  unflushedCounts();
  agent();
  activeAdapters();
}

/** Keeps the providers' health current until the returned function is called, which waits for a run in progress. */
export const keepHealthCurrent = (): (() => Promise<void>) =>
  keepDoing(async () => {
    await updateProviderHealth().catch((thrown) => log("warn", "provider.tending_failed", errorFields(thrown)));
    return HEALTH_EVERY_MS;
  });
