/** The rows of the request log: a ring of partitions, one per day. */
import { DAY_MS, now } from "../core/clock";
import { pool, transaction } from "../core/db";
import { firstIdAt } from "../core/ids";
import { unnest } from "../core/unnest";
import { inSteps } from "../retention/steps";

/** Partitions of the ring, as the migration made them. */
const SLOTS = 10;
/** SQL: the number of the day, by the database's clock in UTC. */
const DAY = "((now() AT TIME ZONE 'UTC')::date - date '1970-01-01')";

/** The messages of a bulk send: the ids of the first and the last, and their number. */
export type MadeInBulk = { firstId: string; lastId: string; count: number };

export type RequestRow = {
  id: string;
  accountId: string;
  keyId: string;
  method: string;
  path: string;
  query: string;
  status: number;
  latencyMs: number;
  operation: string | null;
  resourceId: string | null;
  bulk: MadeInBulk | null;
  /** Of the caller. */
  address: string;
  userAgent: string | null;
  requestBody: string | null;
  responseBody: string | null;
  createdAt: Date;
};

const ROWS = unnest<RequestRow>({
  id: ["text", (row) => row.id],
  account_id: ["text", (row) => row.accountId],
  key_id: ["text", (row) => row.keyId],
  method: ["text", (row) => row.method],
  path: ["text", (row) => row.path],
  query: ["text", (row) => row.query],
  status: ["int2", (row) => row.status],
  latency_ms: ["int4", (row) => row.latencyMs],
  operation: ["text", (row) => row.operation],
  resource_id: ["text", (row) => row.resourceId],
  request_body: ["text", (row) => row.requestBody],
  response_body: ["text", (row) => row.responseBody],
  created_at: ["timestamptz", (row) => row.createdAt.toISOString()],
  first_message_id: ["text", ({ bulk }) => bulk?.firstId ?? null],
  last_message_id: ["text", ({ bulk }) => bulk?.lastId ?? null],
  messages: ["int2", ({ bulk }) => bulk?.count ?? null],
  address: ["text", (row) => row.address],
  user_agent: ["text", (row) => row.userAgent],
});

/** Writes requests into today's partition. It does not wait for the disk, so a crash of the database loses the last moments. */
export async function insertRequests(rows: readonly RequestRow[]): Promise<void> {
  await transaction(async (tx, defer) => {
    defer(tx.query("SET LOCAL synchronous_commit TO off"));
    await tx.query({
      name: "request_log.insert",
      text: `INSERT INTO request_log (slot, id, account_id, key_id, method, path, query, status, latency_ms, operation,
               resource_id, request_body, response_body, created_at, first_message_id, last_message_id, messages, address, user_agent)
             SELECT ${DAY} % ${SLOTS}, r.* FROM ${ROWS.as("r")}`,
      values: ROWS.values(rows),
    });
  });
}

/** Requests older than this, by their ids, should have been deleted with their partition. */
const LEFT_AFTER_DAYS = 8;
/** The most accounts whose requests one step scans, and the most requests that it deletes. */
const ACCOUNTS_PER_STEP = 1_000;
const LEFT_PER_STEP = 5_000;

/**
 * Empties the partition of the day after tomorrow, whose rows are eight days old. Tomorrow's has been empty since yesterday, so
 * nothing is lost if this runs around midnight.
 */
export async function emptyOldestDay(): Promise<void> {
  const { rows } = await pool().query<{ slot: number; hasRows: boolean }>(
    `SELECT slot, EXISTS (SELECT 1 FROM request_log l WHERE l.slot = ring.slot) AS "hasRows"
     FROM (SELECT ((${DAY} + 2) % ${SLOTS})::int2 AS slot) ring`,
  );
  const [oldest] = rows;
  if (oldest?.hasRows) await pool().query(`TRUNCATE request_log_${oldest.slot}`);
}

type Left = Pick<RequestRow, "accountId" | "id"> & { slot: number };

const LEFT = unnest<Left>({
  slot: ["int2", ({ slot }) => slot],
  account_id: ["text", ({ accountId }) => accountId],
  id: ["text", ({ id }) => id],
});

/**
 * Deletes requests that are left in the partitions of other days, because no partition was emptied on a day when no worker ran or
 * every run failed. If there are none, it reads only the oldest request of each account in each partition.
 */
export async function deleteLeft(signal?: AbortSignal): Promise<void> {
  const end = firstIdAt("request", new Date(now().getTime() - LEFT_AFTER_DAYS * DAY_MS));
  let last = "";
  await inSteps("requests", { size: ACCOUNTS_PER_STEP, signal }, async (tx, limit) => {
    const { rows: accounts } = await tx.query<{ id: string }>({
      name: "request_log.accounts",
      text: "SELECT id FROM accounts WHERE id > $1 ORDER BY id LIMIT $2",
      values: [last, limit],
    });
    // Found first: a statement that also deletes would be planned for as many rows as it may find.
    const { rows: left } = await tx.query<Left>({
      name: "request_log.left",
      text: `SELECT l.slot, l.account_id AS "accountId", l.id FROM unnest($1::text[]) AS o (id) CROSS JOIN LATERAL (
               SELECT slot, account_id, id FROM request_log WHERE account_id = o.id AND id < $2 ORDER BY id LIMIT $3) l
             LIMIT $3`,
      values: [accounts.map(({ id }) => id), end, LEFT_PER_STEP],
    });
    if (left.length > 0) {
      const { rowCount } = await tx.query({
        name: "request_log.delete_left",
        text: `DELETE FROM request_log r USING ${LEFT.as("l")}
               WHERE r.slot = l.slot AND r.account_id = l.account_id AND r.id = l.id`,
        values: LEFT.values(left),
      });
      if (left.length === LEFT_PER_STEP) return { looked: limit, forgotten: rowCount ?? 0 };
    }
    last = accounts.at(-1)?.id ?? last;
    return { looked: accounts.length, forgotten: left.length };
  });
}
