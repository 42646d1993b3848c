import { describe, expect, test } from "vitest";
import { type DeliveryOutcome, type DeliveryState, type EndpointState, settleOutcomes } from "./delivery-outcome";

const T0 = Date.UTC(2026, 0, 1);
const at = (ms: number) => new Date(T0 + ms);

const endpoint = (more: Partial<EndpointState> = {}): EndpointState => ({
  id: "e1",
  generation: 0,
  isActive: true,
  isDeleted: false,
  failureCount: 0,
  lastSuccessAt: null,
  lastFailureAt: null,
  disabledAt: null,
  disabledReason: null,
  ...more,
});

const delivery = (id: string, more: Partial<DeliveryState> = {}): DeliveryState => ({
  id,
  status: "pending",
  round: 0,
  attempts: 0,
  ...more,
});

const outcome = (deliveryId: string, more: Partial<DeliveryOutcome> = {}): DeliveryOutcome => ({
  deliveryId,
  endpointId: "e1",
  generation: 0,
  round: 0,
  attempt: 1,
  acknowledged: false,
  statusCode: 500,
  latencyMs: 5,
  error: "The endpoint responded with 500.",
  responseHead: "",
  retryAfterS: null,
  finishedAt: at(0),
  ...more,
});

const ok = (deliveryId: string, more: Partial<DeliveryOutcome> = {}) =>
  outcome(deliveryId, { acknowledged: true, statusCode: 200, error: null, ...more });

describe("one try", () => {
  test("a 2xx ends the delivery and resets the failure count", () => {
    const settled = settleOutcomes([endpoint({ failureCount: 24 })], [delivery("d1")], [ok("d1")]);
    expect(settled.deliveries).toEqual([
      { id: "d1", status: "delivered", round: 0, attempts: 1, nextAttemptAt: null, finishedAt: at(0) },
    ]);
    expect(settled.endpoints).toEqual([endpoint({ failureCount: 0, lastSuccessAt: at(0) })]);
    expect(settled.retries).toEqual([]);
  });

  test("that failed at the egress proxy is made again by the schedule, and counts neither for the endpoint nor against it", () => {
    const before = endpoint({ failureCount: 24, lastFailureAt: at(-5) });
    const ofProxy = outcome("d1", { statusCode: null, error: "The egress proxy refused: 407.", ofProxy: "refused" });
    const settled = settleOutcomes([before], [delivery("d1")], [ofProxy]);
    expect(settled.endpoints).toEqual([before]);
    expect(settled.deliveries).toMatchObject([{ status: "pending", attempts: 1, nextAttemptAt: at(30_000) }]);
    expect(settled.tries).toEqual([ofProxy]);
    const last = settleOutcomes([before], [delivery("d1", { attempts: 5 })], [{ ...ofProxy, attempt: 6 }]);
    expect(last.deliveries).toMatchObject([{ status: "abandoned", attempts: 6 }]);
  });

  test("for which the egress proxy was away, if it was the last one, begins the schedule again", () => {
    const away = outcome("d1", { statusCode: null, error: "unreachable", ofProxy: "away", attempt: 6, round: 1 });
    const before = delivery("d1", { attempts: 5, round: 1 });
    const runAt = at(1_800_000);
    const settled = settleOutcomes([endpoint()], [before], [away]);
    expect(settled.deliveries).toMatchObject([{ status: "pending", round: 2, attempts: 0, nextAttemptAt: runAt }]);
    expect(settled.retries).toEqual([{ endpointId: "e1", round: 2, triesMade: 0, runAt, deliveryIds: ["d1"] }]);
    expect(settled.endpoints).toEqual([endpoint()]);
    const deleted = settleOutcomes([endpoint({ isDeleted: true })], [before], [away]);
    expect(deleted.deliveries).toMatchObject([{ status: "abandoned", round: 1, attempts: 6 }]);
  });

  test.each([
    ["a failure", outcome("d1", { generation: 1 })],
    ["a 410", outcome("d1", { generation: 1, statusCode: 410 })],
    ["a 2xx", ok("d1", { generation: 1 })],
  ])("of an earlier generation counts neither for the endpoint nor against it: %s", (_, made) => {
    const before = endpoint({ generation: 2, failureCount: 24 });
    const settled = settleOutcomes([before], [delivery("d1")], [made]);
    const last = made.acknowledged ? { lastSuccessAt: at(0) } : { lastFailureAt: at(0) };
    expect(settled.endpoints).toEqual([{ ...before, ...last }]);
    expect(settled.deliveries).toMatchObject([{ status: made.acknowledged ? "delivered" : "pending", attempts: 1 }]);
  });

  test("of a delivery that was sent again meanwhile begins its next round when it fails, and ends it when it does not", () => {
    const before = delivery("d1", { attempts: 5, isSentAgain: true });
    const settle = (made: DeliveryOutcome, more: Partial<EndpointState> = {}) =>
      settleOutcomes([endpoint(more)], [before], [made]).deliveries;
    const failed = outcome("d1", { attempt: 6 });
    const nextRound = { round: 1, attempts: 0 };
    expect(settle(failed)).toMatchObject([{ status: "pending", ...nextRound, nextAttemptAt: at(30_000) }]);
    expect(settle(failed, { isActive: false })).toMatchObject([{ status: "held", ...nextRound }]);
    expect(settle(failed, { isDeleted: true })).toMatchObject([{ status: "abandoned", round: 0, attempts: 6 }]);
    expect(settle(ok("d1", { attempt: 6 }))).toMatchObject([{ status: "delivered", round: 0, attempts: 6 }]);
  });

  test.each([
    [1, 30],
    [2, 300],
    [3, 1_800],
    [4, 7_200],
    [5, 43_200],
  ])("failed try %i is followed by another after %i s", (attempt, delayS) => {
    const settled = settleOutcomes(
      [endpoint()],
      [delivery("d1", { attempts: attempt - 1 })],
      [outcome("d1", { attempt })],
    );
    const runAt = at(delayS * 1_000);
    expect(settled.deliveries).toMatchObject([{ status: "pending", attempts: attempt, nextAttemptAt: runAt }]);
    expect(settled.retries).toEqual([{ endpointId: "e1", round: 0, triesMade: attempt, runAt, deliveryIds: ["d1"] }]);
    expect(settled.endpoints).toEqual([endpoint({ failureCount: 1, lastFailureAt: at(0) })]);
  });

  test("the sixth failure abandons the delivery", () => {
    const settled = settleOutcomes([endpoint()], [delivery("d1", { attempts: 5 })], [outcome("d1", { attempt: 6 })]);
    expect(settled.deliveries).toMatchObject([{ status: "abandoned", attempts: 6, finishedAt: at(0) }]);
    expect(settled.retries).toEqual([]);
  });

  test.each([
    ["was counted already", delivery("d1", { attempts: 1 }), outcome("d1")],
    ["has ended", delivery("d1", { status: "delivered" }), outcome("d1")],
    ["was recovered meanwhile", delivery("d1", { round: 1 }), outcome("d1")],
    ["is unknown", delivery("d2"), outcome("d1")],
    ["belongs to an unknown endpoint", delivery("d1"), outcome("d1", { endpointId: "e2" })],
  ])("a try whose delivery %s changes nothing", (_, state, made) => {
    expect(settleOutcomes([endpoint()], [state], [made])).toEqual({
      tries: [],
      deliveries: [],
      endpoints: [],
      retries: [],
    });
  });

  test("a failure abandons a deleted endpoint's delivery and parks a disabled one's, but a 2xx delivers it", () => {
    const end = (state: Partial<EndpointState>, made: DeliveryOutcome) =>
      settleOutcomes([endpoint(state)], [delivery("d1", { status: "held" })], [made]).deliveries[0]?.status;
    expect(end({ isDeleted: true }, outcome("d1"))).toBe("abandoned");
    expect(end({ isActive: false }, outcome("d1"))).toBe("held");
    expect(end({ isActive: false }, ok("d1"))).toBe("delivered");
  });
});

describe("a response with Retry-After", () => {
  const runAt = (retryAfterS: number | null, attempt: number, statusCode = 503) =>
    settleOutcomes(
      [endpoint()],
      [delivery("d1", { attempts: attempt - 1 })],
      [outcome("d1", { attempt, statusCode, retryAfterS })],
    ).retries[0]?.runAt;

  test.each([
    [null, 1, 30],
    [0, 1, 30],
    [29, 1, 30],
    [31, 1, 31],
    [86_400, 1, 300],
    [31, 2, 300],
    [86_400, 2, 1_800],
    [86_400, 4, 43_200],
    [86_400, 5, 43_200],
  ])("of %s s after try %i leads to the next try after %i s", (retryAfterS, attempt, delayS) => {
    expect(runAt(retryAfterS, attempt)).toEqual(at(delayS * 1_000));
  });

  test.each([429, 503])("counts with %i, which says that the endpoint is overloaded", (statusCode) => {
    expect(runAt(120, 1, statusCode)).toEqual(at(120_000));
  });

  test.each([301, 400, 500, 502, 504])("does not count with %i", (statusCode) => {
    expect(runAt(120, 1, statusCode)).toEqual(at(30_000));
  });

  test("delays only its own delivery, and gives no seventh try", () => {
    const settled = settleOutcomes(
      [endpoint()],
      [delivery("d1"), delivery("d2"), delivery("d3", { attempts: 5 })],
      [
        outcome("d1", { statusCode: 429, retryAfterS: 240 }),
        outcome("d2"),
        outcome("d3", { attempt: 6, statusCode: 503, retryAfterS: 60 }),
      ],
    );
    expect(settled.retries.map((retry) => [retry.deliveryIds, retry.runAt])).toEqual([
      [["d1"], at(240_000)],
      [["d2"], at(30_000)],
    ]);
    expect(settled.deliveries.at(-1)).toMatchObject({ id: "d3", status: "abandoned" });
  });
});

test("410 disables the endpoint at once, and parks the delivery and all that fail with it", () => {
  const settled = settleOutcomes(
    [endpoint(), endpoint({ id: "e2" })],
    [delivery("d1"), delivery("d2"), delivery("d3")],
    [outcome("d1"), outcome("d2", { statusCode: 410, finishedAt: at(5) }), outcome("d3", { endpointId: "e2" })],
  );
  expect(settled.endpoints).toMatchObject([
    { id: "e1", isActive: false, failureCount: 2, disabledAt: at(5), disabledReason: "gone" },
    { id: "e2", isActive: true, failureCount: 1, disabledAt: null, disabledReason: null },
  ]);
  expect(settled.deliveries.map((each) => `${each.id} ${each.status}`).sort()).toEqual([
    "d1 held",
    "d2 held",
    "d3 pending",
  ]);
});

describe("many tries", () => {
  const many = (
    count: number,
    made: (id: string, index: number) => DeliveryOutcome,
    state: Partial<EndpointState> = {},
  ) => {
    const ids = Array.from({ length: count }, (_, index) => `d${index}`);
    return settleOutcomes(
      [endpoint(state)],
      ids.map((id) => delivery(id)),
      ids.map(made),
    );
  };

  test("failures of the same try of one endpoint share one later job", () => {
    const settled = many(3, (id, index) => outcome(id, { finishedAt: at(index * 10) }));
    const runAt = at(30_020);
    expect(settled.retries).toEqual([
      { endpointId: "e1", round: 0, triesMade: 1, runAt, deliveryIds: ["d0", "d1", "d2"] },
    ]);
    expect(settled.deliveries.map((each) => each.nextAttemptAt)).toEqual([runAt, runAt, runAt]);
  });

  test("24 failures leave the endpoint active, the 25th disables it and parks all deliveries with tries left", () => {
    const almost = many(24, (id) => outcome(id));
    expect(almost.endpoints).toMatchObject([{ isActive: true, failureCount: 24, disabledAt: null }]);
    expect(almost.deliveries.every((each) => each.status === "pending")).toBe(true);

    const disabled = many(26, (id, index) => outcome(id, { finishedAt: at(index) }));
    expect(disabled.endpoints).toMatchObject([
      { isActive: false, failureCount: 26, disabledAt: at(24), disabledReason: "consecutive_failures" },
    ]);
    expect(disabled.deliveries.every((each) => each.status === "held" && each.nextAttemptAt === null)).toBe(true);
    expect(disabled.retries).toEqual([]);
    expect(disabled.tries).toHaveLength(26);
  });

  test.each([
    [true, 1],
    [false, 30],
  ])("that were under way together, of an overloaded endpoint (%s), count as %i", (isOverload, count) => {
    const settled = many(30, (id, index) =>
      outcome(id, { statusCode: 503, isOverload, latencyMs: 50, finishedAt: at(index) }),
    );
    expect(settled.endpoints).toMatchObject([{ failureCount: count, isActive: count < 25, lastFailureAt: at(29) }]);
    expect(settled.tries).toHaveLength(30);
    expect(settled.deliveries.every((each) => each.attempts === 1)).toBe(true);
  });

  test("of an overloaded endpoint count singly if they began after one another, or after a success", () => {
    const refusal = (latencyMs: number) => (id: string, index: number) =>
      outcome(id, { statusCode: 429, isOverload: true, latencyMs, finishedAt: at(index * 10) });
    expect(many(30, refusal(9)).endpoints).toMatchObject([{ failureCount: 30, isActive: false }]);
    expect(many(30, refusal(10)).endpoints).toMatchObject([{ failureCount: 1, isActive: true }]);
    const before = { failureCount: 3, lastFailureAt: at(-1) };
    expect(many(1, refusal(1), before).endpoints).toMatchObject([{ failureCount: 3 }]);
    expect(many(1, refusal(0), before).endpoints).toMatchObject([{ failureCount: 4 }]);
    expect(many(1, refusal(1), { ...before, failureCount: 0 }).endpoints).toMatchObject([{ failureCount: 1 }]);
  });

  test("are applied in the order in which they ended, not in the order of the batch", () => {
    const lateSuccess = many(30, (id, index) =>
      index === 0 ? ok(id, { finishedAt: at(24) }) : outcome(id, { finishedAt: at(index) }),
    );
    expect(lateSuccess.endpoints).toMatchObject([{ isActive: true, failureCount: 6 }]);
  });

  test("a 2xx after the 25th failure does not enable the endpoint again", () => {
    const settled = many(26, (id, index) =>
      index === 25 ? ok(id, { finishedAt: at(25) }) : outcome(id, { finishedAt: at(index) }),
    );
    expect(settled.endpoints).toMatchObject([{ isActive: false, failureCount: 0, disabledAt: at(24) }]);
  });

  test("the reason stays when a 410 comes after the 25th failure; a 25th failure that is one is the reason itself", () => {
    const withGone = (gone: number) =>
      many(27, (id, index) => outcome(id, { finishedAt: at(index), statusCode: index === gone ? 410 : 500 }));
    const reasons = [25, 24].map((gone) =>
      withGone(gone).endpoints.map((each) => [each.disabledAt, each.disabledReason]),
    );
    expect(reasons).toEqual([[[at(24), "consecutive_failures"]], [[at(24), "gone"]]]);
  });

  test("a try that two jobs made counts once", () => {
    const settled = settleOutcomes(
      [endpoint()],
      [delivery("d1")],
      [outcome("d1"), outcome("d1", { finishedAt: at(1) })],
    );
    expect(settled.tries).toHaveLength(1);
    expect(settled.endpoints).toMatchObject([{ failureCount: 1 }]);
  });

  test("a recovered delivery is tried again in jobs of its round", () => {
    const settled = settleOutcomes(
      [endpoint()],
      [delivery("d1", { round: 2 }), delivery("d2")],
      [outcome("d1", { round: 2 }), outcome("d2")],
    );
    expect(settled.retries).toMatchObject([
      { round: 2, triesMade: 1, deliveryIds: ["d1"] },
      { round: 0, triesMade: 1, deliveryIds: ["d2"] },
    ]);
  });

  test("the given state is not modified", () => {
    const given = endpoint();
    settleOutcomes([given], [delivery("d1")], [outcome("d1")]);
    expect(given).toEqual(endpoint());
  });
});
