/**
 * The hand-written SQL of deliveries. Whoever changes a delivery locks its endpoint first, endpoints in the order of
 * their ids: so two batches wait for each other instead of deadlocking, and what was read under the lock stays true.
 */
import { createBatcher, type Settled } from "../core/batcher";
import { msUntil } from "../core/clock";
import { filterEquals, pool, type Tx, transaction } from "../core/db";
import { addJobs, type JobPayload } from "../core/jobs";
import { perProcess } from "../core/process";
import { INSERT_CHANGES } from "../lists/store";
import { MESSAGE_COLUMNS, type MessageRow } from "../messages/present";
import { type DeliveryOutcome, type DeliveryState, type EndpointState, settleOutcomes } from "./delivery-outcome";
import { jobBatches } from "./outbox";
import type { SealedSecrets } from "./secrets";

/** An endpoint as a delivery needs it; its secrets are still sealed. */
export type Target = EndpointState & SealedSecrets & { url: string };

/** A delivery that is due: a row of `messages` with what its event adds. */
export type DueDelivery = MessageRow & {
  deliveryId: string;
  round: number;
  attemptsMade: number;
  eventId: string;
  eventType: string;
  eventStatus: string;
  eventCreatedAt: Date;
};

const OUTCOMES_PER_FLUSH = 500;
const OWNERS_MAX = 10_000;
const PARKED_PER_STEP = 1_000;

const STATE_COLUMNS = `id, is_active AS "isActive", deleted_at IS NOT NULL AS "isDeleted",
  failure_count AS "failureCount", last_success_at AS "lastSuccessAt", last_failure_at AS "lastFailureAt",
  disabled_at AS "disabledAt"`;

/** What of an endpoint a request needs; the former secret only while it still signs. */
export const TARGET_COLUMNS = `url, secret_sealed AS "secretSealed",
  CASE WHEN previous_secret_until > now() THEN previous_secret_sealed END AS "previousSecretSealed"`;

/** Tells the totals of lists about `moved`: deliveries (`endpoint_id`) that went from the status `former` to `status`. */
export const INSERT_MOVES = `${INSERT_CHANGES}
  SELECT 'deliveries', m.endpoint_id, c.status, sum(c.change)
  FROM moved m CROSS JOIN LATERAL (VALUES (m.former, -1), (m.status, 1)) AS c (status, change)
  GROUP BY m.endpoint_id, c.status HAVING sum(c.change) <> 0`;

/** Whether events are sent to the endpoint now. */
export const isOpen = (endpoint: EndpointState): boolean => endpoint.isActive && !endpoint.isDeleted;

/** The account of an endpoint, deleted or not, remembered because it never changes; null when there never was one. */
export function ownerOf(endpointId: string): Promise<string | null> {
  const owners = perProcess("webhooks.owners", () => new Map<string, Promise<string | null>>());
  const known = owners.get(endpointId);
  if (known) return known;
  if (owners.size >= OWNERS_MAX) owners.clear();
  const asked = readOwner(endpointId);
  owners.set(endpointId, asked);
  const forget = () => owners.delete(endpointId);
  asked.then((owner) => owner ?? forget(), forget);
  return asked;
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
  const { rows } = await pool().query<Target>({
    name: "webhooks.load_target",
    text: `SELECT ${STATE_COLUMNS}, ${TARGET_COLUMNS} FROM webhook_endpoints WHERE id = $1`,
    values: [endpointId],
  });
  return rows[0] ?? null;
}

/**
 * Those of a job's deliveries that are to be sent now, in the order of their events. One that is over, or was tried
 * since the job was made (a job that is run twice finds such) or recovered, is left out: it has a job of its own or needs
 * none.
 */
export async function loadDue(job: JobPayload<"deliver_webhooks">): Promise<DueDelivery[]> {
  const { rows } = await pool().query<DueDelivery>({
    name: "webhooks.load_due",
    text: `SELECT ${MESSAGE_COLUMNS}, d.id AS "deliveryId", d.round, d.attempts AS "attemptsMade",
             e.id AS "eventId", e.type AS "eventType", e.status AS "eventStatus", e.created_at AS "eventCreatedAt"
           FROM webhook_deliveries d JOIN events e ON e.id = d.event_id JOIN messages m ON m.id = e.message_id
           WHERE d.id = ANY($2::text[]) AND d.endpoint_id = $1 AND ${filterEquals("d.status", "pending")}
             AND CASE WHEN $3::int4 IS NULL THEN d.next_attempt_at <= now() ELSE d.attempts = $3 AND d.round = $4 END
           ORDER BY e.id`,
    values: [job.endpointId, job.deliveryIds, job.attemptsMade ?? null, job.round ?? 0],
  });
  return rows;
}

/** Locks endpoints in the order of their ids, which whoever changes a delivery does first. */
export async function lockEndpoints(tx: Tx, ids: Iterable<string>): Promise<EndpointState[]> {
  const { rows } = await tx.query<EndpointState>({
    name: "webhooks.lock_endpoints",
    text: `SELECT ${STATE_COLUMNS} FROM webhook_endpoints WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE`,
    values: [[...new Set(ids)]],
  });
  return rows;
}

/**
 * Writes how a try ended, together with all that end meanwhile in this process: the try, its delivery, the counters of
 * its endpoint and the job of the next try, in one transaction. Nothing counts before that is committed.
 * @returns whether the endpoint is still to be sent to.
 */
export const recordOutcome = (outcome: DeliveryOutcome): Promise<boolean> =>
  perProcess("webhooks.outcomes", () => createBatcher(flushOutcomes, { maxWeight: OUTCOMES_PER_FLUSH }))(outcome);

const flushOutcomes = (outcomes: DeliveryOutcome[]): Promise<Settled<boolean>[]> =>
  transaction(async (tx) => {
    const before = await lockEndpoints(
      tx,
      outcomes.map((outcome) => outcome.endpointId),
    );
    const { rows: deliveries } = await tx.query<DeliveryState>({
      name: "webhooks.read_deliveries",
      text: "SELECT id, status, round, attempts FROM webhook_deliveries WHERE id = ANY($1::text[])",
      values: [outcomes.map((outcome) => outcome.deliveryId)],
    });
    const settlement = settleOutcomes(before, deliveries, outcomes);
    if (settlement.tries.length > 0) {
      await insertTries(tx, settlement.tries);
      await updateDeliveries(tx, settlement.deliveries);
      await updateEndpoints(tx, settlement.endpoints);
      await addJobs(
        tx,
        "deliver_webhooks",
        settlement.retries.flatMap(({ runAt, ...retry }) =>
          jobBatches(retry.deliveryIds).map((deliveryIds) => ({ payload: { ...retry, deliveryIds }, runAt })),
        ),
      );
    }
    const after = new Map([...before, ...settlement.endpoints].map((endpoint) => [endpoint.id, isOpen(endpoint)]));
    return outcomes.map((outcome) => ({ ok: true, value: after.get(outcome.endpointId) ?? false }));
  });

async function insertTries(tx: Tx, tries: readonly DeliveryOutcome[]): Promise<void> {
  await tx.query({
    name: "webhooks.insert_tries",
    text: `INSERT INTO webhook_tries
             (delivery_id, round, attempt, status_code, latency_ms, error, response_head, created_at)
           SELECT * FROM unnest($1::text[], $2::int2[], $3::int2[], $4::int4[], $5::int4[], $6::text[], $7::text[],
             $8::timestamptz[])
           ON CONFLICT DO NOTHING`,
    values: [
      tries.map((made) => made.deliveryId),
      tries.map((made) => made.round),
      tries.map((made) => made.attempt),
      tries.map((made) => made.statusCode),
      tries.map((made) => made.latencyMs),
      tries.map((made) => made.error),
      tries.map((made) => made.responseHead),
      tries.map((made) => made.finishedAt.toISOString()),
    ],
  });
}

/** `next_attempt_at` becomes the database's clock, by which what is overdue is found. */
async function updateDeliveries(
  tx: Tx,
  deliveries: readonly (DeliveryState & { nextAttemptAt: Date | null; finishedAt: Date | null })[],
): Promise<void> {
  await tx.query({
    name: "webhooks.update_deliveries",
    text: `WITH former AS (
             SELECT id, status FROM webhook_deliveries WHERE id = ANY($1::text[])
           ), moved AS (
             UPDATE webhook_deliveries d
             SET status = u.status, attempts = u.attempts,
               next_attempt_at = clock_timestamp() + u.wait_ms * interval '1 millisecond', finished_at = u.finished_at
             FROM unnest($1::text[], $2::text[], $3::int2[], $4::float8[], $5::timestamptz[])
               AS u (id, status, attempts, wait_ms, finished_at), former
             WHERE d.id = u.id AND d.id = former.id AND d.attempts < u.attempts
             RETURNING d.endpoint_id, former.status AS former, d.status
           ) ${INSERT_MOVES}`,
    values: [
      deliveries.map((delivery) => delivery.id),
      deliveries.map((delivery) => delivery.status),
      deliveries.map((delivery) => delivery.attempts),
      deliveries.map((delivery) => delivery.nextAttemptAt && msUntil(delivery.nextAttemptAt)),
      deliveries.map((delivery) => delivery.finishedAt?.toISOString() ?? null),
    ],
  });
}

async function updateEndpoints(tx: Tx, endpoints: readonly EndpointState[]): Promise<void> {
  await tx.query({
    name: "webhooks.update_endpoints",
    text: `UPDATE webhook_endpoints e
           SET is_active = u.is_active, failure_count = u.failure_count, disabled_at = u.disabled_at,
             last_success_at = GREATEST(e.last_success_at, u.last_success_at),
             last_failure_at = GREATEST(e.last_failure_at, u.last_failure_at)
           FROM unnest($1::text[], $2::bool[], $3::int4[], $4::timestamptz[], $5::timestamptz[], $6::timestamptz[])
             AS u (id, is_active, failure_count, disabled_at, last_success_at, last_failure_at)
           WHERE e.id = u.id`,
    values: [
      endpoints.map((endpoint) => endpoint.id),
      endpoints.map((endpoint) => endpoint.isActive),
      endpoints.map((endpoint) => endpoint.failureCount),
      endpoints.map((endpoint) => endpoint.disabledAt?.toISOString() ?? null),
      endpoints.map((endpoint) => endpoint.lastSuccessAt?.toISOString() ?? null),
      endpoints.map((endpoint) => endpoint.lastFailureAt?.toISOString() ?? null),
    ],
  });
}

/**
 * Takes deliveries out of sending: `held` when their endpoint is disabled, `abandoned` when it is deleted.
 * @returns false when the endpoint is open (again), and nothing was changed.
 */
export const parkDeliveries = (endpointId: string, deliveryIds: readonly string[]): Promise<boolean> =>
  transaction(async (tx) => {
    const [endpoint] = await lockEndpoints(tx, [endpointId]);
    if (!endpoint || isOpen(endpoint)) return endpoint === undefined;
    await tx.query({
      name: "webhooks.park_deliveries",
      text: `WITH moved AS (
               UPDATE webhook_deliveries SET next_attempt_at = NULL, finished_at = CASE WHEN $3 THEN now() END,
                 status = CASE WHEN $3 THEN 'abandoned' ELSE 'held' END
               WHERE endpoint_id = $1 AND id = ANY($2::text[]) AND ${filterEquals("status", "pending")}
               RETURNING endpoint_id, 'pending' AS former, status
             ) ${INSERT_MOVES}`,
      values: [endpointId, deliveryIds, endpoint.isDeleted],
    });
    return true;
  });

/**
 * Parks every pending delivery of a closed endpoint, step by step, so that its lock is never held for long. What is
 * added meanwhile, or left by a crash, is parked by its own job. It goes by the time of the next try: so the index of what
 * is pending is walked once, and never the endpoint's history.
 * @returns false when the endpoint is open (again).
 */
export async function parkAllPending(endpointId: string): Promise<boolean> {
  for (let after = { at: new Date(0), id: "" }; ; ) {
    const { rows } = await pool().query<{ id: string; at: Date }>({
      name: "webhooks.read_pending",
      text: `SELECT id, next_attempt_at AS at FROM webhook_deliveries
             WHERE endpoint_id = $1 AND status = 'pending' AND (next_attempt_at, id) > ($2::timestamptz, $3)
             ORDER BY next_attempt_at, id LIMIT $4`,
      values: [endpointId, after.at.toISOString(), after.id, PARKED_PER_STEP],
    });
    const last = rows.at(-1);
    if (!last) return true;
    const ids = rows.map((row) => row.id);
    if (!(await parkDeliveries(endpointId, ids))) return false;
    after = last;
  }
}
