import { randomBytes } from "node:crypto";
import { createAccountWithOwner } from "@/server/accounts/service";
import { postMoney } from "@/server/accounts/store";
import { hashKey } from "@/server/api-keys/secret";
import { createApiKey } from "@/server/api-keys/service";
import { hashPassword, isPassword } from "@/server/auth/credentials/password-hash";
import { now } from "@/server/core/clock";
import { prisma, type Tx, transaction } from "@/server/core/db";
import { env } from "@/server/core/env";
import { newId } from "@/server/core/ids";

const EMAIL = "demo@example.com";
const NAME = "Demo";
const SENDER_ID = "DEMO";
const BALANCE_MICROS = 1_000_000_000n;
const KEY_RATE_LIMIT = 6_000;
const PRICE_PER_SEGMENT_MICROS = 10_000;
/** An arbitrary number, the same in every process that seeds. */
const SEED_LOCK_ID = 5_220_118;

/** How the seeded owner signs in, and a key of the account with all scopes. Both in plain text. */
export type Seeded = { email: string; password: string; apiKey: string };

/** Whether the credentials that an earlier start wrote down still work. */
async function stillOpens(known: Seeded): Promise<boolean> {
  const user = await prisma().user.findUnique({ where: { email: known.email } });
  if (!user || !(await isPassword(user.passwordHash, known.password))) return false;
  return (await prisma().apiKey.count({ where: { keyHash: hashKey(known.apiKey), revokedAt: null } })) > 0;
}

/** Without a route nothing can be sent, so an installation with the sandbox gets one to every destination. */
async function ensureRoute(tx: Tx): Promise<void> {
  if (!env().SANDBOX) return;
  await tx.query(
    `INSERT INTO routes (prefix, chain, price_micros)
     SELECT '', ARRAY['sandbox'], $1 WHERE NOT EXISTS (SELECT 1 FROM routes)`,
    [PRICE_PER_SEGMENT_MICROS],
  );
}

/** Another account for a person who has left theirs or is no longer its owner. */
async function makeAccount(userId: string): Promise<string> {
  const accountId = newId("account");
  await transaction(async (tx) => {
    await tx.query("INSERT INTO accounts (id, email, name) VALUES ($1, $2, $3)", [accountId, EMAIL, NAME]);
    await tx.query("INSERT INTO account_members (account_id, user_id, role) VALUES ($1, $2, 'owner')", [
      accountId,
      userId,
    ]);
    await tx.query("UPDATE users SET account_id = $2 WHERE id = $1", [userId, accountId]);
    const opening = { accountId, kind: "credit", amountMicros: BALANCE_MICROS, reservedMicros: 0n } as const;
    await postMoney(tx, [{ ...opening, messageId: null, note: "Opening balance", at: now() }]);
  });
  return accountId;
}

/** The demo's person, with the first account that they own: the last opened one may be somebody else's. */
async function ensureAccount(password: string): Promise<{ accountId: string; userId: string }> {
  const user = await prisma().user.findUnique({ where: { email: EMAIL } });
  const passwordHash = await hashPassword(password);
  if (!user) {
    const owner = { email: EMAIL, passwordHash, name: NAME, companyName: "", isOperator: true };
    return createAccountWithOwner({ ...owner, balanceMicros: BALANCE_MICROS });
  }
  // Created by a start that was killed before it could print the password, or with another data folder.
  await prisma().user.update({ where: { id: user.id }, data: { passwordHash } });
  const owned = await prisma().member.findFirst({
    where: { userId: user.id, role: "owner" },
    orderBy: [{ createdAt: "asc" }, { accountId: "asc" }],
  });
  return { accountId: owned?.accountId ?? (await makeAccount(user.id)), userId: user.id };
}

/**
 * Makes the account of a local start: an operator's, with a balance, an approved sender, a key with all scopes, and a route for
 * its messages. Safe to call at every start, even after one that was killed half-way: every step checks what exists, and if the
 * known password (`known`) is missing or no longer valid, a new one and a new key are made.
 */
export async function seedOnce(known: Seeded | null): Promise<Seeded> {
  return transaction(async (tx) => {
    // It is idle while other connections write and passwords are hashed, for seconds if a build takes every core.
    await tx.query("SET LOCAL idle_in_transaction_session_timeout = 0");
    await tx.query("SELECT pg_advisory_xact_lock($1)", [SEED_LOCK_ID]);
    await ensureRoute(tx);
    if (known && (await stillOpens(known))) return known;
    const password = randomBytes(12).toString("base64url");
    const { accountId, userId } = await ensureAccount(password);
    const at = now();
    await prisma().sender.upsert({
      where: { accountId_senderId: { accountId, senderId: SENDER_ID } },
      create: {
        id: newId("sender"),
        accountId,
        senderId: SENDER_ID,
        type: "alphanumeric",
        status: "approved",
        approvedAt: at,
        createdAt: at,
      },
      update: {},
    });
    const owner = { kind: "session", accountId, userId, isOperator: true } as const;
    const key = await createApiKey(owner, { name: "Demo", rate_limit: KEY_RATE_LIMIT });
    return { email: EMAIL, password, apiKey: key.plain_key };
  });
}
