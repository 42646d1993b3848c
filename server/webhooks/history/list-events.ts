import type { AccountActor } from "../../core/actor";
import { readPool, readPrisma } from "../../core/db";
import { firstIdAt } from "../../core/ids";
import { type RowRange, readList, within } from "../../lists/read-list";
import { readTotal } from "../../lists/store";
import type { StatusEventType } from "../../messages/status";
import { isFormerId } from "../derived-ids";
import { type EventRow, presentEvent, presentReceived } from "../present";
import { type AnyEvent, type EventType, type ListEventsQuery, STATUS_EVENT_TYPES } from "../schema";
import { findEventsOf } from "./of-message";

const COUNTER_OF = {
  "message.sent": "eventsSent",
  "message.delivered": "eventsDelivered",
  "message.failed": "eventsFailed",
} as const satisfies Record<StatusEventType, string>;

type StoredEvent = EventRow & { messageId: string };

/** Events of the account, newest first, each with its message as it was then. */
export async function listEvents(actor: AccountActor, query: ListEventsQuery) {
  const { accountId } = actor;
  const { message_id: messageId } = query;
  // The events of one message are few, and found by their ids.
  const known = messageId === undefined ? null : await findEventsIn(messageId, accountId, query);
  const page = await readList(
    query,
    "evt",
    async () => known?.length ?? countEvents(accountId, query),
    async (range) => (known ? within(known, range) : readEvents(accountId, query, range)),
  );
  return page.present(await presentAll(accountId, page.rows));
}

async function presentAll(accountId: string, events: readonly StoredEvent[]): Promise<AnyEvent[]> {
  const idsOf = (isReceived: boolean) =>
    events.flatMap((event) => ((event.type === "message.received") === isReceived ? [event.messageId] : []));
  const [sentIds, receivedIds] = [idsOf(false), idsOf(true)];
  const [messages, received] = await Promise.all([
    sentIds.length === 0 ? [] : readPrisma().message.findMany({ where: { accountId, id: { in: sentIds } } }),
    receivedIds.length === 0
      ? []
      : readPrisma().inboundMessage.findMany({ where: { accountId, id: { in: receivedIds } } }),
  ]);
  const messageById = new Map(messages.map((message) => [message.id, message]));
  const receivedById = new Map(received.map((message) => [message.id, message]));
  return events.flatMap((event): AnyEvent[] => {
    const [message, inbound] = [messageById.get(event.messageId), receivedById.get(event.messageId)];
    if (inbound) return [presentReceived(event, inbound)];
    return message ? [presentEvent(event, message)] : [];
  });
}

const timesOf = ({ created_after: after, created_before: before }: ListEventsQuery) => ({
  from: after === undefined ? null : new Date(after),
  to: before === undefined ? null : new Date(before),
});

/** The events of a message that the query selects, newest first. */
async function findEventsIn(messageId: string, accountId: string, query: ListEventsQuery): Promise<StoredEvent[]> {
  const { from, to } = timesOf(query);
  return (await findEventsOf(messageId, accountId))
    .filter(
      ({ type, createdAt }) =>
        (!query.type || type === query.type) && !(from && createdAt < from) && !(to && createdAt >= to),
    )
    .map((event) => ({ ...event, messageId }))
    .reverse();
}

/**
 * SQL: `$1` is the account. An event's id contains its time, so a time range is a range of ids. A former id contains the time
 * of recording, which is later than the event if its receipt waited; such events have an index by time.
 */
function selectionOf(accountId: string, query: ListEventsQuery): { branches: string[]; values: unknown[] } {
  const { from, to } = timesOf(query);
  const values: unknown[] = [accountId];
  const put = (value: unknown): string => `$${values.push(value)}`;
  const since = from ? ` AND created_at >= ${put(from)}` : "";
  const until = to ? ` AND created_at < ${put(to)}` : "";
  const first = from ? ` AND id >= ${put(firstIdAt("event", from))}` : "";
  const end = to && put(firstIdAt("event", to));
  const types: readonly EventType[] = query.type ? [query.type] : STATUS_EVENT_TYPES;
  const branches = types.flatMap((type) => {
    const ofType = `account_id = $1 AND type = ${put(type)}${since}${until}`;
    const inOrder = `${ofType}${first}${end ? ` AND id < ${end}` : ""}`;
    return end ? [inOrder, `${ofType} AND id >= ${end} AND ${isFormerId("id")}`] : [inOrder];
  });
  return { branches, values };
}

/**
 * Walks the ids of each type in their index and merges them, so a page costs as much as the pages before it, and other types
 * cost nothing. Reads only the rows of the page itself.
 */
async function readEvents(accountId: string, query: ListEventsQuery, range: RowRange): Promise<StoredEvent[]> {
  const { branches, values } = selectionOf(accountId, query);
  const take = values.push(range.take);
  const skipped = values.push(range.skip);
  const below = range.before === undefined ? "" : ` AND id < $${values.push(range.before)}`;
  const newest = branches.map(
    (where) =>
      `(SELECT type, id FROM events WHERE ${where}${below} ORDER BY id DESC LIMIT $${take}::int8 + $${skipped}::int8)`,
  );
  const { rows } = await readPool().query<StoredEvent>({
    text: `WITH page AS (
             SELECT type, id FROM (${newest.join(" UNION ALL ")}) merged ORDER BY id DESC LIMIT $${take} OFFSET $${skipped}
           )
           SELECT e.id, e.type, e.message_id AS "messageId", e.status, e.created_at AS "createdAt"
           FROM page JOIN events e ON e.account_id = $1 AND e.type = page.type AND e.id = page.id ORDER BY e.id DESC`,
    values,
  });
  return rows;
}

/** Sums the daily counters, because counting all events would read them all; events of a time range are counted. */
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
  if (query.type === "message.received") return readTotal("inbound", { ownerId: accountId, kind: "with_event" });
  const ofAccount = {
    where: { accountId },
    _sum: { eventsSent: true, eventsDelivered: true, eventsFailed: true },
  } as const;
  const [{ _sum: sums }, { _sum: forgotten }] = await Promise.all([
    readPrisma().usageDay.aggregate(ofAccount),
    readPrisma().forgottenDay.aggregate(ofAccount),
  ]);
  const counted: readonly StatusEventType[] = query.type ? [query.type] : STATUS_EVENT_TYPES;
  return counted.reduce((total, each) => total + (sums[COUNTER_OF[each]] ?? 0) - (forgotten[COUNTER_OF[each]] ?? 0), 0);
}
