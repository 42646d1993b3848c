/** Message statuses and the allowed moves between them. */

/** Seconds after which a sent message without a final receipt becomes `undelivered`; also the longest validity period. */
export const FINAL_RECEIPT_WITHIN_S = 72 * 60 * 60;

/** Every status of a message, in lifecycle order; the values are those of the wire. */
export const MESSAGE_STATUSES = ["pending", "sent", "delivered", "failed", "undelivered"] as const;

/**
 * `pending`: accepted by us. `sent`: a provider took it. `delivered`: the handset received it. `failed`: no provider took
 * it, or the carrier refused it permanently. `undelivered`: taken, then expired, unreachable or without a final receipt.
 */
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];

/** Events raised by moves; the values are those of the wire. */
export type StatusEventType = "message.sent" | "message.delivered" | "message.failed";

/** A `delivered` receipt for a `pending` message is two moves, so that `message.sent` is never skipped. */
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
 * Whether a message may move from one status to another. Forward only: providers repeat receipts and send them late and
 * out of order, so a move backwards, onto itself or out of a final status is ignored rather than an error.
 */
export function canMove(from: MessageStatus, to: MessageStatus): boolean {
  return MOVES[from].includes(to);
}

/** Whether no move leads out of the status. */
export function isFinal(status: MessageStatus): boolean {
  return MOVES[status].length === 0;
}

/** Whether the status is final, and the message was not delivered. */
export function hasFailed(status: MessageStatus): status is "failed" | "undelivered" {
  return isFinal(status) && status !== "delivered";
}

const listed = (statuses: readonly MessageStatus[]): string =>
  `(${statuses.map((status) => `'${status}'`).join(", ")})`;

/** SQL: the final statuses, for `IN`. */
export const FINAL_STATUSES_SQL = listed(MESSAGE_STATUSES.filter(isFinal));
/** SQL: the statuses of {@link hasFailed}, for `IN`. */
export const FAILED_STATUSES_SQL = listed(MESSAGE_STATUSES.filter(hasFailed));

/**
 * The event raised by a move *to* the status; `null` for `pending`, the initial status. `undelivered` has no event type of
 * its own: it raises `message.failed`, whose message carries the exact status.
 */
export function eventTypeFor(status: MessageStatus): StatusEventType | null {
  return EVENT_TYPES[status];
}
