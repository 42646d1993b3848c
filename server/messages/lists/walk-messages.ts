/**
 * Walks through an account's messages, newest first, that read a bounded number of index entries however many messages there
 * are. A walk follows one index; its other filters are compared with each message on the way.
 */
import type { Queryable } from "../../core/db";
import { isE164 } from "../phone";
import { idsWithin } from "./created-range";
import { STATUS_LISTS } from "./list-messages";
import type { SearchMessagesQuery } from "./search-schema";

export type WalkFilter = Omit<SearchMessagesQuery, "page" | "limit">;

/** The index that a walk follows: of all messages, of those with a value in a column, or of a status list. */
type IndexScan = { table: string; id: string; column: string | null; value: string | undefined };

const ALL: IndexScan = { table: "messages", id: "l.id", column: null, value: undefined };

/** Columns that `messages` has an index on, with the account and the id. */
const INDEXED = { reference: "reference", api_key_id: "api_key_id", from: "from_sender" } as const;

/** The indexes that contain every message that passes the filter. Never empty. */
function scansOf(filter: WalkFilter): IndexScan[] {
  const scans = (Object.keys(INDEXED) as (keyof typeof INDEXED)[])
    .filter((name) => filter[name] !== undefined)
    .map((name): IndexScan => ({ ...ALL, column: INDEXED[name], value: filter[name] }));
  const { status } = filter;
  if (status !== undefined && status !== "delivered") {
    const table = STATUS_LISTS[status];
    const column = table === "failed_messages" ? "status" : null;
    scans.push({ table, id: "l.message_id", column, value: column ? status : undefined });
  }
  return scans.length > 0 ? scans : [ALL];
}

type Put = (value: unknown) => string;

const isoOf = (text: string | undefined): string | null => (text === undefined ? null : new Date(text).toISOString());

/** The ids of an account that a scan reads. */
type IdRange = { accountId: string; filter: WalkFilter; before: string | null; limit: number };

/** SQL: the ids in an index between those of the filter's range and below `before`, newest first, at most `limit`. */
function idsIn(scan: IndexScan, { accountId, filter, before, limit }: IdRange, put: Put) {
  const { table, id, column, value } = scan;
  const timeOf = (text: string | undefined) => (text === undefined ? null : Date.parse(text));
  const { first, end } = idsWithin({ from: timeOf(filter.created_after), to: timeOf(filter.created_before) });
  // A list of one instead of an equality, because the planner would drop a column that equals a constant from the order.
  const conditions = [`l.account_id = ANY(ARRAY[${put(accountId)}::text])`];
  if (column) conditions.push(`l.${column} = ${put(value)}`);
  if (first !== null) conditions.push(`${id} >= ${put(first)}`);
  if (end !== null) conditions.push(`${id} < ${put(end)}`);
  if (before !== null) conditions.push(`${id} < ${put(before)}`);
  return `SELECT ${id} AS id FROM ${table} l WHERE ${conditions.join(" AND ")}
          ORDER BY l.account_id DESC, ${id} DESC LIMIT ${limit}`;
}

/** SQL: whether the message `m` passes all of the filter. */
function isWanted(filter: WalkFilter, put: Put): string {
  const { part } = filter;
  const conditions = (
    [
      ["m.status =", filter.status],
      ["m.reference =", filter.reference],
      ["m.api_key_id =", filter.api_key_id],
      ["m.from_sender =", filter.from],
      ["coalesce(m.provider, m.chain[1]) =", filter.provider],
      ["m.to_number LIKE", part && (part.startsWith("+") ? `${part}%` : `%${part}%`)],
      ["m.created_at >=", isoOf(filter.created_after)],
      ["m.created_at <", isoOf(filter.created_before)],
    ] as const
  ).flatMap(([condition, value]) => (value === undefined || value === null ? [] : [`${condition} ${put(value)}`]));
  return conditions.join(" AND ") || "true";
}

const parameters = () => {
  const values: unknown[] = [];
  return { values, put: (value: unknown) => `$${values.push(value)}` };
};

/** The index in which `limit` messages reach furthest: to the end of a short one, else to the oldest message. */
async function bestScan(db: Queryable, range: IdRange): Promise<IndexScan> {
  const { filter, limit } = range;
  const scans = scansOf(filter);
  const [only, ...others] = scans;
  if (only && others.length === 0) return only;
  const { values, put } = parameters();
  const ends = scans.map(
    (scan, at) => `SELECT ${at} AS at, count(*)::int4 AS length, min(id) AS last
      FROM (${idsIn(scan, range, put)}) w`,
  );
  const { rows } = await db.query<{ at: number }>({
    text: `SELECT at FROM (${ends.join(" UNION ALL ")}) e
           ORDER BY length < ${limit} DESC, CASE WHEN length < ${limit} THEN length END, last LIMIT 1`,
    values,
  });
  return scans[rows[0]?.at ?? 0] ?? ALL;
}

/** `limit`: messages to walk over. Of those that pass the filter, `skip` are left out, and at most `take` returned. */
type Step = { before: string | null; limit: number; skip: number; take: number };

/**
 * `walked`: messages walked over, `last` the oldest of them; null: there was none. `total`: of these, those that pass the
 * filter, and `ids` the chosen ones, newest first.
 */
export type Walked = { walked: number; last: string | null; total: number; ids: string[] };

/**
 * Prepares a walk.
 * @param maxStep messages of the longest step.
 * @param beyond whether messages to exactly the number `part`, which have an index, are found beyond the walk too.
 */
export async function startWalk(
  db: Queryable,
  accountId: string,
  filter: WalkFilter,
  { maxStep, beyond }: { maxStep: number; beyond: boolean },
) {
  const scan = await bestScan(db, { accountId, filter, before: null, limit: maxStep });
  const { part } = filter;
  const number = beyond && part && isE164(part) ? { ...ALL, column: "to_number", value: part } : null;
  return async ({ before, limit, skip, take }: Step): Promise<Walked> => {
    const { values, put } = parameters();
    const range = { accountId, filter, before, limit };
    const walk = idsIn(scan, range, put);
    const exact = number && idsIn(number, range, put);
    // OFFSET 0 makes the planner read the rows by id, and never the whole table.
    const { rows } = await db.query<Walked>({
      text: `WITH walked AS MATERIALIZED (${walk}),
               candidates AS MATERIALIZED (SELECT id FROM walked ${exact ? `UNION SELECT id FROM (${exact}) e` : ""}),
               wanted AS MATERIALIZED (
                 SELECT c.id FROM candidates c
                 CROSS JOIN LATERAL (SELECT * FROM messages r WHERE r.id = c.id OFFSET 0) m
                 WHERE ${isWanted(filter, put)}
               )
             SELECT (SELECT count(*) FROM walked)::int4 AS walked, (SELECT min(id) FROM walked) AS last,
               (SELECT count(*) FROM wanted)::int4 AS total,
               ARRAY(SELECT id FROM wanted ORDER BY id DESC LIMIT ${take} OFFSET ${skip}) AS ids`,
      values,
    });
    return rows[0] ?? { walked: 0, last: null, total: 0, ids: [] };
  };
}
