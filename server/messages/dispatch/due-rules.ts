/** Rules that a scheduled message must meet once more when it is due. Pure; due-check.ts reads what they need. */
import { countryRefusal } from "../accept/fraud-rules";
import type { Refusal } from "../failure";

/** A scheduled message that is due, with the current limits of its account. Money in micros. */
export type DueMessage = {
  id: string;
  accountId: string;
  toNumber: string;
  costMicros: bigint;
  /** Whether it was accepted before this UTC day: then its cost is not in `spentMicros`. */
  isOfEarlierDay: boolean;
  /** Empty: all. */
  allowedCountries: readonly string[];
  /** Null: no cap. */
  capMicros: bigint | null;
  /** Cost of the account's messages that were accepted on this UTC day. */
  spentMicros: bigint;
};

const OVER_CAP: Refusal = {
  code: "daily_spend_cap",
  message: "When it was due, the message would have exceeded the account's daily spending cap.",
};

/** Refuses messages that their account may no longer send, in order: each one that is not refused counts towards its spending. */
export function refuseDue(messages: readonly DueMessage[]): Map<string, Refusal> {
  const refusals = new Map<string, Refusal>();
  const added = new Map<string, bigint>();
  for (const message of messages) {
    const { id, accountId, toNumber, allowedCountries, capMicros } = message;
    const before = added.get(accountId) ?? 0n;
    const total = before + (message.isOfEarlierDay ? message.costMicros : 0n);
    const isOver = capMicros !== null && message.costMicros > 0n && message.spentMicros + total > capMicros;
    const refusal = countryRefusal(allowedCountries, toNumber) ?? (isOver ? OVER_CAP : null);
    if (refusal) refusals.set(id, refusal);
    else added.set(accountId, total);
  }
  return refusals;
}
