/** When an account's figures are worth a warning. */
import type { Totals } from "./schema";

type Ends = Pick<Totals, "delivered" | "failed" | "undelivered">;

/** Fewer say nothing about a share. */
const ENDED_MIN = 20;
/** A tenth of all messages fails at healthy senders too: wrong numbers, handsets that are off. */
const SHARE_MIN = 0.1;
/** From this multiple of the usual share on, failures are a change for the worse. */
const WORSE_BY = 2;
const DAYS_LEFT_MIN = 3;

const failedOf = ({ failed, undelivered }: Ends): number => failed + undelivered;
const endedOf = (ends: Ends): number => ends.delivered + failedOf(ends);

/** The share of messages that did not arrive among messages whose end is known, 0..1; null: too few to say. */
export const failedShare = (ends: Ends): number | null =>
  endedOf(ends) < ENDED_MIN ? null : failedOf(ends) / endedOf(ends);

/**
 * Whether unusually many messages fail: more than a tenth and, when there is enough to compare with, at least twice the usual
 * share. @returns what to say; null: nothing.
 */
export function failingConcern(lately: Ends, usually: Ends) {
  const share = failedShare(lately);
  const usual = failedShare(usually);
  if (share === null || share <= SHARE_MIN || (usual !== null && share < usual * WORSE_BY)) return null;
  const counts = { failed: failedOf(lately), ended: endedOf(lately), usual_share: usual };
  return { kind: "messages_failing", ...counts } as const;
}

/** The days for which a balance lasts at this spending per day, both in micros; null: nothing is spent, or it lasts long enough. */
export function daysLeft(balanceMicros: bigint, perDayMicros: bigint): number | null {
  if (perDayMicros <= 0n) return null;
  const days = Math.max(Number(balanceMicros) / Number(perDayMicros), 0);
  return days < DAYS_LEFT_MIN ? days : null;
}
