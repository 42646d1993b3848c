/** Finds the events of one message and their deliveries, by their derived ids. */
import { readPool, readPrisma } from "../../core/db";
import { isId, timeOfId } from "../../core/ids";
import type { MessageRow } from "../../messages/present";
import { deliveryIdsOf, eventIdOf, isFormerId } from "../derived-ids";
import type { DeliveryRow, EventRow } from "../present";
import { type EventType, STATUS_EVENT_TYPES } from "../schema";

type Reached = Pick<MessageRow, "id" | "accountId" | "sentAt" | "deliveredAt" | "failedAt">;

/** The events of a message, oldest first. An event's time is the one that its message has for the status. */
export async function findEvents({ id, accountId, ...times }: Reached): Promise<EventRow[]> {
  const reached: [EventType, Date | null][] = [
    ["message.sent", times.sentAt],
    ["message.delivered", times.deliveredAt],
    ["message.failed", times.failedAt],
  ];
  const { rows } = await readPool().query<EventRow>({
    name: "webhooks.events_of_message",
    text: `SELECT id, type, status, created_at AS "createdAt" FROM events
           WHERE account_id = $2 AND type = ANY($4::text[]) AND id = ANY($1::text[])
           UNION ALL
           SELECT id, type, status, created_at FROM events
           WHERE message_id = $3 AND account_id = $2 AND ${isFormerId("id")}
           ORDER BY id`,
    values: [reached.flatMap(([type, at]) => (at ? [eventIdOf(id, type, at)] : [])), accountId, id, STATUS_EVENT_TYPES],
  });
  return rows;
}

/** The event of an inbound message, found by its id; none for a message that was received by a version without them. */
async function findReceivedEvent(inboundId: string, accountId: string): Promise<EventRow[]> {
  return readPrisma().event.findMany({
    where: {
      accountId,
      type: "message.received",
      id: eventIdOf(inboundId, "message.received", timeOfId(inboundId)),
    },
  });
}

/** The events of a message, sent or received, oldest first; none when the account has no such message. */
export async function findEventsOf(messageId: string, accountId: string): Promise<EventRow[]> {
  if (isId("inbound", messageId)) return findReceivedEvent(messageId, accountId);
  const message = await readPrisma().message.findFirst({ where: { id: messageId, accountId } });
  return message ? findEvents(message) : [];
}

export type DeliveryOfMessage = DeliveryRow & { endpointId: string };

/** The deliveries of events of one message, in the order of their events. */
export async function findDeliveries(accountId: string, eventIds: readonly string[]): Promise<DeliveryOfMessage[]> {
  const bounds = eventIds.map(deliveryIdsOf);
  const columns = `d.id, d.endpoint_id AS "endpointId", d.event_id AS "eventId", d.status, d.round, d.attempts,
    d.next_attempt_at AS "nextAttemptAt", d.under_way_until AS "underWayUntil", d.created_at AS "createdAt", d.finished_at AS "finishedAt",
    d.status_code AS "statusCode", d.latency_ms AS "latencyMs", d.response_head AS "responseHead"`;
  const { rows } = await readPool().query<DeliveryOfMessage>({
    name: "webhooks.deliveries_of_events",
    text: `SELECT ${columns} FROM unnest($1::text[], $2::text[]) AS b (first, last)
           CROSS JOIN LATERAL (SELECT * FROM webhook_deliveries WHERE id BETWEEN b.first AND b.last OFFSET 0) d
           WHERE d.account_id = $3
           UNION ALL
           SELECT ${columns} FROM webhook_deliveries d
           WHERE d.event_id = ANY($4::text[]) AND d.account_id = $3 AND ${isFormerId("d.id")}
           ORDER BY id`,
    values: [bounds.map(({ first }) => first), bounds.map(({ last }) => last), accountId, eventIds],
  });
  return rows;
}
