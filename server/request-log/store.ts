/** The rows of the request log: a ring of partitions, one per day. */
import { pool, transaction } from "../core/db";
import { unnest } from "../core/unnest";

/** Partitions of the ring, as the migration made them. */
const SLOTS = 10;
/** SQL: the number of the day, by the database's clock in UTC. */
const DAY = "((now() AT TIME ZONE 'UTC')::date - date '1970-01-01')";

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
});

/** Writes requests into today's partition. It waits for no disk: what a crash of the database takes are the last moments. */
export async function insertRequests(rows: readonly RequestRow[]): Promise<void> {
  await transaction(async (tx, defer) => {
    defer(tx.query("SET LOCAL synchronous_commit TO off"));
    await tx.query({
      name: "request_log.insert",
      text: `INSERT INTO request_log (slot, id, account_id, key_id, method, path, query, status, latency_ms, operation,
               resource_id, request_body, response_body, created_at)
             SELECT ${DAY} % ${SLOTS}, r.* FROM ${ROWS.as("r")}`,
      values: ROWS.values(rows),
    });
  });
}

/**
 * Empties the partition of the day after tomorrow, whose rows are eight days old. That of tomorrow is empty since yesterday, so
 * that nothing is lost when this runs about midnight.
 */
export async function emptyOldestDay(): Promise<void> {
  const { rows } = await pool().query<{ slot: number; hasRows: boolean }>(
    `SELECT slot, EXISTS (SELECT 1 FROM request_log l WHERE l.slot = ring.slot) AS "hasRows"
     FROM (SELECT ((${DAY} + 2) % ${SLOTS})::int2 AS slot) ring`,
  );
  const [oldest] = rows;
  if (oldest?.hasRows) await pool().query(`TRUNCATE request_log_${oldest.slot}`);
}
