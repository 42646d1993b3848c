import type { List } from "../pages.js";

const POLL_MS = 1_000;
/** Items can appear a little out of order, so every poll reads a page back. */
const LIMIT = 100;
const REMEMBERED = 10_000;

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}

/** The items of a newest-first list that `seen` does not have, newest first. Stops at a page without new ones. */
async function unseen<T extends { id: string }>(first: List<T>, seen: Set<string>): Promise<T[]> {
  const items: T[] = [];
  for (let page = await first; ; ) {
    const fresh = page.data.filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    items.push(...fresh);
    const next = fresh.length === page.data.length ? page.nextPage() : null;
    if (!next) return items;
    page = await next;
  }
}

/** Yields items that appear from now on in newest-first lists, each list oldest first, until `signal` is aborted. */
export async function* follow<T extends { id: string }>(
  lists: readonly ((query: { limit: number }) => List<T>)[],
  signal: AbortSignal,
): AsyncGenerator<T> {
  const ids = async (page: List<T>) => new Set((await page).data.map(({ id }) => id));
  const followed = await Promise.all(lists.map(async (list) => ({ list, seen: await ids(list({ limit: LIMIT })) })));
  while (!signal.aborted) {
    for (const { list, seen } of followed) {
      for (const item of (await unseen(list({ limit: LIMIT }), seen)).reverse()) yield item;
      for (const id of seen) if (seen.size > REMEMBERED) seen.delete(id);
    }
    await pause(POLL_MS, signal);
  }
}
