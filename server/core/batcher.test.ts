import { expect, test } from "vitest";
import { createBatcher } from "./batcher";
import { databaseUnavailable } from "./errors";

test("calls made while a flush runs share the next one", async () => {
  const batches: number[][] = [];
  let release = () => {};
  const add = createBatcher<number, number>(
    async (items) => {
      batches.push(items);
      if (batches.length === 1) await new Promise<void>((resolve) => (release = resolve));
      return items.map((item) => ({ ok: true, value: item * 10 }));
    },
    { maxWeight: 100 },
  );
  const first = add(1);
  await expect.poll(() => batches.length).toBe(1);
  const others = [add(2), add(3), add(4)];
  release();
  expect(await Promise.all([first, ...others])).toEqual([10, 20, 30, 40]);
  expect(batches).toEqual([[1], [2, 3, 4]]);
});

test("one bad member fails alone, and a failed flush fails its own members only", async () => {
  let round = 0;
  const add = createBatcher<number, number>(
    async (items) => {
      round += 1;
      if (round === 2) throw new Error("database gone");
      return items.map((item) => (item < 0 ? { ok: false, error: new Error("negative") } : { ok: true, value: item }));
    },
    { maxWeight: 100 },
  );
  const settled = await Promise.allSettled([add(1), add(-1), add(2)]);
  expect(settled.map((result) => result.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  await expect(add(3)).rejects.toThrow("database gone");
  expect(await add(4)).toBe(4);
});

test("a batch stops before its weight passes the bound, and a heavy item goes alone", async () => {
  const sizes: number[] = [];
  const add = createBatcher<number, true>(
    async (items) => {
      sizes.push(items.length);
      return items.map(() => ({ ok: true, value: true }));
    },
    { maxWeight: 10, weigh: (item) => item },
  );
  await Promise.all([4, 4, 4, 50, 1].map(add));
  expect(sizes).toEqual([2, 1, 1, 1]);
});

test("what the database refuses for one member's data is refused for that member alone", async () => {
  const sizes: number[] = [];
  const add = createBatcher<string, string>(
    async (items) => {
      sizes.push(items.length);
      if (items.includes("bad")) throw Object.assign(new Error("invalid byte sequence"), { code: "22021" });
      return items.map((value) => ({ ok: true, value }));
    },
    { maxWeight: 100 },
  );
  const settled = await Promise.allSettled(["a", "bad", "b"].map(add));
  expect(settled.map((result) => result.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
  expect(sizes).toEqual([3, 1, 1, 1]);
});

/** A queue whose flushes wait until they are released. */
function heldQueue(maxWaiting: number) {
  const batches: number[][] = [];
  const releases: Array<(thrown?: Error) => void> = [];
  const add = createBatcher<number, number>(
    async (items) => {
      batches.push(items);
      await new Promise<void>((resolve, reject) => releases.push((thrown) => (thrown ? reject(thrown) : resolve())));
      return items.map((item) => ({ ok: true, value: item }));
    },
    { maxWeight: 100, maxWaiting, weigh: (item) => item },
  );
  return { add, batches, releases };
}

const OVERLOADED = {
  status: 503,
  retryAfterS: expect.any(Number),
  wire: { type: "api_error", code: "service_unavailable", details: { reason: "overloaded" } },
};

test("past the bound of its queue a call is refused at once; what waits is carried out, and then there is room again", async () => {
  const { add, batches, releases } = heldQueue(10);
  const first = add(1);
  await expect.poll(() => batches.length).toBe(1);
  const waiting = [add(4), add(6)];
  await expect(add(1)).rejects.toMatchObject(OVERLOADED);
  releases[0]?.();
  await expect.poll(() => batches.length).toBe(2);
  const later = add(5);
  releases[1]?.();
  await expect.poll(() => batches.length).toBe(3);
  releases[2]?.();
  expect(await Promise.all([first, ...waiting, later])).toEqual([1, 4, 6, 5]);
  expect(batches).toEqual([[1], [4, 6], [5]]);
});

test("an item heavier than the bound is taken when nothing waits, and refused behind others", async () => {
  const { add, batches, releases } = heldQueue(10);
  const alone = add(50);
  await expect.poll(() => batches.length).toBe(1);
  const waiting = add(50);
  await expect(add(50)).rejects.toMatchObject(OVERLOADED);
  releases[0]?.();
  await expect.poll(() => batches.length).toBe(2);
  releases[1]?.();
  expect(await Promise.all([alone, waiting])).toEqual([50, 50]);
});

test("when the database stayed away for a flush, those that waited behind it are not made to wait once more", async () => {
  const { add, batches, releases } = heldQueue(100);
  const first = add(1);
  await expect.poll(() => batches.length).toBe(1);
  const behind = [add(2), add(3)];
  releases[0]?.(databaseUnavailable({ nothingDone: true }));
  const settled = await Promise.allSettled([first, ...behind]);
  expect(settled.map((result) => result.status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(batches).toEqual([[1]]);
  const next = add(100);
  await expect.poll(() => batches.length).toBe(2);
  releases[1]?.();
  expect(await next).toBe(100);
});
