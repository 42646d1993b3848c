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
};

/** With the current limits of its account. */
export type DueMessage = Due & CountryLimits & Pick<LockedAccount, "dailySpendCapMicros" | "ownDailySpendCapMicros">;

const overCap = (whose: string): Refusal => ({
  code: "daily_spend_cap",
  message: `When it was due, the message would have exceeded the account's daily spending cap ${whose}`,
});

/** Refuses messages that their account may no longer send, in order: each one that is not refused counts towards its spending. */
export function refuseDue(messages: readonly DueMessage[]): Map<string, Refusal> {
  const refusals = new Map<string, Refusal>();
  const added = new Map<string, bigint>();
  for (const message of messages) {
    const { id, accountId, toNumber, costMicros, spentMicros } = message;
    const cap = lowerCapOf(message);
    const before = added.get(accountId) ?? 0n;
    const total = before + (message.isOfEarlierDay ? costMicros : 0n);
    const passed = cap !== null && costMicros > 0n && spentMicros + total > cap.micros ? cap : null;
    const refusal = countryRefusal(message, toNumber) ?? (passed && overCap(passed.whose));
    if (refusal) refusals.set(id, refusal);
    else added.set(accountId, total);
  }
  return refusals;
}
