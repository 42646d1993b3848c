import type { Tx } from "../core/db";

/**
 * Locks people, in the order of their ids, until `tx` ends: changes of their sign-in, their second factors, their sessions and the account
 * that opens next wait for each other. Taken after the members of an account and before any session.
 */
export async function lockPersons(tx: Tx, ...userIds: string[]): Promise<void> {
  await tx.query("SELECT 1 FROM users WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE", [userIds]);
}
