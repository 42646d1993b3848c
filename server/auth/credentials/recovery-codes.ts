/** Recovery codes: each replaces the second factor of a person once, whether that is an app or a passkey. */
import { createHash, randomBytes } from "node:crypto";
import type { Tx } from "../../core/db";
import type { SecondFactorRecovery } from "../schema";
import { base32 } from "./totp";

const RECOVERY_CODES = 10;
/** 80 bits: too many to be found by brute force from their hashes. */
const RECOVERY_BYTES = 10;

/** A code as entered: apps and people put spaces and dashes into it. */
export const normalCode = (code: string): string => code.replace(/[\s-]/g, "").toUpperCase();

const hashCode = (code: string): string => createHash("sha256").update(normalCode(code)).digest("hex");

const newRecoveryCode = (): string =>
  (base32(randomBytes(RECOVERY_BYTES)).match(/.{4}/g) ?? []).join("-").toLowerCase();

/** Makes new codes; all earlier ones stop working. The person's row must be locked. @returns them, for this response only. */
export async function replaceRecoveryCodes(tx: Tx, userId: string): Promise<SecondFactorRecovery> {
  const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
  await dropRecoveryCodes(tx, userId);
  await tx.query("INSERT INTO recovery_codes (user_id, code_hash) SELECT $1, unnest($2::text[])", [
    userId,
    codes.map(hashCode),
  ]);
  const { rows } = await tx.query<{ madeAt: Date }>(
    `UPDATE users SET recovery_codes_at = clock_timestamp() WHERE id = $1 RETURNING recovery_codes_at AS "madeAt"`,
    [userId],
  );
  const [made] = rows;
  if (!made) throw new Error("The person is locked, and gone.");
  return { recovery_codes: codes, recovery_codes_made_at: made.madeAt.toISOString() };
}

export const dropRecoveryCodes = (tx: Tx, userId: string) =>
  tx.query("DELETE FROM recovery_codes WHERE user_id = $1", [userId]);

/** Uses up a recovery code. @returns whether it was one of the person's. */
export async function spendRecoveryCode(tx: Tx, userId: string, code: string): Promise<boolean> {
  const { rowCount } = await tx.query("DELETE FROM recovery_codes WHERE user_id = $1 AND code_hash = $2", [
    userId,
    hashCode(code),
  ]);
  return rowCount === 1;
}
