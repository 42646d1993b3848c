/**
 * Lengths of lists. Whoever changes a list writes by how much, in the very statement that does it: a row of its own, so
 * that no two of them wait for each other.
 */
import { pool } from "../core/db";

/** `deliveries`: of a webhook endpoint, by status. `suppressions`: of an account, by sender ID. */
type CountedList = "deliveries" | "suppressions";

/** SQL that begins the insert of changes; columns of what follows: list, owner, kind, change. */
export const INSERT_CHANGES = "INSERT INTO list_totals (list, owner_id, kind, change)";

const FOLDED_AT_ONCE = 10_000;

/** How many rows a list has: of one owner or of all, of one kind or of every one. Exact in what was committed. */
export async function readTotal(list: CountedList, of: { ownerId?: string; kind?: string }): Promise<number> {
  const { rows } = await pool().query<{ total: bigint }>({
    name: "lists.read_total",
    text: `SELECT coalesce(sum(change), 0) AS total FROM list_totals
           WHERE list = $1 AND ($2::text IS NULL OR owner_id = $2) AND ($3::text IS NULL OR kind = $3)`,
    values: [list, of.ownerId ?? null, of.kind ?? null],
  });
  return Number(rows[0]?.total ?? 0);
}

/**
 * Puts one row in the place of many, lot by lot. Each lot is one statement, so a total read meanwhile is the same before
 * and after; what another process folds just now is left to it.
 */
export async function foldTotals(): Promise<void> {
  for (let folded = FOLDED_AT_ONCE; folded === FOLDED_AT_ONCE; ) {
    const { rows } = await pool().query<{ folded: number }>({
      name: "lists.fold",
      text: `WITH crowded AS (
               SELECT list, owner_id, kind FROM list_totals GROUP BY list, owner_id, kind HAVING count(*) > 1
             ), picked AS MATERIALIZED (
               SELECT t.id FROM list_totals t JOIN crowded USING (list, owner_id, kind)
               ORDER BY t.list, t.owner_id, t.kind LIMIT $1 FOR UPDATE OF t SKIP LOCKED
             ), folded AS (
               DELETE FROM list_totals t USING picked WHERE t.id = picked.id
               RETURNING t.list, t.owner_id, t.kind, t.change
             ), one_row_each AS (
               INSERT INTO list_totals (list, owner_id, kind, change)
               SELECT list, owner_id, kind, sum(change) FROM folded GROUP BY list, owner_id, kind HAVING sum(change) <> 0
             )
             SELECT count(*)::int4 AS folded FROM folded`,
      values: [FOLDED_AT_ONCE],
    });
    folded = rows[0]?.folded ?? 0;
  }
}
