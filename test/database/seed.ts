import { randomBytes } from "node:crypto";
import { SCOPES, type Scope } from "@/server/api-keys/scopes";
import { hashKey, keyHint, newPlainKey } from "@/server/api-keys/secret";
import type { AccountActor, SessionActor } from "@/server/core/actor";
import { pool, transaction } from "@/server/core/db";
import { newId } from "@/server/core/ids";

/** The actor of a request with an API key. */
export type KeyActor = Extract<AccountActor, { kind: "apiKey" }>;

export type TestAccount = { accountId: string; keyId: string; plainKey: string; senderId: string; actor: AccountActor };

/**
 * Creates an account for one test: active, with a balance (in micro-units, with its ledger entry), one key and
 * the approved sender `senderId`.
 */
export async function makeAccount(
  options: { balanceMicros?: bigint; scopes?: readonly Scope[]; rateLimit?: number } = {},
): Promise<TestAccount> {
  const { balanceMicros = 1_000_000_000n, scopes = SCOPES, rateLimit = 6_000 } = options;
  const accountId = newId("account");
  const keyId = newId("apiKey");
  const plainKey = newPlainKey();
  const senderId = `T${randomBytes(4).toString("hex")}`;
  await transaction(async (tx) => {
    await tx.query("INSERT INTO accounts (id, email, name, balance_micros) VALUES ($1, $2, 'Test', $3)", [
      accountId,
      `${accountId}@example.com`,
      balanceMicros,
    ]);
    await tx.query(
      "INSERT INTO ledger_entries (account_id, kind, amount_micros, held_micros, note) VALUES ($1, 'credit', $2, 0, 'opening')",
      [accountId, balanceMicros],
    );
    await tx.query(
      `INSERT INTO api_keys (id, account_id, name, key_hash, key_hint, permissions, rate_limit, allowed_ips)
       VALUES ($1, $2, 'test', $3, $4, $5, $6, '{}')`,
      [keyId, accountId, hashKey(plainKey), keyHint(plainKey), [...scopes], rateLimit],
    );
    await tx.query(
      `INSERT INTO senders (id, account_id, sender_id, type, status, approved_at)
       VALUES ($1, $2, $3, 'alphanumeric', 'approved', now())`,
      [newId("sender"), accountId, senderId],
    );
  });
  const actor: AccountActor = { kind: "apiKey", accountId, keyId, scopes, limits: { daily: null, monthly: null } };
  return { accountId, keyId, plainKey, senderId, actor };
}

/** Creates another key of an account, with every scope. @returns its actor. */
export async function makeKey(accountId: string): Promise<KeyActor> {
  const keyId = newId("apiKey");
  const plainKey = newPlainKey();
  await pool().query(
    `INSERT INTO api_keys (id, account_id, name, key_hash, key_hint, permissions, rate_limit, allowed_ips)
     VALUES ($1, $2, 'another', $3, $4, $5, 6000, '{}')`,
    [keyId, accountId, hashKey(plainKey), keyHint(plainKey), [...SCOPES]],
  );
  return { kind: "apiKey", accountId, keyId, scopes: SCOPES, limits: { daily: null, monthly: null } };
}

/** The actor of a person who is signed in to the account; there is no user row. */
export const personOf = ({ accountId }: { accountId: string }, isOperator = false): SessionActor => ({
  kind: "session",
  accountId,
  userId: newId("user"),
  isOperator,
});

/** An operator of the installation, whose account has no row. */
export const newOperator = (): SessionActor => personOf({ accountId: newId("account") }, true);
