/** Messages of stored responses, as they are returned to requests that are repeated with their Idempotency-Key. */
import { pool } from "../../core/db";
import { presentFailure } from "../present";
import type { Message } from "../schema";
import { segmentText } from "../segments";

/** Finds which of these messages still have their text. No index leads from a message to the stored responses that copied it. */
export async function findWithText(messages: readonly Message[]): Promise<ReadonlySet<string>> {
  const { rows } = await pool().query<{ id: string }>({
    name: "messages.with_text",
    text: "SELECT id FROM messages WHERE id = ANY($1::text[]) AND body <> ''",
    values: [messages.map(({ id }) => id)],
  });
  return new Set(rows.map(({ id }) => id));
}

/** Fields of a message that is sent at once, and not limited in time. */
const UNTIMED = { scheduled_at: null, validity_period: null };

/**
 * A message as it was first returned, without its text if that was deleted since. One stored by a version without some fields, or
 * without failure reasons, is completed. The reference comes from the repeated request, which is the same; metadata was not stored then.
 * @param withText as {@link findWithText} returned it.
 */
export function asReplayed(message: Message, reference: string | null, withText: ReadonlySet<string>): Message {
  const { metadata = null } = message;
  const error = message.error && { ...presentFailure(message.error), ...message.error };
  const body = withText.has(message.id) ? message.body : "";
  const completed = { ...UNTIMED, ...message, body, metadata, error };
  if (message.segments !== undefined) return completed;
  const { encoding, segments } = segmentText(message.body);
  return { ...completed, encoding, segments, reference };
}
