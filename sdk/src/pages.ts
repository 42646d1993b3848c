/** Lists: a page when awaited, every item when iterated. */
import type { components } from "./schema.js";
import type { Meta } from "./transport.js";

export type Pagination = components["schemas"]["Pagination"];

/** A page of a list. */
export type Page<T> = {
  data: T[];
  pagination: Pagination;
  meta: Meta;
  response: Response;
  /** The page after this one; null when this is the last. */
  nextPage: () => Promise<Page<T>> | null;
};

/** The first page when awaited; every item, over all pages, in `for await`. */
export type List<T> = Promise<Page<T>> & AsyncIterable<T>;

type Received<T> = Omit<Page<T>, "nextPage">;

async function* items<T extends { id: string }>(first: Promise<Page<T>>): AsyncGenerator<T> {
  // A new item moves the others down, so that the end of a page comes again at the start of the next.
  let previous = new Set<string>();
  for (let page: Page<T> | null = await first; page; page = await page.nextPage()) {
    const ids = new Set(page.data.map(({ id }) => id));
    for (const item of page.data) if (!previous.has(item.id)) yield item;
    previous = ids;
  }
}

/** @param fetchPage requests the page of this number. */
export function listOf<T extends { id: string }>(
  fetchPage: (page: number) => Promise<Received<T>>,
  page: number,
): List<T> {
  const fetched = async (number: number): Promise<Page<T>> => {
    const received = await fetchPage(number);
    return { ...received, nextPage: () => (received.pagination.has_more ? fetched(number + 1) : null) };
  };
  const first = fetched(page);
  return Object.assign(first, { [Symbol.asyncIterator]: () => items(first) });
}
