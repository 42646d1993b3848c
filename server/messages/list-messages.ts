import type { AccountActor } from "../core/actor";
import { DAY_MS } from "../core/clock";
import { readPool } from "../core/db";
import { readPage, toPage } from "../core/wire";
import { cutAtDays, idsWithin, type Span } from "./created-range";
import { MESSAGE_COLUMNS, type MessageRow, presentMessage } from "./present";
import type { ListMessagesQuery } from "./schema";

/** Lists messages, newest first. The total comes from the daily counters wherever the filter allows. */
export async function listMessages(actor: AccountActor, query: ListMessagesQuery) {
  const { accountId } = actor;
  const created: Span = {
    from: query.created_after === undefined ? null : Date.parse(query.created_after),
    to: query.created_before === undefined ? null : Date.parse(query.created_before),
  };
  const { rows, total } = await readPage(
    query,
    () => countMessages(accountId, query, created),
    async (offset) => {
      const { text, values } = conditionsOf(accountId, query, created);
      // Ordering by account makes the planner use the account's index: the primary key has the same order, and a walk
      // through it would read all accounts' messages. Only ids are read of the rows that the offset skips.
      const page = await readPool().query<MessageRow>({
        text: `SELECT ${MESSAGE_COLUMNS} FROM messages m
               WHERE m.id = ANY(ARRAY(SELECT m.id FROM messages m WHERE ${text}
                 ORDER BY m.account_id DESC, m.id DESC LIMIT ${query.limit} OFFSET ${offset}))
               ORDER BY m.id DESC`,
        values,
      });
      return page.rows;
    },
  );
  return toPage(rows.map(presentMessage), total, query);
}

type Filter = Pick<ListMessagesQuery, "status" | "to" | "from" | "reference" | "api_key_id">;

/** The filter as SQL. Times are bounded by id first, since `created_at` is not indexed. */
function conditionsOf(accountId: string, filter: Filter, created: Span): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const conditions: string[] = [];
  const where = (condition: string, value: unknown) => {
    if (value === null || value === undefined) return;
    values.push(value);
    conditions.push(`m.${condition} ($${values.length})`);
  };
  const { first, end } = idsWithin(created);
  where("account_id = ANY", [accountId]);
  where("status =", filter.status);
  where("to_number =", filter.to);
  where("reference =", filter.reference);
  where("from_sender =", filter.from);
  where("api_key_id =", filter.api_key_id);
  where("id >=", first);
  where("id <", end);
  where("created_at >=", timeOf(created.from));
  where("created_at <", timeOf(created.to));
  return { text: conditions.join(" AND "), values };
}

/** Normalizes a time for PostgreSQL, which rejects some offsets and fractions of ISO 8601. */
const timeOf = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** Sums the counters of whole days and counts only the edges. Messages that another filter selects are counted in its index. */
async function countMessages(accountId: string, filter: Filter, created: Span): Promise<number> {
  const { to, from, reference, api_key_id: keyId } = filter;
  if ([to, from, reference, keyId].some((given) => given !== undefined)) return countRows(accountId, filter, created);
  const { days, edges } = cutAtDays(created);
  const counts = await Promise.all([
    days ? countDays(accountId, filter.status, days) : 0,
    ...edges.map((edge) => countRows(accountId, filter, edge)),
  ]);
  return counts.reduce((sum, count) => sum + count, 0);
}

async function countRows(accountId: string, filter: Filter, created: Span): Promise<number> {
  const { text, values } = conditionsOf(accountId, filter, created);
  const { rows } = await readPool().query<{ total: bigint }>({
    text: `SELECT count(*) AS total FROM messages m WHERE ${text}`,
    values,
  });
  return Number(rows[0]?.total ?? 0);
}

/** Sums the counters of UTC days of acceptance. Days are numbered from 1970-01-01. */
async function countDays(accountId: string, status: Filter["status"], days: Span): Promise<number> {
  const numberOf = (at: number | null) => (at === null ? null : at / DAY_MS);
  const { rows } = await readPool().query<{ total: bigint }>({
    text: `SELECT coalesce(sum(${status ?? "messages"}), 0) AS total FROM usage_days
           WHERE account_id = $1 AND ($2::int4 IS NULL OR day >= date '1970-01-01' + $2)
             AND ($3::int4 IS NULL OR day < date '1970-01-01' + $3)`,
    values: [accountId, numberOf(days.from), numberOf(days.to)],
  });
  return Number(rows[0]?.total ?? 0);
}
