import type { SessionActor } from "../core/actor";
import { DAY_MS, MINUTE_MS, now } from "../core/clock";
import { readPool } from "../core/db";
import { env } from "../core/env";
import { notFound } from "../core/errors";
import { firstIdAt, timeOfId } from "../core/ids";
import { escapeLike } from "../search/like";
import { type LoggedRow, presentDetail, presentRequest } from "./present";
import type { ListRequestsQuery, LoggedRequestDetail, LoggedRequests, RequestOfMessage } from "./schema";

const KEPT_DAYS = 7;
/** Filters have no index: at most this many requests are scanned, newest first. */
const SEARCHED_MAX = 20_000;

const COLUMNS = `r.id, r.key_id AS "keyId", k.name AS "keyName", r.method, r.path, r.query, r.status,
  r.latency_ms AS "latencyMs", r.operation, r.resource_id AS "resourceId", r.address, r.created_at AS "createdAt"`;

/** The lowest id that is kept; ids contain the time of their request. */
const oldestKept = (): string => firstIdAt("request", new Date(now().getTime() - KEPT_DAYS * DAY_MS));

/**
 * The account's requests of the last seven days, newest first. Unused conditions are left out of the SQL: "given or null" is no
 * bound of an index, so each page would read all those before it.
 */
export async function listRequests(actor: SessionActor, query: ListRequestsQuery): Promise<LoggedRequests> {
  const values: unknown[] = [actor.accountId, oldestKept()];
  const put = (value: unknown): string => `$${values.push(value)}`;
  const kept = ["account_id = $1", "id >= $2"];
  if (query.cursor) kept.push(`id < ${put(query.cursor)}`);
  if (query.request_id) kept.push(`id = ${put(query.request_id)}`);
  const wanted = ["true"];
  if (query.status_class) wanted.push(`status / 100 = ${put(Number(query.status_class[0]))}`);
  if (query.key_id) wanted.push(`key_id = ${put(query.key_id)}`);
  if (query.path) wanted.push(`path LIKE ${put(`%${escapeLike(query.path)}%`)}`);
  if (query.address) wanted.push(`address LIKE ${put(`${escapeLike(query.address)}%`)}`);
  const { rows } = await readPool().query<LoggedRow>({
    text: `WITH recent AS (
             SELECT id, key_id, path, status, address FROM request_log WHERE ${kept.join(" AND ")} ORDER BY id DESC LIMIT ${SEARCHED_MAX}
           ), found AS (
             SELECT id FROM recent WHERE ${wanted.join(" AND ")} ORDER BY id DESC LIMIT ${put(query.limit + 1)}
           )
           SELECT ${COLUMNS} FROM request_log r LEFT JOIN api_keys k ON k.id = r.key_id AND k.account_id = r.account_id
           WHERE r.account_id = $1 AND r.id = ANY(ARRAY(SELECT id FROM found)) ORDER BY r.id DESC`,
    values,
  });
  const items = rows.slice(0, query.limit).map(presentRequest);
  const isFiltered = Boolean(query.status_class || query.key_id || query.path || query.address);
  return {
    items,
    next: rows.length > query.limit ? (items.at(-1)?.id ?? null) : null,
    searched: isFiltered && rows.length <= query.limit ? SEARCHED_MAX : null,
    mode: env().REQUEST_LOG,
  };
}

/** A request begins at most this long before its message: by then it has been read. The log has no index by message. */
const BEGUN_WITHIN_MS = MINUTE_MS;

type Sent = { id: string; keyId: string; firstId: string | null; lastId: string | null; messages: number | null };

/**
 * The request that sent a message of the account. Of a bulk send the log has the first and the last id: the message belongs to it
 * if all of the key's messages between these ids do. So a bulk send is not found if another one was made at the same moment, or if
 * some of its messages are already forgotten.
 */
export async function findRequestOf(actor: SessionActor, messageId: string): Promise<RequestOfMessage> {
  const acceptedAt = timeOfId(messageId).getTime();
  const { rows } = await readPool().query<Sent>({
    name: "request_log.of_message_id",
    text: `SELECT id, key_id AS "keyId", first_message_id AS "firstId", last_message_id AS "lastId", messages FROM request_log
           WHERE account_id = $1 AND id >= greatest($2, $3) AND id < $4
             AND (resource_id = $5 OR $5 BETWEEN first_message_id AND last_message_id)
           ORDER BY resource_id IS NULL, id DESC LIMIT 2`,
    values: [
      actor.accountId,
      oldestKept(),
      firstIdAt("request", new Date(acceptedAt - BEGUN_WITHIN_MS)),
      firstIdAt("request", new Date(acceptedAt + 1)),
      messageId,
    ],
  });
  const [sent, other] = rows;
  if (!sent) return { request_id: null };
  if (sent.firstId !== null && (other || !(await isWhole(actor.accountId, sent)))) return { request_id: null };
  return { request_id: sent.id };
}

/** Whether the messages of the key between both ids are those of the bulk send, and no others. */
async function isWhole(accountId: string, { keyId, firstId, lastId, messages }: Sent): Promise<boolean> {
  const { rowCount } = await readPool().query({
    name: "request_log.messages_between",
    text: `SELECT FROM messages WHERE account_id = $1 AND id BETWEEN $2 AND $3 AND api_key_id = $4 LIMIT $5`,
    values: [accountId, firstId, lastId, keyId, (messages ?? 0) + 1],
  });
  return rowCount === messages;
}

/** One request of the account with its bodies. @throws 404 */
export async function getRequest(actor: SessionActor, id: string): Promise<LoggedRequestDetail> {
  const { rows } = await readPool().query<Parameters<typeof presentDetail>[0]>({
    name: "request_log.get",
    text: `SELECT ${COLUMNS}, r.user_agent AS "userAgent", r.request_body AS "requestBody", r.response_body AS "responseBody"
           FROM request_log r LEFT JOIN api_keys k ON k.id = r.key_id AND k.account_id = r.account_id
           WHERE r.account_id = $1 AND r.id = $2 AND r.id >= $3`,
    values: [actor.accountId, id, oldestKept()],
  });
  if (!rows[0]) throw notFound("There is no such request in the log.", { param: "id" });
  return presentDetail(rows[0]);
}
