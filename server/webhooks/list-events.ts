import type { AccountActor } from "../core/actor";
import { readPool, readPrisma } from "../core/db";
import { readPage, toPage } from "../core/wire";
import { type EventRow, presentEvent } from "./present";
import { EVENT_TYPES, type EventType, type ListEventsQuery } from "./schema";

const COUNTER_OF = {
  "message.sent": "eventsSent",
  "message.delivered": "eventsDelivered",
  "message.failed": "eventsFailed",
} as const satisfies Record<EventType, string>;

type StoredEvent = EventRow & { messageId: string };

/** Events of the account, newest first, each with its message as it was then. */
export async function listEvents(actor: AccountActor, query: ListEventsQuery) {
  const { accountId } = actor;
  const { rows: events, total } = await readPage(
    query,
    () => countEvents(accountId, query.type),
    (skip) => readEvents(accountId, query.type, skip, query.limit),
  );
  const messages = await readPrisma().message.findMany({
    where: { accountId, id: { in: events.map((event) => event.messageId) } },
  });
  const messageById = new Map(messages.map((message) => [message.id, message]));
  const items = events.flatMap((event) => {
    const message = messageById.get(event.messageId);
    return message ? [presentEvent(event, message)] : [];
  });
  return toPage(items, total, query);
}

/**
 * The ids of each type are walked in their index, and those of several types merged, so a page costs as much as the pages
 * before it and nothing of other types. Only the rows of the page itself are read.
 */
async function readEvents(accountId: string, type: EventType | undefined, skip: number, take: number) {
  const ofType = (parameter: number) =>
    `(SELECT id FROM events WHERE account_id = $1 AND type = $${parameter} ORDER BY id DESC LIMIT $2::int8 + $3::int8)`;
  const types: readonly EventType[] = type ? [type] : EVENT_TYPES;
  const { rows } = await readPool().query<StoredEvent>({
    name: `webhooks.list_events_${types.length}`,
    text: `WITH page AS (
             SELECT id FROM (${types.map((_, at) => ofType(at + 4)).join(" UNION ALL ")}) merged
             ORDER BY id DESC LIMIT $3 OFFSET $2
           )
           SELECT e.id, e.type, e.message_id AS "messageId", e.status, e.created_at AS "createdAt"
           FROM page JOIN events e ON e.id = page.id ORDER BY e.id DESC`,
    values: [accountId, skip, take, ...types],
  });
  return rows;
}

/** Sums the daily counters: counting the events themselves would read them all. */
async function countEvents(accountId: string, type: EventType | undefined): Promise<number> {
  const { _sum: sums } = await readPrisma().usageDay.aggregate({
    where: { accountId },
    _sum: { eventsSent: true, eventsDelivered: true, eventsFailed: true },
  });
  const counted: readonly EventType[] = type ? [type] : EVENT_TYPES;
  return counted.reduce((total, each) => total + (sums[COUNTER_OF[each]] ?? 0), 0);
}
