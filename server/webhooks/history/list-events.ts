import type { AccountActor } from "../../core/actor";
import { readPool, readPrisma } from "../../core/db";
import { firstIdAt } from "../../core/ids";
import { readPage, toPage } from "../../core/wire";
import { isFormerId } from "../derived-ids";
import { type EventRow, presentEvent } from "../present";
import { EVENT_TYPES, type EventType, type ListEventsQuery } from "../schema";
import { findEvents } from "./of-message";

const COUNTER_OF = {
  "message.sent": "eventsSent",
  "message.delivered": "eventsDelivered",
  "message.failed": "eventsFailed",
} as const satisfies Record<EventType, string>;

type StoredEvent = EventRow & { messageId: string };

/** Events of the account, newest first, each with its message as it was then. */
export async function listEvents(actor: AccountActor, query: ListEventsQuery) {
  const { accountId } = actor;
  const { rows: events, total } =
    query.message_id === undefined
      ? await readPage(
          query,
          () => countEvents(accountId, query),
          (skip) => readEvents(accountId, query, skip),
        )
      : await readEventsOf(query.message_id, accountId, query);
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

const timesOf = ({ created_after: after, created_before: before }: ListEventsQuery) => ({
  from: after === undefined ? null : new Date(after),
  to: before === undefined ? null : new Date(before),
});

/** The page of a message's events. They are few, and found by their ids. */
async function readEventsOf(messageId: string, accountId: string, query: ListEventsQuery) {
  const message = await readPrisma().message.findFirst({ where: { id: messageId, accountId } });
  const { from, to } = timesOf(query);
  const events = (message ? await findEvents(message) : [])
    .filter(
      ({ type, createdAt }) =>
        (!query.type || type === query.type) && !(from && createdAt < from) && !(to && createdAt >= to),
    )
    .map((event) => ({ ...event, messageId }))
    .reverse();
  const first = (query.page - 1) * query.limit;
  return { rows: events.slice(first, first + query.limit), total: events.length };
}

/**
 * SQL: `$1` is the account. An event's id holds its time, so a span of time is one of ids. A former id holds the time of
 * recording instead, which is later than the event if its receipt waited; such events have an index by time.
 */
function selectionOf(accountId: string, query: ListEventsQuery): { branches: string[]; values: unknown[] } {
  const { from, to } = timesOf(query);
  const values: unknown[] = [accountId];
  const put = (value: unknown): string => `$${values.push(value)}`;
  const since = from ? ` AND created_at >= ${put(from)}` : "";
  const until = to ? ` AND created_at < ${put(to)}` : "";
  const first = from ? ` AND id >= ${put(firstIdAt("event", from))}` : "";
  const end = to && put(firstIdAt("event", to));
  const types: readonly EventType[] = query.type ? [query.type] : EVENT_TYPES;
  const branches = types.flatMap((type) => {
    const ofType = `account_id = $1 AND type = ${put(type)}${since}${until}`;
    const inOrder = `${ofType}${first}${end ? ` AND id < ${end}` : ""}`;
    return end ? [inOrder, `${ofType} AND id >= ${end} AND ${isFormerId("id")}`] : [inOrder];
  });
  return { branches, values };
}

/**
 * The ids of each type are walked in their index, and those of several types merged, so a page costs as much as the pages
 * before it and nothing of other types. Only the rows of the page itself are read.
 */
async function readEvents(accountId: string, query: ListEventsQuery, skip: number): Promise<StoredEvent[]> {
  const { branches, values } = selectionOf(accountId, query);
  const take = values.push(query.limit);
  const skipped = values.push(skip);
  const newest = branches.map(
    (where) => `(SELECT id FROM events WHERE ${where} ORDER BY id DESC LIMIT $${take}::int8 + $${skipped}::int8)`,
  );
  const { rows } = await readPool().query<StoredEvent>({
    text: `WITH page AS (
             SELECT id FROM (${newest.join(" UNION ALL ")}) merged ORDER BY id DESC LIMIT $${take} OFFSET $${skipped}
           )
           SELECT e.id, e.type, e.message_id AS "messageId", e.status, e.created_at AS "createdAt"
           FROM page JOIN events e ON e.id = page.id ORDER BY e.id DESC`,
    values,
  });
  return rows;
}

/** Sums the daily counters: counting all events would read them all. Those of a span are counted. */
async function countEvents(accountId: string, query: ListEventsQuery): Promise<number> {
  const { from, to } = timesOf(query);
  if (from || to) {
    const { branches, values } = selectionOf(accountId, query);
    const counts = branches.map((where) => `(SELECT count(*) FROM events WHERE ${where})`);
    const { rows } = await readPool().query<{ total: bigint }>({
      text: `SELECT ${counts.join(" + ")} AS total`,
      values,
    });
    return Number(rows[0]?.total ?? 0);
  }
  const ofAccount = {
    where: { accountId },
    _sum: { eventsSent: true, eventsDelivered: true, eventsFailed: true },
  } as const;
  const [{ _sum: sums }, { _sum: forgotten }] = await Promise.all([
    readPrisma().usageDay.aggregate(ofAccount),
    readPrisma().forgottenDay.aggregate(ofAccount),
  ]);
  const counted: readonly EventType[] = query.type ? [query.type] : EVENT_TYPES;
  return counted.reduce((total, each) => total + (sums[COUNTER_OF[each]] ?? 0) - (forgotten[COUNTER_OF[each]] ?? 0), 0);
}
