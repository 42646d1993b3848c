/** Cancels messages that no attempt has begun to send. */
import { transactionBy } from "../../auth/authority";
import type { AccountActor } from "../../core/actor";
import { now } from "../../core/clock";
import { type ApiError, invalidRequest } from "../../core/errors";
import { failUndispatched } from "../dispatch/fail-undispatched";
import type { Refusal } from "../failure";
import { findMessage } from "../history";
import { type MessageRow, presentMessage } from "../present";
import type { Message } from "../schema";

const CANCELED: Refusal = { code: "canceled", message: "The message was canceled before it was sent." };

const isCanceled = ({ status, sentAt, errorCode }: MessageRow): boolean =>
  status === "failed" && sentAt === null && errorCode === CANCELED.code;

/**
 * Cancels a pending message: it fails with `canceled`, and its cost is refunded. A message is either canceled or handed to a
 * provider, never both. A message that was canceled before is returned unchanged.
 * @throws 404; 400 `not_cancelable` when it is final, a provider took it, or an attempt is under way or of unknown outcome.
 */
export async function cancelMessage(actor: AccountActor, id: string): Promise<Message> {
  const found = await findMessage(actor, id);
  const row = found.status === "pending" ? await cancelPending(actor, id) : found;
  if (!isCanceled(row)) throw notCancelable(row);
  return presentMessage(row);
}

/** Cancels the message if that is still possible. @returns its state afterwards. */
const cancelPending = (actor: AccountActor, id: string): Promise<MessageRow> =>
  transactionBy(actor, async (tx) => {
    await failUndispatched(tx, [{ messageId: id, error: CANCELED }], now(), { isAnyTime: true });
    return findMessage(actor, id, tx);
  });

function notCancelable({ status }: MessageRow): ApiError {
  const text =
    status === "pending"
      ? "The message is being handed to a provider, or may have been: it can no longer be canceled."
      : `The message is ${status}: only a pending one can be canceled.`;
  return invalidRequest(text, { param: "id", reason: "not_cancelable", details: { status } });
}
