/** Attempts that are about to be claimed. Pure; what is written about them is in claims.ts. */
import { randomUUID } from "node:crypto";
import type { Attempt, Candidate } from "./claims";

/** A token that no other claim has. */
export const newClaimToken = (): string => randomUUID();

/** The next attempt of `candidate`, at `provider`, not yet claimed. */
export const attemptOf = (
  { message, accountId, tried, afterUnknown }: Candidate,
  provider: string,
  claimedAt: Date,
  claim = newClaimToken(),
): Attempt => ({
  ...{ message, accountId, tried, afterUnknown, provider, claim, claimedAt },
  seq: tried.length + 1,
  slot: null,
  begunAtMs: null,
});
