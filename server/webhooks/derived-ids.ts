/**
 * Ids of events and deliveries are derived from their message, type and endpoint, so both are found by primary key without an
 * index by message or event (docs/decisions/0020). Ids of earlier versions are random, and found by a partial index; {@link
 * isFormerId} recognizes them.
 */
import { firstIdAt, timeOfId } from "../core/ids";
import { EVENT_TYPES, type EventType } from "./schema";

/** Characters of an id up to and with its time: a prefix of three, the underscore and ten of base32. */
const TIME_END = 14;
/** Characters of an event's id: its time, the type's place among all types, and the end of the message's id. */
const EVENT_LENGTH = 30;
/** An id ends with random bits and a counter: 75 of them, or 50, which are enough within one account. */
const MESSAGE_TAIL = 15;
const ENDPOINT_TAIL = 10;
const DELIVERY_LENGTH = EVENT_LENGTH + ENDPOINT_TAIL;

/**
 * SQL: whether `column` holds a random id. Its character after the time is the version of a UUIDv7, `e` or `f`; a derived id
 * has the type's digit there. The partial indexes of former rows have the same condition.
 */
export const isFormerId = (column: string): string => `substr(${column}, 15, 1) IN ('e', 'f')`;

/** SQL: the types that an event's id allows: the one whose digit it contains, or all for a former id. */
const typesOf = (id: string): string => {
  const cases = EVENT_TYPES.map((type, digit) => `WHEN '${digit}' THEN '{${type}}'::text[]`);
  return `CASE substr(${id}, 15, 1) ${cases.join(" ")} ELSE '{${EVENT_TYPES.join()}}'::text[] END`;
};

/**
 * SQL: the condition that finds an event by its account, an expression, and its id, a column of another table. Events have
 * no index by the id alone.
 */
export const isEvent = (event: string, accountId: string, id: string): string =>
  `${event}.account_id = ${accountId} AND ${event}.type = ANY(${typesOf(id)}) AND ${event}.id = ${id}`;

/**
 * The id of the event that a message raises when it reaches `type`, which it does once; an inbound one only raises
 * `message.received`. Ids sort by `at`, then by type:
 * `message.sent` and `message.delivered` of one millisecond are in order.
 */
export const eventIdOf = (messageId: string, type: EventType, at: Date): string =>
  `${firstIdAt("event", at).slice(0, TIME_END)}${EVENT_TYPES.indexOf(type)}${messageId.slice(-MESSAGE_TAIL)}`;

/** The id of the event's delivery to an endpoint. */
export const deliveryIdOf = (eventId: string, endpointId: string): string =>
  `dlv_${eventId.slice(4)}${endpointId.slice(-ENDPOINT_TAIL)}`;

/** The event of a delivery, from its id; null for the random id of a former version. */
export function eventOfDelivery(deliveryId: string): { id: string; at: Date } | null {
  if (deliveryId.length !== DELIVERY_LENGTH || !deliveryId.startsWith("dlv_")) return null;
  const id = `evt_${deliveryId.slice(4, EVENT_LENGTH)}`;
  return { id, at: timeOfId(id) };
}

/** Bounds of the ids of an event's deliveries, both included. */
export const deliveryIdsOf = (eventId: string): { first: string; last: string } => ({
  first: deliveryIdOf(eventId, ""),
  last: deliveryIdOf(eventId, "z".repeat(ENDPOINT_TAIL)),
});
