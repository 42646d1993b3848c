import { expect, test } from "vitest";
import { createLanes } from "./lanes";

const NOW_MS = 1_000_000;

test("four jobs of one endpoint run at once, and a place that is left is free again", () => {
  const { enter } = createLanes();
  const places = [1, 2, 3, 4].map(() => enter("a"));
  expect(places.map((place) => place?.mayStart(false))).toEqual([true, true, true, true]);
  expect(enter("a")).toBeNull();
  expect(enter("b")).not.toBeNull();
  places[0]?.leave();
  expect(enter("a")).not.toBeNull();
});

test("a failing endpoint gets one job at a time", () => {
  const { enter } = createLanes();
  const [first, second] = [enter("a"), enter("a")];
  expect(first?.mayStart(true)).toBe(true);
  expect(second?.mayStart(true)).toBe(false);
  second?.leave();
  expect(enter("a")).toBeNull();
  first?.leave();
  expect(enter("a")?.mayStart(true)).toBe(true);
});

test("four jobs that find their endpoint failing become one", () => {
  const { enter } = createLanes();
  const places = [1, 2, 3, 4].map(() => enter("a"));
  for (const place of places) place?.mayStart(false);
  expect(places.map((place) => place?.mayStart(true))).toEqual([false, false, false, true]);
});

test("once it works again its lane widens", () => {
  const { enter } = createLanes();
  const failing = enter("a");
  failing?.mayStart(true);
  expect(enter("a")).toBeNull();
  failing?.mayStart(false);
  expect(enter("a")?.mayStart(false)).toBe(true);
});

test("work that is handed over is taken in its order, in lots of the same number of tries", () => {
  const { enter, handOver, take } = createLanes();
  enter("a");
  for (const [id, attemptsMade] of [
    ["d1", 0],
    ["d2", 0],
    ["d3", 0],
    ["d4", 1],
  ] as const) {
    handOver({ endpointId: "a", deliveryIds: [id], attemptsMade, untilMs: NOW_MS + Number(id.slice(1)) });
  }
  expect(take("b", NOW_MS, 2)).toBeNull();
  expect(take("a", NOW_MS, 2)).toMatchObject({ deliveryIds: ["d1", "d2"], attemptsMade: 0, untilMs: NOW_MS + 1 });
  expect(take("a", NOW_MS, 2)).toMatchObject({ deliveryIds: ["d3"], attemptsMade: 0 });
  expect(take("a", NOW_MS, 2)).toMatchObject({ deliveryIds: ["d4"], attemptsMade: 1 });
  expect(take("a", NOW_MS, 2)).toBeNull();
});

test("work of different rounds is not mixed", () => {
  const { enter, handOver, take } = createLanes();
  enter("a");
  for (const round of [0, 1]) {
    handOver({ endpointId: "a", deliveryIds: [`d${round}`], attemptsMade: 0, round, untilMs: NOW_MS + 1 });
  }
  expect(take("a", NOW_MS, 100)).toMatchObject({ deliveryIds: ["d0"], round: 0 });
  expect(take("a", NOW_MS, 100)).toMatchObject({ deliveryIds: ["d1"], round: 1 });
});

test("work whose own job comes soon is not taken, nor work that its lane has left behind", () => {
  const { enter, handOver, take } = createLanes();
  const place = enter("a");
  handOver({ endpointId: "a", deliveryIds: ["d1"], untilMs: NOW_MS });
  handOver({ endpointId: "a", deliveryIds: ["d2"], untilMs: NOW_MS + 1 });
  handOver({ endpointId: "a", deliveryIds: ["d3"], untilMs: NOW_MS });
  expect(take("a", NOW_MS, 100)?.deliveryIds).toEqual(["d2"]);
  handOver({ endpointId: "a", deliveryIds: ["d4"], untilMs: NOW_MS + 1 });
  place?.leave();
  expect(take("a", NOW_MS, 100)).toBeNull();
});

test("refused jobs come back one after the other", () => {
  const { enter, comeBackAt } = createLanes();
  enter("a");
  expect(comeBackAt("a", NOW_MS)).toEqual(new Date(NOW_MS + 30_000));
  const times = Array.from({ length: 1_000 }, () => comeBackAt("a", NOW_MS).getTime());
  expect(times.at(-1)).toBe(NOW_MS + 35_000);
  expect(comeBackAt("b", NOW_MS)).toEqual(new Date(NOW_MS + 30_000));
});
