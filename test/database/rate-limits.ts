import { pool } from "@/server/core/db";

/**
 * Sets the counted requests of an API key or account. A minute that ends in the middle of a test would begin at zero again: the
 * count is put into the next one, which the rate limiter keeps until that has passed.
 */
export async function setCountedRequests(id: string, used: number): Promise<void> {
  await pool().query(
    `INSERT INTO api_key_minutes (key_id, minute, used) VALUES ($1, date_trunc('minute', now()) + interval '1 minute', $2)
     ON CONFLICT (key_id) DO UPDATE SET used = excluded.used, minute = excluded.minute`,
    [id, used],
  );
}
