import { expect, test } from "vitest";
import { coalesce } from "./batch";

test("calls made while a flush runs share the next one", async () => {
  const batches: number[][] = [];
  let release = () => {};
  const add = coalesce<number, number>(
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
  const add = coalesce<number, number>(
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
  const add = coalesce<number, true>(
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
  const add = coalesce<string, string>(
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
