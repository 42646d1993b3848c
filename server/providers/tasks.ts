import { SECOND_MS } from "../core/clock";
import { errorFields, log } from "../core/log";
import { keepDoing } from "../core/process";
import { openCounts } from "./health/counts";
import { updateProviderHealth } from "./health/provider-health";
import { agent } from "./http/client";
import { activeAdapters } from "./registry";

const HEALTH_EVERY_MS = SECOND_MS;

/** Makes what hand-overs need, so that it is closed only after whoever calls this has stopped. */
export function prepareProviders(): void {
  openCounts();
  agent();
  activeAdapters();
}

/** Tends the providers until the returned function is called, which waits for the turn under way. */
export const keepHealthCurrent = (): (() => Promise<void>) =>
  keepDoing(async () => {
    await updateProviderHealth().catch((thrown) => log("warn", "provider.tending_failed", errorFields(thrown)));
    return HEALTH_EVERY_MS;
  });
