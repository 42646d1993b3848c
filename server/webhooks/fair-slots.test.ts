import { describe, expect, test } from "vitest";
import { createFairSlots, type FairSlots, type Slot } from "./fair-slots";

const NOW_MS = 1_000_000;
const LATER_MS = NOW_MS + 1_000;
const SLOTS = 128;

/** FairSlots of one account. */
function ofOne(slots = SLOTS) {
  const lanes = createFairSlots(slots);
  return {
    enter: (endpointId: string) => lanes.enter("account", endpointId),
    delegate: (work: Parameters<FairSlots["delegate"]>[1], nowMs = NOW_MS) => lanes.delegate("account", work, nowMs),
    requeueAt: (endpointId: string) => lanes.requeueAt("account", endpointId, NOW_MS).getTime(),
  };
}

/** Enters as often as it may. */
function fill(enter: () => Slot | null): Slot[] {
  const places: Slot[] = [];
  for (let place = enter(); place; place = enter()) places.push(place);
  return places;
}

const takeIds = (place: Slot | null | undefined, max = 100) => place?.takeNext(NOW_MS, max)?.deliveryIds ?? null;

describe("the endpoint of an endpoint", () => {
  test("has four jobs at once, and a place that is left is free again", () => {
    const { enter } = ofOne();
    const places = fill(() => enter("a"));
    expect(places.map((place) => place.mayStart(false))).toEqual([true, true, true, true]);
    expect(enter("b")).not.toBeNull();
    places[0]?.leave();
    places[0]?.leave();
    expect(fill(() => enter("a"))).toHaveLength(1);
  });

  test("has one job at a time while the endpoint fails", () => {
    const { enter } = ofOne();
    const [first, second] = [enter("a"), enter("a")];
    expect(first?.mayStart(true)).toBe(true);
    expect(second?.mayStart(true)).toBe(false);
    second?.leave();
    expect(enter("a")).toBeNull();
    first?.leave();
    expect(enter("a")?.mayStart(true)).toBe(true);
  });

  test("goes from four jobs to one when they find their endpoint failing", () => {
    const { enter } = ofOne();
    const places = fill(() => enter("a"));
    for (const place of places) place.mayStart(false);
    expect(places.map((place) => place.mayStart(true))).toEqual([false, false, false, true]);
  });

  test("widens once the endpoint works again", () => {
    const { enter } = ofOne();
    const failing = enter("a");
    failing?.mayStart(true);
    expect(enter("a")).toBeNull();
    failing?.mayStart(false);
    expect(enter("a")?.mayStart(false)).toBe(true);
  });
});

describe("the share of an account", () => {
  test.each([
    [128, 32],
    [8, 2],
    [4, 1],
    [1, 1],
  ])("of %i slots is %i, however many endpoints it has", (slots, share) => {
    const { enter } = ofOne(slots);
    const places = Array.from({ length: 50 }, (_, at) => fill(() => enter(`e${at}`))).flat();
    expect(places).toHaveLength(share);
    places[0]?.leave();
    expect(fill(() => enter("another"))).toHaveLength(1);
  });

  test("is not used up by one endpoint", () => {
    const { enter } = ofOne(8);
    expect(fill(() => enter("a"))).toHaveLength(1);
    expect(fill(() => enter("b"))).toHaveLength(1);
  });

  test("shrinks as slots run out, so that others find one free", () => {
    const { enter } = createFairSlots(SLOTS);
    const held = Array.from(
      { length: 20 },
      (_, account) => Array.from({ length: 50 }, (_, at) => fill(() => enter(`${account}`, `e${at}`))).flat().length,
    );
    expect(held.slice(0, 4)).toEqual([32, 32, 32, 16]);
    expect(Math.min(...held)).toBe(1);
  });
});

describe("work that is handed over", () => {
  test("is taken in its order, in lots of the same number of tries", () => {
    const { enter, delegate } = ofOne();
    const place = enter("a");
    for (const [id, attemptsMade] of [
      ["d1", 0],
      ["d2", 0],
      ["d3", 0],
      ["d4", 1],
    ] as const) {
      delegate({ endpointId: "a", deliveryIds: [id], attemptsMade, untilMs: NOW_MS + Number(id.slice(1)) });
    }
    expect(place?.takeNext(NOW_MS, 2)).toMatchObject({
      ...{ endpointId: "a", deliveryIds: ["d1", "d2"] },
      ...{ attemptsMade: 0, untilMs: NOW_MS + 1 },
    });
    expect(place?.takeNext(NOW_MS, 2)).toMatchObject({ deliveryIds: ["d3"], attemptsMade: 0 });
    expect(place?.takeNext(NOW_MS, 2)).toMatchObject({ deliveryIds: ["d4"], attemptsMade: 1 });
    expect(place?.takeNext(NOW_MS, 2)).toBeNull();
    expect(delegate({ endpointId: "a", deliveryIds: ["d5"], untilMs: LATER_MS })).toBe(false);
  });

  test("is not mixed with that of another round", () => {
    const { enter, delegate } = ofOne();
    const place = enter("a");
    for (const round of [0, 1]) {
      delegate({ endpointId: "a", deliveryIds: [`d${round}`], attemptsMade: 0, round, untilMs: LATER_MS });
    }
    expect(place?.takeNext(NOW_MS, 100)).toMatchObject({ deliveryIds: ["d0"], round: 0 });
    expect(place?.takeNext(NOW_MS, 100)).toMatchObject({ deliveryIds: ["d1"], round: 1 });
  });

  test("is not taken when its own job comes soon, nor when its account has left it behind", () => {
    const { enter, delegate } = ofOne();
    const place = enter("a");
    delegate({ endpointId: "a", deliveryIds: ["d1"], untilMs: NOW_MS });
    delegate({ endpointId: "a", deliveryIds: ["d2"], untilMs: NOW_MS + 1 });
    delegate({ endpointId: "a", deliveryIds: ["d3"], untilMs: NOW_MS });
    expect(takeIds(place)).toEqual(["d2"]);
    delegate({ endpointId: "a", deliveryIds: ["d4"], untilMs: NOW_MS + 1 });
    place?.leave();
    expect(takeIds(enter("a"))).toBeNull();
  });

  test("is done by any job of the account, the endpoints in turn", () => {
    const { enter, delegate } = ofOne(4);
    const place = enter("a");
    expect(enter("b")).toBeNull();
    for (const id of ["a1", "a2", "b1", "b2"]) {
      delegate({ endpointId: id.slice(0, 1), deliveryIds: [id], untilMs: LATER_MS });
    }
    expect([1, 2, 3, 4].map(() => takeIds(place, 1))).toEqual([["a1"], ["b1"], ["a2"], ["b2"]]);
  });

  test("goes past an endpoint whose endpoint is full", () => {
    const { enter, delegate } = ofOne();
    enter("failing")?.mayStart(true);
    const place = enter("a");
    delegate({ endpointId: "failing", deliveryIds: ["f1"], untilMs: LATER_MS });
    delegate({ endpointId: "a", deliveryIds: ["a1"], untilMs: LATER_MS });
    expect(takeIds(place)).toEqual(["a1"]);
    expect(takeIds(place)).toBeNull();
  });

  test("waits in the queue alone beyond 10,000 deliveries of an endpoint and 25,000 of an account", () => {
    const { enter, delegate } = ofOne();
    const places = ["a", "b", "c"].map((id) => enter(id));
    const lot = Array.from({ length: 100 }, (_, at) => `d${at}`);
    const handAll = (endpointId: string, nowMs = NOW_MS) =>
      Array.from({ length: 200 }, () => delegate({ endpointId, deliveryIds: lot, untilMs: nowMs + 1 }, nowMs)).filter(
        (isTaken) => isTaken,
      ).length;
    expect(["a", "b", "c"].map((id) => handAll(id))).toEqual([100, 100, 50]);
    expect(takeIds(places[0])).toHaveLength(100);
    expect(handAll("a")).toBe(1);
    // Work that is too late takes no memory from what comes.
    expect(handAll("c", LATER_MS)).toBe(100);
  });

  test("waits in the queue alone beyond 100,000 deliveries in all", () => {
    const { enter, delegate } = createFairSlots(SLOTS);
    const work = { endpointId: "e", deliveryIds: Array.from({ length: 5_000 }, () => "d"), untilMs: LATER_MS };
    const places = Array.from({ length: 30 }, (_, at) => enter(`${at}`, "e"));
    const handAll = () =>
      places.flatMap((_, at) => [1, 2, 3].map(() => delegate(`${at}`, work, NOW_MS))).filter((isTaken) => isTaken)
        .length;
    expect(handAll()).toBe(20);
    places[0]?.leave();
    expect(handAll()).toBe(2);
  });
});

test("refused jobs come back one after the other", () => {
  const { enter, requeueAt } = ofOne();
  enter("a");
  expect(requeueAt("a")).toBe(NOW_MS + 30_000);
  const times = Array.from({ length: 1_000 }, () => requeueAt("a"));
  expect(times.at(-1)).toBe(NOW_MS + 35_000);
  expect(requeueAt("b")).toBe(NOW_MS + 30_000);
});
