import { SECOND_MS } from "../core/clock";
import { errorFields, log } from "../core/log";
import { keepDoing } from "../core/process";
import { unflushedCounts } from "./health/counts";
import { updateProviderHealth } from "./health/provider-health";
import { agent } from "./http/client";
import { activeAdapters } from "./registry";

const HEALTH_EVERY_MS = SECOND_MS;

/**
 * Makes the shared values of attempts, test messages and callbacks. They are closed last at a stop, in the reverse order of
 * registration: call this first.
 */
export function prepareProviders(): void {
  unflushedCounts();
  agent();
  activeAdapters();
}

/** Keeps the providers' health current until the returned function is called, which waits for the run under way. */
export const keepHealthCurrent = (): (() => Promise<void>) =>
  keepDoing(async () => {
    await updateProviderHealth().catch((thrown) => log("warn", "provider.tending_failed", errorFields(thrown)));
    return HEALTH_EVERY_MS;
  });
