/** Finds the account of a command: people own accounts, whichever one their sessions act in (docs/decisions/0030-members-and-roles.md). */
import { normalEmail } from "@/server/auth/normal-email";
import type { SessionActor } from "@/server/core/actor";
import { pool } from "@/server/core/db";
import { accountName } from "@/server/members/present";
import { type Flags, text } from "./flags";

type Owned = { accountId: string; userId: string | null; name: string; companyName: string };

/** A live account with its first owner; null if it does not exist. */
async function findById(id: string): Promise<Owned | null> {
  const { rows } = await pool().query<Owned>(
    `SELECT a.id AS "accountId", m.user_id AS "userId", a.name, a.company_name AS "companyName"
     FROM accounts a LEFT JOIN account_members m ON m.account_id = a.id AND m.role = 'owner'
     WHERE a.id = $1 AND a.test_of IS NULL ORDER BY m.created_at, m.user_id LIMIT 1`,
    [id],
  );
  return rows[0] ?? null;
}

/** The accounts that the person with an email address owns, oldest membership first. */
async function findOwnedBy(email: string): Promise<Owned[]> {
  const { rows } = await pool().query<Owned>(
    `SELECT a.id AS "accountId", u.id AS "userId", a.name, a.company_name AS "companyName"
     FROM users u JOIN account_members m ON m.user_id = u.id AND m.role = 'owner' JOIN accounts a ON a.id = m.account_id
     WHERE u.email = $1 ORDER BY m.created_at, a.id`,
    [email],
  );
  return rows;
}

async function findAccount(flags: Flags): Promise<Owned> {
  const id = text(flags, "account");
  const address = text(flags, "email");
  if (id === undefined && address === undefined) throw new Error("--account or --email is missing.");
  const email = address === undefined ? null : normalEmail(address);
  if (id !== undefined) {
    const named = await findById(id);
    if (!named) throw new Error(`There is no account ${id}.`);
    if (email === null || (await findOwnedBy(email)).some(({ accountId }) => accountId === id)) return named;
    throw new Error(`${email} does not own the account ${id}: give one of the two.`);
  }
  const [account, ...more] = await findOwnedBy(email ?? "");
  if (!account) throw new Error(`${email} owns no account.`);
  if (more.length === 0) return account;
  const lines = [account, ...more].map((each) => `  ${each.accountId}  ${accountName(each)}`);
  throw new Error(`${email} owns several accounts; give one by --account:\n${lines.join("\n")}`);
}

/** Id of the account that --account names, or that the person of --email owns. @throws Error if there is none, or several. */
export async function accountOf(flags: Flags): Promise<string> {
  return (await findAccount(flags)).accountId;
}

/**
 * The owner of the account that --account or --email names, as if signed in: keys and senders are created in their name.
 * @throws Error if there is no account, or several.
 */
export async function ownerOf(flags: Flags): Promise<SessionActor> {
  const { accountId, userId } = await findAccount(flags);
  if (userId === null) throw new Error(`The account ${accountId} has no owner.`);
  return { kind: "session", accountId, userId, isOperator: false };
}
