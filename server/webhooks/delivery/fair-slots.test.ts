import { describe, expect, test } from "vitest";
import { createFairSlots, type FairSlots, type Slot } from "./fair-slots";

const NOW_MS = 1_000_000;
const LATER_MS = NOW_MS + 1_000;
const SLOTS = 128;

function slotsOfOneAccount(total = SLOTS) {
  const slots = createFairSlots(total);
  return {
    acquire: (endpointId: string) => slots.acquire("account", endpointId),
    delegate: (work: Parameters<FairSlots["delegate"]>[1], nowMs = NOW_MS) => slots.delegate("account", work, nowMs),
    requeueAt: (endpointId: string) => slots.requeueAt("account", endpointId, NOW_MS).getTime(),
  };
}

function acquireAll(acquire: () => Slot | null): Slot[] {
  const slots: Slot[] = [];
  for (let slot = acquire(); slot; slot = acquire()) slots.push(slot);
  return slots;
}

const takeIds = (slot: Slot | null | undefined, max = 100) => slot?.takeNext(NOW_MS, max)?.deliveryIds ?? null;

describe("an endpoint's slots", () => {
  test("are four, and a released slot is free again", () => {
    const { acquire } = slotsOfOneAccount();
    const slots = acquireAll(() => acquire("a"));
    expect(slots.map((slot) => slot.mayStart(false))).toEqual([true, true, true, true]);
    expect(acquire("b")).not.toBeNull();
    slots[0]?.release();
    slots[0]?.release();
    expect(acquireAll(() => acquire("a"))).toHaveLength(1);
  });

  test("are reduced to one while the endpoint fails", () => {
    const { acquire } = slotsOfOneAccount();
    const [first, second] = [acquire("a"), acquire("a")];
    expect(first?.mayStart(true)).toBe(true);
    expect(second?.mayStart(true)).toBe(false);
    second?.release();
    expect(acquire("a")).toBeNull();
    first?.release();
    expect(acquire("a")?.mayStart(true)).toBe(true);
  });

  test("let one of four running jobs continue when they find their endpoint failing", () => {
    const { acquire } = slotsOfOneAccount();
    const slots = acquireAll(() => acquire("a"));
    for (const slot of slots) slot.mayStart(false);
    expect(slots.map((slot) => slot.mayStart(true))).toEqual([false, false, false, true]);
  });

  test("are restored once the endpoint works again", () => {
    const { acquire } = slotsOfOneAccount();
    const failing = acquire("a");
    failing?.mayStart(true);
    expect(acquire("a")).toBeNull();
    failing?.mayStart(false);
    expect(acquire("a")?.mayStart(false)).toBe(true);
  });
});

describe("the account share", () => {
  test.each([
    [128, 32],
    [8, 2],
    [4, 1],
    [1, 1],
  ])("of %i slots is %i, however many endpoints the account has", (total, share) => {
    const { acquire } = slotsOfOneAccount(total);
    const slots = Array.from({ length: 50 }, (_, at) => acquireAll(() => acquire(`e${at}`))).flat();
    expect(slots).toHaveLength(share);
    slots[0]?.release();
    expect(acquireAll(() => acquire("another"))).toHaveLength(1);
  });

  test("is not used up by one endpoint", () => {
    const { acquire } = slotsOfOneAccount(8);
    expect(acquireAll(() => acquire("a"))).toHaveLength(1);
    expect(acquireAll(() => acquire("b"))).toHaveLength(1);
  });

  test("shrinks as slots run out, so that other accounts find one free", () => {
    const { acquire } = createFairSlots(SLOTS);
    const counts = Array.from(
      { length: 20 },
      (_, account) =>
        Array.from({ length: 50 }, (_, at) => acquireAll(() => acquire(`${account}`, `e${at}`))).flat().length,
    );
    expect(counts.slice(0, 4)).toEqual([32, 32, 32, 16]);
    expect(Math.min(...counts)).toBe(1);
  });
});

describe("delegated work", () => {
  test("is taken in order, in batches with the same number of tries", () => {
    const { acquire, delegate } = slotsOfOneAccount();
    const slot = acquire("a");
    for (const [id, attemptsMade] of [
      ["d1", 0],
      ["d2", 0],
      ["d3", 0],
      ["d4", 1],
    ] as const) {
      delegate({ endpointId: "a", deliveryIds: [id], attemptsMade, untilMs: NOW_MS + Number(id.slice(1)) });
    }
    expect(slot?.takeNext(NOW_MS, 2)).toMatchObject({
      ...{ endpointId: "a", deliveryIds: ["d1", "d2"] },
      ...{ attemptsMade: 0, untilMs: NOW_MS + 1 },
    });
    expect(slot?.takeNext(NOW_MS, 2)).toMatchObject({ deliveryIds: ["d3"], attemptsMade: 0 });
    expect(slot?.takeNext(NOW_MS, 2)).toMatchObject({ deliveryIds: ["d4"], attemptsMade: 1 });
    expect(slot?.takeNext(NOW_MS, 2)).toBeNull();
    expect(delegate({ endpointId: "a", deliveryIds: ["d5"], untilMs: LATER_MS })).toBe(false);
  });

  test("is not mixed with work of another round", () => {
    const { acquire, delegate } = slotsOfOneAccount();
    const slot = acquire("a");
    for (const round of [0, 1]) {
      delegate({ endpointId: "a", deliveryIds: [`d${round}`], attemptsMade: 0, round, untilMs: LATER_MS });
    }
    expect(slot?.takeNext(NOW_MS, 100)).toMatchObject({ deliveryIds: ["d0"], round: 0 });
    expect(slot?.takeNext(NOW_MS, 100)).toMatchObject({ deliveryIds: ["d1"], round: 1 });
  });

  test("is not taken when its requeued job is due soon, nor after the account's last slot was released", () => {
    const { acquire, delegate } = slotsOfOneAccount();
    const slot = acquire("a");
    delegate({ endpointId: "a", deliveryIds: ["d1"], untilMs: NOW_MS });
    delegate({ endpointId: "a", deliveryIds: ["d2"], untilMs: NOW_MS + 1 });
    delegate({ endpointId: "a", deliveryIds: ["d3"], untilMs: NOW_MS });
    expect(takeIds(slot)).toEqual(["d2"]);
    delegate({ endpointId: "a", deliveryIds: ["d4"], untilMs: NOW_MS + 1 });
    slot?.release();
    expect(takeIds(acquire("a"))).toBeNull();
  });

  test("is carried by any job of the account, the endpoints taking turns", () => {
    const { acquire, delegate } = slotsOfOneAccount(4);
    const slot = acquire("a");
    expect(acquire("b")).toBeNull();
    for (const id of ["a1", "a2", "b1", "b2"]) {
      delegate({ endpointId: id.slice(0, 1), deliveryIds: [id], untilMs: LATER_MS });
    }
    expect([1, 2, 3, 4].map(() => takeIds(slot, 1))).toEqual([["a1"], ["b1"], ["a2"], ["b2"]]);
  });

  test("is skipped while its endpoint's slots are used up", () => {
    const { acquire, delegate } = slotsOfOneAccount();
    acquire("failing")?.mayStart(true);
    const slot = acquire("a");
    delegate({ endpointId: "failing", deliveryIds: ["f1"], untilMs: LATER_MS });
    delegate({ endpointId: "a", deliveryIds: ["a1"], untilMs: LATER_MS });
    expect(takeIds(slot)).toEqual(["a1"]);
    expect(takeIds(slot)).toBeNull();
  });

  test("is refused beyond 10,000 deliveries of an endpoint and 25,000 of an account", () => {
    const { acquire, delegate } = slotsOfOneAccount();
    const slots = ["a", "b", "c"].map((id) => acquire(id));
    const batch = Array.from({ length: 100 }, (_, at) => `d${at}`);
    const countDelegated = (endpointId: string, nowMs = NOW_MS) =>
      Array.from({ length: 200 }, () => delegate({ endpointId, deliveryIds: batch, untilMs: nowMs + 1 }, nowMs)).filter(
        (isTaken) => isTaken,
      ).length;
    expect(["a", "b", "c"].map((id) => countDelegated(id))).toEqual([100, 100, 50]);
    expect(takeIds(slots[0])).toHaveLength(100);
    expect(countDelegated("a")).toBe(1);
    // Expired work does not count against the limit.
    expect(countDelegated("c", LATER_MS)).toBe(100);
  });

  test("is refused beyond 100,000 deliveries in total", () => {
    const { acquire, delegate } = createFairSlots(SLOTS);
    const work = { endpointId: "e", deliveryIds: Array.from({ length: 5_000 }, () => "d"), untilMs: LATER_MS };
    const slots = Array.from({ length: 30 }, (_, at) => acquire(`${at}`, "e"));
    const countDelegated = () =>
      slots.flatMap((_, at) => [1, 2, 3].map(() => delegate(`${at}`, work, NOW_MS))).filter((isTaken) => isTaken)
        .length;
    expect(countDelegated()).toBe(20);
    slots[0]?.release();
    expect(countDelegated()).toBe(2);
  });
});

test("jobs without a slot are requeued at spaced times", () => {
  const { acquire, requeueAt } = slotsOfOneAccount();
  acquire("a");
  expect(requeueAt("a")).toBe(NOW_MS + 30_000);
  const times = Array.from({ length: 1_000 }, () => requeueAt("a"));
  expect(times.at(-1)).toBe(NOW_MS + 35_000);
  expect(requeueAt("b")).toBe(NOW_MS + 30_000);
});
