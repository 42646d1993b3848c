/** Messages that were accepted and must not, or cannot, be handed to any provider: they fail and cost nothing. */
import type { Tx } from "../../core/db";
import type { Refusal } from "../accept/fraud-rules";
import { applyChanges, lockMessages } from "../transitions";

/** What became of a message's account or sender after it was accepted. */
export type Revoked = "account" | "sender" | null;

/** `revoked` of messages `m` whose accounts are `c` and whose senders are `s`. */
export const REVOKED_COLUMN = `CASE WHEN c.status <> 'active' THEN 'account' WHEN s.status <> 'approved' THEN 'sender' END`;
export const REVOKED_JOINS = `JOIN accounts c ON c.id = m.account_id
  LEFT JOIN senders s ON s.account_id = m.account_id AND s.sender_id = m.from_sender`;

/** Why a message is not sent whose account was suspended, or whose sender lost its approval, while it waited. */
export const REVOKED_REFUSALS: Readonly<Record<NonNullable<Revoked>, Refusal>> = {
  account: { code: "account_not_active", message: "The account was suspended before this message was sent." },
  sender: { code: "sender_not_approved", message: "The sender lost its approval before this message was sent." },
};

/** A message that nobody hands over now, after `attempts` attempts. */
export type Undispatched = { messageId: string; attempts: number; afterUnknown: boolean; error: Refusal };

/** Fails messages that nobody has begun to send. Of one that a provider may have taken the sweep decides. */
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
