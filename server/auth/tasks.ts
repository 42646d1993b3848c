import { deleteInSteps } from "../retention/steps";

/** Expired rows by table, and the time after which they are deleted. */
const OVER = { sessions: "expires_at", password_resets: "expires_at", sign_in_limits: "busy_until" } as const;

/** Deletes sessions and links that are over, and limits that are unused. */
export async function forgetSignIns(signal?: AbortSignal): Promise<void> {
  for (const [table, until] of Object.entries(OVER)) await deleteInSteps(table, `${until} <= now()`, { signal });
}
