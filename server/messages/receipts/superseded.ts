/**
 * Superseded receipts: they report a failure while a later attempt may still deliver the message. They wait for the later
 * attempt, and decide if that attempt does not deliver it.
 */
import type { Tx } from "../../core/db";
import type { ReceiptReport } from "../../core/jobs";
import { unnest } from "../../core/unnest";
import { isGivenUp } from "../dispatch/given-up";
import { FAILED_STATUSES_SQL, hasFailed } from "../status";
import type { Step } from "../steps";
import type { MatchedReceipt } from "./match-attempts";
import { stepsOf } from "./receipt-steps";

/** SQL: whether the receipt `r` reports a failure that its message does not show. */
export const isLeftFailure = (r: string): string => `NOT ${r}.applied AND ${r}.status IN ${FAILED_STATUSES_SQL}`;

const RECEIPT_ATTEMPTS = unnest<MatchedReceipt>({
  id: ["text", ({ id }) => id],
  message_id: ["text", ({ messageId }) => messageId],
  seq: ["int2", ({ seq }) => seq],
});

/** An attempt that is later than that of the receipt `r`, and may have taken the message. */
const SUPERSEDING = `SELECT 1 FROM message_attempts a WHERE a.message_id = r.message_id AND a.seq > r.seq
  AND (a.outcome IS NULL OR a.outcome IN ('unknown', 'accepted'))`;

/**
 * Finds failure receipts of attempts after which another one may have taken the message: its result is decided by the
 * later attempt.
 * @param givenUpAfterMs minimum age of a later attempt that does not count because its outcome is missing; null: all count.
 * @returns the ids of these receipts.
 */
export async function findSuperseded(
  tx: Tx,
  receipts: readonly MatchedReceipt[],
  givenUpAfterMs: number | null,
): Promise<Set<string>> {
  const failures = receipts.filter(({ report }) => hasFailed(report.status));
  if (failures.length === 0) return new Set();
  const attempts = RECEIPT_ATTEMPTS.values(failures);
  const { rows } = await tx.query<{ id: string }>(
    givenUpAfterMs === null
      ? {
          name: "receipts.superseded",
          text: `SELECT r.id FROM ${RECEIPT_ATTEMPTS.as("r")} WHERE EXISTS (${SUPERSEDING})`,
          values: attempts,
        }
      : {
          name: "receipts.still_superseded",
          text: `SELECT r.id FROM ${RECEIPT_ATTEMPTS.as("r")}
                 WHERE EXISTS (${SUPERSEDING} AND NOT ${isGivenUp("a", "now() - $4::float8 * interval '1 millisecond'")})`,
          values: [...attempts, givenUpAfterMs],
        },
  );
  return new Set(rows.map((row) => row.id));
}

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
           FROM (SELECT DISTINCT ON (message_id) id FROM receipts s
             WHERE message_id = ANY($1::text[]) AND ${isLeftFailure("s")}
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
