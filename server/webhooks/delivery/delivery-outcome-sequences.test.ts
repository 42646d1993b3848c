import fc from "fast-check";
import { expect, test } from "vitest";
import { MODEL_TIMES } from "@/test/model/times";
import { type DeliveryOutcome, type DeliveryState, type EndpointState, settleOutcomes } from "./delivery-outcome";
import { DISABLE_AFTER_FAILURES, RETRY_DELAYS_S } from "./retry";

const RUNS = 1_500 * MODEL_TIMES;
const ENDPOINTS = ["e1", "e2"];
/** Every third delivery belongs to the second endpoint. */
const DELIVERIES = Array.from({ length: 12 }, (_, at) => `d${at}`);
const endpointOf = (id: string): string => (DELIVERIES.indexOf(id) % 3 === 2 ? "e2" : "e1");

type Tried = { deliveryId: string; isOk: boolean; isGone: boolean; isOverload: boolean; latencyMs: number };
/** The tries of a job; `isTwice`: another worker ran the same job and made them too. */
type Batch = { tried: Tried[]; isTwice: boolean };

const tried = fc.record({
  deliveryId: fc.constantFrom(...DELIVERIES),
  // Long runs of failures must occur, or no endpoint is ever disabled.
  isOk: fc.nat(19).map((of) => of === 0),
  isGone: fc.nat(99).map((of) => of === 0),
  isOverload: fc.nat(9).map((of) => of === 0),
  latencyMs: fc.nat(20),
});
const batches = fc.array(
  fc.record({ tried: fc.array(tried, { minLength: 1, maxLength: 12 }), isTwice: fc.boolean() }),
  {
    maxLength: 25,
    size: "max",
  },
);

/** Endpoints and deliveries as the database would store them, with the tries and jobs written for them. */
class Store {
  endpoints = new Map(
    ENDPOINTS.map((id): [string, EndpointState] => [
      id,
      {
        id,
        generation: 0,
        isActive: true,
        isDeleted: false,
        failureCount: 0,
        lastSuccessAt: null,
        lastFailureAt: null,
        disabledAt: null,
        disabledReason: null,
      },
    ]),
  );
  deliveries = new Map(
    DELIVERIES.map((id): [string, DeliveryState] => [id, { id, status: "pending", round: 0, attempts: 0 }]),
  );
  /** Tries that count, in the order in which they ended. */
  counted: DeliveryOutcome[] = [];
  jobs = new Map<string, number>();
  ms = 0;

  /** The tries of a job: the next try of each delivery, as known when the job begins. */
  tries({ tried: all }: Batch): DeliveryOutcome[] {
    return all.map(({ deliveryId, isOk, isGone, isOverload, latencyMs }) => {
      this.ms += 1;
      const { round = 0, attempts = 0 } = this.deliveries.get(deliveryId) ?? {};
      return {
        deliveryId,
        endpointId: endpointOf(deliveryId),
        generation: 0,
        round,
        attempt: attempts + 1,
        acknowledged: isOk,
        statusCode: isOk ? 200 : isGone ? 410 : 500,
        latencyMs,
        isOverload: !isOk && !isGone && isOverload,
        error: null,
        responseHead: null,
        retryAfterS: null,
        finishedAt: new Date(this.ms),
      };
    });
  }

  settle(outcomes: readonly DeliveryOutcome[]) {
    const settled = settleOutcomes([...this.endpoints.values()], [...this.deliveries.values()], outcomes);
    for (const endpoint of settled.endpoints) this.endpoints.set(endpoint.id, endpoint);
    for (const { id, status, round, attempts } of settled.deliveries) {
      this.deliveries.set(id, { id, status, round, attempts });
    }
    this.counted.push(...settled.tries);
    for (const { deliveryIds, triesMade } of settled.retries) {
      for (const id of deliveryIds) {
        this.jobs.set(`${id} ${triesMade}`, (this.jobs.get(`${id} ${triesMade}`) ?? 0) + 1);
      }
    }
    return settled;
  }
}

/**
 * After each of the endpoint's tries, its consecutive failures. A request of an overload that was under way at the failure before counts
 * with that one.
 */
function failuresInRow(counted: readonly DeliveryOutcome[], endpointId: string): number[] {
  let inRow = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  return counted
    .filter((outcome) => outcome.endpointId === endpointId)
    .map(({ acknowledged, isOverload, latencyMs, finishedAt }) => {
      const wasUnderWay = finishedAt.getTime() - latencyMs <= lastMs;
      if (acknowledged) inRow = 0;
      else if (!(isOverload && inRow > 0 && wasUnderWay)) inRow += 1;
      if (!acknowledged) lastMs = finishedAt.getTime();
      return inRow;
    });
}

/** Whether at some moment there were enough consecutive failures, or the endpoint responded 410. */
const mustBeDisabled = (counted: readonly DeliveryOutcome[], endpointId: string): boolean =>
  failuresInRow(counted, endpointId).some((inRow) => inRow >= DISABLE_AFTER_FAILURES) ||
  counted.some((outcome) => outcome.endpointId === endpointId && outcome.statusCode === 410);

function check({ endpoints, deliveries, counted, jobs }: Store): void {
  for (const endpoint of endpoints.values()) {
    expect(endpoint.failureCount).toBe(failuresInRow(counted, endpoint.id).at(-1) ?? 0);
    expect(endpoint.isActive).toBe(!mustBeDisabled(counted, endpoint.id));
    expect(endpoint.disabledAt !== null).toBe(!endpoint.isActive);
    expect(endpoint.disabledReason !== null).toBe(!endpoint.isActive);
  }
  const tries = counted.map((outcome) => `${outcome.deliveryId} ${outcome.round} ${outcome.attempt}`);
  expect(new Set(tries).size).toBe(tries.length);
  for (const { id, status, attempts } of deliveries.values()) {
    expect(attempts).toBeLessThanOrEqual(RETRY_DELAYS_S.length);
    const own = counted.filter((outcome) => outcome.deliveryId === id);
    expect(own.map((outcome) => outcome.attempt)).toEqual(own.map((_, at) => at + 1));
    expect(attempts).toBe(own.length);
    expect(status === "delivered").toBe(own.at(-1)?.acknowledged ?? false);
    if (status === "abandoned") expect(attempts).toBe(RETRY_DELAYS_S.length);
    // A delivery has exactly one job if it is tried again, else none.
    expect(jobs.get(`${id} ${attempts}`) ?? 0).toBe(status === "pending" && attempts > 0 ? 1 : 0);
  }
}

test("each try counts once, even when two jobs made it, and only consecutive failures disable an endpoint", () => {
  fc.assert(
    fc.property(batches, (all) => {
      const store = new Store();
      for (const batch of all) {
        const first = store.tries(batch);
        const second = batch.isTwice ? store.tries(batch) : [];
        store.settle(first);
        if (second.length > 0) store.settle(second);
      }
      check(store);
    }),
    { numRuns: RUNS },
  );
});

test("neither the order of a batch nor its repetition makes a difference", () => {
  fc.assert(
    fc.property(batches, fc.array(fc.nat(), { minLength: 40, maxLength: 40 }), (all, keys) => {
      const [one, other] = [new Store(), new Store()];
      for (const batch of all) {
        const outcomes = one.tries(batch);
        other.ms = one.ms;
        const shuffled = outcomes
          .map((outcome, at) => ({ outcome, key: keys[at % keys.length] ?? 0 }))
          .sort((left, right) => left.key - right.key)
          .map(({ outcome }) => outcome);
        one.settle(outcomes);
        other.settle(shuffled);
        expect(other.settle(shuffled).tries).toEqual([]);
      }
      expect(other.endpoints).toEqual(one.endpoints);
      expect(other.deliveries).toEqual(one.deliveries);
      expect(other.counted).toEqual(one.counted);
    }),
    { numRuns: RUNS },
  );
});

test("tries split into batches, in the order in which they ended, have the same result as one batch", () => {
  fc.assert(
    fc.property(fc.array(tried, { maxLength: 40, size: "max" }), fc.nat(40), (all, cut) => {
      const [whole, parts] = [new Store(), new Store()];
      // One try per delivery: tries of one delivery never share a batch.
      const own = [...new Map(all.map((each) => [each.deliveryId, each])).values()];
      const outcomes = whole.tries({ tried: own, isTwice: false });
      whole.settle(outcomes);
      parts.settle(outcomes.slice(0, cut));
      parts.settle(outcomes.slice(cut));
      expect(parts.endpoints).toEqual(whole.endpoints);
      expect(parts.counted).toEqual(whole.counted);
    }),
    { numRuns: RUNS },
  );
});
