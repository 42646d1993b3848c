import { ApiError } from "../errors.js";
import type { List } from "../pages.js";
import { isPassing } from "../retries.js";

const POLL_MS = 1_000;
const LIMIT = 100;
/** Far more than a poll reads back, so that none of the items that it meets there was forgotten. */
const REMEMBERED = 10_000;
/** An item appears when it is committed, and then below those that were made after it. This many polls later none does. */
const STABLE_POLLS = 5;
/** Pages with known items that a poll reads at most, for items that appeared among them. */
const PAGES_BACK = 5;

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

type Fetch<T> = (query: { limit: number }) => List<T>;

/** A newest-first list from the moment on at which following it begins. */
class Followed<T extends { id: string }> {
  private poll = 0;

  private constructor(
    private readonly list: Fetch<T>,
    /** Known items by the poll that found them. */
    private readonly seen: Map<string, number>,
    /** The first item that is from before, with all behind it; null: the items from before are all known. */
    private readonly oldest: string | null,
  ) {}

  static async begin<T extends { id: string }>(list: Fetch<T>): Promise<Followed<T>> {
    const { data, pagination } = await list({ limit: LIMIT });
    const seen = new Map(data.map(({ id }) => [id, Number.NEGATIVE_INFINITY]));
    return new Followed(list, seen, pagination.has_more ? (data.at(-1)?.id ?? null) : null);
  }

  /** The items that have appeared since the last poll, oldest first. One page where nothing has changed for a while. */
  async appeared(): Promise<T[]> {
    this.poll += 1;
    const items: T[] = [];
    let pagesBack = 0;
    for (let page = await this.list({ limit: LIMIT }); ; ) {
      const end = page.data.findIndex(({ id }) => id === this.oldest);
      const fresh = page.data.slice(0, end < 0 ? undefined : end).filter(({ id }) => !this.seen.has(id));
      items.push(...fresh);
      if (fresh.length < page.data.length) pagesBack += 1;
      const isEnough = end >= 0 || pagesBack >= PAGES_BACK || this.isStable(page.data.at(-1));
      const next = isEnough ? null : page.nextPage();
      if (!next) break;
      page = await next;
    }
    return this.remember(items.reverse());
  }

  private isStable(item: T | undefined): boolean {
    const found = item && this.seen.get(item.id);
    return found !== undefined && this.poll - found > STABLE_POLLS;
  }

  /** Remembers items, oldest first, and forgets those that were remembered first. */
  private remember(items: T[]): T[] {
    for (const { id } of items) this.seen.set(id, this.poll);
    for (const id of this.seen.keys()) {
      if (this.seen.size <= REMEMBERED) break;
      this.seen.delete(id);
    }
    return items;
  }
}

/** Whether a later poll may succeed: the connection failed, or the service was unavailable or busy. */
const mayPass = (thrown: unknown): boolean =>
  !(thrown instanceof ApiError) || thrown.status === 429 || isPassing(thrown.status);

/** `onFailure`: told of the first of several polls that fail. `wait`: the pause between two polls, which tests leave out. */
type FollowOptions = { onFailure?: (thrown: unknown) => void; wait?: () => Promise<void> };

/**
 * Yields items that appear from now on in newest-first lists, each list oldest first, until `signal` is aborted. Goes on after polls
 * that failed, as while the service restarts.
 * @throws what the first look at a list throws, and refusals that would come again.
 */
export async function* follow<T extends { id: string }>(
  lists: readonly Fetch<T>[],
  signal: AbortSignal,
  { onFailure = () => {}, wait = () => pause(POLL_MS, signal) }: FollowOptions = {},
): AsyncGenerator<T> {
  const followed = await Promise.all(lists.map((list) => Followed.begin(list)));
  let isFailing = false;
  const poll = async (each: Followed<T>): Promise<T[]> => {
    try {
      const items = await each.appeared();
      isFailing = false;
      return items;
    } catch (thrown) {
      if (signal.aborted || !mayPass(thrown)) throw thrown;
      if (!isFailing) onFailure(thrown);
      isFailing = true;
      return [];
    }
  };
  while (!signal.aborted) {
    for (const each of followed) yield* await poll(each);
    await wait();
  }
}
