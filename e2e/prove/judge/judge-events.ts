/** Checks that customers received every event and no false one, and that no healthy endpoint was disabled. */

import { mayFollow } from "../load/reader";
import type { StoredMessage } from "./books";
import type { Evidence } from "./evidence";
import { groupBy } from "./grouped";
import { receiversOf } from "./judge-endpoints";

const DISABLE_AFTER = 25;

export type EventsVerdict = { missing: string[]; forged: string[]; backwards: string[]; disabledByUs: string[] };

/** Length of the longest run of responses other than 2xx. */
export function longestFailure(answers: readonly { isTaken: boolean }[]): number {
  let longest = 0;
  let current = 0;
  for (const { isTaken } of answers) {
    current = isTaken ? 0 : current + 1;
    longest = Math.max(longest, current);
  }
  return longest;
}

/** Statuses that a message passed through; each has an event. */
function passedThrough({ status, costMicros }: StoredMessage): string[] {
  if (status === "pending") return [];
  // A charged message was taken by a provider first, even when both facts became known at once.
  return status === "sent" || (status === "failed" && costMicros === 0) ? [status] : ["sent", status];
}

/**
 * Whether a delivery of a deleted text can no longer be sent: it was abandoned, or parked while its endpoint was disabled. What a pause
 * has parked is sent without the text.
 */
const endedByRedaction = ({ redactions, disabled }: Evidence) => {
  const redacted = new Set(redactions.flatMap(({ id, isDeleted }) => (isDeleted === false ? [] : [id])));
  return (messageId: string, receiver: string, status: string): boolean =>
    redacted.has(messageId) && (status === "abandoned" || (status === "held" && disabled.has(receiver)));
};

export function judgeEvents(evidence: Evidence): EventsVerdict {
  const { database, received, answered } = evidence;
  const sends = [...evidence.sends, ...(evidence.limited?.trials ?? [])];
  const stored = [...database.messages, ...database.testMessages];
  const messages = new Map(stored.map((message) => [message.id, message]));
  const inbound = new Map(database.inbound.map((message) => [message.id, message]));
  const missing: string[] = [];

  // Every change of a message has exactly one event.
  const eventsOf = groupBy(database.events, ({ messageId }) => messageId);
  for (const message of stored) {
    const expected = passedThrough(message).toSorted().join();
    const found = (eventsOf.get(message.id) ?? [])
      .map(({ status }) => status)
      .toSorted()
      .join();
    if (found !== expected) missing.push(`${message.id} has the events ${found || "none"}, not ${expected || "none"}`);
  }

  // Every event was delivered to every endpoint of its account: stored as delivered, acknowledged by the receiver.
  const deliveries = new Map(database.deliveries.map((each) => [`${each.eventId} ${each.receiver}`, each.status]));
  const acknowledged = new Set(answered.flatMap((each) => (each.isTaken ? [`${each.eventId} ${each.receiver}`] : [])));
  const wasRedacted = endedByRedaction(evidence);
  // Endpoints made under load are judged by themselves.
  const temporary = evidence.endpoints.flatMap((life) =>
    receiversOf(life).map((name) => [name, life.accountId] as const),
  );
  const isTemporary = new Set(temporary.map(([name]) => name));
  for (const { id, accountId, messageId } of database.events) {
    for (const { receiver, accountId: owner } of database.endpoints) {
      if (owner !== accountId || isTemporary.has(receiver)) continue;
      const name = `${id} ${receiver}`;
      const status = deliveries.get(name) ?? "not even queued";
      if (wasRedacted(messageId, receiver, status)) continue;
      if (status !== "delivered") missing.push(`${id} for ${receiver} is ${status}`);
      else if (!acknowledged.has(name)) missing.push(`${id} for ${receiver} counts as delivered and was never taken`);
    }
  }

  // Every webhook received is signed and true.
  const events = new Map(database.events.map((event) => [event.id, event]));
  const ownerOf = new Map([
    ...database.endpoints.map(({ receiver, accountId }) => [receiver, accountId] as const),
    ...temporary,
  ]);
  const references = new Map(
    sends.flatMap(({ messages: own, reference }) => (own ?? []).map(({ id }) => [id, reference] as const)),
  );
  const forged = received.flatMap(({ receiver, eventId, messageId, status, to, reference, problem }) => {
    const name = `${eventId || "an event"} at ${receiver}`;
    if (problem) return [`${name}: ${problem}`];
    const event = events.get(eventId);
    if (event?.messageId !== messageId || event.status !== status) return [`${name} is not what is stored`];
    if (event.accountId !== ownerOf.get(receiver)) return [`${name} is another account's`];
    if ((messages.get(messageId) ?? inbound.get(messageId))?.to !== to) return [`${name} has a wrong number`];
    const own = references.get(messageId);
    return own !== undefined && own !== reference ? [`${name} has a wrong reference`] : [];
  });

  // In order of time the events of a message never go back, and no event comes twice under another id.
  const backwards: string[] = [];
  for (const [messageId, own] of groupBy(received, ({ messageId }) => messageId)) {
    const distinct = [...new Map(own.map((event) => [event.eventId, event])).values()].toSorted(
      (one, other) => one.createdAt.localeCompare(other.createdAt) || one.eventId.localeCompare(other.eventId),
    );
    if (inbound.has(messageId)) {
      if (distinct.length > 1) backwards.push(`${messageId}: its receipt was reported ${distinct.length} times`);
      continue;
    }
    for (const [at, { status }] of distinct.entries()) {
      const before = distinct[at - 1]?.status ?? "pending";
      if (status === before || !mayFollow(before, status))
        backwards.push(`${messageId}: reported ${before}, then ${status}`);
    }
  }

  const disabledByUs = [...evidence.disabled].flatMap(([receiver, errors]) => {
    const longest = longestFailure(answered.filter((each) => each.receiver === receiver));
    return longest < DISABLE_AFTER
      ? [`${receiver}, which failed at most ${longest} times in a row; tries: ${errors}`]
      : [];
  });
  return { missing, forged, backwards, disabledByUs };
}
