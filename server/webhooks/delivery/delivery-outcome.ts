/** Applies the outcomes of tries to deliveries and their endpoints. */
import { DISABLE_AFTER_FAILURES, delayAfter, GONE, NEXT_ROUND_AFTER_S } from "./retry";

/**
 * How a try ended. `generation`: of the endpoint when the request began; `attempt` counts from 1 in each round; `retryAfterS`:
 * the response's `Retry-After`, in seconds. `ofProxy`: the egress proxy failed, which says nothing about the endpoint.
 * `refused`: it refused, perhaps only for this endpoint; `away`: it is unavailable. `isOverload`: the endpoint gets more requests than it
 * can take.
 */
export type DeliveryOutcome = {
  deliveryId: string;
  endpointId: string;
  generation: number;
  round: number;
  attempt: number;
  acknowledged: boolean;
  statusCode: number | null;
  latencyMs: number;
  error: string | null;
  responseHead: string | null;
  retryAfterS: number | null;
  finishedAt: Date;
  ofProxy?: "away" | "refused";
  isOverload?: boolean;
};

type DeliveryStatus = "pending" | "delivered" | "abandoned" | "held";

/** Why an endpoint was disabled: 25 failed tries in a row, or a response with status 410. */
type DisabledReason = "consecutive_failures" | "gone";

/** `generation`: increases when the endpoint is enabled and when its URL changes. */
export type EndpointState = {
  id: string;
  generation: number;
  isActive: boolean;
  isDeleted: boolean;
  failureCount: number;
  lastSuccessAt: Date | null;
  lastFailureAt: Date | null;
  disabledAt: Date | null;
  disabledReason: DisabledReason | null;
};

/**
 * `attempts`: tries made in this `round`; a recovery begins the next round, and so does a last try that failed because the egress
 * proxy was unavailable. `isSentAgain`: it was recovered while a request of this round was under way; the next round begins after
 * that request, if it fails.
 */
export type DeliveryState = {
  id: string;
  status: DeliveryStatus;
  round: number;
  attempts: number;
  isSentAgain?: boolean;
};

type SettledDelivery = DeliveryState & { nextAttemptAt: Date | null; finishedAt: Date | null };

/** Deliveries of one endpoint that are tried again at `runAt`, after `triesMade` tries in `round`. */
type Retry = { endpointId: string; round: number; triesMade: number; runAt: Date; deliveryIds: string[] };

export type Settlement = {
  /** The tries that count: not those of deliveries that have ended or that another job tried meanwhile. */
  tries: DeliveryOutcome[];
  deliveries: SettledDelivery[];
  endpoints: EndpointState[];
  retries: Retry[];
};

/**
 * Applies tries in the order in which they ended. Each counts once: it must be the next try of an unfinished delivery,
 * so a try that a recovery overtook does not count. A try that ends after its endpoint was disabled does count, but only
 * a person enables the endpoint again.
 * @param endpoints the endpoints of all outcomes; outcomes of any other endpoint are ignored.
 */
export function settleOutcomes(
  endpoints: readonly EndpointState[],
  deliveries: readonly DeliveryState[],
  outcomes: readonly DeliveryOutcome[],
): Settlement {
  const endpointById = new Map(endpoints.map((endpoint) => [endpoint.id, { ...endpoint }]));
  const deliveryById = new Map(deliveries.map((delivery) => [delivery.id, { ...delivery }]));
  const tries = countTries(endpointById, deliveryById, outcomes);
  const lastTry = new Map(tries.map((outcome) => [outcome.deliveryId, outcome]));

  // Only after the whole batch is it known which endpoints stay active.
  const settled: SettledDelivery[] = [];
  const retries = new Map<string, Retry>();
  for (const [id, outcome] of lastTry) {
    const delivery = deliveryById.get(id);
    const endpoint = endpointById.get(outcome.endpointId);
    if (!delivery || !endpoint) continue;
    const next = nextTry(delivery, endpoint, outcome);
    const state = settleDelivery(delivery, endpoint, outcome, next);
    settled.push(state);
    if (next && state.status === "pending") addRetry(retries, outcome, next);
  }
  // Deliveries of one job share its time.
  const runAtOf = new Map([...retries.values()].flatMap((retry) => retry.deliveryIds.map((id) => [id, retry.runAt])));
  const tried = new Set(tries.map((outcome) => outcome.endpointId));
  return {
    tries,
    deliveries: settled.map((delivery) => ({ ...delivery, nextAttemptAt: runAtOf.get(delivery.id) ?? null })),
    endpoints: [...endpointById.values()].filter((endpoint) => tried.has(endpoint.id)),
    retries: [...retries.values()],
  };
}

/** Counts the tries on their deliveries and endpoints. @returns those that count, in the order in which they ended. */
function countTries(
  endpoints: ReadonlyMap<string, EndpointState>,
  deliveries: ReadonlyMap<string, DeliveryState>,
  outcomes: readonly DeliveryOutcome[],
): DeliveryOutcome[] {
  const tries: DeliveryOutcome[] = [];
  for (const outcome of outcomes.toSorted((one, other) => one.finishedAt.getTime() - other.finishedAt.getTime())) {
    const delivery = deliveries.get(outcome.deliveryId);
    const endpoint = endpoints.get(outcome.endpointId);
    if (!delivery || !endpoint || !isNextTry(delivery, outcome)) continue;
    delivery.attempts = outcome.attempt;
    if (outcome.acknowledged) delivery.status = "delivered";
    countTry(endpoint, outcome);
    tries.push(outcome);
  }
  return tries;
}

/** Whether the outcome is that of the next try of an unfinished delivery. */
const isNextTry = (delivery: DeliveryState, outcome: DeliveryOutcome): boolean =>
  delivery.round === outcome.round &&
  delivery.attempts === outcome.attempt - 1 &&
  (delivery.status === "pending" || delivery.status === "held");

/** A request that began before the endpoint was enabled, or went to its former URL, says nothing about its present state. */
function countTry(endpoint: EndpointState, outcome: DeliveryOutcome): void {
  const isFormer = outcome.generation !== endpoint.generation;
  if (outcome.acknowledged) {
    if (!isFormer) endpoint.failureCount = 0;
    endpoint.lastSuccessAt = outcome.finishedAt;
    return;
  }
  if (outcome.ofProxy) return;
  const isCounted = isOfCountedOverload(endpoint, outcome);
  endpoint.lastFailureAt = outcome.finishedAt;
  if (isFormer || isCounted) return;
  endpoint.failureCount += 1;
  const isGone = outcome.statusCode === GONE;
  const mustDisable = endpoint.failureCount >= DISABLE_AFTER_FAILURES || isGone;
  if (!endpoint.isActive || !mustDisable) return;
  endpoint.isActive = false;
  endpoint.disabledAt = outcome.finishedAt;
  endpoint.disabledReason = isGone ? "gone" : "consecutive_failures";
}

/**
 * Whether an overloaded endpoint refused a request that was under way at its last failure, which is counted. It could not yet be sent
 * fewer requests (pace.ts): a burst of them would disable it.
 */
const isOfCountedOverload = (endpoint: EndpointState, outcome: DeliveryOutcome): boolean =>
  outcome.isOverload === true &&
  endpoint.failureCount > 0 &&
  endpoint.lastFailureAt !== null &&
  outcome.finishedAt.getTime() - outcome.latencyMs <= endpoint.lastFailureAt.getTime();

/** The next try of a delivery: it follows after `delayS`, and after `attempts` tries of `round`. */
type NextTry = { round: number; attempts: number; delayS: number };

/** The next try of a delivery after this one; null: there is none. */
function nextTry(delivery: DeliveryState, endpoint: EndpointState, outcome: DeliveryOutcome): NextTry | null {
  if (outcome.acknowledged || endpoint.isDeleted) return null;
  const { round, attempts, isSentAgain = false } = delivery;
  const delayS = delayAfter(isSentAgain ? 1 : attempts, outcome);
  if (delayS !== null && !isSentAgain) return { round, attempts, delayS };
  // No event is given up because of an outage on our side.
  const isNextRound = isSentAgain || outcome.ofProxy === "away";
  return isNextRound ? { round: round + 1, attempts: 0, delayS: delayS ?? NEXT_ROUND_AFTER_S } : null;
}

/** The state of a delivery after its try; `next`: the try that follows. */
function settleDelivery(
  { id, status, round, attempts }: DeliveryState,
  endpoint: EndpointState,
  { acknowledged, finishedAt }: DeliveryOutcome,
  next: NextTry | null,
): SettledDelivery {
  const state = { id, status, round, attempts, nextAttemptAt: null };
  if (acknowledged) return { ...state, finishedAt };
  if (!next) return { ...state, status: "abandoned", finishedAt };
  const waiting = { ...state, round: next.round, attempts: next.attempts, finishedAt: null };
  return { ...waiting, status: endpoint.isActive ? "pending" : "held" };
}

/** Adds a delivery to the retry that its endpoint's deliveries of the same round, tries and delay share. */
function addRetry(
  retries: Map<string, Retry>,
  { endpointId, deliveryId, finishedAt }: DeliveryOutcome,
  { round, attempts, delayS }: NextTry,
): void {
  const runAt = new Date(finishedAt.getTime() + delayS * 1_000);
  const group = `${endpointId} ${round} ${attempts} ${delayS}`;
  const retry = retries.get(group);
  if (!retry) {
    retries.set(group, { endpointId, round, triesMade: attempts, runAt, deliveryIds: [deliveryId] });
    return;
  }
  retry.deliveryIds.push(deliveryId);
  if (runAt > retry.runAt) retry.runAt = runAt;
}
