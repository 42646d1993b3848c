import { randomBytes } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";
import type { Tx } from "../../core/db";
import { defineProcessValue } from "../../core/process";

/** argon2id (the package's default algorithm) with the parameters of the OWASP password storage cheat sheet. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** The hash of a password in PHC form: salt and parameters are part of it. Takes some 30 ms on purpose. */
export const hashPassword = (password: string): Promise<string> => hash(password, PARAMETERS);

/** A hash that no password matches, with the same parameters as every other. */
const decoyHash = defineProcessValue("auth.decoyHash", () => hashPassword(randomBytes(32).toString("hex")));

/**
 * Whether the password is the one that was hashed. Without a hash (no user has that email) the same work is done, so that the
 * time does not reveal whether a user has it.
 */
export async function isPassword(passwordHash: string | null, password: string): Promise<boolean> {
  const matches = await verify(passwordHash ?? (await decoyHash()), password);
  return passwordHash !== null && matches;
}

/**
 * Whether the person still has the password whose hash was checked. Locks the row until `tx` ends, so a concurrent change
 * waits and then ends whatever this password opened.
 */
export async function lockPassword(tx: Tx, userId: string, passwordHash: string | null): Promise<boolean> {
  const { rowCount } = await tx.query("SELECT 1 FROM users WHERE id = $1 AND password_hash = $2 FOR NO KEY UPDATE", [
    userId,
    passwordHash,
  ]);
  return rowCount === 1;
}
