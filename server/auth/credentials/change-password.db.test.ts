import { expect, test } from "vitest";
import { hashOf } from "@/test/database/passwords";
import { createAccountWithOwner } from "../../accounts/service";
import { CreateApiKeyInput } from "../../api-keys/schema";
import { createApiKey } from "../../api-keys/service";
import { pool, prisma } from "../../core/db";
import { newId } from "../../core/ids";
import { CreditAccountInput } from "../../operator/schema";
import { creditAccount } from "../../operator/service";
import { signIn } from "../service";
import { findSignedIn, startSession } from "../sessions/sessions";
import { reserveAttempt } from "../sign-in/throttle";
import { forgetSignIns } from "../tasks";
import { changePassword, confirmPassword, issuePasswordReset, resetPassword } from "./change-password";

const OPERATOR = { kind: "system", name: "test" } as const;
const OLD = "correct horse battery";
const NEW = "staple of another stable";
const ADDRESS = "198.51.100.1";
const LINK_OVER = { status: 400, wire: { details: { reason: "reset_link_over" } } };
const THROTTLED = { status: 429, wire: { details: { reason: "sign_in_throttled" } } };

/** A person with two open sessions; `actor` acts through the first. */
async function makePerson() {
  const email = `${newId("user")}@example.com`;
  const { userId, accountId } = await createAccountWithOwner({
    email,
    passwordHash: await hashOf(OLD),
    name: "Ann",
    companyName: "",
  });
  const from = { address: ADDRESS, userAgent: "" };
  const [sessionId, other] = [await startSession(userId, from), await startSession(userId, from)];
  const actor = { kind: "session", userId, accountId, isOperator: false, sessionId } as const;
  return { email, userId, sessionId, other, actor };
}

let networks = 0;
/** Whether the password signs in, from an address that has not tried before. */
async function opens(email: string, password: string): Promise<boolean> {
  networks += 1;
  return (
    (await signIn({ email, password }, { address: `198.18.0.${networks}`, userAgent: "", deviceId: null })) !== null
  );
}
const isOpen = async (sessionId: string) => (await findSignedIn(sessionId, "")) !== null;
const refusedAt = (param: string) => ({ status: 400, wire: { param } });

test("a change of the password ends all other sessions", async () => {
  const { email, actor, sessionId, other } = await makePerson();
  const changed = await changePassword(actor, { current_password: OLD, new_password: NEW }, ADDRESS);
  expect(changed).toEqual({ revoked: 1 });
  expect([await isOpen(sessionId), await isOpen(other)]).toEqual([true, false]);
  expect([await opens(email, OLD), await opens(email, NEW)]).toEqual([false, true]);
});

test("an invalid change gets its error at its field, and changes nothing", async () => {
  const { email, actor, other } = await makePerson();
  const change = (current_password: string, new_password: string) =>
    changePassword(actor, { current_password, new_password }, ADDRESS);
  await expect(change("wrong", NEW)).rejects.toMatchObject(refusedAt("current_password"));
  await expect(change(OLD, OLD)).rejects.toMatchObject(refusedAt("new_password"));
  await expect(change(OLD, "password1234")).rejects.toMatchObject(refusedAt("new_password"));
  await expect(change(OLD, email)).rejects.toMatchObject(refusedAt("new_password"));
  expect([await opens(email, OLD), await isOpen(other)]).toEqual([true, true]);
});

test("who has a session but not the password cannot guess it there", async () => {
  const { actor } = await makePerson();
  const guess = () => changePassword(actor, { current_password: "wrong", new_password: NEW }, ADDRESS);
  for (let failure = 1; failure <= 5; failure += 1) await expect(guess()).rejects.toMatchObject({ status: 400 });
  await expect(guess()).rejects.toMatchObject(THROTTLED);
});

test("of two changes at once one is made", async () => {
  const { email, actor } = await makePerson();
  const passwords = [NEW, `${NEW} again`];
  const results = await Promise.allSettled(
    passwords.map((password) => changePassword(actor, { current_password: OLD, new_password: password }, ADDRESS)),
  );
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  const made = passwords[results.findIndex(({ status }) => status === "fulfilled")] ?? "";
  expect(await opens(email, made)).toBe(true);
});

test("an operator's link gives another password once, and ends every session", async () => {
  const { email, userId, sessionId, other } = await makePerson();
  const { token } = await issuePasswordReset(OPERATOR, email.toUpperCase());
  expect(JSON.stringify(await prisma().passwordReset.findMany({ where: { userId } }))).not.toContain(token);
  expect(await resetPassword({ token, password: NEW })).toEqual({ revoked: 2 });
  expect([await isOpen(sessionId), await isOpen(other)]).toEqual([false, false]);
  expect([await opens(email, OLD), await opens(email, NEW)]).toEqual([false, true]);
  await expect(resetPassword({ token, password: OLD })).rejects.toMatchObject(LINK_OVER);
  expect(await opens(email, NEW)).toBe(true);
});

test("used by several at once a link gives one password", async () => {
  const { email } = await makePerson();
  const { token } = await issuePasswordReset(OPERATOR, email);
  const passwords = [1, 2, 3, 4].map((number) => `${NEW} ${number}`);
  const results = await Promise.allSettled(passwords.map((password) => resetPassword({ token, password })));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  const made = passwords[results.findIndex(({ status }) => status === "fulfilled")] ?? "";
  expect(await opens(email, made)).toBe(true);
});

test("a link with an easy password is not used up", async () => {
  const { email } = await makePerson();
  const { token } = await issuePasswordReset(OPERATOR, email);
  await expect(resetPassword({ token, password: "password1234" })).rejects.toMatchObject(refusedAt("password"));
  await resetPassword({ token, password: NEW });
});

test("links end after an hour, with a newer one, and with a change of the password", async () => {
  const [late, replaced, changed] = [await makePerson(), await makePerson(), await makePerson()];
  const [lateLink, replacedLink, changedLink] = [
    await issuePasswordReset(OPERATOR, late.email),
    await issuePasswordReset(OPERATOR, replaced.email),
    await issuePasswordReset(OPERATOR, changed.email),
  ];
  await pool().query(
    "UPDATE password_resets SET created_at = created_at - interval '1 hour', expires_at = expires_at - interval '1 hour' WHERE user_id = $1",
    [late.userId],
  );
  await issuePasswordReset(OPERATOR, replaced.email);
  await changePassword(changed.actor, { current_password: OLD, new_password: NEW }, ADDRESS);
  for (const { token } of [lateLink, replacedLink, changedLink, { token: "none" }]) {
    await expect(resetPassword({ token, password: NEW })).rejects.toMatchObject(LINK_OVER);
  }
  await forgetSignIns();
  expect(await prisma().passwordReset.count({ where: { userId: late.userId } })).toBe(0);
  expect(await prisma().passwordReset.count({ where: { userId: replaced.userId } })).toBe(1);
});

test("of links made at the same time the last one alone works", async () => {
  const { email, userId } = await makePerson();
  const made = await Promise.all([1, 2, 3, 4, 5].map(() => issuePasswordReset(OPERATOR, email)));
  expect(await prisma().passwordReset.count({ where: { userId } })).toBe(1);
  const results = await Promise.allSettled(made.map(({ token }) => resetPassword({ token, password: NEW })));
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
});

test("a link lets an owner in whom guesses from everywhere keep out", async () => {
  const { email } = await makePerson();
  for (let network = 1; network <= 20; network += 1) {
    const attempt = { email, address: `203.0.113.${network}`, deviceId: null };
    for (let guess = 1; guess <= 5; guess += 1) await reserveAttempt(attempt);
  }
  await expect(opens(email, OLD)).rejects.toMatchObject(THROTTLED);
  const { token } = await issuePasswordReset(OPERATOR, email);
  await resetPassword({ token, password: NEW });
  expect(await opens(email, NEW)).toBe(true);
});

test("only operators make links, and only for people that there are", async () => {
  const { email, actor } = await makePerson();
  await expect(issuePasswordReset(actor, email)).rejects.toMatchObject({ status: 403 });
  await expect(issuePasswordReset(OPERATOR, "nobody@example.com")).rejects.toMatchObject({ status: 404 });
});

test("ten minutes after the password was given, a key and a credit want it again", async () => {
  const { userId, actor: owner, sessionId } = await makePerson();
  const confirmed = async () => (await findSignedIn(sessionId, ""))?.isConfirmed;
  const act = async () => {
    const actor = { ...owner, isOperator: true, isConfirmed: await confirmed() };
    await createApiKey(actor, CreateApiKeyInput.parse({ name: "Shop" }));
    await creditAccount(actor, CreditAccountInput.parse({ account_id: owner.accountId, amount: 1 }));
  };
  await act();
  // A moment more: the column rounds to milliseconds.
  await pool().query("UPDATE sessions SET confirmed_at = now() - interval '601 seconds' WHERE user_id = $1", [userId]);
  const required = { status: 403, wire: { details: { reason: "confirmation_required" } } };
  await expect(act()).rejects.toMatchObject(required);
  const operator = { ...owner, isOperator: true, isConfirmed: false };
  const credit = CreditAccountInput.parse({ account_id: owner.accountId, amount: 1 });
  await expect(creditAccount(operator, credit)).rejects.toMatchObject(required);

  await expect(confirmPassword(owner, { password: "wrong" }, ADDRESS)).rejects.toMatchObject(refusedAt("password"));
  expect(await confirmed()).toBe(false);
  expect(await confirmPassword(owner, { password: OLD }, ADDRESS)).toEqual({ confirmed: true });
  await act();
});
