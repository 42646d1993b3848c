/**
 * The reads of an overview. Sums come from the daily counters. Countries, senders and error codes have no counters, which
 * every send would have to keep: they are counted among the newest messages of the period, so that a read stays short
 * however many there are.
 */
import { readPool } from "../core/db";
import { FAILED_STATUSES_SQL, MESSAGE_STATUSES, type MessageStatus } from "../messages/status";

/** Newest messages that are counted by country and sender. */
export const LOOKED_AT_MAX = 10_000;
/** Newest failures, of either status, that are counted by code. */
export const FAILURES_MAX = 2_000;

/** `prefix`: the first characters of the numbers, of which `sample` is one. `failed` includes undelivered. */
export type GroupRow = {
  sender: string;
  prefix: string;
  sample: string;
  messages: number;
  delivered: number;
  failed: number;
};

/** Newest messages of a key that are counted by day. */
export const KEY_MESSAGES_MAX = 50_000;

export type KeyDayRow = {
  day: string;
  messages: number;
  segments: number;
  costMicros: bigint;
} & Record<MessageStatus, number>;

/** The newest messages of a key with ids from `first`, by the UTC day of their acceptance. */
export async function readKeyDays(accountId: string, keyId: string, first: string): Promise<KeyDayRow[]> {
  const counts = MESSAGE_STATUSES.map((status) => `(count(*) FILTER (WHERE status = '${status}'))::int4 AS ${status}`);
  const { rows } = await readPool().query<KeyDayRow>({
    name: "overview.key_days",
    text: `WITH recent AS MATERIALIZED (
             SELECT m.created_at, m.status, m.segments, m.cost_micros FROM messages m
             WHERE m.account_id = ANY($1::text[]) AND m.api_key_id = $2 AND m.id >= $3
             ORDER BY m.account_id DESC, m.id DESC LIMIT $4
           )
           SELECT (created_at AT TIME ZONE 'UTC')::date::text AS day, count(*)::int4 AS messages,
             sum(segments)::int4 AS segments, sum(cost_micros)::int8 AS "costMicros", ${counts.join(", ")}
           FROM recent GROUP BY 1`,
    values: [[accountId], keyId, first, KEY_MESSAGES_MAX],
  });
  return rows;
}

/** Messages that count against the limits of a key in the current UTC day and month; null: there is no such limit. */
export async function readKeyQuotas(
  accountId: string,
  keyId: string,
): Promise<{ today: number | null; month: number | null }> {
  const used = (period: string, form: string) => `coalesce((SELECT q.messages FROM api_key_quotas q
    WHERE q.key_id = coalesce(k.counted_as, k.id) AND q.period = '${period}:' || to_char(now() AT TIME ZONE 'UTC', '${form}')), 0)`;
  const { rows } = await readPool().query<{ today: number | null; month: number | null }>({
    name: "overview.key_quotas",
    text: `SELECT CASE WHEN k.daily_limit IS NOT NULL THEN ${used("day", "YYYY-MM-DD")} END AS today,
             CASE WHEN k.monthly_limit IS NOT NULL THEN ${used("month", "YYYY-MM")} END AS month
           FROM api_keys k WHERE k.id = $2 AND k.account_id = $1`,
    values: [accountId, keyId],
  });
  return rows[0] ?? { today: null, month: null };
}

/** The newest messages of an account with ids from `first`, by sender and the beginning of the number. */
export async function readGroups(accountId: string, first: string): Promise<GroupRow[]> {
  const { rows } = await readPool().query<GroupRow>({
    name: "overview.groups",
    text: `WITH recent AS MATERIALIZED (
             SELECT m.from_sender, m.to_number, m.status FROM messages m
             WHERE m.account_id = ANY($1::text[]) AND m.id >= $2
             ORDER BY m.account_id DESC, m.id DESC LIMIT $3
           )
           SELECT from_sender AS sender, left(to_number, 7) AS prefix, min(to_number) AS sample,
             count(*)::int4 AS messages, (count(*) FILTER (WHERE status = 'delivered'))::int4 AS delivered,
             (count(*) FILTER (WHERE status IN ${FAILED_STATUSES_SQL}))::int4 AS failed
           FROM recent GROUP BY 1, 2`,
    values: [[accountId], first, LOOKED_AT_MAX],
  });
  return rows;
}

export type ErrorRow = { code: string; message: string; messages: number; lastAt: Date };

/** SQL: the newest failures of the account `$1` with ids from `$2`, `$3` at most. */
const newestFailures = (status: "failed" | "undelivered") =>
  `(SELECT f.message_id FROM failed_messages f
    WHERE f.account_id = $1 AND f.status = '${status}' AND f.message_id >= $2
    ORDER BY f.message_id DESC LIMIT $3)`;

/** The newest failures of an account with ids from `first`, by code, the most frequent first. */
export async function readErrors(accountId: string, first: string): Promise<ErrorRow[]> {
  const { rows } = await readPool().query<ErrorRow>({
    name: "overview.errors",
    text: `WITH newest AS MATERIALIZED (${newestFailures("failed")} UNION ALL ${newestFailures("undelivered")})
           SELECT coalesce(m.error_code, '') AS code,
             coalesce((array_agg(m.error_message ORDER BY m.id DESC))[1], '') AS message,
             count(*)::int4 AS messages, max(coalesce(m.failed_at, m.created_at)) AS "lastAt"
           FROM newest n JOIN messages m ON m.id = n.message_id
           GROUP BY m.error_code ORDER BY messages DESC, code`,
    values: [accountId, first, FAILURES_MAX],
  });
  return rows;
}

/**
 * How many messages an account canceled itself, among its newest failures with ids from `usually`: those from the id `lately` on,
 * and those before it.
 */
export async function readCanceled(
  accountId: string,
  from: { usually: string; lately: string },
): Promise<{ lately: number; before: number }> {
  const { rows } = await readPool().query<{ lately: number; before: number }>({
    name: "overview.canceled",
    text: `WITH newest AS MATERIALIZED (${newestFailures("failed")})
           SELECT (count(*) FILTER (WHERE m.id >= $4))::int4 AS lately, (count(*) FILTER (WHERE m.id < $4))::int4 AS before
           FROM newest n JOIN messages m ON m.id = n.message_id WHERE m.error_code = 'canceled'`,
    values: [accountId, from.usually, FAILURES_MAX, from.lately],
  });
  return rows[0] ?? { lately: 0, before: 0 };
}

/** Whether messages of an account, or failures of either status, were deleted that it accepted since `from` (UTC midnight). */
export async function readForgotten(
  accountId: string,
  from: number,
): Promise<{ hasMessages: boolean; hasFailures: boolean }> {
  const { rows } = await readPool().query<{ hasMessages: boolean; hasFailures: boolean }>({
    name: "overview.forgotten",
    text: `SELECT coalesce(bool_or(messages > 0), false) AS "hasMessages",
             coalesce(bool_or(failed + undelivered > 0), false) AS "hasFailures"
           FROM forgotten_days WHERE account_id = $1 AND day >= ($2::timestamptz AT TIME ZONE 'UTC')::date`,
    values: [accountId, new Date(from).toISOString()],
  });
  return rows[0] ?? { hasMessages: false, hasFailures: false };
}

/** Pending messages that are looked through: of the account, and of the installation. */
export const WALKED_MAX = 10_000;

/**
 * Since when the message of an account that waits longest has been due; null: none has for `waitingMs`. Scheduled messages fill
 * the account's own list, and waiting messages of others that of the installation; each is walked to a bound.
 */
export async function readWaitingSince(accountId: string, waitingMs: number): Promise<Date | null> {
  const { rows } = await readPool().query<{ since: Date | null }>({
    name: "overview.waiting_since",
    text: `SELECT min(p.created_at) AS since FROM (
             (SELECT account_id, created_at FROM pending_messages WHERE account_id = $1 ORDER BY message_id LIMIT $3)
             UNION ALL
             (SELECT account_id, created_at FROM pending_messages
              WHERE created_at < now() - $2::float8 * interval '1 millisecond' ORDER BY created_at LIMIT $3)
           ) p WHERE p.account_id = $1 AND p.created_at < now() - $2::float8 * interval '1 millisecond'`,
    values: [accountId, waitingMs, WALKED_MAX],
  });
  return rows[0]?.since ?? null;
}
