/**
 * Lengths of lists. Every statement that changes a list also inserts the change of its length, as a separate row, so that
 * concurrent changes do not wait for each other.
 */
import { pool } from "../core/db";
import { TEST_ACCOUNT_PREFIX } from "../core/ids";

/**
 * `deliveries`: of a webhook endpoint, by status. `suppressions`: of an account, by sender ID. `inbound`: of an account,
 * `with_event` or `without_event`, as versions before the event stored them.
 */
type CountedList = "deliveries" | "suppressions" | "inbound";

/** Beginning of a statement that inserts changes; followed by rows of list, owner, kind and change. */
export const INSERT_CHANGES = "INSERT INTO list_totals (list, owner_id, kind, change)";

const FOLDED_PER_STEP = 10_000;

/**
 * The number of rows of a list, of one owner or all (`isLive`: without those of test mode), of one kind or all. Exact for
 * everything committed. Unused conditions are omitted from the SQL: "given or null" cannot use an index, and would read the
 * lengths of all lists.
 */
export async function readTotal(
  list: CountedList,
  { ownerId, kind, isLive = false }: { ownerId?: string; kind?: string; isLive?: boolean },
): Promise<number> {
  const values: unknown[] = [list];
  const put = (value: unknown): string => `$${values.push(value)}`;
  const conditions = ["list = $1"];
  if (ownerId !== undefined) conditions.push(`owner_id = ${put(ownerId)}`);
  if (kind !== undefined) conditions.push(`kind = ${put(kind)}`);
  if (isLive) conditions.push(`NOT starts_with(owner_id, ${put(TEST_ACCOUNT_PREFIX)})`);
  const { rows } = await pool().query<{ total: bigint }>({
    text: `SELECT coalesce(sum(change), 0) AS total FROM list_totals WHERE ${conditions.join(" AND ")}`,
    values,
  });
  return Number(rows[0]?.total ?? 0);
}

/**
 * Replaces many rows by one, in batches. Each batch is one statement, so concurrent reads see the same totals. Skips rows that
 * another process is folding.
 */
export async function foldTotals(): Promise<void> {
  for (let folded = FOLDED_PER_STEP; folded === FOLDED_PER_STEP; ) {
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
      values: [FOLDED_PER_STEP],
    });
    folded = rows[0]?.folded ?? 0;
  }
}
