/** Serves the throttle queue: every worker polls it a few times a second. */
import { errorFields, log } from "../../core/log";
import { PROBES } from "../../providers/health/breaker";
import { returnProbes, takeProbes } from "../../providers/health/provider-health";
import { acquireSlots } from "../../providers/health/slots";
import { noteMissingSettings } from "../../providers/missing-settings";
import type { Adapter } from "../../providers/port";
import { providerTable } from "../../providers/registry";
import { PROVIDERS, type ProviderId } from "../../providers/schema";
import type { Attempt } from "./claims";
import { beginsAtOnce } from "./next-attempt";
import { rerouteUnavailable } from "./provider-unavailable";
import { recordingKeepsUp, startAttempts } from "./run-attempt";
import { claimFromThrottleQueue, drainThrottleQueue, providersWithQueue } from "./throttle-queue";

const BATCH_MAX = 500;
/** Queued messages compete with new ones, whose dispatch waits for slots as well. */
const SLOTS_WITHIN_MS = 50;
/** Batches of one provider before the others are polled again. */
const BATCHES_MAX = 20;

/** Starts the attempts that are next. @returns whether any message was queued. */
export async function serveThrottleQueue(): Promise<boolean> {
  const providers = await providersWithQueue(PROVIDERS);
  // A failure at one provider must not stop the others.
  await Promise.all(
    providers.map((provider) =>
      serveProvider(provider).catch((thrown) =>
        log("warn", "waiting.not_served", { provider, ...errorFields(thrown) }),
      ),
    ),
  );
  return providers.length > 0;
}

async function serveProvider(provider: ProviderId): Promise<void> {
  const table = await providerTable();
  const adapter = table.openAdapter(provider);
  const state = table.stateOf(provider);
  // A process with the right SECRET_KEY serves it.
  if (state?.isUnreadable) return;
  if (!adapter || !state) {
    // The provider's credentials were removed, or only this process lacks them: dispatch finds another provider.
    noteMissingSettings(provider, state?.problem ?? null);
    await drainThrottleQueue(provider, BATCH_MAX);
    return;
  }
  const isUnavailable = table.isUnavailable(provider);
  if (isUnavailable || state.breaker === "probing") await rerouteUnavailable(state, table);
  if (isUnavailable) return;
  if (state.breaker === "probing") {
    const probes = await takeProbes(provider, PROBES);
    let used = 0;
    try {
      if (probes > 0) used = await startBatch(adapter, probes, { isProbe: true });
    } finally {
      await returnProbes(provider, probes - used);
    }
    return;
  }
  // A fast provider must not idle until the next poll.
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) if ((await startBatch(adapter, BATCH_MAX)) === 0) return;
}

/** Starts up to `limit` attempts, as slots are free. @returns how many. */
async function startBatch(adapter: Adapter, limit: number, probing: Pick<Attempt, "isProbe"> = {}): Promise<number> {
  await recordingKeepsUp();
  const slots = await acquireSlots(adapter, limit, SLOTS_WITHIN_MS);
  let used = 0;
  try {
    if (slots.length === 0) return 0;
    const attempts = await claimFromThrottleQueue(adapter.id, slots.length, { begins: beginsAtOnce(adapter) });
    used = attempts.length;
    startAttempts(attempts.map((attempt, at) => ({ ...probing, ...attempt, slot: slots[at] ?? null })));
    return used;
  } finally {
    for (const slot of slots.slice(used)) slot.release();
  }
}
