/** Reads a page of a newest-first list, by its number or by a cursor. */
import { invalidRequest } from "../core/errors";
import { toPage } from "../core/wire";
import { cursorOf, type Position, positionOf } from "./cursor";

export type ListRequest = { page: number; limit: number; cursor?: string | undefined };

/** The rows to be read, in descending order of their ids: those with ids below `before`, or all. */
export type RowRange = { before: string | undefined; skip: number; take: number };

/** The known beginning of a list, newest first. */
export const within = <Row extends { id: string }>(rows: readonly Row[], { before, skip, take }: RowRange): Row[] =>
  rows.filter(({ id }) => before === undefined || id < before).slice(skip, skip + take);

type ListPage<Row> = {
  rows: Row[];
  /** The page on the wire, with the presented rows. */
  present: <Item>(items: Item[]) => ReturnType<typeof toPage<Item>> & { next_cursor: string | null };
};

/**
 * Reads one page and one more row, which shows whether there is another page.
 * @param prefix of the list's ids, such as `msg`.
 * @param count counts the rows that the filters select. Not called for a cursor, which holds the number.
 * @throws 400 `invalid_cursor`, `page_and_cursor`
 */
export async function readList<Row extends { id: string }>(
  request: ListRequest,
  prefix: string,
  count: () => Promise<number>,
  read: (range: RowRange) => Promise<Row[]>,
): Promise<ListPage<Row>> {
  const take = request.limit + 1;
  if (request.cursor !== undefined) {
    const { id, page, total } = requirePosition(request.cursor, request.page, prefix);
    return pageAt({ ...request, page }, await read({ before: id, skip: 0, take }), total);
  }
  const skip = (request.page - 1) * request.limit;
  const range = { before: undefined, skip, take };
  if (skip === 0) {
    const [total, rows] = await Promise.all([count(), read(range)]);
    return pageAt(request, rows, total);
  }
  // Reading a page past the end would walk through the whole list for nothing.
  const total = await count();
  return pageAt(request, skip < total ? await read(range) : [], total);
}

function requirePosition(cursor: string, page: number, prefix: string): Position {
  if (page > 1) throw invalidRequest("Give either `page` or `cursor`.", { param: "cursor", reason: "page_and_cursor" });
  const position = positionOf(cursor, prefix);
  if (position) return position;
  throw invalidRequest("This is not a cursor of this list. Give the `meta.next_cursor` of one of its pages.", {
    param: "cursor",
    reason: "invalid_cursor",
  });
}

function pageAt<Row extends { id: string }>(request: ListRequest, read: Row[], counted: number): ListPage<Row> {
  const { page, limit, cursor } = request;
  const total = cursor === undefined ? totalAt(request, read.length, counted) : counted;
  const rows = read.slice(0, limit);
  const last = read.length > limit ? rows.at(-1) : undefined;
  const next = last ? cursorOf({ id: last.id, page: page + 1, total }) : null;
  return {
    rows,
    present: (items) => {
      const { pagination, ...shown } = toPage(items, total, request);
      // With a cursor the rows show whether there are more; the total is that of the first page.
      const hasMore = cursor === undefined ? pagination.has_more : next !== null;
      return { ...shown, pagination: { ...pagination, has_more: hasMore }, next_cursor: next };
    },
  };
}

/**
 * The length of the list when the page was read, which is not when it was counted. A page that is not full is the last, so the
 * total is made to agree with `has_more` and the cursor.
 */
function totalAt({ page, limit }: ListRequest, read: number, counted: number): number {
  const before = (page - 1) * limit;
  if (read > limit) return Math.max(counted, before + read);
  return read > 0 ? before + read : Math.min(counted, before);
}
