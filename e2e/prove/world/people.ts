/** People who use the console: owners of the customers' accounts, and the operator. */
import { randomBytes } from "node:crypto";
import type { Database } from "@/e2e/support/books";
import { hashPassword } from "@/server/auth/credentials/password-hash";
import { newId } from "@/server/core/ids";
import { signIn } from "./console";
import type { Customer, Ground } from "./customers";

/** Creates a person of an account who can sign in. */
export async function makePerson(
  database: Database,
  accountId: string,
  isOperator: boolean,
): Promise<[email: string, password: string]> {
  const [email, password] = [`${newId("user")}@example.com`, randomBytes(12).toString("base64url")];
  await database.rows(
    `INSERT INTO users (id, account_id, email, name, password_hash, is_operator) VALUES ($1, $2, $3, 'Person', $4, $5)`,
    [newId("user"), accountId, email, await hashPassword(password), isOperator],
  );
  return [email, password];
}

/** Makes an owner for each account, and signs them in. @returns the sessions' cookies by account. */
export async function signInAll(
  { url, database }: Ground,
  customers: readonly Customer[],
): Promise<Map<string, string>> {
  const cookies = new Map<string, string>();
  for (const { accountId } of customers) {
    const { cookie } = await signIn(url, ...(await makePerson(database, accountId, false)));
    cookies.set(accountId, cookie);
  }
  return cookies;
}
