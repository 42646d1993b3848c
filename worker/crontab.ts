import { parseCronItems } from "graphile-worker";
import type { JobName } from "../server/core/jobs";

/**
 * `backfillPeriod: 0`: missed runs are not made up for, since the next run covers everything. One job key each, so that jobs
 * do not pile up behind a long run. No named queue: after a lost reply its lock would block the sweeps for hours. Instead
 * `exclusively` (lease.ts) prevents concurrent runs.
 */
const every = (task: JobName, match: string) => ({
  task,
  match,
  options: { backfillPeriod: 0, jobKey: task },
});

/** The schedule of recurring jobs, as graphile-worker reads it. */
export const recurring = () =>
  parseCronItems([
    every("sweep_messages", "* * * * *"),
    every("sweep_webhooks", "* * * * *"),
    every("sweep_alerts", "* * * * *"),
    every("fold_list_totals", "* * * * *"),
    every("check_ledger", "17 * * * *"),
    every("forget_idempotency_keys", "43 * * * *"),
    every("forget_callbacks", "47 * * * *"),
    every("forget_sign_ins", "53 * * * *"),
    every("forget_audit", "57 * * * *"),
    every("forget_requests", "37 * * * *"),
    every("forget_old_data", "31 * * * *"),
    every("mark_lists", "11 * * * *"),
    every("forget_alerts", "49 * * * *"),
    every("forget_mails", "51 * * * *"),
  ]);
