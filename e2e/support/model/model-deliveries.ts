/** The comparison of events, deliveries and their signatures with the model. */
import { expect } from "@playwright/test";
import type { InboundMessage } from "@/server/inbound/schema";
import type { Message } from "@/server/messages/schema";
import type { AnyEvent, Delivery, Event } from "@/server/webhooks/schema";
import type { CheckedApi } from "../checked-api";
import { getsEvent, prepareSwitch } from "./endpoint-operations";
import { compareInbound } from "./inbound-operations";
import type { World } from "./model-requests";
import { Disagreement, type Endpoint, type ModelMessage, RANKS, type Side, type Status } from "./model-state";
import { isSignedWith, pairsOf, prepareRecovery } from "./secret-operations";
import { PAGE, wholeList } from "./whole-list";

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

/** Compares the events of an account with the model. @returns all of them. */
export async function compareEvents(side: Side, rest: CheckedApi): Promise<AnyEvent[]> {
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
  const received = await wholeList<AnyEvent>(rest, "/events?type=message.received", 3, { byCursor: true });
  for (const [at, { id, type, livemode, created_at, data }] of received.toReversed().entries()) {
    expect({ id, type, livemode }).toEqual({ id, type: "message.received", livemode: side.isLive });
    const inbound = side.inbound[at];
    if (!inbound) throw new Disagreement(`${id} is an event of no inbound message.`);
    compareInbound(inbound, data);
    expect(created_at).toBe((data as InboundMessage).created_at);
  }
  expect(received).toHaveLength(side.inbound.length);
  return [...events, ...received];
}

/** The steps between which an event was recorded, both included. */
function stepsOf(world: World, side: Side, { type, data }: AnyEvent): [after: number, before: number] {
  const inbound = side.inbound.find(({ id }) => id === data.id);
  if (inbound) return [inbound.step - 1, inbound.step];
  const passage = side.messages.find(({ id }) => id === data.id)?.passages[type === "message.sent" ? "sent" : "end"];
  return [passage?.after ?? -1, passage?.before ?? world.state.step];
}

/** Compares the deliveries of an endpoint with the events that it must and may get. */
async function compareDeliveries(world: World, side: Side, endpoint: Endpoint, events: AnyEvent[]): Promise<void> {
  const rest = world.rest.withKey(side.keys[0]?.plain ?? null);
  const rightOf = (event: AnyEvent) => getsEvent(endpoint, event.type, ...stepsOf(world, side, event));
  const must = events.filter((event) => rightOf(event) === "must").map(({ id }) => id);
  const may = new Set(events.filter((event) => rightOf(event) !== "never").map(({ id }) => id));
  const redacted = new Set(side.messages.filter(({ isRedacted }) => isRedacted).map(({ id }) => id));
  const forgotten = new Set(events.filter(({ data }) => redacted.has(data.id)).map(({ id }) => id));
  const mayBeHeld = (id: string) =>
    endpoint.isPaused || endpoint.leavesHeld || (endpoint.leavesForgotten && forgotten.has(id));
  const path = new URL(endpoint.url).pathname;
  const requests = () =>
    world.receiver.received.filter((each) => each.path === path && each.headers["service-test"] === undefined);
  const received = () => requests().map(({ headers }) => String(headers["webhook-id"]));
  // Two endpoints may have one URL.
  const isAlone = side.urls.filter((url) => url === endpoint.url).length === 1;
  const list = (limit: number) =>
    wholeList<Delivery>(rest, `/webhooks/${endpoint.id}/deliveries`, limit, { byCursor: true, isGrowing: true });
  const missing = async (): Promise<string[]> => {
    const wanted = [...must, ...(isAlone ? received() : [])];
    const listed = await list(PAGE);
    const isOver = ({ status, event_id }: Delivery) =>
      status === "delivered" || (status === "held" && mayBeHeld(event_id));
    const ended = new Set(listed.filter(isOver).map(({ event_id }) => event_id));
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
  if (!isAlone) return;
  const pairs = pairsOf(endpoint);
  const unsigned = requests().filter((request) => !pairs.some((secrets) => isSignedWith(secrets, request)));
  expect(unsigned.map(({ headers }) => headers["service-signature"])).toEqual([]);
}

/** Compares all deliveries, and again once everything that was parked has been sent. */
export async function compareAllDeliveries(
  world: World,
  side: Side,
  rest: CheckedApi,
  events: AnyEvent[],
): Promise<void> {
  for (const endpoint of side.endpoints) await compareDeliveries(world, side, endpoint, events);
  const keyId = side.keys[0]?.id ?? "";
  const parking = side.endpoints.filter(({ isPaused, leavesHeld }) => isPaused || leavesHeld);
  for (const endpoint of parking) {
    const { id } = endpoint;
    for (const prepared of [prepareSwitch(keyId, id, "resume"), prepareRecovery(keyId, id, true)]) {
      prepared.judge(world.state, await rest.ask(prepared.ask));
    }
  }
  for (const endpoint of parking) await compareDeliveries(world, side, endpoint, events);
}
