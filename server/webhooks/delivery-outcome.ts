/** What the outcomes of tries do to deliveries and to their endpoints. */
import { DISABLE_AFTER_FAILURES, GONE, nextAttemptDelayS } from "./retry";

/** One try that was made, as it ended. `attempt` counts from 1 in each round; `retryAfterS` is what the answer asked for. */
export type DeliveryOutcome = {
  deliveryId: string;
  endpointId: string;
  round: number;
  attempt: number;
  acknowledged: boolean;
  statusCode: number | null;
  latencyMs: number;
  error: string | null;
  responseHead: string | null;
  retryAfterS: number | null;
  finishedAt: Date;
};

type DeliveryStatus = "pending" | "delivered" | "abandoned" | "held";

export type EndpointState = {
  id: string;
  isActive: boolean;
  isDeleted: boolean;
  failureCount: number;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  disabledAt: Date | null;
};

/** `attempts`: tries made in this `round`; a recovery begins the next round. */
export type DeliveryState = { id: string; status: DeliveryStatus; round: number; attempts: number };

type SettledDelivery = DeliveryState & { nextAttemptAt: Date | null; finishedAt: Date | null };

/** Deliveries of one endpoint that have `attemptsMade` tries of `round` behind them and are tried again at `runAt`. */
type Retry = { endpointId: string; round: number; attemptsMade: number; runAt: Date; deliveryIds: string[] };

export type Settlement = {
  /** The tries that count: one whose delivery was tried by another job meanwhile, or is over, is left out. */
  tries: DeliveryOutcome[];
  deliveries: SettledDelivery[];
  endpoints: EndpointState[];
  retries: Retry[];
};

/**
 * Applies tries in the order in which they ended. Each counts once: it must be the next try of a delivery that is not
 * over, so one that was begun before a recovery and ends after it counts no more. A try that ended after its endpoint was disabled counts too, but only a person enables the endpoint again.
 * @param endpoints the endpoints of all outcomes; an outcome of another one is left out.
 */
export function settleOutcomes(
  endpoints: readonly EndpointState[],
  deliveries: readonly DeliveryState[],
  outcomes: readonly DeliveryOutcome[],
): Settlement {
  const endpointById = new Map(endpoints.map((endpoint) => [endpoint.id, { ...endpoint }]));
  const deliveryById = new Map(deliveries.map((delivery) => [delivery.id, { ...delivery }]));
  const lastTry = new Map<string, DeliveryOutcome>();
  const tries: DeliveryOutcome[] = [];
  for (const outcome of outcomes.toSorted((one, other) => one.finishedAt.getTime() - other.finishedAt.getTime())) {
    const delivery = deliveryById.get(outcome.deliveryId);
    const endpoint = endpointById.get(outcome.endpointId);
    if (!delivery || !endpoint) continue;
    if (delivery.round !== outcome.round || delivery.attempts !== outcome.attempt - 1) continue;
    if (delivery.status !== "pending" && delivery.status !== "held") continue;
    delivery.attempts = outcome.attempt;
    if (outcome.acknowledged) delivery.status = "delivered";
    countTry(endpoint, outcome);
    lastTry.set(delivery.id, outcome);
    tries.push(outcome);
  }

  // Only now, when it is known which endpoints the whole batch leaves active.
  const settled: SettledDelivery[] = [];
  const retries = new Map<string, Retry>();
  for (const [id, outcome] of lastTry) {
    const delivery = deliveryById.get(id);
    const endpoint = endpointById.get(outcome.endpointId);
    if (delivery && endpoint) settled.push(settleDelivery(delivery, endpoint, outcome, retries));
  }
  // Deliveries that share a job share its time.
  const runAtOf = new Map([...retries.values()].flatMap((retry) => retry.deliveryIds.map((id) => [id, retry.runAt])));
  const tried = new Set(tries.map((outcome) => outcome.endpointId));
  return {
    tries,
    deliveries: settled.map((delivery) => ({ ...delivery, nextAttemptAt: runAtOf.get(delivery.id) ?? null })),
    endpoints: [...endpointById.values()].filter((endpoint) => tried.has(endpoint.id)),
    retries: [...retries.values()],
  };
}

function countTry(endpoint: EndpointState, outcome: DeliveryOutcome): void {
  if (outcome.acknowledged) {
    endpoint.failureCount = 0;
    endpoint.lastSuccessAt = outcome.finishedAt;
    return;
  }
  endpoint.failureCount += 1;
  endpoint.lastFailureAt = outcome.finishedAt;
  const isToBeDisabled = endpoint.failureCount >= DISABLE_AFTER_FAILURES || outcome.statusCode === GONE;
  if (!endpoint.isActive || !isToBeDisabled) return;
  endpoint.isActive = false;
  endpoint.disabledAt = outcome.finishedAt;
}

/** How the delivery stands after its try; one that is tried again joins its group in `retries`. */
function settleDelivery(
  delivery: DeliveryState,
  endpoint: EndpointState,
  outcome: DeliveryOutcome,
  retries: Map<string, Retry>,
): SettledDelivery {
  const { finishedAt } = outcome;
  const state = { ...delivery, nextAttemptAt: null };
  if (outcome.acknowledged) return { ...state, finishedAt };
  const scheduledS = nextAttemptDelayS(delivery.attempts);
  if (scheduledS === null || endpoint.isDeleted) return { ...state, status: "abandoned", finishedAt };
  if (!endpoint.isActive) return { ...state, status: "held", finishedAt: null };
  // An endpoint may ask for more time than the schedule leaves it, never for less.
  const delayS = Math.max(scheduledS, outcome.retryAfterS ?? 0);
  const runAt = new Date(finishedAt.getTime() + delayS * 1_000);
  const { round, attempts: attemptsMade } = delivery;
  const group = `${endpoint.id} ${round} ${attemptsMade} ${delayS}`;
  const retry = retries.get(group);
  if (retry) {
    retry.deliveryIds.push(delivery.id);
    if (runAt > retry.runAt) retry.runAt = runAt;
  } else {
    retries.set(group, { endpointId: endpoint.id, round, attemptsMade, runAt, deliveryIds: [delivery.id] });
  }
  return { ...state, status: "pending", finishedAt: null };
}
