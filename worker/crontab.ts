import { parseCronItems } from "graphile-worker";
import type { JobName } from "../server/core/jobs";

/**
 * `backfillPeriod: 0`: a worker that was away does not catch up, the next run sees everything anyway. One key each, so that
 * jobs do not pile up behind a run that takes long. Not a queue of its own: its lock would outlive a lost reply by hours,
 * and nothing would be swept meanwhile; runs are kept apart by `exclusively` (lease.ts).
 */
const every = (task: JobName, match: string) => ({
  ...{ task, match },
  options: { backfillPeriod: 0, jobKey: task },
});

/** Recurring jobs. */
export const recurring = () =>
  parseCronItems([
    every("sweep_messages", "* * * * *"),
    every("sweep_webhooks", "* * * * *"),
    every("fold_list_totals", "* * * * *"),
    every("check_ledger", "17 * * * *"),
    every("forget_idempotency_keys", "43 * * * *"),
    every("forget_callbacks", "47 * * * *"),
    every("forget_sign_ins", "53 * * * *"),
  ]);
