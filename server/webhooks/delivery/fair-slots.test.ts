import { describe, expect, test } from "vitest";
import type { WaitingJob } from "./delegated-jobs";
import { createFairSlots, type EndpointPace, type Slot } from "./fair-slots";

const NOW_MS = 1_000_000;
const LATER_MS = NOW_MS + 1_000;
const SLOTS = 128;

function slotsOfOneAccount(total = SLOTS) {
  const slots = createFairSlots(total);
  return {
    acquire: (endpointId: string) => slots.acquire("account", endpointId),
    delegate: (job: WaitingJob, nowMs = NOW_MS) => slots.delegate("account", job, nowMs),
    requeueAfterMs: (endpointId: string) => slots.requeueAfterMs("account", endpointId, NOW_MS),
  };
}

function acquireAll(acquire: () => Slot | null): Slot[] {
  const slots: Slot[] = [];
  for (let slot = acquire(); slot; slot = acquire()) slots.push(slot);
  return slots;
}

const idsOf = (jobs: WaitingJob[] | undefined) => jobs?.map((job) => job.id);
const takeIds = (slot: Slot | null | undefined, max = 100) => idsOf(slot?.takeNext(NOW_MS, max));

const waitingJob = (endpointId: string, id: string, more: Partial<WaitingJob> = {}): WaitingJob => ({
  id,
  endpointId,
  round: 0,
  triesMade: 0,
  deliveries: 1,
  dueMs: LATER_MS,
  ...more,
});

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

describe("a paced endpoint", () => {
  const slotsWith = (pace: EndpointPace) => {
    const paces = new Map([["a", pace]]);
    const slots = createFairSlots(SLOTS, (endpointId) => paces.get(endpointId) ?? "unpaced");
    return { ...slots, setPace: (next: EndpointPace) => void paces.set("a", next) };
  };

  test("has one slot, and none while it is paused", () => {
    const { acquire, setPace } = slotsWith("paced");
    const [slot] = acquireAll(() => acquire("account", "a"));
    expect(acquire("account", "a")).toBeNull();
    slot?.release();
    setPace("paused");
    expect(acquire("account", "a")).toBeNull();
    expect(acquire("account", "b")).not.toBeNull();
    setPace("unpaced");
    expect(acquireAll(() => acquire("account", "a"))).toHaveLength(4);
  });

  test("leaves its delegated jobs to the queue while it is paused", () => {
    const { acquire, delegate, setPace } = slotsWith("paced");
    const slot = acquire("account", "a");
    for (const id of ["a1", "a2", "b1"]) delegate("account", waitingJob(id.slice(0, 1), id), NOW_MS);
    expect(takeIds(slot, 1)).toEqual(["a1"]);
    setPace("paused");
    expect(takeIds(slot)).toEqual(["b1"]);
    expect(takeIds(slot)).toEqual([]);
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

describe("delegated jobs", () => {
  test("are taken in order, as many as are alike and within the limit", () => {
    const { acquire, delegate } = slotsOfOneAccount();
    const slot = acquire("a");
    for (const id of ["j1", "j2", "j3"]) delegate(waitingJob("a", id, { deliveries: 50 }));
    delegate(waitingJob("a", "j4", { triesMade: 1 }));
    delegate(waitingJob("a", "j5", { triesMade: 1, deliveries: 500 }));
    delegate(waitingJob("a", "j6", { triesMade: 1, round: 1 }));
    expect([1, 2, 3, 4, 5].map(() => takeIds(slot))).toEqual([["j1", "j2"], ["j3"], ["j4"], ["j5"], ["j6"]]);
    expect(takeIds(slot)).toEqual([]);
  });

  test("are not taken once they are due, nor after the account's last slot was released", () => {
    const { acquire, delegate } = slotsOfOneAccount();
    const slot = acquire("a");
    delegate(waitingJob("a", "j1", { dueMs: NOW_MS }));
    delegate(waitingJob("a", "j2", { dueMs: NOW_MS + 1 }));
    delegate(waitingJob("a", "j3", { dueMs: NOW_MS }));
    expect(takeIds(slot)).toEqual(["j2"]);
    delegate(waitingJob("a", "j4"));
    slot?.release();
    expect(takeIds(acquire("a"))).toEqual([]);
  });

  test("are taken by the next job of the account when none is running", () => {
    const { acquire, delegate } = slotsOfOneAccount();
    expect(delegate(waitingJob("a", "j1"))).toBe(true);
    expect(takeIds(acquire("a"))).toEqual(["j1"]);
  });

  test("are taken by any job of the account, the endpoints taking turns", () => {
    const { acquire, delegate } = slotsOfOneAccount(4);
    const slot = acquire("a");
    expect(acquire("b")).toBeNull();
    for (const id of ["a1", "a2", "b1", "b2"]) delegate(waitingJob(id.slice(0, 1), id));
    expect([1, 2, 3, 4].map(() => takeIds(slot, 1))).toEqual([["a1"], ["b1"], ["a2"], ["b2"]]);
  });

  test("are skipped while their endpoint's slots are used up", () => {
    const { acquire, delegate } = slotsOfOneAccount();
    acquire("failing")?.mayStart(true);
    const slot = acquire("a");
    delegate(waitingJob("failing", "f1"));
    delegate(waitingJob("a", "a1"));
    expect(takeIds(slot)).toEqual(["a1"]);
    expect(takeIds(slot)).toEqual([]);
  });

  test("are refused beyond 10,000 of an endpoint and 25,000 of an account, however many deliveries they carry", () => {
    const { acquire, delegate } = slotsOfOneAccount();
    const slots = ["a", "b", "c"].map((id) => acquire(id));
    const countDelegated = (endpointId: string, nowMs = NOW_MS) =>
      Array.from({ length: 12_000 }, (_, at) =>
        delegate(waitingJob(endpointId, `j${at}`, { deliveries: 100, dueMs: nowMs + 1 }), nowMs),
      ).filter((isTaken) => isTaken).length;
    expect(["a", "b", "c"].map((id) => countDelegated(id))).toEqual([10_000, 10_000, 5_000]);
    expect(takeIds(slots[0])).toHaveLength(1);
    expect(countDelegated("a")).toBe(1);
    // Jobs that are due do not count against the limit.
    expect(countDelegated("c", LATER_MS)).toBe(10_000);
  });

  test("are refused beyond 100,000 in total", () => {
    const { acquire, delegate } = createFairSlots(SLOTS);
    const slots = Array.from({ length: 12 }, (_, at) => acquire(`${at}`, "e"));
    const countDelegated = () =>
      slots
        .flatMap((_, at) =>
          Array.from({ length: 10_000 }, (_, job) => delegate(`${at}`, waitingJob("e", `${job}`), NOW_MS)),
        )
        .filter((isTaken) => isTaken).length;
    expect(countDelegated()).toBe(100_000);
    slots[0]?.release();
    expect(countDelegated()).toBe(10_000);
  });
});

test("jobs without a slot are requeued at spaced times", () => {
  const { acquire, requeueAfterMs } = slotsOfOneAccount();
  acquire("a");
  expect(requeueAfterMs("a")).toBe(30_000);
  const waits = Array.from({ length: 1_000 }, () => requeueAfterMs("a"));
  expect(waits.at(-1)).toBe(35_000);
  expect(requeueAfterMs("b")).toBe(30_000);
});
