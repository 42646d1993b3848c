/** Where a message stands, and the only ways it may move. */

/** Every status of a message, in the order of its life; the values are those of the wire. */
export const MESSAGE_STATUSES = ["pending", "sent", "delivered", "failed", "undelivered"] as const;

/**
 * `pending`: accepted by us. `sent`: a provider took it. `delivered`: the handset has it. `failed`: no provider took
 * it, or the carrier refused it for good. `undelivered`: taken, then expired, unreachable, or never reported on.
 */
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** The events that a move raises; the values are those of the wire. */
export type StatusEventType = "message.sent" | "message.delivered" | "message.failed";

/** A receipt that says `delivered` for a `pending` message is two moves, so that `message.sent` is never skipped. */
const MOVES: Readonly<Record<MessageStatus, readonly MessageStatus[]>> = {
  pending: ["sent", "failed"],
  sent: ["delivered", "failed", "undelivered"],
  delivered: [],
  failed: [],
  undelivered: [],
};

const EVENT_TYPES: Readonly<Record<MessageStatus, StatusEventType | null>> = {
  pending: null,
  sent: "message.sent",
  delivered: "message.delivered",
  failed: "message.failed",
  undelivered: "message.failed",
};

/**
 * Whether a message may move from one status to another. Forward only: providers repeat receipts and deliver them
 * late and out of order, so a move backwards, onto itself or out of a final status is refused, never an error.
 */
export function canMove(from: MessageStatus, to: MessageStatus): boolean {
  return MOVES[from].includes(to);
}

/** Whether no move leads out of the status. */
export function isFinal(status: MessageStatus): boolean {
  return MOVES[status].length === 0;
}

/**
 * The event that a move *to* the status raises, or `null` for `pending`, which nothing moves to. `undelivered` has no
 * event type of its own: it raises `message.failed`, and the message in it carries the exact status.
 */
export function eventTypeFor(status: MessageStatus): StatusEventType | null {
  return EVENT_TYPES[status];
}
