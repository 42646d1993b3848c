import { expect, test } from "vitest";
import { makeShedder } from "./shedding";

test("requests within the lowest limit are never refused, however long they take", () => {
  const { enter } = makeShedder({ least: 3, first: 3, most: 10 }, 1_000);
  for (let at = 0; at < 3; at += 1) expect(enter(at * 10_000)).not.toBeNull();
  expect(enter(30_000)).toBeNull();
});

test("the limit falls while most requests have waited too long, and recovers with time, even without requests", () => {
  const { enter } = makeShedder({ least: 2, first: 20, most: 100 }, 1_000);
  const leaves = Array.from({ length: 20 }, () => enter(0));
  expect(leaves).not.toContain(null);
  // The limit falls to 16, 12, 9, 7, 5, 4.
  for (let at = 1_100; at < 1_700; at += 100) expect(enter(at)).toBeNull();
  for (const leave of leaves) leave?.();
  const taken = Array.from({ length: 20 }, () => enter(3_000));
  expect(taken).not.toContain(null);
  expect(enter(3_001)).toBeNull();
});

test("a few requests that wait long do not lower the limit, nor do those that have not fully arrived", () => {
  const { enter } = makeShedder({ least: 10, first: 30, most: 100 }, 1_000);
  for (let place = 0; place < 4; place += 1) enter(0);
  for (let place = 0; place < 20; place += 1) enter(0, () => false);
  for (let at = 1_100; at < 10_000; at += 100) enter(at)?.();
  expect(Array.from({ length: 6 }, () => enter(10_000))).not.toContain(null);
  expect(enter(10_000)).toBeNull();
});

test("the limit rises above its initial value while it is reached and requests are served in time", () => {
  const { enter } = makeShedder({ least: 2, first: 5, most: 100 }, 1_000);
  for (let place = 0; place < 5; place += 1) expect(enter(1_000)).not.toBeNull();
  expect(enter(1_050)).toBeNull();
  expect(enter(1_150)).not.toBeNull();
});

/** Simulates a server that serves 100 requests per second, one after the other, and its callers. */
function play(perTick: (nowMs: number) => number) {
  const { enter } = makeShedder({ least: 20, first: 200, most: 1_000 }, 1_000);
  const queue: { at: number; leave: () => void }[] = [];
  const seen = { waits: [] as number[], refusedAt: [] as number[] };
  for (let now = 0; now < 60_000; now += 10) {
    for (let at = 0; at < perTick(now); at += 1) {
      const leave = enter(now);
      if (leave) queue.push({ at: now, leave });
      else seen.refusedAt.push(now);
    }
    const done = queue.shift();
    if (!done) continue;
    done.leave();
    seen.waits.push(now - done.at);
  }
  return seen;
}

test("at three times the capacity no accepted request waits much longer, and none is refused once the flood is over", () => {
  const { waits, refusedAt } = play((now) => (now < 30_000 ? 3 : now % 20 === 0 ? 1 : 0));
  expect(Math.max(...waits)).toBeLessThanOrEqual(2_500);
  // Two of three requests.
  expect(refusedAt.length).toBeGreaterThan(5_000);
  expect(Math.max(...refusedAt)).toBeLessThan(32_000);
  expect(waits.length).toBeGreaterThan(4_000);
});

test("load below the capacity is never refused", () => {
  expect(play((now) => (now % 20 === 0 ? 1 : 0)).refusedAt).toEqual([]);
});
