/** Divides jobs with many items when one of the items makes the whole job fail. */
import { addJobs } from "../server/core/add-jobs";
import { isDataError } from "../server/core/batcher";
import { isConnectionFailure } from "../server/core/database/connection-failure";
import { pool } from "../server/core/db";
import { errorCodeOf, isApiError } from "../server/core/errors";
import type { JobName, JobPayload } from "../server/core/jobs";

/** The list of items in the payload of each job that has one. */
const ITEMS: Partial<Record<JobName, string>> = {
  dispatch_messages: "messageIds",
  apply_receipts: "receipts",
  join_receipts: "providerMessageIds",
  apply_inbound: "messages",
  deliver_events: "deliveryIds",
  deliver_webhooks: "deliveryIds",
};

/** A value that is too long for an index. */
const TOO_LONG = "54000";

/** A failure of our own code may pass, so a job runs this often before it is divided. */
const RUNS_BEFORE_FAULT_COUNTS = 3;

/** Whether one item may be to blame: the database refuses a value, or our own code fails again and again. */
function mayBeOfOneItem(thrown: unknown, attempt: number): boolean {
  if (isDataError(thrown) || errorCodeOf(thrown) === TOO_LONG) return true;
  const isOwnFault = errorCodeOf(thrown) === "" && !isApiError(thrown) && !isConnectionFailure(thrown);
  return isOwnFault && attempt >= RUNS_BEFORE_FAULT_COUNTS;
}

/**
 * Replaces a failed job of many items with two jobs of half the items each, so that in the end the failing item is alone in its job and
 * no other item waits for it. The caller reports the job itself as done. If its process dies before that, each item is in two jobs,
 * which is allowed because every task may run twice.
 * @param attempt runs of the job, this one included.
 * @returns the number of items if the job was divided, else null.
 */
export async function divideJob(
  name: JobName,
  payload: unknown,
  { thrown, attempt }: { thrown: unknown; attempt: number },
): Promise<number | null> {
  const field = ITEMS[name];
  if (field === undefined || !mayBeOfOneItem(thrown, attempt)) return null;
  const fields = payload as Record<string, unknown>;
  const items = fields[field];
  if (!Array.isArray(items) || items.length < 2) return null;
  const middle = Math.ceil(items.length / 2);
  await addJobs(
    pool(),
    name,
    [items.slice(0, middle), items.slice(middle)].map((half) => ({
      payload: { ...fields, [field]: half } as JobPayload<typeof name>,
      runAt: null,
    })),
  );
  return items.length;
}
