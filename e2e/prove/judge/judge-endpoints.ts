/** Checks that endpoints made, changed and deleted under load get the events they are subscribed to, and no others. */
import type { EndpointLife } from "../load/endpoints";
import type { Evidence } from "./evidence";
import { groupBy } from "./grouped";

/** Duration of the statement that records an event and reads the subscriptions. */
const SLACK_MS = 500;
/** Running jobs learn of a change within a second; times in signatures are whole seconds. */
const LEARNED_WITHIN_MS = 1_000;

/** A time in which an endpoint had these event types; null: deleted, or not yet created. */
type Phase = { fromMs: number; untilMs: number; events: readonly string[] | null };

const ALL_STATUSES: readonly string[] = ["message.sent", "message.delivered", "message.failed"];

const covers = (events: readonly string[], type: string): boolean =>
  events.includes(type) || (events.includes("*") && ALL_STATUSES.includes(type));

const typeOf = (status: string): string => `message.${status === "undelivered" ? "failed" : status}`;

/** The endpoint's phases. In between, while a request was under way, either may hold. */
function phasesOf({ created, events, changed, deleted }: EndpointLife): Phase[] {
  const phases: Phase[] = [{ fromMs: Number.NEGATIVE_INFINITY, untilMs: created.askedMs, events: null }];
  const enter = (isDone: boolean, fromMs: number, present: readonly string[] | null) => {
    if (isDone) phases.push({ fromMs: fromMs + SLACK_MS, untilMs: Number.POSITIVE_INFINITY, events: present });
  };
  const leave = (untilMs: number) => {
    const last = phases.at(-1);
    if (last) last.untilMs = Math.min(last.untilMs, untilMs);
  };
  enter(created.isDone, created.answeredMs, events);
  if (changed) leave(changed.at.askedMs);
  if (changed) enter(changed.at.isDone, changed.at.answeredMs, changed.events);
  if (deleted) leave(deleted.askedMs);
  if (deleted) enter(deleted.isDone, deleted.answeredMs, null);
  return phases;
}

/** Receivers of an endpoint: before a change of its URL, and after it. */
export const receiversOf = ({ receiver, changed }: EndpointLife): string[] =>
  changed ? [...new Set([receiver, changed.receiver])] : [receiver];

/** Each event goes to the endpoint if its type was subscribed to when it was recorded, and only then. */
function judgeEvents(life: EndpointLife, { database, answered, received, history }: Evidence): string[] {
  const [receivers, phases] = [receiversOf(life), phasesOf(life)];
  const own = new Set(receivers);
  const recordedMs = new Map(history.events.map(({ id, atMs }) => [id, atMs]));
  const deliveries = new Map(
    database.deliveries.flatMap(({ eventId, receiver, status }) => (own.has(receiver) ? [[eventId, status]] : [])),
  );
  const acknowledged = new Set(
    answered.flatMap(({ receiver, isTaken, eventId }) => (own.has(receiver) && isTaken ? [eventId] : [])),
  );
  const arrived = new Set(received.flatMap(({ receiver, eventId }) => (own.has(receiver) ? [eventId] : [])));
  return database.events.flatMap(({ id, accountId, status }) => {
    const atMs = recordedMs.get(id);
    const phase = phases.find(({ fromMs, untilMs }) => atMs !== undefined && atMs > fromMs && atMs < untilMs);
    if (accountId !== life.accountId || !phase) return [];
    const type = typeOf(status);
    const delivery = deliveries.get(id);
    const name = `${id} (${type}) for ${receivers.join(" or ")}`;
    if (phase.events === null || !covers(phase.events, type))
      return delivery !== undefined || arrived.has(id) ? [`${name} is not subscribed to, and was queued`] : [];
    if (life.deleted) return [];
    if (delivery !== "delivered") return [`${name} is ${delivery ?? "not even queued"}`];
    return acknowledged.has(id) ? [] : [`${name} counts as delivered and was never taken`];
  });
}

/** Requests that begin later than a second after a change go to the new URL, or nowhere after a deletion. */
function judgeRequests({ receiver, changed, deleted }: EndpointLife, own: Evidence["received"]): string[] {
  const isMoved = changed?.at.isDone === true && changed.receiver !== receiver;
  return own.flatMap((event) => {
    const after = (ms: number) => event.signedMs > ms + LEARNED_WITHIN_MS;
    const name = `${event.eventId} was sent to ${event.receiver}`;
    if (deleted?.isDone && after(deleted.answeredMs))
      return [`${name} ${event.signedMs - deleted.answeredMs} ms after the deletion`];
    if (isMoved && event.receiver === receiver && after(changed.at.answeredMs))
      return [`${name} ${event.signedMs - changed.at.answeredMs} ms after its URL was changed`];
    return [];
  });
}

/** Deliveries to a deleted endpoint end, unless they were delivered before. */
const judgePending = (life: EndpointLife, { database }: Evidence): string[] =>
  life.deleted?.isDone
    ? database.deliveries.flatMap(({ eventId, receiver, status }) =>
        receiversOf(life).includes(receiver) && (status === "pending" || status === "held")
          ? [`${eventId} for ${receiver}, which was deleted, is ${status}`]
          : [],
      )
    : [];

/** Descriptions of changes of endpoints that were not kept. */
export function judgeEndpoints(evidence: Evidence): string[] {
  const received = groupBy(evidence.received, ({ receiver }) => receiver);
  return evidence.endpoints.flatMap((life) => [
    ...(new Set(life.ids).size > 1 ? [`a repeated creation made ${life.ids.join(" and ")}`] : []),
    ...judgeEvents(life, evidence),
    ...judgeRequests(
      life,
      receiversOf(life).flatMap((name) => received.get(name) ?? []),
    ),
    ...judgePending(life, evidence),
  ]);
}
