/** Rules that a scheduled message must meet once more when it is due. Pure; due-check.ts reads what they need. */
import type { LockedAccount } from "../../accounts/store";
import { type CountryLimits, countryRefusal } from "../accept/country-rules";
import { lowerCapOf } from "../accept/spending-cap";
import type { Refusal } from "../failure";

/** A scheduled message that is due. Money in micros. */
type Due = {
  id: string;
  accountId: string;
  toNumber: string;
  costMicros: bigint;
  /** Whether it was accepted before this UTC day: then its cost is not in `spentMicros`. */
  isOfEarlierDay: boolean;
  /** Cost of the account's messages that were accepted on this UTC day. */
  spentMicros: bigint;
  /** Cost of its messages of earlier days that were let through on this one. */
  letThroughMicros: bigint;
  /** Whether this message is one of them: its dispatch was repeated. */
  isLetThrough: boolean;
};

/** With the current limits of its account. */
export type DueMessage = Due & CountryLimits & Pick<LockedAccount, "dailySpendCapMicros" | "ownDailySpendCapMicros">;

const overCap = (whose: string): Refusal => ({
  code: "daily_spend_cap",
  message: `When it was due, the message would have exceeded the account's daily spending cap ${whose}`,
});

/** Whether what a message costs counts towards a cap of the day on which it is due, and has not been counted yet. */
export const countsWhenDue = (message: DueMessage): boolean =>
  lowerCapOf(message) !== null && message.isOfEarlierDay && !message.isLetThrough && message.costMicros > 0n;

/** Whether the message is refused, and its refund leaves more of a cap of this day to others. */
export const freesWhenRefused = (message: DueMessage, refusals: ReadonlyMap<string, Refusal>): boolean =>
  lowerCapOf(message) !== null && !message.isOfEarlierDay && message.costMicros > 0n && refusals.has(message.id);

/** Changes by earlier messages of an account in the same call: costs let through, and costs that are no longer spent. */
type Changed = { addedMicros: bigint; refundedMicros: bigint };

/**
 * Refuses messages that their account may no longer send: first those whose country decides, then in order those beyond a cap. Each one
 * of an earlier day that is not refused counts towards the spending of this day, and each one of this day that is refused counts no
 * longer: otherwise one that the cap has no room for would take all others with it.
 * @param stopped messages that are refused for another reason.
 * @returns refusals, those of `stopped` included.
 */
export function refuseDue(
  messages: readonly DueMessage[],
  stopped: ReadonlyMap<string, Refusal> = new Map(),
): Map<string, Refusal> {
  const refusals = new Map<string, Refusal>();
  const changed = new Map<string, Changed>();
  const changedBy = ({ accountId }: DueMessage): Changed => {
    const own = changed.get(accountId) ?? { addedMicros: 0n, refundedMicros: 0n };
    changed.set(accountId, own);
    return own;
  };
  const refuse = (message: DueMessage, refusal: Refusal) => {
    refusals.set(message.id, refusal);
    if (!message.isOfEarlierDay) changedBy(message).refundedMicros += message.costMicros;
  };
  for (const message of messages) {
    const refusal = stopped.get(message.id) ?? countryRefusal(message, message.toNumber);
    if (refusal) refuse(message, refusal);
  }
  for (const message of messages) {
    if (refusals.has(message.id)) continue;
    const refusal = capRefusal(message, changedBy(message));
    if (refusal) refuse(message, refusal);
    else if (countsWhenDue(message)) changedBy(message).addedMicros += message.costMicros;
  }
  return refusals;
}

function capRefusal(message: DueMessage, { addedMicros, refundedMicros }: Changed): Refusal | null {
  const { costMicros, letThroughMicros, isLetThrough } = message;
  const cap = lowerCapOf(message);
  if (cap === null || costMicros === 0n || isLetThrough) return null;
  const spent = message.spentMicros + letThroughMicros - refundedMicros;
  const total = countsWhenDue(message) ? spent + addedMicros + costMicros : spent;
  return total > cap.micros ? overCap(cap.whose) : null;
}
