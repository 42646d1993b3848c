import type { AccountActor } from "../../core/actor";
import { DAY_MS } from "../../core/clock";
import { type Queryable, readPool } from "../../core/db";
import { MILESTONE_EVERY, milestoneBefore } from "../../lists/milestones";
import { readList } from "../../lists/read-list";
import { givenMetadata } from "../metadata";
import { type MessageRow, presentMessage, SHOWN_COLUMNS } from "../present";
import type { ListMessagesQuery } from "../schema";
import { cutAtDays, idsWithin, type TimeRange } from "./created-range";

const rangeOf = (query: Pick<ListMessagesQuery, "created_after" | "created_before">): TimeRange => ({
  from: query.created_after === undefined ? null : Date.parse(query.created_after),
  to: query.created_before === undefined ? null : Date.parse(query.created_before),
});

/** Lists messages, newest first. The total comes from the daily counters wherever the filter allows. */
export async function listMessages(actor: AccountActor, query: ListMessagesQuery) {
  const { accountId } = actor;
  const created = rangeOf(query);
  const page = await readList(
    query,
    "msg",
    () => countMessages(accountId, query, created),
    async ({ before, skip, take }) => {
      const near = skip > MILESTONE_EVERY && isUnfiltered(query) ? await milestoneBefore(accountId, skip) : null;
      // The milestone itself may be on the page; no other id lies between it and this.
      const below = before ?? (near && `${near.messageId}0`);
      const { from, id, text, values } = selectionOf(accountId, query, created, below);
      // Ordering by account makes the planner use the account's index: the primary key has the same order, and a walk
      // through it would read all accounts' messages. Only ids are read of the rows that the offset skips.
      const { rows } = await readPool().query<MessageRow>({
        text: `SELECT ${SHOWN_COLUMNS} FROM messages m
               WHERE m.id = ANY(ARRAY(SELECT ${id} FROM ${from} WHERE ${text}
                 ORDER BY l.account_id DESC, ${id} DESC LIMIT ${take} OFFSET ${near?.skip ?? skip}))
               ORDER BY m.id DESC`,
        values,
      });
      return rows;
    },
  );
  return page.present(page.rows.map(presentMessage));
}

/** Messages by their ids, newest first. */
export async function readMessages(db: Queryable, ids: readonly string[]): Promise<MessageRow[]> {
  const { rows } = await db.query<MessageRow>({
    name: "messages.found",
    text: `SELECT ${SHOWN_COLUMNS} FROM messages m WHERE m.id = ANY($1::text[]) ORDER BY m.id DESC`,
    values: [ids],
  });
  return rows;
}

type Filter = Pick<ListMessagesQuery, "status" | "to" | "from" | "reference" | "metadata" | "api_key_id">;

/** Tables that list the messages of a status. Delivered ones are those in none of them. */
export const STATUS_LISTS = {
  pending: "pending_messages",
  sent: "sent_messages",
  failed: "failed_messages",
  undelivered: "failed_messages",
} as const;

/** SQL: whether the account `$1` has the message `l` in no list. Each condition is a look-up of one key in one index. */
const IS_DELIVERED = Object.entries(STATUS_LISTS)
  .map(([status, list]) => {
    const ofStatus = list === "failed_messages" ? ` AND o.status = '${status}'` : "";
    return `NOT EXISTS (SELECT FROM ${list} o WHERE o.account_id = $1${ofStatus} AND o.message_id = l.id)`;
  })
  .join(" AND ");

/** SQL: the table `l` to select from, the expression of a message's id, and the conditions of a filter. */
type Selection = { from: string; id: string; text: string; values: unknown[] };

/** Whether a filter other than the status selects the messages, so that they are read in its index. */
const isNarrow = ({ to, from, reference, metadata, api_key_id: keyId }: Filter): boolean =>
  [to, from, reference, givenMetadata(metadata) ?? undefined, keyId].some((given) => given !== undefined);

/** Whether it is the list of all messages, which has milestones. */
const isUnfiltered = ({
  status,
  created_after: after,
  created_before: before,
  ...filter
}: ListMessagesQuery): boolean =>
  status === undefined && after === undefined && before === undefined && !isNarrow(filter);

const listOf = (status: NonNullable<Filter["status"]>) => (status === "delivered" ? null : STATUS_LISTS[status]);

/** SQL: the table `l` that the messages of a filter are read from, and where their id, columns (`row`) and time stand. */
type Source = { from: string; id: string; row: "l" | "r"; createdAt: string };

/**
 * Pairs are deleted with their message, so a filter by a pair alone needs no row of the message. With other filters the rows are
 * looked up pair by pair: a join of all pairs with a value would read the messages of all accounts.
 */
const PAIRS = "message_metadata l";
const PAIRS_WITH_ROWS = `${PAIRS} CROSS JOIN LATERAL (SELECT m.* FROM messages m WHERE m.id = l.message_id OFFSET 0) r`;

function sourceOf({ status, metadata, ...filter }: Filter, created: TimeRange): Source {
  if (Object.keys(metadata ?? {}).length > 0) {
    const isAlone = status === undefined && !isNarrow(filter) && created.from === null && created.to === null;
    return { from: isAlone ? PAIRS : PAIRS_WITH_ROWS, id: "l.message_id", row: "r", createdAt: "r.created_at" };
  }
  const list = status === undefined || isNarrow(filter) ? null : listOf(status);
  if (!list) return { from: "messages l", id: "l.id", row: "l", createdAt: "l.created_at" };
  const source = { from: `${list} l`, id: "l.message_id", row: "l" } as const;
  // The list of pending messages has the time at which each was due.
  if (status === "pending") {
    return { ...source, createdAt: "(SELECT m.created_at FROM messages m WHERE m.id = l.message_id)" };
  }
  return { ...source, createdAt: "l.created_at" };
}

/**
 * The filter as SQL. No index of `messages` contains the status, so a status is read from its list, unless another filter
 * selects few messages. Messages with a pair of metadata are read from the table of pairs. Times are bounded by id first, since
 * `created_at` is not indexed. `before`: only ids below it.
 */
function selectionOf(accountId: string, filter: Filter, created: TimeRange, before: string | null = null): Selection {
  const { status } = filter;
  const [pair, ...morePairs] = Object.entries(filter.metadata ?? {});
  const { from, id, row, createdAt } = sourceOf(filter, created);
  const values: unknown[] = [accountId];
  // A list of one instead of an equality, because the planner would drop a column that equals a constant from the order.
  const conditions = ["l.account_id = ANY(ARRAY[$1::text])"];
  const put = (value: unknown): string => `$${values.push(value)}`;
  const where = (condition: string, value: unknown) => {
    if (value === null || value === undefined) return;
    conditions.push(`${condition} (${put(value)})`);
  };
  const { first, end } = idsWithin(created);
  if (pair) conditions.push(`l.key = ${put(pair[0])} AND l.value = ${put(pair[1])}`);
  for (const [key, value] of morePairs) {
    conditions.push(`EXISTS (SELECT FROM message_metadata p WHERE p.account_id = $1 AND p.key = ${put(key)}
      AND p.value = ${put(value)} AND p.message_id = l.message_id)`);
  }
  if (isNarrow(filter) || (status && listOf(status) === "failed_messages")) where(`${row}.status =`, status);
  else if (status === "delivered") conditions.push(IS_DELIVERED);
  where(`${row}.to_number =`, filter.to);
  where(`${row}.reference =`, filter.reference);
  where(`${row}.from_sender =`, filter.from);
  where(`${row}.api_key_id =`, filter.api_key_id);
  where(`${id} >=`, first);
  where(`${id} <`, end);
  where(`${id} <`, before);
  where(`${createdAt} >=`, timeOf(created.from));
  where(`${createdAt} <`, timeOf(created.to));
  return { from, id, text: conditions.join(" AND "), values };
}

/** Normalizes a time for PostgreSQL, which rejects some offsets and fractions of ISO 8601. */
const timeOf = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString());

/** Sums the counters of whole days and counts only the edges. Messages that another filter selects are counted in its index. */
async function countMessages(accountId: string, filter: Filter, created: TimeRange): Promise<number> {
  if (isNarrow(filter)) return countRows(accountId, filter, created);
  const { days, edges } = cutAtDays(created);
  const counts = await Promise.all([
    days ? countDays(accountId, filter.status, days) : 0,
    ...edges.map((edge) => countRows(accountId, filter, edge)),
  ]);
  return counts.reduce((sum, count) => sum + count, 0);
}

async function countRows(accountId: string, filter: Filter, created: TimeRange): Promise<number> {
  const { from, text, values } = selectionOf(accountId, filter, created);
  const { rows } = await readPool().query<{ total: bigint }>({
    text: `SELECT count(*) AS total FROM ${from} WHERE ${text}`,
    values,
  });
  return Number(rows[0]?.total ?? 0);
}

/** Possible statuses of a deleted message: the final ones. */
const FORGOTTEN_STATUSES: readonly Filter["status"][] = [undefined, "delivered", "failed", "undelivered"];

/** Sums the counters of UTC days of acceptance, without deleted messages. Days are numbered from 1970-01-01. */
async function countDays(accountId: string, status: Filter["status"], days: TimeRange): Promise<number> {
  const numberOf = (at: number | null) => (at === null ? null : at / DAY_MS);
  const tables = FORGOTTEN_STATUSES.includes(status) ? ["usage_days", "forgotten_days"] : ["usage_days"];
  const counts = tables.map(
    (table) => `(SELECT coalesce(sum(${status ?? "messages"}), 0) FROM ${table}
      WHERE account_id = $1 AND ($2::int4 IS NULL OR day >= date '1970-01-01' + $2)
        AND ($3::int4 IS NULL OR day < date '1970-01-01' + $3))`,
  );
  const { rows } = await readPool().query<{ total: bigint }>({
    text: `SELECT ${counts.join(" - ")} AS total`,
    values: [accountId, numberOf(days.from), numberOf(days.to)],
  });
  return Number(rows[0]?.total ?? 0);
}
