import { pool } from "../../core/db";

/** Whether the person needs a code to sign in. */
export async function hasSecondFactor(userId: string): Promise<boolean> {
  const { rowCount } = await pool().query(
    "SELECT 1 FROM second_factors WHERE user_id = $1 AND confirmed_at IS NOT NULL",
    [userId],
  );
  return rowCount === 1;
}
