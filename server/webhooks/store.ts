/**
 * The hand-written SQL of deliveries. A change of deliveries first locks their endpoints in the order of their ids, so
 * that batches wait for each other instead of deadlocking, and state read under the lock stays true.
 */
import { filterEquals, onCommit, pool, type Tx, transaction } from "../core/db";
import type { JobPayload } from "../core/jobs";
import { noteChange } from "../core/live";
import { defineProcessValue } from "../core/process";
import { unnest } from "../core/unnest";
import { findInbound, type InboundRow } from "../inbound/store";
import { INSERT_CHANGES, readTotal } from "../lists/store";
import { MESSAGE_COLUMNS, type MessageRow } from "../messages/present";
import type { EndpointState } from "./delivery/delivery-outcome";
import { isFirstTry } from "./delivery/outbox";
import { REQUESTS_END_WITHIN_MS } from "./delivery/retry";
import { eventOfDelivery, isEvent } from "./derived-ids";
import type { SealedSecrets } from "./secrets";

/**
 * The endpoint of a delivery, with its secrets still sealed. `readAtMs`: when reading it began, by `performance.now()`.
 */
export type Target = EndpointState & SealedSecrets & { url: string; accountId: string; readAtMs: number };

type DueFields = {
  deliveryId: string;
  round: number;
  triesMade: number;
  eventId: string;
  eventType: string;
  eventStatus: string;
  eventCreatedAt: Date;
};

/** A due delivery: its event, and the row of `messages`, or of `inbound_messages`, that the event is about. */
export type DueDelivery = DueFields & ({ message: MessageRow } | { received: InboundRow });

/** `id`: of the message; null when the event is about an inbound one. */
type DueRow = DueFields & (MessageRow | { id: null }) & { subjectId: string };

const OWNERS_MAX = 10_000;
const PARKED_PER_STEP = 1_000;

const STATE_COLUMNS = `id, generation, is_active AS "isActive", deleted_at IS NOT NULL AS "isDeleted",
  failure_count AS "failureCount", last_success_at AS "lastSuccessAt", last_failure_at AS "lastFailureAt",
  disabled_at AS "disabledAt", disabled_reason AS "disabledReason"`;

/** The columns that a request to an endpoint needs; the previous secret only while it still signs. */
export const TARGET_COLUMNS = `url, secret_sealed AS "secretSealed",
  CASE WHEN previous_secret_until > now() THEN previous_secret_sealed END AS "previousSecretSealed"`;

/** SQL: a try that is due this soon may be under way, since its job may run already. */
export const IS_DUE = "next_attempt_at <= clock_timestamp() + interval '1 second'";

/** SQL: a request that was under way when the delivery was parked may still be. */
export const IS_UNDER_WAY = "coalesce(under_way_until > clock_timestamp(), false)";

/** Updates the totals of lists by `moved`: deliveries (`endpoint_id`) that went from the status `former` to `status`. */
export const INSERT_MOVES = `${INSERT_CHANGES}
  SELECT 'deliveries', m.endpoint_id, c.status, sum(c.change)
  FROM moved m CROSS JOIN LATERAL (VALUES (m.former, -1), (m.status, 1)) AS c (status, change)
  GROUP BY m.endpoint_id, c.status HAVING sum(c.change) <> 0`;

/** Whether the endpoint receives events now. */
export const isOpen = (endpoint: EndpointState): boolean => endpoint.isActive && !endpoint.isDeleted;

const knownOwners = defineProcessValue("webhooks.owners", () => new Map<string, Promise<string | null>>());

/** The account of an endpoint, deleted or not; null when there never was one. Cached, because it never changes. */
export function ownerOf(endpointId: string): Promise<string | null> {
  const owners = knownOwners();
  const cached = owners.get(endpointId);
  if (cached) return cached;
  if (owners.size >= OWNERS_MAX) owners.clear();
  const read = readOwner(endpointId);
  owners.set(endpointId, read);
  const drop = () => owners.delete(endpointId);
  read.then((owner) => owner ?? drop(), drop);
  return read;
}

/** Notifies the open pages of an endpoint's account that its deliveries changed. */
export async function tellOwner(endpointId: string): Promise<void> {
  const owner = await ownerOf(endpointId).catch(() => null);
  if (owner) noteChange(owner, "deliveries");
}

async function readOwner(endpointId: string): Promise<string | null> {
  const { rows } = await pool().query<{ accountId: string }>({
    name: "webhooks.read_owner",
    text: `SELECT account_id AS "accountId" FROM webhook_endpoints WHERE id = $1`,
    values: [endpointId],
  });
  return rows[0]?.accountId ?? null;
}

/** The endpoint, deleted or not; null when there never was one. */
export async function loadTarget(endpointId: string): Promise<Target | null> {
  const readAtMs = performance.now();
  const { rows } = await pool().query<Omit<Target, "readAtMs">>({
    name: "webhooks.load_target",
    text: `SELECT ${STATE_COLUMNS}, ${TARGET_COLUMNS}, account_id AS "accountId" FROM webhook_endpoints WHERE id = $1`,
    values: [endpointId],
  });
  return rows[0] ? { ...rows[0], readAtMs } : null;
}

/**
 * The deliveries of a job that are to be sent now, in the order of their events. A delivery of a first try needs no row. Leaves
 * out a delivery that has ended, or that was tried or recovered since the job was queued (as a job that runs twice finds):
 * it needs no job or has its own.
 */
export async function loadDue(accountId: string, job: JobPayload<"deliver_webhooks">): Promise<DueDelivery[]> {
  const isFirst = isFirstTry(job);
  // Merged work may name a delivery twice.
  const ids = [...new Set(job.deliveryIds)];
  const { rows } = await pool().query<DueRow>({
    name: "webhooks.load_due",
    // Each row is found only by its key, whatever the statistics say about a table that grows and empties quickly.
    text: `SELECT ${MESSAGE_COLUMNS}, w.id AS "deliveryId", coalesce(d.round, 0::int2) AS round,
             coalesce(d.attempts, 0::int2) AS "triesMade",
             e.id AS "eventId", e.type AS "eventType", e.status AS "eventStatus", e.created_at AS "eventCreatedAt",
             e.message_id AS "subjectId"
           FROM unnest($2::text[], $5::text[]) AS w (id, event_id)
           LEFT JOIN LATERAL (SELECT * FROM webhook_deliveries WHERE id = w.id AND account_id = $6 OFFSET 0) d ON true
           CROSS JOIN LATERAL (SELECT coalesce(d.event_id, w.event_id) AS event_id OFFSET 0) k
           CROSS JOIN LATERAL (SELECT * FROM events e WHERE ${isEvent("e", "$6", "k.event_id")} OFFSET 0) e
           LEFT JOIN LATERAL (SELECT * FROM messages WHERE id = e.message_id AND account_id = $6 OFFSET 0) m ON true
           WHERE CASE WHEN d.id IS NULL THEN true ELSE d.endpoint_id = $1 AND d.status = 'pending'
             AND CASE WHEN $3::int4 IS NULL THEN d.next_attempt_at <= now() ELSE d.attempts = $3 AND d.round = $4 END END
           ORDER BY e.id`,
    values: [
      job.endpointId,
      ids,
      job.attemptsMade ?? null,
      job.round ?? 0,
      ids.map((id) => (isFirst ? (eventOfDelivery(id)?.id ?? null) : null)),
      accountId,
    ],
  });
  const inboundIds = rows.flatMap((row) => (row.id === null ? [row.subjectId] : []));
  const received = inboundIds.length === 0 ? NOT_RECEIVED : await findInbound(inboundIds);
  return rows.flatMap((row): DueDelivery[] => {
    if (row.id !== null) return [{ message: row, ...dueFieldsOf(row) }];
    const inbound = received.get(row.subjectId);
    return inbound ? [{ received: inbound, ...dueFieldsOf(row) }] : [];
  });
}

const NOT_RECEIVED: ReadonlyMap<string, InboundRow> = new Map();

const dueFieldsOf = (row: DueFields): DueFields => ({
  deliveryId: row.deliveryId,
  round: row.round,
  triesMade: row.triesMade,
  eventId: row.eventId,
  eventType: row.eventType,
  eventStatus: row.eventStatus,
  eventCreatedAt: row.eventCreatedAt,
});

/** Locks endpoints in the order of their ids, as every change of their deliveries must do first. */
export async function lockEndpoints(tx: Tx, ids: Iterable<string>): Promise<EndpointState[]> {
  const { rows } = await tx.query<EndpointState>({
    name: "webhooks.lock_endpoints",
    text: `SELECT ${STATE_COLUMNS} FROM webhook_endpoints WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE`,
    values: [[...new Set(ids)]],
  });
  return rows;
}

/** A delivery without a row, by its derived id. */
type Unrecorded = { id: string; eventId: string };

const UNRECORDED = unnest<Unrecorded>(
  { id: ["text", ({ id }) => id], event_id: ["text", ({ eventId }) => eventId] },
  3,
);

/**
 * Ends deliveries that are pending or have no row yet: they become `held` when their endpoint is disabled, `abandoned` when it
 * is deleted.
 * @param mayBeUnderWay whether other jobs may have begun requests of those that are due.
 * @returns false when the endpoint is open (again); nothing was changed then.
 */
export const parkDeliveries = (
  endpointId: string,
  deliveryIds: readonly string[],
  mayBeUnderWay = false,
): Promise<boolean> =>
  transaction(async (tx, defer) => {
    const [endpoint] = await lockEndpoints(tx, [endpointId]);
    if (!endpoint || isOpen(endpoint)) return endpoint === undefined;
    if (deliveryIds.length === 0) return true;
    onCommit(tx, () => void tellOwner(endpointId));
    defer(
      tx.query({
        name: "webhooks.park_deliveries",
        text: `WITH moved AS (
                 UPDATE webhook_deliveries SET next_attempt_at = NULL, finished_at = CASE WHEN $3 THEN now() END,
                   status = CASE WHEN $3 THEN 'abandoned' ELSE 'held' END,
                   under_way_until = CASE
                     WHEN $4 AND ${IS_DUE} THEN clock_timestamp() + $5::float8 * interval '1 millisecond'
                     WHEN ${IS_UNDER_WAY} THEN under_way_until
                   END
                 WHERE endpoint_id = $1 AND id = ANY($2::text[]) AND ${filterEquals("status", "pending")}
                 RETURNING endpoint_id, 'pending' AS former, status
               ) ${INSERT_MOVES}`,
        values: [endpointId, deliveryIds, endpoint.isDeleted, mayBeUnderWay, REQUESTS_END_WITHIN_MS],
      }),
    );
    defer(insertUnrecorded(tx, endpointId, deliveryIds, endpoint.isDeleted ? "abandoned" : "held"));
    return true;
  });

/**
 * Inserts `pending` rows for deliveries without a row, so that lists show those that have to wait for their first try. If the
 * endpoint is closed, the job will park them.
 */
export const recordWaiting = (endpointId: string, deliveryIds: readonly string[]): Promise<void> =>
  transaction(async (tx, defer) => {
    await lockEndpoints(tx, [endpointId]);
    defer(insertUnrecorded(tx, endpointId, deliveryIds, "pending"));
  });

/** Inserts the deliveries that have no row. The endpoint must be locked. */
async function insertUnrecorded(
  tx: Tx,
  endpointId: string,
  deliveryIds: readonly string[],
  status: "pending" | "held" | "abandoned",
): Promise<void> {
  const unrecorded = [...new Set(deliveryIds)].flatMap((id) => {
    const event = eventOfDelivery(id);
    return event ? [{ id, eventId: event.id }] : [];
  });
  if (unrecorded.length === 0) return;
  await tx.query({
    name: "webhooks.insert_unrecorded",
    text: `WITH inserted AS (
             INSERT INTO webhook_deliveries
               (id, account_id, endpoint_id, event_id, created_at, status, next_attempt_at, finished_at)
             SELECT u.id, e.account_id, $1, e.id, e.created_at, $2,
               CASE WHEN $2 = 'pending' THEN date_trunc('milliseconds', now()) END, CASE WHEN $2 = 'abandoned' THEN now() END
             FROM webhook_endpoints w CROSS JOIN ${UNRECORDED.as("u")}
             CROSS JOIN LATERAL (SELECT * FROM events e WHERE ${isEvent("e", "w.account_id", "u.event_id")} OFFSET 0) e
             WHERE w.id = $1 AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.id = u.id)
             RETURNING endpoint_id, status
           )
           ${INSERT_CHANGES}
           SELECT 'deliveries', endpoint_id, status, count(*) FROM inserted GROUP BY endpoint_id, status`,
    values: [endpointId, status, ...UNRECORDED.values(unrecorded)],
  });
}

/** The time of the next try up to which a step has parked, unless it was the last one. */
type ParkStep = Date | "open" | "end";
type ParkOptions = {
  unsentIds?: readonly string[];
  stepsMax?: number;
  signal?: AbortSignal | undefined;
  inTurn?: (step: () => Promise<ParkStep>) => Promise<ParkStep>;
};

/**
 * Parks `unsentIds` and every delivery of a closed endpoint whose row is pending, in steps, so that its lock is never held for
 * long. Deliveries that exist only in other jobs, or were left by a crash, are parked by their jobs. They are read in the order
 * of the next try, so that the index of pending deliveries is walked once and the endpoint's history never, whatever the
 * statistics say: the endpoint is compared in a form that no index has, and deliveries of the same moment are read together. That
 * index has the deliveries of all accounts: it is not walked for an endpoint that has none.
 * @param options `stepsMax`: how many steps are made at most; `signal`: none begins once it is aborted, and the rest is parked when its
 * tries are due; `inTurn`: runs each, in the account's queue.
 * @returns false when the endpoint was found open (again).
 */
export async function parkAllPending(
  endpointId: string,
  { unsentIds = [], stepsMax = Number.POSITIVE_INFINITY, signal, inTurn = (step) => step() }: ParkOptions = {},
): Promise<boolean> {
  if (unsentIds.length > 0 && !(await parkDeliveries(endpointId, unsentIds))) return false;
  if ((await readTotal("deliveries", { ownerId: endpointId, kind: "pending" })) === 0) return true;
  let after = new Date(0);
  for (let steps = 0; steps < stepsMax && !signal?.aborted; steps += 1) {
    const position = after;
    const step = await inTurn(() => parkStep(endpointId, position));
    if (typeof step === "string") return step === "end";
    after = step;
  }
  return true;
}

async function parkStep(endpointId: string, after: Date): Promise<ParkStep> {
  const { rows } = await pool().query<{ id: string; at: Date }>({
    name: "webhooks.read_pending",
    text: `SELECT id, next_attempt_at AS at FROM webhook_deliveries
           WHERE endpoint_id || '' = $1 AND status = 'pending' AND next_attempt_at > $2::timestamptz
           ORDER BY next_attempt_at FETCH FIRST ($3::int8) ROWS WITH TIES`,
    values: [endpointId, after.toISOString(), PARKED_PER_STEP],
  });
  const last = rows.at(-1);
  if (!last) return "end";
  const ids = rows.map((row) => row.id);
  if (!(await parkDeliveries(endpointId, ids, true))) return "open";
  return rows.length < PARKED_PER_STEP ? "end" : last.at;
}
