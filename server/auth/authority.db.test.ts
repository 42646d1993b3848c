/** Requests that were under way when their session, or their key, was ended. */
import { describe, expect, test } from "vitest";
import { makeAuthenticator } from "@/test/authenticator";
import { openTransaction, untilWaiting } from "@/test/database/lock-waits";
import { makePerson, type Person } from "@/test/database/people";
import { makeKey, makeAccount as makeKeyedAccount } from "@/test/database/seed";
import { holdKeys } from "../api-keys/endings";
import { lockWithDescendants, revokeKeys } from "../api-keys/lineage";
import { revokeApiKey } from "../api-keys/revoke";
import { rotateApiKey } from "../api-keys/rotate";
import { createApiKey } from "../api-keys/service";
import { updateApiKey } from "../api-keys/update";
import type { AccountActor } from "../core/actor";
import { pool } from "../core/db";
import { invite } from "../members/invitations";
import { changeRole, leave, removeMember } from "../members/service";
import { switchAccount } from "../members/sessions";
import { inviteOwner, makeAccount } from "../operator/new-account";
import { createSuppression, deleteSuppression } from "../suppressions/service";
import { createEndpoint } from "../webhooks/service";
import { beginSecondFactor, confirmSecondFactor } from "./credentials/second-factor";
import { codeAt, stepAt } from "./credentials/totp";
import { lockPersons } from "./lock-persons";
import { addPasskey, beginPasskey } from "./passkeys/passkeys";
import { listSessions, revokeOtherSessions, revokeSession, revokeSessionsOf, startSession } from "./sessions/sessions";

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

describe("a change by a key", () => {
  const INVALID = { status: 401, wire: { details: { reason: "key_invalid" } } };
  const suppressed = async (actor: AccountActor) => (await createSuppression(actor, { number: "+14155550123" })).id;
  const revoke = ({ accountId, keyId }: { accountId: string; keyId: string }) =>
    revokeApiKey({ kind: "session", accountId, userId: "owner", isOperator: false }, { id: keyId, cascade: false });

  test("waits for the end of the key that is not committed yet, and is refused", async () => {
    const { actor, accountId, keyId } = await makeKeyedAccount();
    const id = await suppressed(actor);
    const ending = await openTransaction(async (tx) => {
      await lockWithDescendants(tx, accountId, keyId);
      await revokeKeys(tx, [keyId]);
    });
    const refused = expect(deleteSuppression(actor, id)).rejects.toMatchObject(INVALID);
    await untilWaiting("pg_advisory_xact_lock_shared", 1);
    await ending.commit();
    await refused;
  });

  test("is over before the key is, and those that come later do not pass the end that waits", async () => {
    const account = await makeKeyedAccount();
    const [first, second] = [await suppressed(account.actor), await makeKey(account.accountId)];
    const change = await openTransaction((tx) => holdKeys(tx, account.accountId));
    const revoking = revoke(account);
    await untilWaiting("pg_advisory_xact_lock(", 1);
    const late = expect(deleteSuppression(account.actor, first)).rejects.toMatchObject(INVALID);
    await untilWaiting("pg_advisory_xact_lock_shared", 1);
    await change.commit();
    expect(await revoking).toMatchObject({ deleted: true });
    await late;
    expect(await deleteSuppression(second, first)).toMatchObject({ deleted: true });
  });

  test("may be the end of the key itself", async () => {
    const { actor, keyId } = await makeKeyedAccount();
    expect(await revokeApiKey(actor, { id: keyId, cascade: false })).toMatchObject({ deleted: true });
    await expect(revokeApiKey(actor, { id: keyId, cascade: false })).rejects.toMatchObject(INVALID);
  });

  test("is not replayed with its secret once the key has ended", async () => {
    const account = await makeKeyedAccount();
    const request = () => ({ idempotency: () => ({ key: "k", requestHash: "h" }), responseHeaders: {} });
    const create = () => createEndpoint(account.actor, { url: "http://127.0.0.1:9/" }, request());
    expect(await create()).toEqual(await create());
    await revoke(account);
    await expect(create()).rejects.toMatchObject(INVALID);
  });
});

test("of two sessions that end each other one stays", async () => {
  const person = await makePerson();
  const other = { ...person, sessionId: await startSession(person.userId, { address: "", userAgent: "" }) };
  const ends = await Promise.allSettled([revokeOtherSessions(person), revokeOtherSessions(other)]);
  expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect(await listSessions(person)).toHaveLength(1);
});

/** Each may end or change several sessions of a person, through `mine`. */
const endings: Record<string, (mine: Person, otherId: string) => Promise<unknown>> = {
  "the end of another session": (mine, id) => revokeSession(mine, { id }),
  "the end of all others": (mine) => revokeOtherSessions(mine),
  "another account": (mine) => switchAccount(mine, { account_id: mine.accountId }),
  "leaving the account": (mine) => leave(mine),
  "the end of a membership": (mine) => removeMember(mine, { id: mine.userId }),
};

test.each(Object.keys(endings))("%s waits for its person before it locks a session", async (what) => {
  const person = await makePerson();
  const second = await makePerson();
  await pool().query("INSERT INTO account_members (account_id, user_id, role) VALUES ($1, $2, 'owner')", [
    person.accountId,
    second.userId,
  ]);
  const other = await startSession(person.userId, { address: "", userAgent: "" });
  const holder = await openTransaction((tx) => lockPersons(tx, person.userId));
  const ended = endings[what]?.(person, other);
  try {
    await untilWaiting("FROM users", 1);
    const { rowCount } = await pool().query("SELECT FROM sessions WHERE user_id = $1 FOR UPDATE NOWAIT", [
      person.userId,
    ]);
    expect(rowCount).toBe(2);
  } finally {
    await holder.commit();
    await ended;
  }
});

test("two who remove each other, from two accounts, do not meet in another order", async () => {
  const [one, two] = [await makePerson(), await makePerson()];
  for (const [account, guest] of [
    [one, two],
    [two, one],
  ] as const) {
    await pool().query("INSERT INTO account_members (account_id, user_id, role) VALUES ($1, $2, 'viewer')", [
      account.accountId,
      guest.userId,
    ]);
  }
  const [first = ""] = [one.userId, two.userId].sort();
  const holder = await openTransaction((tx) => lockPersons(tx, first));
  const removed = Promise.all([removeMember(one, { id: two.userId }), removeMember(two, { id: one.userId })]);
  try {
    await untilWaiting("FROM users", 2);
    for (const { userId } of [one, two]) {
      await pool().query("SELECT FROM sessions WHERE user_id = $1 FOR UPDATE NOWAIT", [userId]);
    }
  } finally {
    await holder.commit();
    await removed;
  }
});
