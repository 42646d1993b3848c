import type { AccountActor } from "../core/actor";
import { readPrisma } from "../core/db";
import { readPage, toPage } from "../core/wire";
import { presentEvent } from "./present";
import { EVENT_TYPES, type EventType, type ListEventsQuery } from "./schema";

const COUNTER_OF = {
  "message.sent": "eventsSent",
  "message.delivered": "eventsDelivered",
  "message.failed": "eventsFailed",
} as const satisfies Record<EventType, string>;

/** Events of the account, newest first, each with its message as it was then. */
export async function listEvents(actor: AccountActor, query: ListEventsQuery) {
  const { accountId } = actor;
  const { rows: events, total } = await readPage(
    query,
    () => countEvents(accountId, query.type),
    (skip) =>
      readPrisma().event.findMany({
        where: { accountId, type: query.type },
        orderBy: { id: "desc" },
        skip,
        take: query.limit,
      }),
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

/** Sums the daily counters: counting the events themselves would read them all. */
async function countEvents(accountId: string, type: EventType | undefined): Promise<number> {
  const { _sum: sums } = await readPrisma().usageDay.aggregate({
    where: { accountId },
    _sum: { eventsSent: true, eventsDelivered: true, eventsFailed: true },
  });
  const counted: readonly EventType[] = type ? [type] : EVENT_TYPES;
  return counted.reduce((total, each) => total + (sums[COUNTER_OF[each]] ?? 0), 0);
}
