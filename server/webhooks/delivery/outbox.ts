/**
 * Transactional outbox: events and the jobs of their deliveries are written in the transaction that moves the status, so an
 * event exists exactly when its change does. A delivery gets its row with the outcome of its first try; until then it exists
 * only in its job (docs/decisions/0020). It only inserts, so transactions do not wait for each other. It locks only disabled
 * endpoints, which must not be enabled before their parked deliveries are visible.
 */

import { addJobs, addKnownJobs } from "../../core/add-jobs";
import { onCommit, type Queryable, type Tx } from "../../core/db";
import { groupBy } from "../../core/group-by";
import type { JobPayload } from "../../core/jobs";
import { noteChange } from "../../core/live";
import { unnest } from "../../core/unnest";
import { INSERT_CHANGES } from "../../lists/store";
import type { MessageStatus } from "../../messages/status";
import { deliveryIdOf, eventIdOf } from "../derived-ids";
import type { EventType } from "../schema";

/** The event raised by a message that reached `status` at `at`. */
export type StatusEvent = { accountId: string; messageId: string; type: EventType; status: MessageStatus; at: Date };

/** The event of a message that was received from a handset. */
type ReceivedEvent = Omit<StatusEvent, "status"> & { type: "message.received"; status: "received" };

type NewEvent = StatusEvent | ReceivedEvent;
type EventRow = NewEvent & { id: string };
type Subscription = { id: string; accountId: string; events: string[]; isActive: boolean };
type NewDelivery = { id: string; endpointId: string; event: EventRow; isActive: boolean };

/** A delivery as its next job names it; `attempts`: tries made in this round. */
export type WaitingDelivery = { id: string; endpointId: string; round: number; attempts: number };

/** Most deliveries of one job: enough to share its cost, few enough to be sent within seconds. */
export const DELIVERIES_PER_JOB = 100;

/** Splits `ids`, in order, into batches of one job each. */
export function jobBatches(ids: readonly string[]): string[][] {
  const batches: string[][] = [];
  for (let at = 0; at < ids.length; at += DELIVERIES_PER_JOB) batches.push(ids.slice(at, at + DELIVERIES_PER_JOB));
  return batches;
}

/**
 * Records any number of events. Ids follow `at`, so a list by id is a list by time. Every subscribed endpoint gets a delivery,
 * in a job; a disabled endpoint's delivery is parked instead (a row, `held`, without a job), so nothing is lost.
 */
export async function recordEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map((event): EventRow => ({ id: eventIdOf(event.messageId, event.type, event.at), ...event }));
  const subscriptions = await confirmDisabled(tx, await insertEvents(tx, rows));
  if (subscriptions.length === 0) return;

  const byAccount = groupBy(subscriptions, (endpoint) => endpoint.accountId);
  const deliveries = rows.flatMap((event) =>
    (byAccount.get(event.accountId) ?? [])
      .filter((endpoint) => endpoint.events.includes(event.type))
      .map(({ id, isActive }): NewDelivery => ({ id: deliveryIdOf(event.id, id), endpointId: id, event, isActive })),
  );
  const due = deliveries.filter((delivery) => delivery.isActive);
  const parked = new Set(deliveries.flatMap(({ isActive, event }) => (isActive ? [] : [event.accountId])));
  // No try follows that would notify the account's pages.
  if (parked.size > 0) onCommit(tx, () => notePages(parked));
  await Promise.all([
    insertDeliveries(
      tx,
      deliveries.filter((delivery) => !delivery.isActive || NEEDS_ROW.has(delivery.event.type)),
    ),
    addDeliveryJobs(tx, jobsFor(due.map((delivery) => ({ round: 0, attempts: 0, ...delivery })))),
  ]);
}

function notePages(accountIds: ReadonlySet<string>): void {
  for (const accountId of accountIds) noteChange(accountId, "deliveries");
}

const EVENTS = unnest<EventRow>({
  id: ["text", (row) => row.id],
  account_id: ["text", (row) => row.accountId],
  type: ["text", (row) => row.type],
  message_id: ["text", (row) => row.messageId],
  status: ["text", (row) => row.status],
  created_at: ["timestamptz", (row) => row.at.toISOString()],
});

/** Inserts the events and returns, in the same round trip, the endpoints of their accounts. */
async function insertEvents(tx: Tx, rows: readonly EventRow[]): Promise<Subscription[]> {
  const { rows: subscriptions } = await tx.query<Subscription>({
    name: "webhooks.insert_events",
    text: `WITH inserted AS (
             INSERT INTO events (id, account_id, type, message_id, status, created_at)
             SELECT * FROM ${EVENTS.sql}
           )
           SELECT id, account_id AS "accountId", events, is_active AS "isActive" FROM webhook_endpoints
           WHERE account_id = ANY($7::text[]) AND deleted_at IS NULL ORDER BY id`,
    values: [...EVENTS.values(rows), [...new Set(rows.map((row) => row.accountId))]],
  });
  return subscriptions;
}

/**
 * Reads disabled endpoints again under a lock that keeps them disabled until this transaction ends. Otherwise one could
 * be enabled, and recovered, before the deliveries parked for it are visible. The lock delays enabling, not deliveries.
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

/**
 * Types whose deliveries get their row at once. A worker of a version that does not know the type ends such a job without
 * sending; the row stays pending, and is queued again by the sweep until a worker sends it.
 */
const NEEDS_ROW: ReadonlySet<EventType> = new Set(["message.received"]);

const DELIVERIES = unnest<NewDelivery>({
  id: ["text", (row) => row.id],
  account_id: ["text", (row) => row.event.accountId],
  endpoint_id: ["text", (row) => row.endpointId],
  event_id: ["text", (row) => row.event.id],
  created_at: ["timestamptz", (row) => row.event.at.toISOString()],
  status: ["text", (row) => (row.isActive ? "pending" : "held")],
});

async function insertDeliveries(tx: Tx, rows: readonly NewDelivery[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: "webhooks.insert_new_deliveries",
    text: `WITH inserted AS (
             INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, created_at, status, next_attempt_at)
             SELECT p.id, p.account_id, p.endpoint_id, p.event_id, p.created_at, p.status,
               CASE WHEN p.status = 'pending' THEN date_trunc('milliseconds', now()) END
             FROM ${DELIVERIES.as("p")}
             RETURNING endpoint_id, status
           )
           ${INSERT_CHANGES}
           SELECT 'deliveries', endpoint_id, status, count(*) FROM inserted GROUP BY endpoint_id, status`,
    values: DELIVERIES.values(rows),
  });
}

type DeliveryJob = { payload: JobPayload<"deliver_webhooks">; runAt: Date | null };

/** Adds jobs of deliveries, each under the name of its kind of try. */
export async function addDeliveryJobs(tx: Queryable, added: readonly DeliveryJob[]): Promise<void> {
  const isFirst = ({ payload }: DeliveryJob) => isFirstTry(payload);
  await Promise.all([
    addJobs(tx, "deliver_events", added.filter(isFirst)),
    addJobs(
      tx,
      "deliver_webhooks",
      added.filter((job) => !isFirst(job)),
    ),
  ]);
}

/** Like {@link addDeliveryJobs}, for later. @returns the jobs with their ids, in any order. */
export async function addKnownDeliveryJobs(tx: Queryable, added: readonly (DeliveryJob & { runAt: Date })[]) {
  const isFirst = ({ payload }: DeliveryJob) => isFirstTry(payload);
  const jobs = await Promise.all([
    addKnownJobs(tx, "deliver_events", added.filter(isFirst)),
    addKnownJobs(
      tx,
      "deliver_webhooks",
      added.filter((job) => !isFirst(job)),
    ),
  ]);
  return jobs.flat();
}

/** Whether the deliveries of a job may be without rows: only before their very first try. */
export const isFirstTry = ({ attemptsMade, round }: Pick<JobPayload<"deliver_webhooks">, "attemptsMade" | "round">) =>
  attemptsMade === 0 && (round ?? 0) === 0;

/** The jobs that send these deliveries now, in order; deliveries of one endpoint, round and try share a job. */
export function jobsFor(deliveries: readonly WaitingDelivery[]) {
  const groups = groupBy(deliveries, ({ endpointId, round, attempts }) => `${endpointId} ${round} ${attempts}`);
  return [...groups.values()].flatMap((alike) =>
    jobBatches(alike.map((delivery) => delivery.id)).map((deliveryIds) => {
      const { endpointId = "", round = 0, attempts: attemptsMade = 0 } = alike[0] ?? {};
      return { payload: { endpointId, deliveryIds, round, attemptsMade }, runAt: null };
    }),
  );
}
