/**
 * Transactional outbox: events, their deliveries and their jobs are written in the transaction that moves the status,
 * so an event exists exactly when its change does. Inserts only: of what others share nothing is changed here, and
 * nothing locked but disabled endpoints, which must not be enabled before their held deliveries are there.
 */
import type { Tx } from "../core/db";
import { newId } from "../core/ids";
import { addJobs } from "../core/jobs";
import { INSERT_CHANGES } from "../lists/store";
import type { MessageStatus } from "../messages/status";
import type { EventType } from "./schema";

/** A message that reached `status` at `at`, and the event that this raises. */
export type StatusEvent = { accountId: string; messageId: string; type: EventType; status: MessageStatus; at: Date };

type EventRow = StatusEvent & { id: string };
type Subscription = { id: string; accountId: string; events: string[]; isActive: boolean };
type DeliveryRow = { id: string; endpointId: string; event: EventRow; isActive: boolean };

/** A delivery with the tries that it has behind it in its round: what its next job has to name. */
export type WaitingDelivery = { id: string; endpointId: string; round: number; attempts: number };

/** Deliveries of one `deliver_webhooks` job at most: enough to share its cost, few enough to be sent in seconds. */
export const DELIVERIES_PER_JOB = 100;

/** Cuts `ids` into the lists that go into one job each, in order. */
export function jobBatches(ids: readonly string[]): string[][] {
  const batches: string[][] = [];
  for (let at = 0; at < ids.length; at += DELIVERIES_PER_JOB) batches.push(ids.slice(at, at + DELIVERIES_PER_JOB));
  return batches;
}

/**
 * Records status changes for the customers, at any number at once. Ids follow `at`, so a list by id is a list by time.
 * Every endpoint that is subscribed gets a delivery: a disabled one a `held` delivery without a job, so nothing is lost.
 */
export async function recordEvents(tx: Tx, events: readonly StatusEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map((event): EventRow => ({ ...event, id: newId("event") }));
  const subscriptions = await confirmDisabled(tx, await insertEvents(tx, rows));
  if (subscriptions.length === 0) return;

  const byAccount = groupBy(subscriptions, (endpoint) => endpoint.accountId);
  const deliveries = rows.flatMap((event) =>
    (byAccount.get(event.accountId) ?? [])
      .filter((endpoint) => endpoint.events.includes(event.type))
      .map(({ id, isActive }): DeliveryRow => ({ id: newId("delivery"), endpointId: id, event, isActive })),
  );
  if (deliveries.length === 0) return;
  await insertDeliveries(tx, deliveries);
  const due = deliveries.filter((delivery) => delivery.isActive);
  await addJobs(tx, "deliver_webhooks", jobsFor(due.map((delivery) => ({ ...delivery, round: 0, attempts: 0 }))));
}

/** Inserts the events and answers, in the same round trip, with the endpoints of the accounts concerned. */
async function insertEvents(tx: Tx, rows: readonly EventRow[]): Promise<Subscription[]> {
  const { rows: subscriptions } = await tx.query<Subscription>({
    name: "webhooks.insert_events",
    text: `WITH inserted AS (
             INSERT INTO events (id, account_id, type, message_id, status, created_at)
             SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
           )
           SELECT id, account_id AS "accountId", events, is_active AS "isActive" FROM webhook_endpoints
           WHERE account_id = ANY($7::text[]) AND deleted_at IS NULL ORDER BY id`,
    values: [
      rows.map((row) => row.id),
      rows.map((row) => row.accountId),
      rows.map((row) => row.type),
      rows.map((row) => row.messageId),
      rows.map((row) => row.status),
      rows.map((row) => row.at.toISOString()),
      [...new Set(rows.map((row) => row.accountId))],
    ],
  });
  return subscriptions;
}

/**
 * The same endpoints, those that are disabled as they are now and stay until this transaction ends: otherwise one could
 * be enabled meanwhile, and recover before the deliveries that are held for it can be seen. Deliveries do not wait for
 * this lock, only whoever enables does.
 */
async function confirmDisabled(tx: Tx, endpoints: Subscription[]): Promise<Subscription[]> {
  const disabledIds = endpoints.flatMap((endpoint) => (endpoint.isActive ? [] : [endpoint.id]));
  if (disabledIds.length === 0) return endpoints;
  const { rows } = await tx.query<{ id: string; isActive: boolean }>({
    name: "webhooks.confirm_disabled",
    text: `SELECT id, is_active AS "isActive" FROM webhook_endpoints WHERE id = ANY($1::text[]) ORDER BY id
           FOR KEY SHARE`,
    values: [disabledIds],
  });
  const nowActive = new Set(rows.flatMap((row) => (row.isActive ? [row.id] : [])));
  return endpoints.map((endpoint) => (nowActive.has(endpoint.id) ? { ...endpoint, isActive: true } : endpoint));
}

/** `next_attempt_at` is the database's own clock, cut down, so that a delivery without tries is always due. */
async function insertDeliveries(tx: Tx, rows: readonly DeliveryRow[]): Promise<void> {
  await tx.query({
    name: "webhooks.insert_deliveries",
    text: `WITH inserted AS (
             INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, created_at, status, next_attempt_at)
             SELECT d.id, d.account_id, d.endpoint_id, d.event_id, d.created_at,
               CASE WHEN d.is_active THEN 'pending' ELSE 'held' END,
               CASE WHEN d.is_active THEN date_trunc('milliseconds', now()) END
             FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::timestamptz[], $6::bool[])
               AS d (id, account_id, endpoint_id, event_id, created_at, is_active)
             RETURNING endpoint_id, status
           )
           ${INSERT_CHANGES}
           SELECT 'deliveries', endpoint_id, status, count(*) FROM inserted GROUP BY endpoint_id, status`,
    values: [
      rows.map((row) => row.id),
      rows.map((row) => row.event.accountId),
      rows.map((row) => row.endpointId),
      rows.map((row) => row.event.id),
      rows.map((row) => row.event.at.toISOString()),
      rows.map((row) => row.isActive),
    ],
  });
}

/** The jobs that send these deliveries now, in their order; deliveries share one when they are alike but for their id. */
export function jobsFor(deliveries: readonly WaitingDelivery[]) {
  const groups = groupBy(deliveries, ({ endpointId, round, attempts }) => `${endpointId} ${round} ${attempts}`);
  return [...groups.values()].flatMap((alike) =>
    jobBatches(alike.map((delivery) => delivery.id)).map((deliveryIds) => {
      const { endpointId = "", round = 0, attempts: attemptsMade = 0 } = alike[0] ?? {};
      return { payload: { endpointId, deliveryIds, round, attemptsMade }, runAt: null };
    }),
  );
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}
