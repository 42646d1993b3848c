import { describe, expect, test } from "vitest";
import { newId } from "../core/ids";
import { deliveryIdOf, eventIdOf } from "../webhooks/derived-ids";
import { cursorOf, positionOf } from "./cursor";
import { type ListRequest, type RowRange, readList } from "./read-list";

const AT = new Date("2026-11-22T08:00:00Z");
const EVENT_ID = eventIdOf(newId("message"), "message.sent", AT);

test.each([newId("message"), newId("inbound"), EVENT_ID, deliveryIdOf(EVENT_ID, newId("endpoint")), newId("delivery")])(
  "a cursor at %s holds its position, in characters that need no encoding",
  (id) => {
    const position = { id, page: 3, total: 1_234_567_890 };
    expect(cursorOf(position)).toMatch(/^[\w-]{1,200}$/);
    expect(positionOf(cursorOf(position), id.slice(0, 3))).toEqual(position);
  },
);

test.each([
  "",
  "x",
  "2",
  newId("message"),
  Buffer.from(`${newId("message")} 0 1`).toString("base64url"),
  Buffer.from(`${newId("message")} 2 -1`).toString("base64url"),
  Buffer.from(`${newId("message")} 2 1; DROP`).toString("base64url"),
  Buffer.from("msg_' 2 1").toString("base64url"),
])("%j is no cursor", (text) => {
  expect(positionOf(text, "msg")).toBeNull();
});

test("a cursor of another list is none of this one", () => {
  expect(positionOf(cursorOf({ id: EVENT_ID, page: 2, total: 9 }), "msg")).toBeNull();
});

describe("readList", () => {
  const ids = Array.from({ length: 5 }, () => newId("message")).reverse();
  const read = async ({ before, skip, take }: RowRange) =>
    ids
      .filter((id) => before === undefined || id < before)
      .slice(skip, skip + take)
      .map((id) => ({ id }));
  const page = async (request: Partial<ListRequest>, count = async () => ids.length) => {
    const { rows, present } = await readList({ page: 1, limit: 2, ...request }, "msg", count, read);
    return present(rows.map(({ id }) => id));
  };

  test("leads through the whole list by cursors, and counts it once", async () => {
    let counted = 0;
    const count = async () => {
      counted += 1;
      return ids.length;
    };
    const found: string[] = [];
    const pages: unknown[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const { items, pagination, next_cursor: next } = await page({ cursor }, count);
      found.push(...items);
      pages.push(pagination);
      cursor = next;
    }
    expect(found).toEqual(ids);
    expect(counted).toBe(1);
    expect(pages).toEqual(
      [1, 2, 3].map((number) => ({ page: number, limit: 2, total: 5, pages: 3, has_more: number < 3 })),
    );
  });

  test("gives the same next cursor for a page by its number", async () => {
    const first = await page({});
    const second = await page({ page: 2 });
    expect(await page({ cursor: first.next_cursor ?? "" })).toEqual(second);
    expect((await page({ page: 3 })).next_cursor).toBeNull();
    expect(await page({ page: 9 })).toMatchObject({ items: [], next_cursor: null });
  });

  test("says of a row that came between counting and reading that it is there", async () => {
    const late = async () => 2;
    const first = await page({}, late);
    expect(first.pagination).toMatchObject({ total: 3, pages: 2, has_more: true });
    expect(first.next_cursor).not.toBeNull();
    expect((await page({ page: 2 }, async () => 4)).pagination).toMatchObject({ total: 5, pages: 3, has_more: true });
    expect((await page({ page: 9 })).pagination).toMatchObject({ total: 5, pages: 3, has_more: false });
  });

  test("says nothing of a row that came after reading, neither by the total nor by another page without a cursor", async () => {
    const early = async () => 6;
    for (const request of [{ limit: 5 }, { limit: 10 }, { page: 3 }]) {
      const last = await page(request, early);
      expect(last.pagination).toMatchObject({ total: 5, has_more: false });
      expect(last.next_cursor).toBeNull();
    }
    expect(await page({ page: 4 }, async () => 7)).toMatchObject({
      items: [],
      pagination: { total: 6, has_more: false },
      next_cursor: null,
    });
  });

  test("ends with null exactly at the last row", async () => {
    expect((await page({ limit: 5 })).next_cursor).toBeNull();
    expect((await page({ limit: 4 })).next_cursor).not.toBeNull();
  });

  test("refuses what is no cursor of the list, and a page beside a cursor", async () => {
    const refusal = (reason: string) => ({ status: 400, wire: { param: "cursor", details: { reason } } });
    await expect(page({ cursor: "x" })).rejects.toMatchObject(refusal("invalid_cursor"));
    const { next_cursor: cursor } = await page({});
    await expect(page({ cursor: cursor ?? "", page: 2 })).rejects.toMatchObject(refusal("page_and_cursor"));
  });
});
