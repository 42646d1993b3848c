/** The operator's command line: it suspends accounts and activates them again. */
import type { Decide } from "../load/bans";

const AGAIN_MS = 500;
const GIVE_UP_MS = 60_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param admin runs a command, and fails if the command does. */
export const decideWith =
  (admin: (...args: string[]) => Promise<string>): Decide =>
  async (accountId, status) => {
    const askedMs = Date.now();
    const command = status === "active" ? "activate" : "suspend";
    for (;;) {
      const isDone = await admin("account", command, "--account", accountId).then(
        () => true,
        () => false,
      );
      const answeredMs = Date.now();
      if (isDone || answeredMs - askedMs > GIVE_UP_MS)
        return { askedMs, answeredMs, url: "", status: isDone ? 200 : null, isDone };
      await pause(AGAIN_MS);
    }
  };
