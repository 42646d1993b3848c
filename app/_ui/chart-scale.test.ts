import { describe, expect, it } from "vitest";
import { isMinor, isNamed, linesOf } from "./chart-scale";

describe("linesOf", () => {
  it("ends at a round number that no column exceeds", () => {
    expect(linesOf(0)).toEqual([0, 1]);
    expect(linesOf(3)).toEqual([0, 1, 2, 3]);
    expect(linesOf(7)).toEqual([0, 2, 4, 6, 8]);
    expect(linesOf(98)).toEqual([0, 25, 50, 75, 100]);
    expect(linesOf(1_234_567)).toEqual([0, 500_000, 1_000_000, 1_500_000]);
  });

  it("has few lines and whole numbers, whatever the height", () => {
    for (let highest = 0; highest < 3_000; highest += 7) {
      const lines = linesOf(highest);
      expect(lines.length).toBeLessThanOrEqual(5);
      expect(lines.at(-1)).toBeGreaterThanOrEqual(highest);
      expect(lines.every(Number.isInteger)).toBe(true);
    }
  });
});

describe("isNamed", () => {
  it("labels few of many columns, and each of few", () => {
    const named = (count: number) => Array.from({ length: count }, (_, at) => at).filter((at) => isNamed(at, count, 8));
    expect(named(7)).toHaveLength(7);
    expect(named(30)).toEqual([0, 4, 8, 12, 16, 20, 24, 28]);
    expect(named(366).length).toBeLessThanOrEqual(8);
  });

  it("keeps every second label where there is less room, however many columns there are", () => {
    const kept = (count: number) =>
      Array.from({ length: count }, (_, at) => at).filter((at) => isNamed(at, count, 8) && !isMinor(at, count, 8));
    expect(kept(4)).toEqual([0, 1, 2, 3]);
    expect(kept(30)).toEqual([0, 8, 16, 24]);
    expect(kept(60)).toEqual([0, 16, 32, 48]);
    expect(kept(90)).toEqual([0, 24, 48, 72]);
  });
});
