/** Deletes old events of messages, with their deliveries and tries. */
import { pool, type Tx } from "../core/db";
import { firstIdAt } from "../core/ids";
import { unnest } from "../core/unnest";
import { INSERT_CHANGES } from "../lists/store";
import { deliveryIdsOf, eventIdOf, isEvent, isFormerId } from "../webhooks/derived-ids";
import type { EventType } from "../webhooks/schema";
import type { EndedMessage } from "./rounds";

type StoredEvent = { id: string; accountId: string; messageId: string; type: EventType };
type StoredDelivery = { id: string; eventId: string; isWaiting: boolean };

/** The events of messages, and the messages that are still needed: by a webhook's next try, or by a disabled endpoint. */
export type EventsOf = { events: StoredEvent[]; deliveries: StoredDelivery[]; waitingIds: Set<string> };

/**
 * Ids of events before `end` that a job carries: a delivery has no row before the end of its first try. A job for such an event
 * is added later only in place of one of these. A job of later tries that was given up carries nothing: its deliveries have
 * rows, and those that still wait get another job.
 */
export async function readCarried(end: Date): Promise<Set<string>> {
  const { rows } = await pool().query<{ eventId: string }>({
    text: `SELECT DISTINCT 'evt_' || substr(c.id, 5, 26) AS "eventId"
           FROM (SELECT json_array_elements_text(j.payload -> 'deliveryIds') AS id
                 FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
                 WHERE t.identifier = 'deliver_events' OR t.identifier = 'deliver_webhooks'
                   AND (j.locked_at IS NOT NULL OR j.attempts < j.max_attempts)) c
           WHERE length(c.id) = 40 AND c.id < $1`,
    values: [firstIdAt("delivery", end)],
  });
  return new Set(rows.map(({ eventId }) => eventId));
}

/** Subjects of events, with the ids that their events have unless an earlier version recorded them. */
export type Subject = { id: string; accountId: string; eventIds: string[] };

type EventKey = Pick<StoredEvent, "id" | "accountId">;

const KEYS = unnest<EventKey>({
  id: ["text", ({ id }) => id],
  account_id: ["text", ({ accountId }) => accountId],
});

/** Reads the events and deliveries of locked messages, or of locked inbound ones. */
export async function readEvents(
  tx: Tx,
  subjects: readonly Subject[],
  carried: ReadonlySet<string>,
): Promise<EventsOf> {
  const { rows: events } = await tx.query<StoredEvent>({
    name: "retention.events",
    text: `SELECT e.id, e.account_id AS "accountId", e.message_id AS "messageId", e.type FROM ${KEYS.as("k")}
           CROSS JOIN LATERAL (SELECT * FROM events e WHERE ${isEvent("e", "k.account_id", "k.id")} OFFSET 0) e
           UNION ALL
           SELECT id, account_id, message_id, type FROM events WHERE message_id = ANY($3::text[]) AND ${isFormerId("id")}`,
    values: [
      ...KEYS.values(subjects.flatMap(({ accountId, eventIds }) => eventIds.map((id) => ({ id, accountId })))),
      subjects.map(({ id }) => id),
    ],
  });
  const bounds = events.map(({ id }) => deliveryIdsOf(id));
  const columns = `d.id, d.event_id AS "eventId", d.status IN ('pending', 'held') AND w.deleted_at IS NULL AS "isWaiting"`;
  const { rows: deliveries } = await tx.query<StoredDelivery>({
    name: "retention.deliveries",
    text: `SELECT ${columns} FROM unnest($1::text[], $2::text[]) AS b (first, last)
           CROSS JOIN LATERAL (SELECT * FROM webhook_deliveries WHERE id BETWEEN b.first AND b.last OFFSET 0) d
           JOIN webhook_endpoints w ON w.id = d.endpoint_id
           UNION ALL
           SELECT ${columns} FROM webhook_deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id
           WHERE d.event_id = ANY($3::text[]) AND ${isFormerId("d.id")}`,
    values: [bounds.map(({ first }) => first), bounds.map(({ last }) => last), events.map(({ id }) => id)],
  });
  const waiting = new Set(deliveries.filter(({ isWaiting }) => isWaiting).map(({ eventId }) => eventId));
  const isWaiting = ({ id }: StoredEvent) => waiting.has(id) || carried.has(id);
  return { events, deliveries, waitingIds: new Set(events.filter(isWaiting).map(({ messageId }) => messageId)) };
}

/** A message and its events: an event's time is the one that its message has for the status. */
export function subjectOf({ id, accountId, sentAt, deliveredAt, failedAt }: EndedMessage): Subject {
  const reached: [EventType, Date | null][] = [
    ["message.sent", sentAt],
    ["message.delivered", deliveredAt],
    ["message.failed", failedAt],
  ];
  return { id, accountId, eventIds: reached.flatMap(([type, at]) => (at ? [eventIdOf(id, type, at)] : [])) };
}

/** Deletes the events of messages that are no longer needed. @returns the deleted ones. */
export async function deleteEvents(tx: Tx, { events, deliveries, waitingIds }: EventsOf): Promise<StoredEvent[]> {
  const free = events.filter(({ messageId }) => !waitingIds.has(messageId));
  const eventIds = new Set(free.map(({ id }) => id));
  const deliveryIds = deliveries.filter(({ eventId }) => eventIds.has(eventId)).map(({ id }) => id);
  await Promise.all([
    tx.query({
      name: "retention.delete_tries",
      text: "DELETE FROM webhook_tries WHERE delivery_id = ANY($1::text[])",
      values: [deliveryIds],
    }),
    tx.query({
      name: "retention.delete_deliveries",
      text: `WITH deleted AS (DELETE FROM webhook_deliveries WHERE id = ANY($1::text[]) RETURNING endpoint_id, status)
             ${INSERT_CHANGES}
             SELECT 'deliveries', endpoint_id, status, -count(*) FROM deleted GROUP BY endpoint_id, status`,
      values: [deliveryIds],
    }),
    tx.query({
      name: "retention.delete_events",
      text: `DELETE FROM events e USING ${KEYS.as("k")} WHERE ${isEvent("e", "k.account_id", "k.id")}`,
      values: KEYS.values(free),
    }),
  ]);
  return free;
}
