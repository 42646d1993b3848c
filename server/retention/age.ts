import { DAY_MS, now } from "../core/clock";
import { pool } from "../core/db";

/** The time `days` before {@link safeNow}: what ended earlier is old enough. */
export const daysBefore = (at: Date, days: number): Date => new Date(at.getTime() - days * DAY_MS);

/**
 * The time by the database's clock or this process's, whichever is behind: a clock that is ahead would delete data too early,
 * and it could not be restored.
 */
export async function safeNow(): Promise<Date> {
  const { rows } = await pool().query<{ at: Date }>("SELECT now() AS at");
  const [row] = rows;
  if (!row) throw new Error("The database returned no row.");
  return new Date(Math.min(row.at.getTime(), now().getTime()));
}
