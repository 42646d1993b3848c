/** Records how tries ended: the tries, their deliveries, the counters of their endpoints and the jobs of the next tries. */
import { createBatcher, type Settled } from "../core/batcher";
import { msUntil } from "../core/clock";
import { type Tx, transaction } from "../core/db";
import { addJobs } from "../core/jobs";
import { defineProcessValue } from "../core/process";
import { unnest } from "../core/unnest";
import {
  type DeliveryOutcome,
  type DeliveryState,
  type EndpointState,
  type Settlement,
  settleOutcomes,
} from "./delivery-outcome";
import { jobBatches } from "./outbox";
import { INSERT_MOVES, isOpen, lockEndpoints } from "./store";

const OUTCOMES_PER_FLUSH = 500;

const outcomeQueue = defineProcessValue("webhooks.outcomes", () =>
  createBatcher(flushOutcomes, { name: "webhook_outcomes", maxWeight: OUTCOMES_PER_FLUSH }),
);

/**
 * Records how a try ended, in one transaction with others that end in this process meanwhile. Nothing counts before that
 * is committed.
 * @returns whether the endpoint still receives events.
 */
export const recordOutcome = (outcome: DeliveryOutcome): Promise<boolean> => outcomeQueue()(outcome);

const flushOutcomes = (outcomes: DeliveryOutcome[]): Promise<Settled<boolean>[]> =>
  transaction(async (tx) => {
    const before = await lockEndpoints(
      tx,
      outcomes.map((outcome) => outcome.endpointId),
    );
    const deliveries = await readDeliveries(
      tx,
      outcomes.map((outcome) => outcome.deliveryId),
    );
    const settlement = settleOutcomes(before, deliveries, outcomes);
    if (settlement.tries.length > 0) await applySettlement(tx, settlement);
    const after = new Map([...before, ...settlement.endpoints].map((endpoint) => [endpoint.id, isOpen(endpoint)]));
    return outcomes.map((outcome) => ({ ok: true, value: after.get(outcome.endpointId) ?? false }));
  });

async function readDeliveries(tx: Tx, ids: readonly string[]): Promise<DeliveryState[]> {
  const { rows } = await tx.query<DeliveryState>({
    name: "webhooks.read_deliveries",
    text: "SELECT id, status, round, attempts FROM webhook_deliveries WHERE id = ANY($1::text[])",
    values: [ids],
  });
  return rows;
}

async function applySettlement(tx: Tx, { tries, deliveries, endpoints, retries }: Settlement): Promise<void> {
  await insertTries(tx, tries);
  await updateDeliveries(tx, deliveries);
  await updateEndpoints(tx, endpoints);
  const jobs = retries.flatMap(({ runAt, ...retry }) =>
    jobBatches(retry.deliveryIds).map((deliveryIds) => ({ payload: { ...retry, deliveryIds }, runAt })),
  );
  await addJobs(tx, "deliver_webhooks", jobs);
}

const TRIES = unnest<DeliveryOutcome>({
  delivery_id: ["text", (made) => made.deliveryId],
  round: ["int2", (made) => made.round],
  attempt: ["int2", (made) => made.attempt],
  status_code: ["int4", (made) => made.statusCode],
  latency_ms: ["int4", (made) => made.latencyMs],
  error: ["text", (made) => made.error],
  response_head: ["text", (made) => made.responseHead],
  created_at: ["timestamptz", (made) => made.finishedAt.toISOString()],
});

async function insertTries(tx: Tx, tries: readonly DeliveryOutcome[]): Promise<void> {
  await tx.query({
    name: "webhooks.insert_tries",
    text: `INSERT INTO webhook_tries
             (delivery_id, round, attempt, status_code, latency_ms, error, response_head, created_at)
           SELECT * FROM ${TRIES.sql} ON CONFLICT DO NOTHING`,
    values: TRIES.values(tries),
  });
}

const SETTLED_DELIVERIES = unnest<Settlement["deliveries"][number]>({
  id: ["text", (delivery) => delivery.id],
  status: ["text", (delivery) => delivery.status],
  attempts: ["int2", (delivery) => delivery.attempts],
  wait_ms: ["float8", (delivery) => delivery.nextAttemptAt && msUntil(delivery.nextAttemptAt)],
  finished_at: ["timestamptz", (delivery) => delivery.finishedAt?.toISOString() ?? null],
});

/** Writes `next_attempt_at` by the database's clock, which also decides what is overdue. */
async function updateDeliveries(tx: Tx, deliveries: Settlement["deliveries"]): Promise<void> {
  await tx.query({
    name: "webhooks.update_deliveries",
    text: `WITH former AS (
             SELECT id, status FROM webhook_deliveries WHERE id = ANY($1::text[])
           ), moved AS (
             UPDATE webhook_deliveries d
             SET status = u.status, attempts = u.attempts,
               next_attempt_at = clock_timestamp() + u.wait_ms * interval '1 millisecond', finished_at = u.finished_at
             FROM ${SETTLED_DELIVERIES.as("u")}, former
             WHERE d.id = u.id AND d.id = former.id AND d.attempts < u.attempts
             RETURNING d.endpoint_id, former.status AS former, d.status
           ) ${INSERT_MOVES}`,
    values: SETTLED_DELIVERIES.values(deliveries),
  });
}

const ENDPOINTS = unnest<EndpointState>({
  id: ["text", (endpoint) => endpoint.id],
  is_active: ["bool", (endpoint) => endpoint.isActive],
  failure_count: ["int4", (endpoint) => endpoint.failureCount],
  disabled_at: ["timestamptz", (endpoint) => endpoint.disabledAt?.toISOString() ?? null],
  last_success_at: ["timestamptz", (endpoint) => endpoint.lastSuccessAt?.toISOString() ?? null],
  last_failure_at: ["timestamptz", (endpoint) => endpoint.lastFailureAt?.toISOString() ?? null],
});

async function updateEndpoints(tx: Tx, endpoints: readonly EndpointState[]): Promise<void> {
  await tx.query({
    name: "webhooks.update_endpoints",
    text: `UPDATE webhook_endpoints e
           SET is_active = u.is_active, failure_count = u.failure_count, disabled_at = u.disabled_at,
             last_success_at = GREATEST(e.last_success_at, u.last_success_at),
             last_failure_at = GREATEST(e.last_failure_at, u.last_failure_at)
           FROM ${ENDPOINTS.as("u")} WHERE e.id = u.id`,
    values: ENDPOINTS.values(endpoints),
  });
}
