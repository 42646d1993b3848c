/** The comparison of a whole account with the model, once its messages are at rest. */
import { expect } from "@playwright/test";
import type { Usage } from "@/server/accounts/schema";
import type { ApiKey } from "@/server/api-keys/schema";
import type { Message } from "@/server/messages/schema";
import type { Sender } from "@/server/senders/schema";
import type { Suppression } from "@/server/suppressions/schema";
import type { Delivery, Event } from "@/server/webhooks/schema";
import type { Database } from "../books";
import type { CheckedApi } from "../checked-api";
import { prepareSuppressions } from "./account-operations";
import { observe } from "./agreement";
import { getsEvent, prepareEndpoints } from "./endpoint-operations";
import { newestFirst, paginationOf, prepareList } from "./message-operations";
import {
  type Endpoint,
  isAtRest,
  type ModelMessage,
  micros,
  RANKS,
  SIDES,
  type Side,
  type State,
  type Status,
  spent,
} from "./model-state";
import type { World } from "./model-world";

const PAGE = 100;

/** A whole list, by page numbers or by cursors. `isGrowing`: something may be added meanwhile. */
async function wholeList<Item>(
  rest: CheckedApi,
  path: string,
  limit: number,
  { byCursor = false, isGrowing = false } = {},
): Promise<Item[]> {
  const items: Item[] = [];
  let next = "page=1";
  for (let page = 1; ; page += 1) {
    const { body } = await rest.ask({
      method: "GET",
      path: `${path}${path.includes("?") ? "&" : "?"}limit=${limit}&${next}`,
    });
    const data = body.data as Item[];
    items.push(...data);
    const cursor = body.meta.next_cursor ?? null;
    expect(body.pagination?.has_more).toBe(cursor !== null);
    if (cursor === null) {
      if (!isGrowing) expect(body.pagination?.total).toBe(items.length);
      return items;
    }
    next = byCursor ? `cursor=${encodeURIComponent(cursor)}` : `page=${page + 1}`;
  }
}

const restOf = (world: World, side: Side): CheckedApi => world.rest.withKey(side.keys[0]?.plain ?? null);

/** Waits until no message of the sequence changes any more by itself. */
export async function settle(world: World): Promise<void> {
  for (const name of SIDES) {
    const side = world.state.sides[name];
    const left = async (): Promise<string[]> => {
      const items = await wholeList<Message>(restOf(world, side), "/messages", PAGE);
      world.state.step += 1;
      expect(items.map(({ id }) => id)).toEqual(newestFirst(side.messages).map(({ id }) => id));
      const byId = new Map(side.messages.map((message) => [message.id, message]));
      for (const item of items) observe(world.state, byId.get(item.id) as ModelMessage, item);
      return side.messages
        .filter((message) => !isAtRest(message))
        .map(({ id, ways }) => `${id} ${JSON.stringify(ways)}`);
    };
    await expect.poll(left, { intervals: [100, 250, 500] }).toEqual([]);
  }
}

const STATUSES: Status[] = ["pending", "sent", "delivered", "failed", "undelivered"];

async function compareMoney(side: Side, rest: CheckedApi, database: Database): Promise<void> {
  const { least, most } = spent(side);
  // Everything is at rest, or waits for its time.
  expect(least).toBe(most);
  const { balance } = await rest.get<{ balance: number }>("/balance");
  expect(micros(balance)).toBe(side.creditMicros - most);
  expect((await rest.get<{ balance: number }>("/account")).balance).toBe(balance);
  if (side.isLive) {
    const books = await database.booksOf(side.accountId);
    expect(books).toMatchObject({ balance: micros(balance), ledger: micros(balance), messages: side.messages.length });
  }
  for (const period of ["day", "month", "all"]) {
    const usage = await rest.get<Usage>(`/usage?period=${period}`);
    const within = side.messages.filter(
      ({ seen }) => seen.created_at >= usage.starts_at && (period === "all" || seen.created_at < usage.ends_at),
    );
    const count = (status: Status) => within.filter(({ seen }) => seen.status === status).length;
    expect(usage).toMatchObject({
      period,
      totals: { messages: within.length },
      by_status: Object.fromEntries(STATUSES.map((status) => [status, count(status)])),
    });
    expect(micros(usage.totals.cost)).toBe(within.reduce((sum, { seen }) => sum + micros(seen.cost), 0));
  }
}

const TYPES: Partial<Record<Status, string>> = {
  sent: "message.sent",
  delivered: "message.delivered",
  failed: "message.failed",
  undelivered: "message.failed",
};

/** The events of a message, oldest first, with the message as it was then. */
function eventsOf({ seen }: ModelMessage): { type: string; data: Message }[] {
  const isTaken = seen.sent_at !== null;
  const sent: Message = { ...seen, status: "sent", delivered_at: null, failed_at: null, error: null };
  const end = RANKS[seen.status] === 2 ? [{ type: TYPES[seen.status] ?? "", data: seen }] : [];
  return [...(isTaken ? [{ type: "message.sent", data: sent }] : []), ...end];
}

async function compareEvents(side: Side, rest: CheckedApi): Promise<Event[]> {
  const events = (await wholeList<Event>(rest, "/events", 37, { byCursor: true })).toReversed();
  const expected = side.messages.flatMap(eventsOf);
  expect(events.length).toBe(expected.length);
  for (const message of side.messages) {
    const shown = events.filter(({ data }) => data.id === message.id);
    const wanted = eventsOf(message).map((event) => ({ ...event, livemode: side.isLive }));
    expect(shown.map(({ type, livemode, data }) => ({ type, data, livemode }))).toEqual(wanted);
  }
  for (const type of new Set(Object.values(TYPES))) {
    const ofType = await wholeList<Event>(rest, `/events?type=${type}`, PAGE);
    expect(ofType).toEqual(events.filter((event) => event.type === type).toReversed());
  }
  const [first] = side.messages;
  const ofFirst = await wholeList<Event>(rest, `/events?message_id=${first?.id ?? "msg_none"}`, 1, { byCursor: true });
  expect(ofFirst).toEqual(events.filter(({ data }) => data.id === first?.id).toReversed());
  const times = events.map(({ created_at }) => created_at);
  expect(times).toEqual(times.toSorted());
  return events;
}

/** Compares the deliveries of an endpoint with the events that it must and may get. */
async function compareDeliveries(world: World, side: Side, endpoint: Endpoint, events: Event[]): Promise<void> {
  const rest = restOf(world, side);
  const rightOf = ({ type, data }: Event) => {
    const message = side.messages.find(({ id }) => id === data.id);
    const passage = message?.passages[type === "message.sent" ? "sent" : "end"];
    return getsEvent(endpoint, type, passage?.after ?? -1, passage?.before ?? world.state.step);
  };
  const must = events.filter((event) => rightOf(event) === "must").map(({ id }) => id);
  const may = new Set(events.filter((event) => rightOf(event) !== "never").map(({ id }) => id));
  const isFinal = !endpoint.isPaused && !endpoint.leavesHeld;
  const path = new URL(endpoint.url).pathname;
  const received = () =>
    world.receiver.received.filter((each) => each.path === path).map(({ headers }) => String(headers["webhook-id"]));
  // Two endpoints may have one URL.
  const isAlone = side.urls.filter((url) => url === endpoint.url).length === 1;
  const list = (limit: number) =>
    wholeList<Delivery>(rest, `/webhooks/${endpoint.id}/deliveries`, limit, { byCursor: true, isGrowing: true });
  const missing = async (): Promise<string[]> => {
    const wanted = [...must, ...(isAlone ? received() : [])];
    const listed = await list(PAGE);
    const ended = new Set(
      listed.filter(({ status }) => !isFinal || status === "delivered").map(({ event_id }) => event_id),
    );
    return [...wanted, ...listed.map(({ event_id }) => event_id)].filter((id) => !ended.has(id));
  };
  await expect.poll(missing, { message: `deliveries of ${endpoint.id}`, intervals: [100, 250, 500] }).toEqual([]);
  const deliveries = await list(13);
  const ids = deliveries.map(({ event_id }) => event_id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => !may.has(id))).toEqual([]);
  const delivered = deliveries.filter(({ status }) => status === "delivered").map(({ event_id }) => event_id);
  const seen = new Set(received());
  expect(delivered.filter((id) => !seen.has(id))).toEqual([]);
}

async function compareRest(state: State, side: Side, rest: CheckedApi): Promise<void> {
  const keyId = side.keys[0]?.id ?? "";
  for (const prepared of [prepareSuppressions(keyId), prepareEndpoints(keyId)]) {
    prepared.judge(state, await rest.ask(prepared.ask));
  }
  for (const { number, senderId } of side.suppressions) {
    const query = `number=${encodeURIComponent(number)}${senderId === null ? "" : `&sender_id=${encodeURIComponent(senderId)}`}`;
    const items = await wholeList<Suppression>(rest, `/suppressions?${query}`, 1, { byCursor: true });
    const expected = side.suppressions.filter(
      (entry) => entry.number === number && (senderId === null || entry.senderId === senderId),
    );
    expect(items.map(({ id }) => id).toSorted()).toEqual(expected.map(({ id }) => id).toSorted());
  }
  const { data: keys } = await rest.get<{ data: ApiKey[] }>("/api-keys");
  const keyFields = ({ id, name, isActive, createdBy }: Side["keys"][number]) => ({
    id,
    name,
    is_active: isActive,
    created_by: createdBy,
  });
  expect(newestFirst(keys)).toMatchObject(newestFirst(side.keys).map(keyFields));
  const senders = await wholeList<Sender>(rest, "/senders", PAGE);
  expect(senders.map(({ id }) => id).toSorted()).toEqual(side.senders.map(({ id }) => id).toSorted());
  for (const status of STATUSES) {
    const step = { filters: [{ name: "status" as const, value: status }], page: null, limit: PAGE };
    const prepared = prepareList(keyId, step);
    const response = await rest.ask(prepared.ask);
    prepared.judge(state, response);
    const listed = newestFirst(side.messages.filter(({ seen }) => seen.status === status));
    expect(response.body.pagination).toEqual(paginationOf(listed.length, 1, PAGE));
    expect((response.body.data as Message[]).map(({ id }) => id)).toEqual(listed.slice(0, PAGE).map(({ id }) => id));
  }
  const walked = await wholeList<Message>(rest, "/messages", 7, { byCursor: true });
  expect(walked).toEqual(newestFirst(side.messages).map(({ seen }) => seen));
}

/** Compares everything that the API shows of the accounts with the model. */
export async function compareAll(world: World, database: Database): Promise<void> {
  await settle(world);
  for (const name of SIDES) {
    const side = world.state.sides[name];
    const rest = restOf(world, side);
    await compareMoney(side, rest, database);
    const events = await compareEvents(side, rest);
    await compareRest(world.state, side, rest);
    for (const endpoint of side.endpoints) await compareDeliveries(world, side, endpoint, events);
  }
}
