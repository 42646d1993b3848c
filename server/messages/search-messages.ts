import type { AccountActor } from "../core/actor";
import { readPool } from "../core/db";
import { toPage } from "../core/wire";
import { idsWithin } from "./created-range";
import { MESSAGE_COLUMNS, type MessageRow, presentMessage } from "./present";
import type { FoundMessages, SearchMessagesQuery } from "./search-schema";

/**
 * No index finds a part of a number among an account's messages in the order of their creation, so only this many are scanned,
 * newest first. Messages to exactly this number are found by an index, however old they are.
 */
const SEARCHED_MAX = 20_000;

/** Console: the messages to numbers that contain `part`, newest first. Scans at most the newest 20,000 of the span. */
export async function searchMessages(actor: AccountActor, query: SearchMessagesQuery): Promise<FoundMessages> {
  const timeOf = (text: string | undefined) => (text === undefined ? null : Date.parse(text));
  const created = { from: timeOf(query.created_after), to: timeOf(query.created_before) };
  const { first, end } = idsWithin(created);
  const isoOf = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  const { rows } = await readPool().query<{ searched: number; total: number; ids: string[] }>({
    name: "messages.search",
    text: `WITH recent AS MATERIALIZED (
             SELECT m.id, m.to_number, m.status, m.created_at FROM messages m
             WHERE m.account_id = ANY($1::text[]) AND ($2::text IS NULL OR m.id >= $2) AND ($3::text IS NULL OR m.id < $3)
             ORDER BY m.account_id DESC, m.id DESC LIMIT $4
           ), exact AS MATERIALIZED (
             SELECT m.id, m.status, m.created_at FROM messages m
             WHERE m.account_id = ANY($1::text[]) AND m.to_number = $5 AND ($2::text IS NULL OR m.id >= $2)
               AND ($3::text IS NULL OR m.id < $3)
             ORDER BY m.account_id DESC, m.to_number DESC, m.id DESC LIMIT $4
           ), found AS MATERIALIZED (
             SELECT id, status, created_at FROM recent WHERE to_number LIKE $6
             UNION SELECT id, status, created_at FROM exact
           ), matching AS MATERIALIZED (
             SELECT id FROM found
             WHERE ($7::text IS NULL OR status = $7) AND ($8::timestamptz IS NULL OR created_at >= $8)
               AND ($9::timestamptz IS NULL OR created_at < $9)
           )
           SELECT (SELECT count(*) FROM recent)::int4 AS searched, (SELECT count(*) FROM matching)::int4 AS total,
             ARRAY(SELECT id FROM matching ORDER BY id DESC LIMIT $10 OFFSET $11) AS ids`,
    values: [
      [actor.accountId],
      first,
      end,
      SEARCHED_MAX,
      query.part,
      query.part.startsWith("+") ? `${query.part}%` : `%${query.part}%`,
      query.status ?? null,
      isoOf(created.from),
      isoOf(created.to),
      query.limit,
      (query.page - 1) * query.limit,
    ],
  });
  const { searched = 0, total = 0, ids = [] } = rows[0] ?? {};
  const { rows: found } = await readPool().query<MessageRow>({
    name: "messages.found",
    text: `SELECT ${MESSAGE_COLUMNS} FROM messages m WHERE m.id = ANY($1::text[]) ORDER BY m.id DESC`,
    values: [ids],
  });
  return { ...toPage(found.map(presentMessage), total, query), searched: searched < SEARCHED_MAX ? null : searched };
}
