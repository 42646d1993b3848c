/** The money of one message. */
import type { MoneyMove } from "../accounts/store";
import type { MessageRow } from "./present";

/** A movement of one message's money. */
export type MessageMoney = Pick<MoneyMove, "kind" | "amountMicros" | "reservedMicros"> & { createdAt: Date };

type Billed = Pick<MessageRow, "costMicros" | "createdAt" | "sentAt">;

/**
 * All movements of a message's money, oldest first. Reserves and settlements are entries for many messages, which no index finds
 * by a single message; they follow from the message itself: it was reserved for when it was accepted, and settled when it was
 * sent. `checkLedger` compares the two.
 * @param own the ledger entries of this message alone: its refund, and entries of other kinds that earlier versions wrote.
 */
export function moneyOf(
  message: Billed,
  own: readonly (Omit<MessageMoney, "kind"> & { kind: string })[],
): MessageMoney[] {
  const ownOf = (kind: MessageMoney["kind"]) =>
    own.filter((entry) => entry.kind === kind).map((entry) => ({ ...entry, kind }));
  const [refund] = ownOf("refund");
  const costMicros = refund?.amountMicros ?? message.costMicros;
  if (costMicros === 0n) return [];
  const [
    reserve = { kind: "reserve", amountMicros: -costMicros, reservedMicros: costMicros, createdAt: message.createdAt },
  ] = ownOf("reserve");
  if (refund) return [reserve, refund];
  if (!message.sentAt) return [reserve];
  const [settle = { kind: "settle", amountMicros: 0n, reservedMicros: -costMicros, createdAt: message.sentAt }] =
    ownOf("settle");
  return [reserve, settle];
}
