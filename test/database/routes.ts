import { pool } from "@/server/core/db";

/** Creates a route and returns its id. */
export async function makeRoute(
  options: { prefix?: string; chain?: string[]; priceMicros?: number; priority?: number } = {},
): Promise<number> {
  const { prefix = "", chain = ["sandbox"], priceMicros = 10_000, priority = 0 } = options;
  const { rows } = await pool().query<{ id: number }>(
    "INSERT INTO routes (prefix, chain, price_micros, priority) VALUES ($1, $2, $3, $4) RETURNING id",
    [prefix, chain, priceMicros, priority],
  );
  return rows[0]?.id ?? 0;
}
