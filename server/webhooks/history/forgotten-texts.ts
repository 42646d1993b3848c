import type { Tx } from "../../core/db";
import { isId } from "../../core/ids";

/**
 * Keeps the texts of messages from being deleted until this transaction ends, so that their deliveries can be queued again.
 * Waits for a deletion under way.
 * @returns the ids of messages whose texts were deleted already: their events cannot be sent any more.
 */
export async function findForgottenTexts(tx: Tx, messageIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string; isForgotten: boolean }>({
    name: "webhooks.keep_texts",
    text: `SELECT id, body = '' AS "isForgotten" FROM messages WHERE id = ANY($1::text[]) ORDER BY id FOR KEY SHARE`,
    values: [messageIds],
  });
  const inboundIds = messageIds.filter((id) => isId("inbound", id));
  // Deleted messages go with their deliveries, which are then no longer found.
  if (inboundIds.length > 0) {
    await tx.query({
      name: "webhooks.keep_inbound",
      text: "SELECT id FROM inbound_messages WHERE id = ANY($1::text[]) ORDER BY id FOR KEY SHARE",
      values: [inboundIds],
    });
  }
  return new Set(rows.flatMap(({ id, isForgotten }) => (isForgotten ? [id] : [])));
}
