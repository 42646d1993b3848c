/**
 * Cursors: where the next page of a newest-first list begins. Rows added meanwhile are newer, so paging by cursor neither
 * repeats nor skips rows that existed when it began.
 */

/** `id`: of the last row before the position. `page`: number of the next page. `total`: rows when the paging began. */
export type Position = { id: string; page: number; total: number };

/** Ids sort by time. Ids of deliveries are longer than others. */
const FORM = /^([a-z]{3}_[0-9a-z]{20,60}) ([1-9]\d{0,9}) (\d{1,15})$/;

/** The cursor of a position: opaque to callers, not secret. */
export const cursorOf = ({ id, page, total }: Position): string =>
  Buffer.from(`${id} ${page} ${total}`).toString("base64url");

/**
 * The position of a cursor; null for anything that is not a cursor of a list with such ids.
 * @param prefix of the list's ids, such as `msg`.
 */
export function positionOf(cursor: string, prefix: string): Position | null {
  const [, id = "", page, total] = FORM.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
  return id.startsWith(`${prefix}_`) ? { id, page: Number(page), total: Number(total) } : null;
}
