import { now } from "../core/clock";
import { env } from "../core/env";
import { deleteInSteps } from "../retention/steps";

export { digestAudit } from "./digests";

/** Deletes entries that are older than AUDIT_KEPT_DAYS by the database's clock and by this process's, as one may be ahead. */
export async function forgetAudit(signal?: AbortSignal): Promise<void> {
  const values = [env().AUDIT_KEPT_DAYS, now().toISOString()];
  const condition = "created_at < LEAST(now(), $3::timestamptz) - make_interval(days => $2)";
  await deleteInSteps("audit_entries", condition, { values, signal });
}
