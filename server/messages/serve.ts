/** Serves the waiting room: every worker looks a few times a second whose turn it is. */
import { errorFields, log } from "../core/log";
import { leaveLane, takeRoom } from "../providers/lane";
import { providerTable } from "../providers/registry";
import { PROVIDERS } from "../providers/schema";
import { beginHandOvers } from "./hand-over";
import { emptyRoom, serveRoom, waitingProviders } from "./waiting-room";

const TURN_MAX = 500;

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

async function serveProvider(provider: string): Promise<void> {
  const table = await providerTable();
  const adapter = table.adapterOf(provider);
  // Dispatch finds another way, or has them wait for this one.
  if (!adapter || table.isHeld(provider) || table.stateOf(provider)?.breaker === "probing") {
    await emptyRoom(provider, TURN_MAX);
    return;
  }
  const room = await takeRoom(adapter, TURN_MAX, 0);
  let used = 0;
  try {
    const attempts = await serveRoom(provider, room);
    used = attempts.length;
    beginHandOvers(attempts);
  } finally {
    leaveLane(adapter, room - used);
  }
}
