import { recordAudit } from "../audit/store";
import { transaction } from "../core/db";
import type { JobPayload } from "../core/jobs";

const REVIEWER = { kind: "system", name: "auto-approval" } as const;

/** Approves a sender automatically, unless an operator has decided on it meanwhile. */
export async function autoApproveSender({ senderId }: JobPayload<"review_sender">): Promise<void> {
  await transaction(async (tx) => {
    const { rows } = await tx.query<{ accountId: string }>(
      `UPDATE senders SET status = 'approved', approved_at = now() WHERE id = $1 AND status = 'pending'
       RETURNING account_id AS "accountId"`,
      [senderId],
    );
    for (const { accountId } of rows) {
      const [before, after] = [{ status: "pending" }, { status: "approved" }];
      await recordAudit(tx, REVIEWER, { action: "sender.decided", accountId, subjectId: senderId, before, after });
    }
  });
}
