/** Accepted messages that must not, or cannot, go to any provider: they fail and cost nothing. */
import type { Tx } from "../../core/db";
import type { Refusal } from "../accept/fraud-rules";
import { applyChanges, lockMessages } from "../transitions";

/** The part of a message's permission that was revoked after its acceptance: of its account or of its sender. */
export type Revoked = "account" | "sender" | null;

/**
 * SQL that tells whether permissions of messages were revoked.
 * @param message alias of `messages` in the statement.
 * @returns `joins` for its FROM clause, and the `column`, a {@link Revoked}.
 */
export const revokedOf = (message: string): { joins: string; column: string } => ({
  joins: `JOIN accounts sending_account ON sending_account.id = ${message}.account_id
    LEFT JOIN senders sending_sender ON sending_sender.account_id = ${message}.account_id
      AND sending_sender.sender_id = ${message}.from_sender`,
  column: `CASE WHEN sending_account.status <> 'active' THEN 'account'
    WHEN sending_sender.status IS DISTINCT FROM 'approved' THEN 'sender' END`,
});

/** Errors of messages whose account was suspended, or whose sender lost its approval or was deleted, while they waited. */
export const REVOKED_REFUSALS: Readonly<Record<NonNullable<Revoked>, Refusal>> = {
  account: { code: "account_not_active", message: "The account was suspended before this message was sent." },
  sender: { code: "sender_not_approved", message: "The sender lost its approval before this message was sent." },
};

/** A message without an open attempt, after `attempts` attempts. */
export type Undispatched = { messageId: string; attempts: number; afterUnknown: boolean; error: Refusal };

/** Fails and refunds messages that were not sent. One that a provider may have taken is left to the sweep. */
export async function failUndispatched(tx: Tx, rows: readonly Undispatched[], at: Date): Promise<void> {
  const unsent = rows.filter((row) => !row.afterUnknown);
  if (unsent.length === 0) return;
  const messages = await lockMessages(
    tx,
    unsent.map((row) => row.messageId),
  );
  await applyChanges(
    tx,
    unsent.flatMap(({ messageId, attempts, error }) => {
      const message = messages.get(messageId);
      return message ? [{ message, attempts, steps: [{ to: "failed", at, error }] }] : [];
    }),
  );
}
