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

/**
 * Events of the account, newest first, each with its message as it was then. An event may be recorded long after it happened
 * (its receipt waited for a worker), so its id does not bound its time: within a span of time events are read in its order.
 */
export async function listEvents(actor: AccountActor, query: ListEventsQuery) {
  const { accountId } = actor;
  const { rows: events, total } = await readPage(
    query,
    () => countEvents(accountId, query),
    (skip) =>
      readPrisma().event.findMany({
        where: conditionsOf(accountId, query),
        orderBy: isSpan(query) ? [{ createdAt: "desc" }, { id: "desc" }] : { id: "desc" },
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

const isSpan = ({ created_after: after, created_before: before }: ListEventsQuery): boolean =>
  after !== undefined || before !== undefined;

const conditionsOf = (accountId: string, query: ListEventsQuery) => ({
  accountId,
  type: query.type,
  messageId: query.message_id,
  createdAt: isSpan(query)
    ? {
        gte: query.created_after === undefined ? undefined : new Date(query.created_after),
        lt: query.created_before === undefined ? undefined : new Date(query.created_before),
      }
    : undefined,
});

/** Sums the daily counters: counting all events would read them all. Those of a message or a span are counted. */
async function countEvents(accountId: string, query: ListEventsQuery): Promise<number> {
  const { type } = query;
  if (query.message_id !== undefined || isSpan(query)) {
    return readPrisma().event.count({ where: conditionsOf(accountId, query) });
  }
  const { _sum: sums } = await readPrisma().usageDay.aggregate({
    where: { accountId },
    _sum: { eventsSent: true, eventsDelivered: true, eventsFailed: true },
  });
  const counted: readonly EventType[] = type ? [type] : EVENT_TYPES;
  return counted.reduce((total, each) => total + (sums[COUNTER_OF[each]] ?? 0), 0);
}
