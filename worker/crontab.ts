import { parseCronItems } from "graphile-worker";

/** Recurring jobs. `backfillPeriod: 0`: a worker that was away does not catch up, the next run sees everything anyway. */
export const recurring = () =>
  parseCronItems([
    { task: "sweep_messages", match: "* * * * *", options: { backfillPeriod: 0 } },
    { task: "sweep_webhooks", match: "* * * * *", options: { backfillPeriod: 0 } },
    { task: "check_ledger", match: "17 * * * *", options: { backfillPeriod: 0 } },
    { task: "forget_idempotency_keys", match: "43 * * * *", options: { backfillPeriod: 0 } },
    { task: "forget_callbacks", match: "47 * * * *", options: { backfillPeriod: 0 } },
  ]);
