import { env } from "../core/env";
import { deleteInSteps } from "../retention/steps";

/** Deletes entries that are older than AUDIT_KEPT_DAYS. */
export async function forgetAudit(signal?: AbortSignal): Promise<void> {
  const values = [env().AUDIT_KEPT_DAYS];
  await deleteInSteps("audit_entries", "created_at < now() - make_interval(days => $2)", { values, signal });
}
