/** Serves the waiting room: every worker looks a few times a second whose turn it is. */
import { errorFields, log } from "../../core/log";
import { PROBES } from "../../providers/health/breaker";
import { giveBackProbes, takeProbes } from "../../providers/health/provider-health";
import { acquireSlots } from "../../providers/health/slots";
import type { Adapter } from "../../providers/port";
import { providerTable } from "../../providers/registry";
import { PROVIDERS, type ProviderId } from "../../providers/schema";
import { beginsAtOnce } from "./claims";
import { rerouteUnavailable } from "./provider-unavailable";
import { startAttempts } from "./run-attempt";
import { claimFromThrottleQueue, drainThrottleQueue, providersWithQueue } from "./throttle-queue";

const TURN_MAX = 500;
/** Waiting messages have a chance against new ones, whose dispatch waits for slots as well. */
const SLOTS_WITHIN_MS = 50;
/** Turns of one provider before the others are looked at again. */
const TURNS_MAX = 20;

/** Starts the attempts whose turn it is. @returns whether any message was waiting. */
export async function serveThrottleQueue(): Promise<boolean> {
  const providers = await providersWithQueue(PROVIDERS);
  // One provider's trouble is not the others'.
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
  const adapter = table.adapterOf(provider);
  const state = table.stateOf(provider);
  if (!adapter || !state) {
    // It has lost its credentials: dispatch finds another way.
    await drainThrottleQueue(provider, TURN_MAX);
    return;
  }
  const isUnavailable = table.isUnavailable(provider);
  if (isUnavailable || state.breaker === "probing") await rerouteUnavailable(state, table);
  if (isUnavailable) return;
  if (state.breaker === "probing") {
    const probes = await takeProbes(provider, PROBES);
    let used = 0;
    try {
      if (probes > 0) used = await serveTurn(adapter, probes);
    } finally {
      await giveBackProbes(provider, probes - used);
    }
    return;
  }
  // More may be waiting: a fast provider is not kept waiting for the next look.
  for (let turn = 0; turn < TURNS_MAX; turn += 1) if ((await serveTurn(adapter, TURN_MAX)) === 0) return;
}

/** Starts up to `most` attempts, as slots are free. @returns how many. */
async function serveTurn(adapter: Adapter, most: number): Promise<number> {
  const slots = await acquireSlots(adapter, most, SLOTS_WITHIN_MS);
  let used = 0;
  try {
    if (slots.length === 0) return 0;
    const attempts = await claimFromThrottleQueue(adapter.id, slots.length, beginsAtOnce(adapter));
    used = attempts.length;
    startAttempts(attempts.map((attempt, at) => ({ ...attempt, slot: slots[at] ?? null })));
    return used;
  } finally {
    for (const slot of slots.slice(used)) slot.release();
  }
}
