/** The refusal of both doors for callers beyond their rate. */
import type { RateState } from "../api-keys/rate-limit";
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
