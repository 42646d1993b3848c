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

/** Where a page begins: its number, or the cursor that the page before it gave. */
export type PageStart = { page: number } | { cursor: string };

async function* items<T>(first: Promise<Page<T>>): AsyncGenerator<T> {
  for (let page: Page<T> | null = await first; page; page = await page.nextPage()) yield* page.data;
}

/** Pages follow each other by cursors: new items move the others down, so that pages by number would repeat some. */
export function listOf<T>(fetchPage: (at: PageStart) => Promise<Received<T>>, first: PageStart): List<T> {
  const fetched = async (at: PageStart): Promise<Page<T>> => {
    const received = await fetchPage(at);
    const cursor = received.meta.next_cursor;
    return { ...received, nextPage: () => (cursor ? fetched({ cursor }) : null) };
  };
  const page = fetched(first);
  // A list may be read later than it was asked for; a failure before that is the reader's, not that of the process.
  page.catch(() => undefined);
  return Object.assign(page, { [Symbol.asyncIterator]: () => items(page) });
}
