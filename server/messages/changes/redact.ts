/** Deletes texts of messages at the request of their account, whatever the installation's retention. */
import { recordAudit } from "../../audit/store";
import { transactionBy } from "../../auth/authority";
import type { AccountActor } from "../../core/actor";
import { onCommit } from "../../core/db";
import { type ApiError, invalidRequest } from "../../core/errors";
import { noteChange } from "../../core/live";
import { deleteLoggedTexts } from "../../request-log/delete-texts";
import { findMessage } from "../history";
import { type MessageRow, presentMessage } from "../present";
import type { Message } from "../schema";
import { isFinal, type MessageStatus } from "../status";

/**
 * Deletes the text of a final message for good; everything else about it stays. A message whose text was deleted before, on request or
 * by age, is returned unchanged.
 * @throws 404; 400 `not_redactable` while the message is pending or sent: a provider may still be given its text.
 */
export async function redactMessage(actor: AccountActor, id: string): Promise<Message> {
  const found = await findMessage(actor, id);
  if (!isFinal(found.status as MessageStatus)) throw notRedactable(found);
  // Neither a final status nor an empty text changes any more.
  return presentMessage(found.body === "" ? found : await deleteText(actor, id));
}

/** @returns the message afterwards. */
const deleteText = (actor: AccountActor, id: string): Promise<MessageRow> =>
  transactionBy(actor, async (tx) => {
    // Stronger than the update's own lock, so that it waits for operations that keep the text (webhooks/history/forgotten-texts.ts).
    await tx.query({ name: "messages.lock_text", text: "SELECT FROM messages WHERE id = $1 FOR UPDATE", values: [id] });
    const { rowCount } = await tx.query({
      name: "messages.redact",
      text: "UPDATE messages SET body = '' WHERE id = $1 AND body <> ''",
      values: [id],
    });
    const row = await findMessage(actor, id, tx);
    if (rowCount === 0) return row;
    await deleteLoggedTexts(tx, row);
    // Programs may redact every message that they send. Their requests are in the request log; here they would bury people's actions.
    if (actor.kind === "session") {
      await recordAudit(tx, actor, { action: "message.redacted", accountId: actor.accountId, subjectId: id });
    }
    onCommit(tx, () => noteChange(actor.accountId, "messages"));
    return row;
  });

const notRedactable = ({ status }: MessageRow): ApiError =>
  invalidRequest(
    `The message is ${status}: its text can be deleted once it has ended as delivered, failed or undelivered.`,
    { param: "id", reason: "not_redactable", details: { status } },
  );
