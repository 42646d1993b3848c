/** Builds attempts that are about to be claimed. Pure; claims.ts stores them. */
import { randomUUID } from "node:crypto";
import type { Attempt, Candidate } from "./claims";

/** A new, unique claim token. */
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
