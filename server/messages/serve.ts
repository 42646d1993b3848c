/** Serves the waiting room: every worker looks a few times a second whose turn it is. */
import { errorFields, log } from "../core/log";
import { PROBES } from "../providers/breaker";
import { leaveLane, takeRoom } from "../providers/lane";
import { providerTable } from "../providers/registry";
import { PROVIDERS, type ProviderId } from "../providers/schema";
import { giveBackProbes, takeProbes } from "../providers/tend";
import { beginHandOvers } from "./hand-over";
import { tendHeld } from "./held";
import { emptyRoom, serveRoom, waitingProviders } from "./waiting-room";

const TURN_MAX = 500;
/** So that who waits here has a chance against who comes new, which waits for room as well. */
const ROOM_WITHIN_MS = 50;

/** Begins the hand-overs whose turn it is. @returns whether any message was waiting. */
export async function serveWaiting(): Promise<boolean> {
  const providers = await waitingProviders(PROVIDERS);
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
    await emptyRoom(provider, TURN_MAX);
    return;
  }
  const isHeld = table.isHeld(provider);
  if (isHeld || state.breaker === "probing") await tendHeld(state, table);
  if (isHeld) return;
  const probes = state.breaker === "probing" ? await takeProbes(provider, PROBES) : null;
  if (probes === 0) return;
  const room = await takeRoom(adapter, probes ?? TURN_MAX, ROOM_WITHIN_MS);
  let used = 0;
  try {
    const attempts = await serveRoom(provider, room);
    used = attempts.length;
    beginHandOvers(attempts);
  } finally {
    leaveLane(adapter, room - used);
    if (probes !== null) await giveBackProbes(provider, probes - used);
  }
}
