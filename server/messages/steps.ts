/** Derives from steps the status, money moves and events of a message. Pure; transitions.ts stores them. */
import type { MoneyMove } from "../accounts/store";
import type { StatusEvent } from "../webhooks/delivery/outbox";
import { canMove, eventTypeFor, type MessageStatus } from "./status";

/** A message locked for change. */
export type LockedMessage = {
  id: string;
  accountId: string;
  status: MessageStatus;
  costMicros: bigint;
  chain: string[];
  createdAt: Date;
  /** The time for which it was scheduled; null: it could be sent at once. */
  scheduledAt: Date | null;
  /** When a provider took it; null: none has. */
  sentAt: Date | null;
};

/** A requested move. `provider` and its id go with `sent`, `error` with `failed` and `undelivered`. */
export type Step = {
  to: MessageStatus;
  at: Date;
  provider?: string;
  providerMessageId?: string;
  error?: { code: string; message: string };
};

/** `steps`: the applied ones. `status`: the resulting status; the current one when none was applied. */
export type Folded = { status: MessageStatus; steps: Step[]; moves: MoneyMove[]; events: StatusEvent[] };

/**
 * The time of a step: no earlier than the message was sent. The clocks of the processes that recorded the two may differ, and events are
 * ordered by their times.
 */
export const timeOfStep = ({ sentAt }: LockedMessage, { at }: Step): Date => (sentAt && sentAt > at ? sentAt : at);

/** Applies the steps that move forward, one after the other, and drops the others (late or repeated receipts). */
export function foldSteps(message: LockedMessage, steps: readonly Step[]): Folded {
  const folded: Folded = { status: message.status, steps: [], moves: [], events: [] };
  for (const step of steps) {
    if (!canMove(folded.status, step.to)) continue;
    const money = settleOrRefund(message, folded.status, step);
    if (money) folded.moves.push(money);
    folded.status = step.to;
    folded.steps.push(step);
    const type = eventTypeFor(step.to);
    if (type) {
      const at = timeOfStep(message, step);
      folded.events.push({ accountId: message.accountId, messageId: message.id, type, status: step.to, at });
    }
  }
  return folded;
}

/** Leaving `pending` settles the reserved money when a provider took the message, and refunds it in full otherwise. */
function settleOrRefund(message: LockedMessage, from: MessageStatus, step: Step): MoneyMove | null {
  if (from !== "pending" || message.costMicros === 0n) return null;
  const settles = step.to === "sent";
  return {
    accountId: message.accountId,
    kind: settles ? "settle" : "refund",
    amountMicros: settles ? 0n : message.costMicros,
    reservedMicros: -message.costMicros,
    messageId: message.id,
    note: null,
    at: step.at,
  };
}
