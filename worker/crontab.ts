import { parseCronItems } from "graphile-worker";
import type { JobName } from "../server/core/jobs";

/**
 * `backfillPeriod: 0`: a worker that was away does not catch up, the next run sees everything anyway. Each has a queue of
 * its own and one key, so that a run that takes long neither meets the next one nor has a row of them wait behind it.
 */
const every = (task: JobName, match: string) => ({
  ...{ task, match },
  options: { backfillPeriod: 0, queueName: task, jobKey: task },
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
  ]);
