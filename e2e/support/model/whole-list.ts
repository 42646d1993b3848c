/** Whole lists of the API, page by page. */
import { expect } from "@playwright/test";
import type { CheckedApi } from "../checked-api";

/** The largest page. */
export const PAGE = 100;

/** A whole list, by page numbers or by cursors. `isGrowing`: something may be added meanwhile. */
export async function wholeList<Item>(
  rest: CheckedApi,
  path: string,
  limit: number,
  { byCursor = false, isGrowing = false } = {},
): Promise<Item[]> {
  const items: Item[] = [];
  let next = "page=1";
  for (let page = 1; ; page += 1) {
    const { body } = await rest.ask({
      method: "GET",
      path: `${path}${path.includes("?") ? "&" : "?"}limit=${limit}&${next}`,
    });
    const data = body.data as Item[];
    items.push(...data);
    const cursor = body.meta.next_cursor ?? null;
    expect(body.pagination?.has_more).toBe(cursor !== null);
    if (cursor === null) {
      if (!isGrowing) expect(body.pagination?.total).toBe(items.length);
      return items;
    }
    next = byCursor ? `cursor=${encodeURIComponent(cursor)}` : `page=${page + 1}`;
  }
}
