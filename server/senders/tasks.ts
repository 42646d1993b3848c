import { recordAudit } from "../audit/store";
import { type Tx, transaction } from "../core/db";
import { env } from "../core/env";
import { TEST_ACCOUNT_PREFIX } from "../core/ids";
import type { JobPayload } from "../core/jobs";
import { log } from "../core/log";
import { otherSpellingOf } from "../messages/phone";
import { senderTypeOf } from "./sender-type";

const REVIEWER = { kind: "system", name: "auto-approval" } as const;

/** A sender that waits for its approval. */
type Waiting = { accountId: string; senderId: string };

/**
 * Whether another account has the number of a sender, or had it approved once. Both would get the replies to it, so an operator decides whose
 * it is. Concurrent approvals wait for each other. With SANDBOX no number is real, and all who try the service out may take the same.
 */
async function isOfAnother(tx: Tx, { accountId, senderId }: Waiting): Promise<boolean> {
  if (env().SANDBOX || senderTypeOf(senderId) === "alphanumeric") return false;
  await tx.query("SELECT pg_advisory_xact_lock(hashtext('senders.auto_approval'), 0)");
  const { rowCount } = await tx.query(
    `SELECT 1 FROM senders WHERE sender_id IN ($1, $2) AND account_id <> $3 AND NOT starts_with(account_id, $4)
       AND (status = 'approved' OR approved_at IS NOT NULL) LIMIT 1`,
    [senderId, otherSpellingOf(senderId) ?? senderId, accountId, TEST_ACCOUNT_PREFIX],
  );
  return rowCount !== 0;
}

/** Approves a sender automatically, unless an operator has decided on it meanwhile or has to: see {@link isOfAnother}. */
export async function autoApproveSender({ senderId: id }: JobPayload<"review_sender">): Promise<void> {
  await transaction(async (tx) => {
    const { rows } = await tx.query<Waiting>(
      `SELECT account_id AS "accountId", sender_id AS "senderId" FROM senders WHERE id = $1 AND status = 'pending' FOR NO KEY UPDATE`,
      [id],
    );
    const [waiting] = rows;
    if (!waiting) return;
    if (await isOfAnother(tx, waiting)) return log("info", "sender.left_to_operator", { sender_id: id });
    await tx.query("UPDATE senders SET status = 'approved', approved_at = now() WHERE id = $1", [id]);
    const [before, after] = [{ status: "pending" }, { status: "approved" }];
    const { accountId } = waiting;
    await recordAudit(tx, REVIEWER, { action: "sender.decided", accountId, subjectId: id, before, after });
  });
}
