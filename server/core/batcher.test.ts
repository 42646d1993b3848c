import { afterEach, expect, test, vi } from "vitest";
import { createBatcher } from "./batcher";
import { databaseUnavailable } from "./errors";

afterEach(() => {
  vi.useRealTimers();
});

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

test("one bad item fails alone, and a failed flush fails only its own items", async () => {
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

test("bad data of one item fails that item alone", async () => {
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
  expect(sizes).toEqual([3, 2, 1, 1, 1]);
});

test("when a batch has a bad item, most of the others are flushed together again", async () => {
  let flushes = 0;
  const add = createBatcher<number, number>(
    async (items) => {
      flushes += 1;
      if (items.includes(123)) throw Object.assign(new Error("violates a unique key"), { code: "23505" });
      return items.map((item) => ({ ok: true, value: item }));
    },
    { maxWeight: 500 },
  );
  const settled = await Promise.allSettled(Array.from({ length: 500 }, (_, at) => add(at)));
  expect(settled.flatMap(({ status }, at) => (status === "rejected" ? [at] : []))).toEqual([123]);
  expect(flushes).toBeLessThan(20);
});

test("if the database goes away while the halves of a batch are flushed, only one of them waits for it", async () => {
  const sizes: number[] = [];
  const add = createBatcher<string, string>(
    async (items) => {
      sizes.push(items.length);
      if (items.length > 1) throw Object.assign(new Error("invalid byte sequence"), { code: "22021" });
      if (items.includes("a")) return [{ ok: true, value: "a" }];
      throw databaseUnavailable({ nothingDone: true });
    },
    { maxWeight: 100 },
  );
  const settled = await Promise.allSettled(["a", "bad", "b", "c"].map(add));
  expect(settled.map((result) => (result.status === "rejected" ? result.reason.status : result.value))).toEqual([
    "a",
    ...[503, 503, 503],
  ]);
  expect(sizes).toEqual([4, 2, 1, 1]);
});

/** A batcher whose flushes wait until the test releases them. */
function gatedBatcher(maxWaiting: number) {
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

test("a call beyond the queue's bound is refused at once; the queued calls are carried out, and then calls are accepted again", async () => {
  const { add, batches, releases } = gatedBatcher(10);
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

test("an empty queue accepts an item heavier than the bound; a queue with others refuses it", async () => {
  const { add, batches, releases } = gatedBatcher(10);
  const alone = add(50);
  await expect.poll(() => batches.length).toBe(1);
  const waiting = add(50);
  await expect(add(50)).rejects.toMatchObject(OVERLOADED);
  releases[0]?.();
  await expect.poll(() => batches.length).toBe(2);
  releases[1]?.();
  expect(await Promise.all([alone, waiting])).toEqual([50, 50]);
});

test.each([
  ["a value too long for its index", "54000", 3],
  ["a value that breaks a statement", "XX000", 3],
  ["a lost connection", "ECONNRESET", 1],
  ["a broken pipe", "EPIPE", 1],
  ["a connection that the server ends", "57P01", 1],
  ["a statement that was cut off", "57014", 1],
  ["a deadlock", "40P01", 1],
  ["a lock that did not come", "55P03", 1],
  ["a standby", "25006", 1],
  ["an error without a code", undefined, 1],
])("a batch is carried out in halves after %s, if the database may blame one item", async (_, code, flushes) => {
  let count = 0;
  const add = createBatcher<string, string>(
    async (items) => {
      count += 1;
      if (items.includes("bad")) throw Object.assign(new Error("failed"), { code });
      return items.map((value) => ({ ok: true, value }));
    },
    { maxWeight: 10 },
  );
  const [good, bad] = await Promise.allSettled([add("good"), add("bad")]);
  expect(bad.status).toBe("rejected");
  expect(good.status).toBe(flushes > 1 ? "fulfilled" : "rejected");
  expect(count).toBe(flushes);
});

test("when the database is unavailable for a flush, the calls queued behind it fail with it instead of waiting again", async () => {
  const { add, batches, releases } = gatedBatcher(100);
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

test("after a large batch the next one is gathered for a moment; a lone call never waits", async () => {
  const batches: number[][] = [];
  const add = createBatcher<number, number>(
    async (items) => {
      batches.push(items);
      return items.map((item) => ({ ok: true, value: item }));
    },
    { maxWeight: 10, gatherMs: 4 },
  );
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  expect(await add(1)).toBe(1);
  expect(await add(2)).toBe(2);
  await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(add));
  const gathered = [add(21), add(22)];
  await new Promise((resolve) => setImmediate(resolve));
  gathered.push(add(23));
  await new Promise((resolve) => setImmediate(resolve));
  expect(batches).toHaveLength(3);
  vi.advanceTimersByTime(4);
  expect(await Promise.all(gathered)).toEqual([21, 22, 23]);
  expect(await add(3)).toBe(3);
  expect(batches.slice(2)).toEqual([[1, 2, 3, 4, 5, 6, 7, 8], [21, 22, 23], [3]]);
});

test("the pause ends once three quarters of the callers are back, including those that wait", async () => {
  const sizes: number[] = [];
  let release = (): void => undefined;
  const add = createBatcher<number, number>(
    async (items) => {
      sizes.push(items.length);
      if (sizes.length === 1) await new Promise<void>((resolve) => (release = resolve));
      return items.map((item) => ({ ok: true, value: item }));
    },
    { maxWeight: 100, gatherMs: 4 },
  );
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const round = () => new Promise((resolve) => setImmediate(resolve));
  const many = (count: number) => Promise.all(Array.from({ length: count }, (_, at) => add(at)));
  const first = many(12);
  await round();
  const others = many(4);
  await round();
  release();
  await first;
  // 12 of the 16 callers are awaited.
  const back = many(7);
  await round();
  expect(sizes).toEqual([12]);
  const last = many(1);
  await Promise.all([others, back, last]);
  expect(sizes).toEqual([12, 12]);
  expect(vi.getTimerCount()).toBe(1);
});

test("a batch that is full while it is gathered is flushed at once", async () => {
  const sizes: number[] = [];
  const add = createBatcher<number, number>(
    async (items) => {
      sizes.push(items.length);
      return items.map((item) => ({ ok: true, value: item }));
    },
    { maxWeight: 10, gatherMs: 4 },
  );
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const many = (count: number) => Promise.all(Array.from({ length: count }, (_, at) => add(at)));
  await many(8);
  await many(10);
  expect(sizes).toEqual([8, 10]);
});

test("while full batches wait, as many flushes run as that allows; a batch that is not full waits for all of them", async () => {
  const batches: number[][] = [];
  const releases: (() => void)[] = [];
  const add = createBatcher<number, number>(
    async (items) => {
      batches.push(items);
      await new Promise<void>((resolve) => releases.push(resolve));
      return items.map((item) => ({ ok: true, value: item }));
    },
    { maxWeight: 2, parallelWhenFull: 2 },
  );
  const added = [1, 2, 3, 4, 5, 6, 7].map(add);
  await expect
    .poll(() => batches)
    .toEqual([
      [1, 2],
      [3, 4],
    ]);
  releases[0]?.();
  await expect.poll(() => batches.length).toBe(3);
  releases[1]?.();
  await Promise.all(added.slice(0, 4));
  expect(batches).toEqual([
    [1, 2],
    [3, 4],
    [5, 6],
  ]);
  releases[2]?.();
  await expect.poll(() => batches.at(-1)).toEqual([7]);
  releases[3]?.();
  expect(await Promise.all(added)).toEqual([1, 2, 3, 4, 5, 6, 7]);
});
