/** Counters of deleted messages, which usage includes and lists do not. */
import type { Tx } from "../core/db";
import { unnest } from "../core/unnest";
import type { EventType } from "../webhooks/schema";
import type { EndedMessage } from "./rounds";

type Counts = {
  messages: number;
  segments: number;
  costMicros: bigint;
  delivered: number;
  failed: number;
  undelivered: number;
  eventsSent: number;
  eventsDelivered: number;
  eventsFailed: number;
};
type DayCounts = Counts & { accountId: string; day: string };

const COUNTER_OF = {
  "message.sent": "eventsSent",
  "message.delivered": "eventsDelivered",
  "message.failed": "eventsFailed",
} as const satisfies Partial<Record<EventType, keyof Counts>>;

const NOTHING: Counts = {
  messages: 0,
  segments: 0,
  costMicros: 0n,
  delivered: 0,
  failed: 0,
  undelivered: 0,
  eventsSent: 0,
  eventsDelivered: 0,
  eventsFailed: 0,
};

const DAYS = unnest<DayCounts>({
  account_id: ["text", ({ accountId }) => accountId],
  day: ["date", ({ day }) => day],
  messages: ["int4", ({ messages }) => messages],
  segments: ["int4", ({ segments }) => segments],
  cost_micros: ["int8", ({ costMicros }) => costMicros],
  delivered: ["int4", ({ delivered }) => delivered],
  failed: ["int4", ({ failed }) => failed],
  undelivered: ["int4", ({ undelivered }) => undelivered],
  events_sent: ["int4", ({ eventsSent }) => eventsSent],
  events_delivered: ["int4", ({ eventsDelivered }) => eventsDelivered],
  events_failed: ["int4", ({ eventsFailed }) => eventsFailed],
});
const COUNTERS = Object.keys({
  messages: 0,
  segments: 0,
  cost_micros: 0,
  delivered: 0,
  failed: 0,
  undelivered: 0,
  events_sent: 0,
  events_delivered: 0,
  events_failed: 0,
});

/**
 * Adds the messages deleted in this transaction to the counters of their days of acceptance.
 * @param events of `messages` or of messages that stay, which must be in `owners`.
 */
export async function countForgotten(
  tx: Tx,
  owners: readonly EndedMessage[],
  {
    messages,
    events,
  }: { messages: readonly EndedMessage[]; events: readonly { messageId: string; type: EventType }[] },
): Promise<void> {
  const days = new Map<string, DayCounts>();
  const countsOf = ({ accountId, day }: EndedMessage): DayCounts => {
    const key = `${accountId} ${day}`;
    const counts = days.get(key) ?? { accountId, day, ...NOTHING };
    days.set(key, counts);
    return counts;
  };
  for (const message of messages) {
    const counts = countsOf(message);
    counts.messages += 1;
    counts.segments += message.segments;
    counts.costMicros += message.costMicros;
    counts[message.status] += 1;
  }
  const ownerById = new Map(owners.map((message) => [message.id, message]));
  for (const { messageId, type } of events) {
    const owner = ownerById.get(messageId);
    // Events of inbound messages are not counted by day.
    if (owner && type !== "message.received") countsOf(owner)[COUNTER_OF[type]] += 1;
  }
  if (days.size === 0) return;
  await tx.query({
    name: "retention.count_forgotten",
    text: `INSERT INTO forgotten_days AS f (account_id, day, ${COUNTERS.join(", ")})
           SELECT * FROM ${DAYS.sql} ORDER BY 1, 2
           ON CONFLICT (account_id, day) DO UPDATE SET ${COUNTERS.map((name) => `${name} = f.${name} + excluded.${name}`).join(", ")}`,
    values: DAYS.values([...days.values()]),
  });
}
