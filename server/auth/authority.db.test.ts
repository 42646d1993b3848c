/** Requests that were under way when their session was ended. */
import { expect, test } from "vitest";
import { makeAuthenticator } from "@/test/authenticator";
import { openTransaction, untilWaiting } from "@/test/database/lock-waits";
import { makePerson, type Person } from "@/test/database/people";
import { rotateApiKey } from "../api-keys/rotate";
import { createApiKey } from "../api-keys/service";
import { updateApiKey } from "../api-keys/update";
import { pool } from "../core/db";
import { invite } from "../members/invitations";
import { changeRole } from "../members/service";
import { inviteOwner, makeAccount } from "../operator/new-account";
import { beginSecondFactor, confirmSecondFactor } from "./credentials/second-factor";
import { codeAt, stepAt } from "./credentials/totp";
import { addPasskey, beginPasskey } from "./passkeys/passkeys";
import { revokeSessionsOf } from "./sessions/sessions";

const OVER = { status: 401, wire: { details: { reason: "no_session" } } };
const KEY = { name: "Key", rate_limit: 60 };

/** Each prepares a request, and returns the function that carries it out. */
const requests: Record<string, (person: Person) => Promise<() => Promise<unknown>>> = {
  "a passkey": async (person) => {
    const asked = await beginPasskey(person);
    const passkey = makeAuthenticator(`http://${asked.rp.id}:3000`).create(asked);
    return () => addPasskey(person, { name: "Phone", passkey });
  },
  "an authenticator app": async (person) => {
    const { secret } = await beginSecondFactor(person);
    return () => confirmSecondFactor(person, { code: codeAt(secret, stepAt(Date.now() / 1_000)) });
  },
  "an API key": async (person) => () => createApiKey(person, KEY),
  "an API key in place of another": async (person) => {
    const { id } = await createApiKey(person, KEY);
    return () => rotateApiKey(person, { id, grace_hours: 24 });
  },
  "more time of an API key": async (person) => {
    const { id } = await createApiKey(person, { ...KEY, expires_at: new Date(Date.now() + 60_000).toISOString() });
    return () => updateApiKey(person, { id, expires_at: null });
  },
  "an account": async (person) => () =>
    makeAccount({ ...person, isOperator: true }, { email: "new@example.com", company_name: "New" }),
  "an owner of an account": async (person) => {
    const operator = { ...person, isOperator: true };
    const { account } = await makeAccount(operator, { email: "first@example.com", company_name: "New" });
    return () => inviteOwner(operator, { account_id: account.id, email: "second@example.com" });
  },
  "an invitation": async (person) => () => invite(person, { email: "guest@example.com", role: "owner" }),
  "another owner": async (person) => {
    const other = await makePerson();
    await pool().query("INSERT INTO account_members (account_id, user_id, role) VALUES ($1, $2, 'viewer')", [
      person.accountId,
      other.userId,
    ]);
    return () => changeRole(person, { id: other.userId, role: "owner" });
  },
};

test.each(Object.keys(requests))("%s is not added after the end of the session", async (what) => {
  const person = await makePerson();
  const carryOut = await requests[what]?.(person);
  await revokeSessionsOf(pool(), person.userId);
  await expect(carryOut?.()).rejects.toMatchObject(OVER);
});

test.each(Object.keys(requests))("%s waits for the end of the session that is not committed yet", async (what) => {
  const person = await makePerson();
  const carryOut = await requests[what]?.(person);
  const ending = await openTransaction((tx) => revokeSessionsOf(tx, person.userId));
  const refused = expect(carryOut?.()).rejects.toMatchObject(OVER);
  await untilWaiting("sessions", 1);
  await ending.commit();
  await refused;
});
