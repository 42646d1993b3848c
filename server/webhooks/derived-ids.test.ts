import { expect, test } from "vitest";
import { isId, newId, timeOfId } from "../core/ids";
import { deliveryIdOf, deliveryIdsOf, eventIdOf, eventOfDelivery } from "./derived-ids";

const AT = new Date("2026-11-22T08:00:00.123Z");

test("an event's id follows from message, type and time, has the form of an id and carries the time", () => {
  const messageId = newId("message");
  const id = eventIdOf(messageId, "message.sent", AT);
  expect(eventIdOf(messageId, "message.sent", AT)).toBe(id);
  expect(isId("event", id)).toBe(true);
  expect(timeOfId(id)).toEqual(AT);
});

test("ids of events sort by time, then by the order of a message's events", () => {
  const messages = [newId("message"), newId("message")];
  const later = new Date(AT.getTime() + 1);
  const ids = [
    ...(["message.sent", "message.delivered", "message.failed"] as const).map((type) =>
      eventIdOf(messages[1] ?? "", type, AT),
    ),
    eventIdOf(messages[0] ?? "", "message.sent", later),
  ];
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(4);
});

test("a delivery's id names its event, and tells the endpoints of an account apart", () => {
  const eventId = eventIdOf(newId("message"), "message.delivered", AT);
  const ids = Array.from({ length: 50 }, () => deliveryIdOf(eventId, newId("endpoint")));
  expect(new Set(ids).size).toBe(50);
  const { first, last } = deliveryIdsOf(eventId);
  for (const id of ids) {
    expect(eventOfDelivery(id)).toEqual({ id: eventId, at: AT });
    expect(id >= first && id <= last).toBe(true);
  }
  const other = deliveryIdOf(eventIdOf(newId("message"), "message.delivered", AT), newId("endpoint"));
  expect(other >= first && other <= last).toBe(false);
});

test("the random id of a former version names no event, and is distinguished from a derived one", () => {
  expect(eventOfDelivery(newId("delivery"))).toBeNull();
  // The character that the partial indexes of former rows look at.
  for (const kind of ["event", "delivery"] as const) expect(["e", "f"]).toContain(newId(kind)[14]);
  const eventId = eventIdOf(newId("message"), "message.failed", AT);
  for (const id of [eventId, deliveryIdOf(eventId, newId("endpoint"))]) expect(id[14]).toBe("2");
});
