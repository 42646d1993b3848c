import type { Tx } from "../../core/db";
import { isId } from "../../core/ids";

/**
 * Keeps the texts of messages from being forgotten until this transaction ends, so that their deliveries can be made to wait
 * again. A text that is being forgotten at the moment is waited for.
 * @returns the ids of messages whose texts are forgotten already: their events can be sent no more.
 */
export async function findForgottenTexts(tx: Tx, messageIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string; isForgotten: boolean }>({
    name: "webhooks.keep_texts",
    text: `SELECT id, body = '' AS "isForgotten" FROM messages WHERE id = ANY($1::text[]) ORDER BY id FOR KEY SHARE`,
    values: [messageIds],
  });
  const inboundIds = messageIds.filter((id) => isId("inbound", id));
  // They are deleted with their deliveries, which are then found no more.
  if (inboundIds.length > 0) {
    await tx.query({
      name: "webhooks.keep_inbound",
      text: "SELECT id FROM inbound_messages WHERE id = ANY($1::text[]) ORDER BY id FOR KEY SHARE",
      values: [inboundIds],
    });
  }
  return new Set(rows.flatMap(({ id, isForgotten }) => (isForgotten ? [id] : [])));
}
