/** The steps that delete old final messages. Each runs in one transaction, with its counters. */
import type { Tx } from "../core/db";
import { dropMilestones } from "../lists/milestones";
import { deleteEvents, readEvents, subjectOf } from "./events";
import type { EndedMessage, Forget, RoundKind } from "./rounds";
import { countForgotten } from "./store";

const idsOf = (messages: readonly EndedMessage[]): string[] => messages.map(({ id }) => id);

/** Deletes rows that belong to messages. @returns how many. */
async function deleteOf(tx: Tx, table: string, key: string, ids: readonly string[]): Promise<number> {
  const { rowCount } = await tx.query({
    name: `retention.delete_${table}`,
    text: `DELETE FROM ${table} WHERE ${key} = ANY($1::text[])`,
    values: [ids],
  });
  return rowCount ?? 0;
}

/** Deletes the pairs by which messages are found. They are found by their whole key. */
const deleteMetadata = (tx: Tx, ids: readonly string[]) =>
  tx.query({
    name: "retention.delete_metadata",
    text: `DELETE FROM message_metadata p USING messages m, jsonb_each_text(m.metadata) e
           WHERE m.id = ANY($1::text[]) AND m.metadata IS NOT NULL
             AND p.account_id = m.account_id AND p.key = e.key AND p.value = e.value AND p.message_id = m.id`,
    values: [ids],
  });

/** Deletes messages with everything that belongs to them except the ledger, which has only their ids. */
const forgetMessages =
  (carried: ReadonlySet<string>): Forget =>
  async (tx, messages) => {
    const found = await readEvents(tx, messages.map(subjectOf), carried);
    const gone = messages.filter(({ id }) => !found.waitingIds.has(id));
    const events = await deleteEvents(tx, found);
    const ids = idsOf(gone);
    await Promise.all([
      deleteOf(tx, "receipts", "message_id", ids),
      deleteOf(tx, "attempt_parts", "message_id", ids),
      deleteOf(tx, "message_attempts", "message_id", ids),
      deleteOf(tx, "rescheduled_messages", "message_id", ids),
      // A receipt may have ended a message that waits for another provider. Its place in the queue would never become
      // free without its message, and would block those behind it.
      deleteOf(tx, "waiting_messages", "message_id", ids),
      // This precedes the messages, whose own pairs lead to these.
      deleteMetadata(tx, ids),
      deleteOf(tx, "messages", "id", ids),
      countForgotten(tx, gone, { messages: gone, events }),
      // They are in the order of their ids, so the last of each account stays in the map.
      dropMilestones(tx, new Map(gone.map(({ accountId, id }) => [accountId, id]))),
    ]);
    return { forgotten: gone.length, leftIds: found.waitingIds };
  };

const forgetEvents =
  (carried: ReadonlySet<string>): Forget =>
  async (tx, messages) => {
    const found = await readEvents(tx, messages.map(subjectOf), carried);
    const events = await deleteEvents(tx, found);
    await countForgotten(tx, messages, { messages: [], events });
    return { forgotten: events.length, leftIds: found.waitingIds };
  };

const forgetReceipts: Forget = async (tx, messages) => {
  const forgotten = await deleteOf(tx, "receipts", "message_id", idsOf(messages));
  return { forgotten, leftIds: new Set() };
};

/** Empties texts. A message is never sent without one, so an empty text is a deleted one. */
const forgetBodies =
  (carried: ReadonlySet<string>): Forget =>
  async (tx, messages) => {
    const { waitingIds } = await readEvents(tx, messages.map(subjectOf), carried);
    const { rowCount } = await tx.query({
      name: "retention.empty_bodies",
      text: "UPDATE messages SET body = '' WHERE id = ANY($1::text[]) AND body <> ''",
      values: [idsOf(messages).filter((id) => !waitingIds.has(id))],
    });
    return { forgotten: rowCount ?? 0, leftIds: waitingIds };
  };

/** The step of each round. @param carried events whose deliveries exist only in jobs. */
export const forgetters = (carried: ReadonlySet<string>): Record<RoundKind, Forget> => ({
  messages: forgetMessages(carried),
  events: forgetEvents(carried),
  receipts: forgetReceipts,
  bodies: forgetBodies(carried),
});
