/**
 * Deletes old inbound messages, with their events and deliveries. Their ids contain the time at which they were stored.
 */
import type { Tx } from "../core/db";
import { firstIdAt, timeOfId } from "../core/ids";
import { unnest } from "../core/unnest";
import { INSERT_CHANGES } from "../lists/store";
import { eventIdOf } from "../webhooks/derived-ids";
import { deleteEvents, readCarried, readEvents } from "./events";
import { inSteps } from "./steps";

const STEP_SIZE = 1_000;

/**
 * Deletes inbound messages that were stored before `end`, unless a delivery of one is still due.
 * @returns how many were deleted.
 */
export async function forgetInbound(end: Date, signal?: AbortSignal): Promise<number> {
  const carried = await readCarried(end);
  let position = "";
  const { forgotten } = await inSteps("inbound_messages", { size: STEP_SIZE, signal }, async (tx, limit) => {
    const { rows } = await tx.query<{ id: string; accountId: string }>({
      text: 'SELECT id, account_id AS "accountId" FROM inbound_messages WHERE id > $1 AND id < $2 ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED',
      values: [position, firstIdAt("inbound", end), limit],
    });
    const subjects = rows.map(({ id, accountId }) => {
      return { id, accountId, eventIds: [eventIdOf(id, "message.received", timeOfId(id))] };
    });
    const found = await readEvents(tx, subjects, carried);
    const withEvent = new Set(found.events.map(({ messageId }) => messageId));
    const gone = rows.filter(({ id }) => !found.waitingIds.has(id));
    await deleteEvents(tx, found);
    await deleteInbound(
      tx,
      gone.map(({ id }) => ({ id, kind: withEvent.has(id) ? "with_event" : "without_event" })),
    );
    position = rows.at(-1)?.id ?? position;
    return { looked: rows.length, forgotten: gone.length };
  });
  return forgotten;
}

/** `kind`: the list length in which it was counted. */
type Gone = { id: string; kind: string };

const GONE = unnest<Gone>({ id: ["text", ({ id }) => id], kind: ["text", ({ kind }) => kind] });

async function deleteInbound(tx: Tx, gone: readonly Gone[]): Promise<void> {
  await tx.query({
    name: "retention.delete_inbound",
    text: `WITH deleted AS (
             DELETE FROM inbound_messages i USING ${GONE.as("g")} WHERE i.id = g.id RETURNING i.account_id, g.kind
           )
           ${INSERT_CHANGES}
           SELECT 'inbound', account_id, kind, -count(*) FROM deleted WHERE account_id <> '' GROUP BY account_id, kind`,
    values: GONE.values(gone),
  });
}
