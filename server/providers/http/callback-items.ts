/** Lists in callbacks that report on several messages. */

/**
 * Items of one callback. Genuine ones have hundreds of bytes each, so no more fit into a body. Items are checked one by one, and without
 * this limit a body of small ones would keep the process busy for seconds.
 */
const ITEMS_MAX = 2_000;

/** An item that was read, or why it could not be. */
type Reading<Item> = { success: true; data: Item } | { success: false; error: Error };

/** The items that could be read, in their order, and how many could not. */
export type ReadItems<Item> = { items: Item[]; unreadable: number };

/**
 * Reads the items of a list. One that is unreadable does not lose the others.
 * @param read reads an item; null: it is of a kind that is not processed.
 * @throws Error for anything but a list, for more than 2,000 items, and if no item can be read.
 */
export function readItems<Item>(list: unknown, read: (item: unknown) => Reading<Item> | null): ReadItems<Item> {
  if (!Array.isArray(list)) throw new Error("The callback has no list.");
  if (list.length > ITEMS_MAX) throw new Error(`The callback has more than ${ITEMS_MAX} items.`);
  const items: Item[] = [];
  let failure: Error | null = null;
  let unreadable = 0;
  for (const item of list) {
    const reading = read(item);
    if (reading === null) continue;
    if (reading.success) items.push(reading.data);
    else {
      failure ??= reading.error;
      unreadable += 1;
    }
  }
  if (failure && items.length === 0) throw failure;
  return { items, unreadable };
}
