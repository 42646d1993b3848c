import { SECOND_MS } from "../core/clock";
import { errorFields, log } from "../core/log";
import { keepDoing } from "../core/process";
import { openCounts } from "./health/counts";
import { tendProviders } from "./health/tend";
import { agent } from "./http/http";
import { openAdapters } from "./registry";

const TEND_EVERY_MS = SECOND_MS;

/** Makes what hand-overs need, so that it is closed only after whoever calls this has stopped. */
export function prepareProviders(): void {
  openCounts();
  agent();
  openAdapters();
}

/** Tends the providers until the returned function is called, which waits for the turn under way. */
export const keepTending = (): (() => Promise<void>) =>
  keepDoing(async () => {
    await tendProviders().catch((thrown) => log("warn", "provider.tending_failed", errorFields(thrown)));
    return TEND_EVERY_MS;
  });
