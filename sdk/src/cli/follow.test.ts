import { expect, test } from "vitest";
import { ApiError } from "../errors";
import { type List, listOf } from "../pages";
import { follow } from "./follow";

type Item = { id: string };

/** Items from `from` down to `to`, newest first. */
const items = (from: number, to = from): Item[] =>
  Array.from({ length: from - to + 1 }, (_, at) => ({ id: `evt_${from - at}` }));

/**
 * A list that is as `states` says at each poll, and stays as the last of them.
 * @returns the ids that following it yields until all states were read, and the pages that each poll read.
 */
async function followed(states: Item[][]): Promise<{ ids: number[]; pages: number[] }> {
  const stop = new AbortController();
  const pages: number[] = [];
  const list = ({ limit }: { limit: number }): List<Item> => {
    const state = states[Math.min(pages.length, states.length - 1)] ?? [];
    if (pages.length === states.length) stop.abort();
    const poll = pages.push(0) - 1;
    const fetchPage = async (start: { page: number } | { cursor: string }) => {
      const from = "cursor" in start ? Number(start.cursor) : 0;
      pages[poll] = (pages[poll] ?? 0) + 1;
      const hasMore = state.length > from + limit;
      const pagination = { page: 1, limit, total: state.length, pages: 1, has_more: hasMore };
      const meta = {
        request_id: "req_1",
        api_version: "v1" as const,
        next_cursor: hasMore ? String(from + limit) : null,
      };
      return { data: state.slice(from, from + limit), pagination, meta, response: new Response() };
    };
    return listOf(fetchPage, { page: 1 });
  };
  const ids: number[] = [];
  for await (const { id } of follow([list], stop.signal, { wait: async () => {} })) ids.push(Number(id.slice(4)));
  return { ids, pages: pages.slice(0, states.length) };
}

const ascending = (from: number, to: number) => items(to, from).map((_, at) => from + at);

test("new items come in order, and none from before", async () => {
  const { ids } = await followed([items(450, 1), items(450, 1), items(453, 1), items(800, 1)]);
  expect(ids).toEqual(ascending(451, 800));
});

test("a burst of more items than are remembered comes once", async () => {
  const burst = items(25_000, 1);
  const { ids } = await followed([items(300, 1), burst, burst, items(25_001, 1), items(25_001, 1)]);
  expect(ids).toEqual(ascending(301, 25_001));
});

test("an item that appears below newer ones is found, also beyond a page", async () => {
  const without = (...missing: number[]) => items(900, 1).filter(({ id }) => !missing.includes(Number(id.slice(4))));
  const { ids } = await followed([items(500, 1), without(650, 720), without(650), items(900, 1), items(900, 1)]);
  expect(ids.slice(-2)).toEqual([720, 650]);
  expect([...ids].sort((one, other) => one - other)).toEqual(ascending(501, 900));
});

test("an item of a list that was short at first is found wherever it appears", async () => {
  const { ids } = await followed([items(10, 5), items(10, 5), [...items(10, 5), ...items(4)]]);
  expect(ids).toEqual([4]);
});

test("a poll reads one page while nothing is new, and only some pages back when much is", async () => {
  const idle = Array.from({ length: 10 }, () => items(5_000, 1));
  const { pages } = await followed([items(3_000, 1), items(3_000, 1), ...idle]);
  expect(pages.slice(0, 2)).toEqual([1, 1]);
  const [burst = 0, ...after] = pages.slice(2);
  expect(burst).toBe(21);
  expect(Math.max(...after)).toBeLessThanOrEqual(6);
  expect(after.slice(-2)).toEqual([1, 1]);
});

test("items that come one by one cost one page each poll", async () => {
  const { ids, pages } = await followed(Array.from({ length: 30 }, (_, at) => items(1_000 + at, 1)));
  expect(ids).toEqual(ascending(1_001, 1_029));
  expect(new Set(pages)).toEqual(new Set([1]));
});

const refused = (status: number) =>
  new ApiError({
    status,
    type: "api_error",
    code: "some_code",
    message: "No.",
    param: null,
    details: {},
    requestId: null,
    retryAfterS: null,
  });

/** Follows a list whose polls after the first fail so, until one succeeds with an item. */
async function followedPast(failures: unknown[]): Promise<{ ids: string[]; told: unknown[] }> {
  const stop = new AbortController();
  const told: unknown[] = [];
  const ids: string[] = [];
  const left: unknown[] = [null, ...failures];
  const list = (): List<Item> => {
    const failure = left.length > 0 ? left.shift() : "over";
    const pagination = { page: 1, limit: 100, total: 1, pages: 1, has_more: false };
    const meta = { request_id: "req_1", api_version: "v1" as const, next_cursor: null };
    const data = failure === "over" ? items(1) : [];
    return listOf(
      async () => {
        if (failure !== null && failure !== "over") throw failure;
        return { data, pagination, meta, response: new Response() };
      },
      { page: 1 },
    );
  };
  const options = { wait: async () => {}, onFailure: (thrown: unknown) => told.push(thrown) };
  for await (const { id } of follow([list], stop.signal, options)) {
    ids.push(id);
    stop.abort();
  }
  return { ids, told };
}

test("polls go on when the service is away or busy for a while, which is told once", async () => {
  const lost = new TypeError("fetch failed");
  expect(await followedPast([lost, refused(503), refused(429)])).toEqual({ ids: ["evt_1"], told: [lost] });
});

test("a refusal that would come again ends them", async () => {
  await expect(followedPast([refused(401)])).rejects.toMatchObject({ status: 401 });
});
