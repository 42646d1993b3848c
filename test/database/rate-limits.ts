import { pool } from "@/server/core/db";

/**
 * Sets the counted requests of an API key or account. A new minute in the middle of a test would start at zero, so the count is
 * stored for the next minute, which the rate limiter keeps until it has passed.
 */
export async function setCountedRequests(id: string, used: number): Promise<void> {
  await pool().query(
    `INSERT INTO api_key_minutes (key_id, minute, used) VALUES ($1, date_trunc('minute', now()) + interval '1 minute', $2)
     ON CONFLICT (key_id) DO UPDATE SET used = excluded.used, minute = excluded.minute`,
    [id, used],
  );
}
