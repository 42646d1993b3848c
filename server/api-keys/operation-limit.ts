/** Limits per minute of single operations of an account, counted over all processes and both doors. */
import { wholeSeconds } from "../core/clock";
import { rateLimitedFor } from "../core/errors";
import { countRequest } from "./rate-limit";

/**
 * A limit of an operation. `name` is that of the count; `action` continues "An account may", with the limit in it; `reason` is
 * that of the error.
 */
export type OperationLimit = { name: string; limit: number; action: string; reason: string };

/** Counts one operation of an account. @throws 429 with the limit's reason when the account has used it up. */
export async function countOperation(
  accountId: string,
  { name, limit, action, reason }: OperationLimit,
): Promise<void> {
  const rate = await countRequest({ caller: `${name} ${accountId}`, limit, accountId: null });
  if (rate.refusedBy === null) return;
  throw rateLimitedFor(wholeSeconds(rate.resetMs), `An account may ${action} per minute.`, {
    reason,
    details: { limit },
  });
}
