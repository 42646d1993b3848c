/** Records how tries ended: the tries, their deliveries, the counters of their endpoints and the jobs of the next tries. */
import { createBatcher, type Settled } from "../../core/batcher";
import { msUntil } from "../../core/clock";
import { onCommit, type Tx, transaction } from "../../core/db";
import { defineProcessValue } from "../../core/process";
import { unnest } from "../../core/unnest";
import { INSERT_CHANGES } from "../../lists/store";
import { eventOfDelivery } from "../derived-ids";
import { INSERT_MOVES, isOpen, lockEndpoints, tellOwner } from "../store";
import {
  type DeliveryOutcome,
  type DeliveryState,
  type EndpointState,
  type Settlement,
  settleOutcomes,
} from "./delivery-outcome";
import { addDeliveryJobs, jobBatches } from "./outbox";

const OUTCOMES_PER_FLUSH = 500;
/**
 * Under load outcomes are gathered for as long as a commit takes, because it costs almost the same for one as for a hundred.
 */
const GATHER_MS = 10;

const outcomeQueue = defineProcessValue("webhooks.outcomes", () =>
  createBatcher(flushOutcomes, { name: "webhook_outcomes", maxWeight: OUTCOMES_PER_FLUSH, gatherMs: GATHER_MS }),
);

/**
 * Records how a try ended, in one transaction with others that end in this process meanwhile. Nothing counts before that
 * is committed.
 * @returns whether the endpoint still receives events.
 */
export const recordOutcome = (outcome: DeliveryOutcome): Promise<boolean> => outcomeQueue()(outcome);

const flushOutcomes = (outcomes: DeliveryOutcome[]): Promise<Settled<boolean>[]> =>
  transaction(async (tx, defer) => {
    // Pipelined: rows are read by a statement that begins under the lock.
    const [before, stored] = await Promise.all([
      lockEndpoints(
        tx,
        outcomes.map((outcome) => outcome.endpointId),
      ),
      readDeliveries(
        tx,
        outcomes.map((outcome) => outcome.deliveryId),
      ),
    ]);
    const unrecorded = withoutRow(stored, outcomes);
    const settlement = settleOutcomes(before, [...stored, ...unrecorded.values()], outcomes);
    if (settlement.tries.length > 0) for (const write of applySettlement(tx, settlement, unrecorded)) defer(write);
    const tried = new Set(settlement.tries.map(({ endpointId }) => endpointId));
    onCommit(tx, () => {
      for (const endpointId of tried) void tellOwner(endpointId);
    });
    const after = new Map([...before, ...settlement.endpoints].map((endpoint) => [endpoint.id, isOpen(endpoint)]));
    return outcomes.map((outcome) => ({ ok: true, value: after.get(outcome.endpointId) ?? false }));
  });

async function readDeliveries(tx: Tx, ids: readonly string[]): Promise<DeliveryState[]> {
  const { rows } = await tx.query<DeliveryState>({
    name: "webhooks.read_deliveries",
    text: `SELECT id, status, round, attempts, status = 'pending' AND under_way_until IS NOT NULL AS "isSentAgain"
           FROM webhook_deliveries WHERE id = ANY($1::text[])`,
    values: [ids],
  });
  return rows;
}

/** Deliveries that exist only in their job, by id. The endpoint's lock keeps others from giving them a row. */
function withoutRow(
  stored: readonly DeliveryState[],
  outcomes: readonly DeliveryOutcome[],
): Map<string, DeliveryState> {
  const storedIds = new Set(stored.map((delivery) => delivery.id));
  return new Map(
    outcomes
      .filter(({ deliveryId: id }) => !storedIds.has(id) && eventOfDelivery(id) !== null)
      .map(({ deliveryId: id }) => [id, { id, status: "pending", round: 0, attempts: 0 }]),
  );
}

/** A settled delivery. `event`: that of a delivery without a row. `atOnce`: its first try, if it was acknowledged. */
type SettledTry = Settlement["deliveries"][number] & {
  endpointId: string;
  event: { id: string; at: Date } | null;
  atOnce: DeliveryOutcome | null;
};

/** An acknowledged first try is part of its delivery's row; other tries have their own rows. */
const isAtOnce = (made: DeliveryOutcome): boolean => made.acknowledged && made.round === 0 && made.attempt === 1;

/** Sends the writes of a settlement. */
function applySettlement(
  tx: Tx,
  { tries, deliveries, endpoints, retries }: Settlement,
  unrecorded: ReadonlyMap<string, DeliveryState>,
): Promise<void>[] {
  const lastTry = new Map(tries.map((made) => [made.deliveryId, made]));
  const settled = deliveries.flatMap((delivery): SettledTry[] => {
    const made = lastTry.get(delivery.id);
    if (!made) return [];
    const event = unrecorded.has(delivery.id) ? eventOfDelivery(delivery.id) : null;
    return [{ event, endpointId: made.endpointId, atOnce: isAtOnce(made) ? made : null, ...delivery }];
  });
  const jobs = retries.flatMap(({ endpointId, round, triesMade, runAt, deliveryIds: ids }) =>
    jobBatches(ids).map((deliveryIds) => ({
      payload: { endpointId, round, attemptsMade: triesMade, deliveryIds },
      runAt,
    })),
  );
  return [
    insertTries(
      tx,
      tries.filter((made) => !isAtOnce(made)),
    ),
    insertDeliveries(
      tx,
      settled.filter(({ event }) => event !== null),
    ),
    updateDeliveries(
      tx,
      settled.filter(({ event }) => event === null),
    ),
    updateEndpoints(tx, endpoints),
    addDeliveryJobs(tx, jobs),
  ];
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
  if (tries.length === 0) return;
  await tx.query({
    name: "webhooks.insert_tries",
    text: `INSERT INTO webhook_tries
             (delivery_id, round, attempt, status_code, latency_ms, error, response_head, created_at)
           SELECT * FROM ${TRIES.sql} ON CONFLICT DO NOTHING`,
    values: TRIES.values(tries),
  });
}

/** Columns of a delivery that a try sets, whether or not its row exists. */
const SETTLED: Parameters<typeof unnest<SettledTry>>[0] = {
  id: ["text", (delivery) => delivery.id],
  status: ["text", (delivery) => delivery.status],
  round: ["int2", (delivery) => delivery.round],
  attempts: ["int2", (delivery) => delivery.attempts],
  wait_ms: ["float8", (delivery) => delivery.nextAttemptAt && msUntil(delivery.nextAttemptAt)],
  finished_at: ["timestamptz", (delivery) => delivery.finishedAt?.toISOString() ?? null],
  status_code: ["int4", ({ atOnce }) => atOnce?.statusCode ?? null],
  latency_ms: ["int4", ({ atOnce }) => atOnce?.latencyMs ?? null],
  response_head: ["text", ({ atOnce }) => atOnce?.responseHead ?? null],
};
const SETTLED_DELIVERIES = unnest<SettledTry>(SETTLED);
const INSERTED = unnest<SettledTry>({
  ...SETTLED,
  endpoint_id: ["text", (delivery) => delivery.endpointId],
  event_id: ["text", ({ event }) => event?.id ?? null],
  created_at: ["timestamptz", ({ event }) => event?.at.toISOString() ?? null],
});

/** `next_attempt_at` as in {@link updateDeliveries}. */
async function insertDeliveries(tx: Tx, deliveries: readonly SettledTry[]): Promise<void> {
  if (deliveries.length === 0) return;
  await tx.query({
    name: "webhooks.insert_deliveries",
    text: `WITH inserted AS (
             INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, created_at, status, attempts,
               next_attempt_at, finished_at, status_code, latency_ms, response_head)
             SELECT d.id, e.account_id, e.id, d.event_id, d.created_at, d.status, d.attempts,
               clock_timestamp() + d.wait_ms * interval '1 millisecond', d.finished_at, d.status_code, d.latency_ms,
               d.response_head
             FROM ${INSERTED.as("d")} JOIN webhook_endpoints e ON e.id = d.endpoint_id
             RETURNING endpoint_id, status
           )
           ${INSERT_CHANGES}
           SELECT 'deliveries', endpoint_id, status, count(*) FROM inserted GROUP BY endpoint_id, status`,
    values: INSERTED.values(deliveries),
  });
}

/** Writes `next_attempt_at` by the database's clock, which also decides what is overdue. */
async function updateDeliveries(tx: Tx, deliveries: readonly SettledTry[]): Promise<void> {
  if (deliveries.length === 0) return;
  await tx.query({
    name: "webhooks.update_deliveries",
    text: `WITH former AS (
             SELECT id, status FROM webhook_deliveries WHERE id = ANY($1::text[])
           ), moved AS (
             UPDATE webhook_deliveries d
             SET status = u.status, round = u.round, attempts = u.attempts,
               next_attempt_at = clock_timestamp() + u.wait_ms * interval '1 millisecond', finished_at = u.finished_at,
               under_way_until = NULL, status_code = u.status_code, latency_ms = u.latency_ms, response_head = u.response_head
             FROM ${SETTLED_DELIVERIES.as("u")}, former
             WHERE d.id = u.id AND d.id = former.id AND (d.round, d.attempts) < (u.round, u.attempts)
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
  disabled_reason: ["text", (endpoint) => endpoint.disabledReason],
  last_success_at: ["timestamptz", (endpoint) => endpoint.lastSuccessAt?.toISOString() ?? null],
  last_failure_at: ["timestamptz", (endpoint) => endpoint.lastFailureAt?.toISOString() ?? null],
});

async function updateEndpoints(tx: Tx, endpoints: readonly EndpointState[]): Promise<void> {
  await tx.query({
    name: "webhooks.update_endpoints",
    text: `UPDATE webhook_endpoints e
           SET is_active = u.is_active, failure_count = u.failure_count, disabled_at = u.disabled_at,
             disabled_reason = u.disabled_reason,
             last_success_at = GREATEST(e.last_success_at, u.last_success_at),
             last_failure_at = GREATEST(e.last_failure_at, u.last_failure_at)
           FROM ${ENDPOINTS.as("u")} WHERE e.id = u.id`,
    values: ENDPOINTS.values(endpoints),
  });
}
