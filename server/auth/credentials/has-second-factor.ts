import { pool, type Queryable } from "../../core/db";

type SecondFactors = { hasApp: boolean; hasPasskey: boolean };

/** Whether the person has an authenticator app that is enabled, and whether they have a passkey. */
export async function secondFactorsOf(userId: string, db: Queryable = pool()): Promise<SecondFactors> {
  const { rows } = await db.query<SecondFactors>(
    `SELECT EXISTS (SELECT 1 FROM second_factors WHERE user_id = $1 AND confirmed_at IS NOT NULL) AS "hasApp",
       EXISTS (SELECT 1 FROM passkeys WHERE user_id = $1) AS "hasPasskey"`,
    [userId],
  );
  return rows[0] ?? { hasApp: false, hasPasskey: false };
}

/** Whether the person's password alone opens nothing: there is an authenticator app or a passkey. */
export async function hasSecondFactor(userId: string, db?: Queryable): Promise<boolean> {
  const { hasApp, hasPasskey } = await secondFactorsOf(userId, db);
  return hasApp || hasPasskey;
}

/** The number of the person's passkeys, wherever they work. */
export async function countOwnPasskeys(db: Queryable, userId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>("SELECT count(*)::int AS count FROM passkeys WHERE user_id = $1", [
    userId,
  ]);
  return rows[0]?.count ?? 0;
}
