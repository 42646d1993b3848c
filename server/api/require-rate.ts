/** Refuses callers beyond their rate, at both doors. */
import { countRequest, type RateState } from "../api-keys/rate-limit";
import { wholeSeconds } from "../core/clock";
import { rateLimitedFor } from "../core/errors";

/**
 * Refuses a counted request that exceeds a limit.
 * @param caller the owner of the limit, as the beginning of a sentence: `This API key`.
 * @throws 429 `rate_limit` beyond the caller's own limit, 429 `account_rate_limit` beyond its account's.
 */
export function requireRate(rate: RateState, caller: string): void {
  if (rate.refusedBy === null) return;
  const isAccount = rate.refusedBy === "account";
  const limit = isAccount ? rate.accountLimit : rate.limit;
  const who = isAccount ? "All keys and people of this account together" : caller;
  throw rateLimitedFor(wholeSeconds(rate.resetMs), `${who} may make ${limit} requests per minute.`, {
    reason: isAccount ? "account_rate_limit" : "rate_limit",
    details: { limit },
  });
}

/**
 * Calls of a person per minute; each call of a batch counts. The busiest page makes five calls every five seconds, so twenty such
 * pages may be open.
 */
const PERSON_LIMIT = 1_200;

/** Counts a call of a person against the limits of people and of their account per minute. @throws 429 as {@link requireRate} */
export async function admitPerson({ userId, accountId }: { userId: string; accountId: string }): Promise<void> {
  requireRate(await countRequest({ caller: userId, limit: PERSON_LIMIT, accountId }), "One person");
}
