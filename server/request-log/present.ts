import type { LoggedRequest, LoggedRequestDetail } from "./schema";

/** A row of `request_log` with its columns named as in the schema, and the name of its key. */
export type LoggedRow = {
  id: string;
  keyId: string;
  keyName: string | null;
  method: string;
  path: string;
  query: string;
  status: number;
  latencyMs: number;
  operation: string | null;
  resourceId: string | null;
  address: string | null;
  createdAt: Date;
};

/** Row -> wire. */
export const presentRequest = (row: LoggedRow): LoggedRequest => ({
  id: row.id,
  key_id: row.keyId,
  key_name: row.keyName,
  method: row.method,
  path: row.path,
  query: row.query,
  status: row.status,
  latency_ms: row.latencyMs,
  operation: row.operation,
  resource_id: row.resourceId,
  address: row.address,
  created_at: row.createdAt.toISOString(),
});

/** Row with its bodies -> wire. */
export const presentDetail = (
  row: LoggedRow & { userAgent: string | null; requestBody: string | null; responseBody: string | null },
): LoggedRequestDetail => ({
  ...presentRequest(row),
  user_agent: row.userAgent,
  request_body: row.requestBody,
  response_body: row.responseBody,
});
