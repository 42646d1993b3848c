/**
 * Deletes receipts that arrived after the round of receipts had passed their message. Their own age counts, which their ids
 * contain. The round leaves few older receipts, so this walk is short.
 */
import { firstIdAt } from "../core/ids";
import { inSteps } from "./steps";

const STEP_SIZE = 1_000;

/**
 * Deletes receipts that were stored before `end`, unless their message ended later or not yet. Parked ones expire elsewhere.
 * @returns how many were deleted.
 */
export async function forgetLateReceipts(end: Date, signal?: AbortSignal): Promise<number> {
  let position = "";
  const { forgotten } = await inSteps("receipts", { size: STEP_SIZE, signal }, async (tx, limit) => {
    const { rows } = await tx.query<{ id: string }>({
      text: `SELECT id FROM receipts WHERE id > $1 AND id < $2 AND message_id IS NOT NULL
             ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED`,
      values: [position, firstIdAt("receipt", end), limit],
    });
    const { rowCount } = await tx.query({
      name: "retention.delete_late_receipts",
      text: `DELETE FROM receipts r WHERE r.id = ANY($1::text[]) AND NOT EXISTS (
               SELECT FROM messages m WHERE m.id = r.message_id
                 AND (coalesce(m.failed_at, m.delivered_at) < $2) IS NOT TRUE)`,
      values: [rows.map(({ id }) => id), end.toISOString()],
    });
    position = rows.at(-1)?.id ?? position;
    return { looked: rows.length, forgotten: rowCount ?? 0 };
  });
  return forgotten;
}
