import { expect, test } from "vitest";
import { untilWaiting } from "@/test/database/lock-waits";
import { hashOf } from "@/test/database/passwords";
import { createAccountWithOwner } from "../accounts/service";
import { createApiKey, listApiKeys } from "../api-keys/service";
import { listAudit } from "../audit/service";
import { hashLinkToken } from "../auth/credentials/link-token";
import { signIn } from "../auth/service";
import { findSignedIn, startSession } from "../auth/sessions/sessions";
import type { MemberRole, SessionActor } from "../core/actor";
import { pool, transaction } from "../core/db";
import { toApiError } from "../core/errors";
import { newId } from "../core/ids";
import { acceptInvitation, getInvitation } from "./accept-invitation";
import { invite, listInvitations, withdrawInvitation } from "./invitations";
import { changeRole, leave, listMembers, removeMember } from "./service";
import { listMemberships, switchAccount } from "./sessions";

const PASSWORD = "correct horse battery staple";
const FROM = { address: "", userAgent: "" };

type Person = SessionActor & { email: string; sessionId: string };

async function makeOwner(): Promise<Person> {
  const email = `${newId("user")}@members.example`;
  const made = await createAccountWithOwner({
    email,
    passwordHash: await hashOf(PASSWORD),
    name: "Ann",
    companyName: "Acme",
  });
  const sessionId = await startSession(made.userId, FROM);
  return { kind: "session", ...made, isOperator: false, isConfirmed: true, role: "owner", email, sessionId };
}

const tokenOf = ({ link }: { link: string | null }): string => new URL(link ?? "").searchParams.get("token") ?? "";

/** A new person who accepted an invitation, signed in. */
async function makeMember(owner: SessionActor, role: MemberRole): Promise<Person> {
  const email = `${newId("user")}@members.example`;
  const token = tokenOf(await invite(owner, { email, role }));
  await acceptInvitation({ token, name: "Bob", password: PASSWORD }, FROM);
  const { rows } = await pool().query<{ id: string }>("SELECT id FROM users WHERE email = $1", [email]);
  const userId = rows[0]?.id ?? "";
  const sessionId = await startSession(userId, FROM);
  const person = { kind: "session", isOperator: false, isConfirmed: true } as const;
  return { ...person, accountId: owner.accountId, userId, role, email, sessionId };
}

const reasonOf = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    return await call;
  } catch (thrown) {
    const { wire } = toApiError(thrown);
    return wire.details.reason ?? wire.code;
  }
};

const rolesOf = async ({ accountId }: SessionActor): Promise<string[]> => {
  const { rows } = await pool().query<{ role: string }>(
    "SELECT role FROM account_members WHERE account_id = $1 ORDER BY created_at",
    [accountId],
  );
  return rows.map(({ role }) => role);
};

test("who opens an account is its owner, also where a version without members inserts them", async () => {
  const owner = await makeOwner();
  expect(await rolesOf(owner)).toEqual(["owner"]);
  const accountId = newId("account");
  await pool().query("INSERT INTO accounts (id, email, name) VALUES ($1, $2, 'Old')", [accountId, accountId]);
  for (const name of ["First", "Second"]) {
    await pool().query(
      "INSERT INTO users (id, account_id, email, name, password_hash) VALUES ($1, $2, $3, $4, 'none')",
      [newId("user"), accountId, `${newId("user")}@members.example`, name],
    );
  }
  expect((await listMembers({ ...owner, accountId })).map(({ name, role }) => [name, role])).toEqual([
    ["First", "owner"],
  ]);
});

test("somebody new accepts an invitation with a name and a password, and has its role", async () => {
  const owner = await makeOwner();
  const email = `${newId("user")}@members.example`;
  const token = tokenOf(await invite(owner, { email: email.toUpperCase(), role: "developer" }));
  expect(await getInvitation({ token })).toEqual({
    account_name: "Acme",
    email,
    role: "developer",
    has_password: false,
    account_id: owner.accountId,
  });
  expect(await reasonOf(acceptInvitation({ token, name: "", password: PASSWORD }, FROM))).toBe("invalid_request");
  expect(await reasonOf(acceptInvitation({ token, name: "Bob", password: "password12" }, FROM))).toBe(
    "invalid_request",
  );
  await acceptInvitation({ token, name: "Bob", password: PASSWORD }, FROM);
  expect((await listMembers(owner)).map((member) => [member.name, member.role, member.is_self])).toEqual([
    ["Ann", "owner", true],
    ["Bob", "developer", false],
  ]);
  expect(await listInvitations(owner)).toEqual([]);
});

test("somebody who signs in here already joins with their own password, and can switch between their accounts", async () => {
  const [owner, guest] = [await makeOwner(), await makeOwner()];
  const token = tokenOf(await invite(owner, { email: guest.email, role: "viewer" }));
  expect((await getInvitation({ token })).has_password).toBe(true);
  expect(await reasonOf(acceptInvitation({ token, name: "", password: "wrong password" }, FROM))).toBe(
    "invalid_request",
  );
  await acceptInvitation({ token, name: "", password: PASSWORD }, FROM);
  expect(await findSignedIn(guest.sessionId, "")).toMatchObject({ accountId: guest.accountId, role: "owner" });
  await switchAccount(guest, { account_id: owner.accountId });
  expect(await findSignedIn(guest.sessionId, "")).toMatchObject({ accountId: owner.accountId, role: "viewer" });
  expect(await findSignedIn(await startSession(guest.userId, FROM), "")).toMatchObject({ accountId: owner.accountId });
  expect((await listMemberships({ ...guest, accountId: owner.accountId })).map((each) => each.is_current)).toEqual([
    false,
    true,
  ]);
});

test("a member with a second invitation keeps their role, and the audit log says of one that they joined", async () => {
  const owner = await makeOwner();
  const member = await makeMember(owner, "viewer");
  // The state that an invitation leaves if it was made while an earlier one was being accepted.
  await pool().query(
    `INSERT INTO invitations (id, account_id, email, role, token_hash, invited_by, expires_at)
     VALUES ($1, $2, $3, 'owner', $4, $5, now() + interval '1 day')`,
    [newId("invitation"), owner.accountId, member.email, hashLinkToken("second"), owner.userId],
  );
  await acceptInvitation({ token: "second", name: "", password: PASSWORD }, FROM);
  expect(await rolesOf(owner)).toEqual(["owner", "viewer"]);
  expect(await listInvitations(owner)).toEqual([]);
  const { items } = await listAudit(owner, { page: 1, limit: 50, action: "member.joined" });
  expect(items.map(({ after }) => after)).toEqual([{ role: "viewer" }]);
});

test("nobody switches to an account that they are no member of", async () => {
  const [owner, stranger] = [await makeOwner(), await makeOwner()];
  expect(await reasonOf(switchAccount(stranger, { account_id: owner.accountId }))).toBe("not_found");
  expect(await findSignedIn(stranger.sessionId, "")).toMatchObject({ accountId: stranger.accountId });
});

test("an invitation that is accepted twice at once makes one member, by one of the two", async () => {
  const owner = await makeOwner();
  const email = `${newId("user")}@members.example`;
  const token = tokenOf(await invite(owner, { email, role: "viewer" }));
  const accept = () => reasonOf(acceptInvitation({ token, name: "Bob", password: PASSWORD }, FROM));
  const answers = await Promise.all([accept(), accept(), accept()]);
  expect(answers.filter((answer) => typeof answer === "object")).toHaveLength(1);
  expect(await rolesOf(owner)).toEqual(["owner", "viewer"]);
  expect(await accept()).toBe("invitation_over");
});

test("an invitation that was withdrawn, replaced, is older than a week, or comes from no owner any more opens nothing", async () => {
  const owner = await makeOwner();
  const second = await makeMember(owner, "owner");
  const ask = async (inviter: SessionActor) =>
    invite(inviter, { email: `${newId("user")}@members.example`, role: "owner" });
  const [withdrawn, replaced, old, ofSecond] = [
    await ask(owner),
    await ask(owner),
    await ask(owner),
    await ask(second),
  ];
  await withdrawInvitation(owner, withdrawn);
  await invite(owner, { email: replaced.email, role: "viewer" });
  await pool().query("UPDATE invitations SET expires_at = now() WHERE id = $1", [old.id]);
  await changeRole(owner, { id: second.userId, role: "developer" });
  for (const made of [withdrawn, replaced, old, ofSecond]) {
    const token = tokenOf(made);
    expect(await reasonOf(getInvitation({ token }))).toBe("invitation_over");
    expect(await reasonOf(acceptInvitation({ token, name: "Eve", password: PASSWORD }, FROM))).toBe("invitation_over");
  }
});

test("the database holds no token", async () => {
  const owner = await makeOwner();
  const token = tokenOf(await invite(owner, { email: `${newId("user")}@members.example`, role: "viewer" }));
  const { rows } = await pool().query(
    "SELECT (SELECT json_agg(i) FROM invitations i)::text || (SELECT json_agg(e) FROM audit_entries e)::text AS all",
  );
  expect(JSON.stringify(rows)).not.toContain(token);
});

test("of two owners who leave at once one stays", async () => {
  for (let round = 0; round < 5; round += 1) {
    const owner = await makeOwner();
    const second = await makeMember(owner, "owner");
    const answers = await Promise.all([reasonOf(leave(owner)), reasonOf(leave(second))]);
    expect(answers.filter((answer) => answer === "last_owner")).toHaveLength(1);
    expect(await rolesOf(owner)).toEqual(["owner"]);
  }
});

test("owners who demote or remove each other at once leave one owner", async () => {
  const acts = [
    (owner: Person, other: Person) => changeRole(owner, { id: other.userId, role: "viewer" }),
    (owner: Person, other: Person) => removeMember(owner, { id: other.userId }),
  ];
  for (const act of acts) {
    const owner = await makeOwner();
    const second = await makeMember(owner, "owner");
    const answers = await Promise.all([reasonOf(act(owner, second)), reasonOf(act(second, owner))]);
    expect(answers.filter((answer) => answer === "role_too_low")).toHaveLength(1);
    expect((await rolesOf(owner)).filter((role) => role === "owner")).toHaveLength(1);
  }
});

test("the last owner can neither leave, be removed nor become something less", async () => {
  const owner = await makeOwner();
  await makeMember(owner, "developer");
  expect(await reasonOf(leave(owner))).toBe("last_owner");
  expect(await reasonOf(removeMember(owner, { id: owner.userId }))).toBe("last_owner");
  expect(await reasonOf(changeRole(owner, { id: owner.userId, role: "developer" }))).toBe("last_owner");
  expect(await rolesOf(owner)).toEqual(["owner", "developer"]);
});

test("an owner whose role was taken while their call was on its way changes nothing", async () => {
  const owner = await makeOwner();
  const [second, third] = [await makeMember(owner, "owner"), await makeMember(owner, "viewer")];
  await changeRole(owner, { id: second.userId, role: "viewer" });
  const wish = { email: `${newId("user")}@members.example`, role: "owner" } as const;
  // `second` is still an owner according to their call, which began earlier.
  expect(await reasonOf(invite(second, wish))).toBe("role_too_low");
  expect(await reasonOf(changeRole(second, { id: second.userId, role: "owner" }))).toBe("role_too_low");
  expect(await reasonOf(removeMember(second, { id: third.userId }))).toBe("role_too_low");
  expect(await rolesOf(owner)).toEqual(["owner", "viewer", "viewer"]);
});

test("a changed role counts from the next request on", async () => {
  const owner = await makeOwner();
  const member = await makeMember(owner, "developer");
  expect(await findSignedIn(member.sessionId, "")).toMatchObject({ role: "developer" });
  await changeRole(owner, { id: member.userId, role: "viewer" });
  expect(await findSignedIn(member.sessionId, "")).toMatchObject({ role: "viewer" });
});

test("the sessions of a member who is removed are over at once, those in other accounts go on", async () => {
  const [owner, guest] = [await makeOwner(), await makeOwner()];
  const token = tokenOf(await invite(owner, { email: guest.email, role: "developer" }));
  await acceptInvitation({ token, name: "", password: PASSWORD }, FROM);
  const elsewhere = await startSession(guest.userId, FROM);
  await switchAccount(guest, { account_id: owner.accountId });
  await removeMember(owner, { id: guest.userId });
  expect(await findSignedIn(guest.sessionId, "")).toBeNull();
  expect(await findSignedIn(elsewhere, "")).toMatchObject({ accountId: guest.accountId, role: "owner" });
  expect(await findSignedIn(await startSession(guest.userId, FROM), "")).toMatchObject({ accountId: guest.accountId });
});

test("a membership that is gone closes the session, however it went", async () => {
  const owner = await makeOwner();
  const member = await makeMember(owner, "developer");
  await pool().query("DELETE FROM account_members WHERE user_id = $1", [member.userId]);
  expect(await findSignedIn(member.sessionId, "")).toBeNull();
});

test("keys that a removed member made stay", async () => {
  const owner = await makeOwner();
  const member = await makeMember(owner, "developer");

  const { id } = await createApiKey(member, { name: "CI", permissions: ["sms:send"] });
  await removeMember(owner, { id: member.userId });
  expect((await listApiKeys(owner)).data).toMatchObject([{ id, is_active: true }]);
});

test("who leaves goes on in another account of theirs, or is signed out", async () => {
  const [owner, guest] = [await makeOwner(), await makeOwner()];
  const token = tokenOf(await invite(owner, { email: guest.email, role: "developer" }));
  await acceptInvitation({ token, name: "", password: PASSWORD }, FROM);
  await switchAccount(guest, { account_id: owner.accountId });
  expect(await leave({ ...guest, accountId: owner.accountId })).toEqual({ account_id: guest.accountId });
  expect(await findSignedIn(guest.sessionId, "")).toMatchObject({ accountId: guest.accountId });
  const member = await makeMember(owner, "viewer");
  expect(await leave(member)).toEqual({ account_id: null });
  expect(await findSignedIn(member.sessionId, "")).toBeNull();
});

test("a person who leaves while they accept an invitation goes on in the account that they joined", async () => {
  const [owner, second] = [await makeOwner(), await makeOwner()];
  const member = await makeMember(owner, "viewer");
  let left: Promise<unknown> = Promise.resolve();
  await transaction(async (tx) => {
    await tx.query("SET LOCAL idle_in_transaction_session_timeout = 0");
    // As an acceptance does once it has checked the password.
    await tx.query("SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE", [member.userId]);
    left = leave(member);
    await untilWaiting();
    await tx.query("INSERT INTO account_members (account_id, user_id, role) VALUES ($1, $2, 'viewer')", [
      second.accountId,
      member.userId,
    ]);
  });
  expect(await left).toEqual({ account_id: second.accountId });
  expect(await findSignedIn(await startSession(member.userId, FROM), "")).toMatchObject({
    accountId: second.accountId,
  });
});

test("somebody without any account is refused at the sign-in with the reason, and gets in again by an invitation", async () => {
  const [owner, second] = [await makeOwner(), await makeOwner()];
  const member = await makeMember(owner, "viewer");
  await removeMember(owner, { id: member.userId });

  const enter = () => signIn({ email: member.email, password: PASSWORD }, { ...FROM, deviceId: null });
  expect(await reasonOf(enter())).toBe("no_account");
  const token = tokenOf(await invite(second, { email: member.email, role: "developer" }));
  await acceptInvitation({ token, name: "", password: PASSWORD }, FROM);
  expect(await enter()).toMatchObject({ accountId: second.accountId, role: "developer" });
});

test("a member is not invited again, and a suspended account invites nobody", async () => {
  const owner = await makeOwner();
  const member = await makeMember(owner, "viewer");
  expect(await reasonOf(invite(owner, { email: member.email, role: "owner" }))).toBe("already_member");
  await pool().query("UPDATE accounts SET status = 'suspended' WHERE id = $1", [owner.accountId]);
  const wish = { email: `${newId("user")}@members.example`, role: "viewer" } as const;
  expect(await reasonOf(invite(owner, wish))).toBe("account_not_active");
});

test("to invite somebody and to give a role want a confirmed password", async () => {
  const owner = { ...(await makeOwner()), isConfirmed: false };
  const wish = { email: `${newId("user")}@members.example`, role: "viewer" } as const;
  expect(await reasonOf(invite(owner, wish))).toBe("confirmation_required");
  expect(await reasonOf(changeRole(owner, { id: owner.userId, role: "viewer" }))).toBe("confirmation_required");
});

test("an account invites fifty people at once, then one every 72 seconds, whether or not they were withdrawn", async () => {
  const [owner, other] = [await makeOwner(), await makeOwner()];
  const newcomer = () => ({ email: `${newId("user")}@members.example`, role: "viewer" }) as const;
  for (let n = 0; n < 50; n += 1) {
    const { id } = await invite(owner, newcomer());
    if (n % 2 === 0) await withdrawInvitation(owner, { id });
  }
  await expect(invite(owner, newcomer())).rejects.toMatchObject({
    status: 429,
    retryAfterS: expect.any(Number),
    wire: { details: { reason: "invitation_throttled" } },
  });
  expect(await listInvitations(owner)).toHaveLength(25);
  await invite(other, newcomer());
  await pool().query("UPDATE sign_in_limits SET busy_until = busy_until - interval '72 s' WHERE subject = $1", [
    `invitations:${owner.accountId}`,
  ]);
  await invite(owner, newcomer());
});
