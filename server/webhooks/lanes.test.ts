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

test("once it works again its lane widens", () => {
  const { enter } = createLanes();
  const failing = enter("a");
  failing?.mayStart(true);
  expect(enter("a")).toBeNull();
  failing?.mayStart(false);
  expect(enter("a")?.mayStart(false)).toBe(true);
});

test("a refused job comes back in one to two seconds, later the more of them wait", () => {
  const { enter, comeBackAt } = createLanes(() => 0.5);
  enter("a");
  expect(comeBackAt("a", NOW_MS)).toEqual(new Date(NOW_MS + 1_500));
  const times = Array.from({ length: 1_000 }, () => comeBackAt("a", NOW_MS).getTime());
  expect(times).toEqual([...times].sort((one, other) => one - other));
  expect(times.at(-1)).toBe(NOW_MS + 6_500);
  expect(comeBackAt("b", NOW_MS)).toEqual(new Date(NOW_MS + 1_500));
});
