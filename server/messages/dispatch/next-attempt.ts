/** Builds attempts that are about to be claimed. Pure; claims.ts stores them. */
import { randomUUID } from "node:crypto";
import type { Adapter } from "../../providers/port";
import type { Attempt, Candidate } from "./claims";

/** A new, unique claim token. */
export const newClaimToken = (): string => randomUUID();

/** The next attempt of `candidate`, at `provider`, not yet claimed. */
export const attemptOf = (
  { message, accountId, tried, afterUnknown, isScheduled }: Candidate,
  provider: string,
  claimedAt: Date,
  claim = newClaimToken(),
): Attempt => ({
  message,
  accountId,
  tried,
  afterUnknown,
  ...(isScheduled ? { isScheduled } : {}),
  provider,
  claim,
  claimedAt,
  seq: tried.length + 1,
  slot: null,
  begunAtMs: null,
});

/**
 * Whether attempts with a slot begin with their claim. With an adapter that needs a bind or an access token they begin once it has one.
 */
export const beginsAtOnce = (adapter: Adapter): boolean => adapter.ready === undefined || adapter.isReady?.() === true;
