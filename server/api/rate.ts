/** The refusal of both doors for callers beyond their rate. */
import { countRequest, type RateState } from "../api-keys/rate-limit";
import { wholeSeconds } from "../core/clock";
import { rateLimited } from "../core/errors";

/**
 * Refuses a request that was counted and may not pass.
 * @param caller whose limit it is, as a sentence begins: `This API key`.
 * @throws 429 `rate_limit` past the caller's own limit, 429 `account_rate_limit` past that of its account.
 */
export function requireRate(rate: RateState, caller: string): void {
  if (rate.refusedBy === null) return;
  const isAccount = rate.refusedBy === "account";
  const limit = isAccount ? rate.accountLimit : rate.limit;
  const retryAfterS = wholeSeconds(rate.resetMs);
  const who = isAccount ? "All keys and people of this account together" : caller;
  throw rateLimited(`${who} may make ${limit} requests per minute. Try again in ${retryAfterS} s.`, {
    reason: isAccount ? "account_rate_limit" : "rate_limit",
    details: { limit },
    retryAfterS,
  });
}

/**
 * Calls of a person per minute, those that are batched into one request counted one by one. The busiest page asks for five
 * things every five seconds, so that twenty of them may be open.
 */
const PERSON_LIMIT = 1_200;

/** Counts a call of a person against what people and their account may ask per minute. @throws 429 as {@link requireRate} */
export async function admitPerson({ userId, accountId }: { userId: string; accountId: string }): Promise<void> {
  requireRate(await countRequest({ caller: userId, limit: PERSON_LIMIT, accountId }), "One person");
}
