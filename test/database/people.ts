import { createAccountWithOwner } from "@/server/accounts/service";
import { codeAt, stepAt } from "@/server/auth/credentials/totp";
import type { PasskeyCreation } from "@/server/auth/passkey-schema";
import type { PasskeyAdded } from "@/server/auth/schema";
import { startSession } from "@/server/auth/sessions/sessions";
import type { SessionActor } from "@/server/core/actor";
import { pool } from "@/server/core/db";
import { newId } from "@/server/core/ids";
import { newSigningSecret } from "@/server/webhooks/delivery/signature";
import { sealSecret } from "@/server/webhooks/secrets";
import { makeAuthenticator } from "../authenticator";
import { callAs, TEST_ORIGIN } from "../call-procedure";
import { hashOf } from "./passwords";

/** The password of every person made here. */
export const PASSWORD = "correct horse battery staple";

/** A signed-in person with their own account. */
export type Person = SessionActor & { email: string; sessionId: string };

/** Creates a person with their own account who has not signed in. */
export async function createPerson(isOperator = false): Promise<{ email: string; userId: string; accountId: string }> {
  const email = `${newId("user")}@audit.example`;
  const passwordHash = await hashOf(PASSWORD);
  const made = await createAccountWithOwner({ email, passwordHash, name: "Ann", companyName: "", isOperator });
  return { email, ...made };
}

export async function makePerson(isOperator = false): Promise<Person> {
  const made = await createPerson(isOperator);
  const sessionId = await startSession(made.userId, TEST_ORIGIN);
  return { kind: "session", ...made, isOperator, sessionId, isConfirmed: true, origin: TEST_ORIGIN };
}

/** Inserts an endpoint of the person's account. @returns its id. */
export async function makeEndpoint({ accountId }: Person, isActive = true): Promise<string> {
  const id = newId("endpoint");
  await pool().query(
    `INSERT INTO webhook_endpoints (id, account_id, url, events, secret_sealed, is_active)
     VALUES ($1, $2, 'https://example.com/hook', '{}', $3, $4)`,
    [id, accountId, sealSecret(newSigningSecret()), isActive],
  );
  return id;
}

/** Enables an authenticator app. @returns its recovery codes. */
export async function enroll(owner: Person): Promise<string[]> {
  const { secret } = (await callAs(owner, "auth.secondFactor.begin", undefined)) as { secret: string };
  const code = codeAt(secret, stepAt(Date.now() / 1_000));
  return ((await callAs(owner, "auth.secondFactor.confirm", { code })) as { recovery_codes: string[] }).recovery_codes;
}

/** Adds a passkey of a new authenticator. @returns the response. */
export async function addPasskey(owner: Person): Promise<PasskeyAdded> {
  const asked = (await callAs(owner, "auth.passkeys.beginAdd", undefined)) as PasskeyCreation;
  const passkey = makeAuthenticator(`http://${asked.rp.id}:3000`).create(asked);
  return (await callAs(owner, "auth.passkeys.add", { name: "Phone", passkey })) as PasskeyAdded;
}

/** @returns the id of another member of the owner's account. */
export async function addMember({ accountId }: Person, role = "viewer"): Promise<string> {
  const { userId } = await makePerson();
  await pool().query("INSERT INTO account_members (account_id, user_id, role) VALUES ($1, $2, $3)", [
    accountId,
    userId,
    role,
  ]);
  return userId;
}

/** A row of the audit log. */
export type Entry = {
  id: string;
  account_id: string | null;
  actor_kind: string;
  actor_id: string;
  action: string;
  address: string;
  user_agent: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
};

/** The entries after that id, oldest first. */
export const lastEntries = async (since: string): Promise<Entry[]> =>
  (await pool().query<Entry>("SELECT * FROM audit_entries WHERE id > $1 ORDER BY id", [since])).rows;
