import { expect, test, vi } from "vitest";
import { openGate } from "./gate";

const LIMITS = { atOnce: 2, waiting: 2, waitMs: 60_000, holdMs: 60_000 };

test("requests enter up to one limit, wait up to another one, and the next is refused at once", async () => {
  const enter = openGate(LIMITS);
  const [first, second] = await Promise.all([enter(), enter()]);
  const order: string[] = [];
  const third = enter().then((leave) => order.push("third") && leave);
  const fourth = enter().then((leave) => order.push("fourth") && leave);
  expect(await enter()).toBeNull();
  expect(order).toEqual([]);
  first?.();
  first?.();
  await third;
  expect(order).toEqual(["third"]);
  second?.();
  await fourth;
  expect(order).toEqual(["third", "fourth"]);
});

test("prefetches enter last, and their queue keeps nobody out", async () => {
  const enter = openGate({ ...LIMITS, atOnce: 1 });
  const leave = await enter();
  const order: string[] = [];
  const come = (name: string, isAhead: boolean) =>
    enter({ isAhead }).then((out) => {
      order.push(out ? name : `no ${name}`);
      out?.();
    });
  const all = [come("guess", true), come("other guess", true), come("third guess", true)];
  all.push(come("page", false), come("other page", false), come("third page", false));
  leave?.();
  await Promise.all(all);
  expect(order).toEqual(["no third guess", "no third page", "page", "other page", "guess", "other guess"]);
});

test("one owner cannot take all places to wait, neither of requests nor of prefetches", async () => {
  const enter = openGate({ ...LIMITS, atOnce: 1, waiting: 3, waitingOfOwner: 2 });
  const leave = await enter({ owner: "greedy" });
  const order: string[] = [];
  const come = (owner: string, isAhead = false) =>
    enter({ owner, isAhead }).then((out) => {
      order.push(out ? owner : `no ${owner}`);
      out?.();
    });
  const all = [come("greedy"), come("greedy"), come("greedy"), come("other"), come("greedy", true), come("late")];
  leave?.();
  await Promise.all(all);
  expect(order).toEqual(["no greedy", "no late", "other", "greedy", "greedy", "greedy"]);
  // A place that was left counts no more.
  const again = await enter({ owner: "greedy" });
  const waiting = [enter({ owner: "greedy" }), enter({ owner: "greedy" })];
  again?.();
  expect(await waiting[0]).not.toBeNull();
});

test("requests of other owners go before further ones of the same, and otherwise in order", async () => {
  const enter = openGate({ ...LIMITS, atOnce: 1, waiting: 10 });
  const leave = await enter({ owner: "greedy" });
  const order: string[] = [];
  const come = (name: string, owner?: string) =>
    enter({ owner }).then((out) => {
      order.push(name);
      out?.();
    });
  const all = [come("g1", "greedy"), come("g2", "greedy"), come("o1", "other"), come("n1"), come("n2")];
  all.push(come("o2", "other"));
  leave?.();
  await Promise.all(all);
  expect(order).toEqual(["o1", "g1", "n1", "g2", "n2", "o2"]);
});

test("a request that waits too long is refused, and its place in the queue goes to others", async () => {
  vi.useFakeTimers();
  const enter = openGate({ ...LIMITS, atOnce: 1, waitMs: 1_000 });
  const leave = await enter();
  const late = enter();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await late).toBeNull();
  const next = enter();
  leave?.();
  expect(await next).not.toBeNull();
  vi.useRealTimers();
});

test("a place whose holder does not leave goes to the next", async () => {
  vi.useFakeTimers();
  const enter = openGate({ ...LIMITS, atOnce: 1, holdMs: 1_000 });
  const slow = await enter();
  const next = enter();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await next).not.toBeNull();
  slow?.();
  const third = enter();
  await vi.advanceTimersByTimeAsync(999);
  expect(await Promise.race([third, Promise.resolve("waits")])).toBe("waits");
  vi.useRealTimers();
});

test("work that has its place still lets more urgent work go first", async () => {
  let open: () => void = () => undefined;
  const enter = openGate(LIMITS, () => new Promise((resolve) => (open = resolve)));
  const started = enter();
  expect(await Promise.race([started, Promise.resolve("waits")])).toBe("waits");
  open();
  expect(await started).not.toBeNull();
});
