import { pool, type Queryable, type Tx } from "../../core/db";

/** Whether the person's password alone opens nothing: there is an authenticator app or a passkey. */
export async function hasSecondFactor(userId: string, db: Queryable = pool()): Promise<boolean> {
  const { rows } = await db.query<{ hasAny: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM second_factors WHERE user_id = $1 AND confirmed_at IS NOT NULL)
       OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = $1) AS "hasAny"`,
    [userId],
  );
  return rows[0]?.hasAny === true;
}

/** The number of the person's passkeys, wherever they work. */
export async function countOwnPasskeys(db: Queryable, userId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>("SELECT count(*)::int AS count FROM passkeys WHERE user_id = $1", [
    userId,
  ]);
  return rows[0]?.count ?? 0;
}

/** Makes changes of a person's second factors, and their sign-ins with a password, wait for each other. */
export const lockPerson = (tx: Tx, userId: string) =>
  tx.query("SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE", [userId]);
