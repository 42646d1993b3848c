/** Long lists of which the page has all rows, but shows only some at a time. */

/** Rows per page; a list with no more rows has neither pages nor a search. */
export const PER_PAGE = 25;

/** The rows whose text has every word of `search`, in either case. */
export function searched<Row>(rows: readonly Row[], textOf: (row: Row) => string, search: string): readonly Row[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return rows;
  return rows.filter((row) => {
    const text = textOf(row).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** The rows of a page and its position; the last page if the requested one no longer exists. */
export function pageOf<Row>(rows: readonly Row[], asked: number) {
  const pages = Math.max(1, Math.ceil(rows.length / PER_PAGE));
  const page = Math.min(asked, pages);
  const shown = rows.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  return { shown, pagination: { page, limit: PER_PAGE, total: rows.length, pages } };
}
