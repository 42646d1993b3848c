/**
 * Superseded receipts: those that report a failure while a later attempt may still deliver the message. They wait for the
 * later attempt, and decide when it comes to nothing.
 */
import type { Tx } from "../../core/db";
import type { ReceiptReport } from "../../core/jobs";
import type { Step } from "../steps";
import { stepsOf } from "./receipt-steps";

type Superseded = Pick<ReceiptReport, "providerMessageId" | "status" | "code" | "detail"> & {
  messageId: string;
  provider: string;
};

/**
 * Applies the newest superseded receipt of each message that is about to fail. Such a receipt proves that a provider took
 * the message: it is billed, and fails for the reason that the carrier gave. The messages must be locked and pending.
 * @returns the steps to be made instead, by message id; messages without such a receipt are left out.
 */
export async function applySuperseded(tx: Tx, ids: readonly string[], at: Date): Promise<Map<string, Step[]>> {
  if (ids.length === 0) return new Map();
  const { rows } = await tx.query<Superseded>({
    name: "receipts.apply_superseded",
    text: `UPDATE receipts r SET applied = true
           FROM (SELECT DISTINCT ON (message_id) id FROM receipts
             WHERE message_id = ANY($1::text[]) AND NOT applied AND status IN ('failed', 'undelivered')
             ORDER BY message_id, occurred_at DESC, id DESC) newest
           WHERE r.id = newest.id
           RETURNING r.message_id AS "messageId", r.provider, r.provider_message_id AS "providerMessageId", r.status, r.code,
             r.detail`,
    values: [ids],
  });
  return new Map(
    rows.map(({ messageId, provider, ...report }) => [
      messageId,
      stepsOf(provider, { ...report, occurredAt: at.toISOString(), reference: null }, at),
    ]),
  );
}
