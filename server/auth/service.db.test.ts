import { hash, verify } from "@node-rs/argon2";
import { afterEach, expect, test, vi } from "vitest";
import { untilWaiting } from "@/test/database/lock-waits";
import { hashOf } from "@/test/database/passwords";
import { createAccountWithOwner } from "../accounts/service";
import { prisma, transaction } from "../core/db";
import { env } from "../core/env";
import { newId } from "../core/ids";
import { acceptInvitation } from "../members/accept-invitation";
import { invite } from "../members/invitations";
import { changePassword, issuePasswordReset, resetPassword } from "./credentials/change-password";
import { lockPersons } from "./lock-persons";
import { SignUpInput } from "./schema";
import { getSignUpState, getViewer, signIn, signUp } from "./service";

// The real one, watched.
vi.mock("@node-rs/argon2", async (importActual) => {
  const actual = await importActual<typeof import("@node-rs/argon2")>();
  return { ...actual, hash: vi.fn(actual.hash), verify: vi.fn(actual.verify) };
});

afterEach(() => {
  env().SIGN_UP_OPEN = true;
});

const PASSWORD = "correct horse battery";
let addresses = 0;
/** An address of its own for each test, from the range for documentation. */
const newAddress = (): string => {
  addresses += 1;
  return `198.51.100.${addresses}`;
};

async function makePerson() {
  const email = `${newId("user")}@example.com`;
  const made = await createAccountWithOwner({
    email,
    passwordHash: await hashOf(PASSWORD),
    name: "Ann",
    companyName: "",
  });
  return { email, ...made };
}

const from = (address: string) => ({ address, userAgent: "", deviceId: null });

const form = (email: string) => SignUpInput.parse({ email, password: PASSWORD, name: "Ann" });

test("a new person can sign in at once, also with another spelling of the email", async () => {
  const address = newAddress();
  const email = `Ann.${newId("user")}@Example.com`;
  await signUp(form(email), address);
  const session = await signIn({ email: email.toUpperCase(), password: PASSWORD }, from(address));
  expect(session).toMatchObject({ isOperator: false, email: email.toLowerCase(), name: "Ann" });
  const viewer = await getViewer({
    kind: "session",
    accountId: session?.accountId ?? "",
    userId: session?.userId ?? "",
    isOperator: false,
  });
  expect(viewer).toEqual({
    name: "Ann",
    email: email.toLowerCase(),
    is_operator: false,
    role: "owner",
    may_change: true,
  });
});

test("an email that has an account gets the same answer as a free one, after the same work, and keeps its password", async () => {
  const { email } = await makePerson();
  const taken = { ...form(email), password: "staple of another stable" };
  for (const input of [taken, { ...taken, email: `${newId("user")}@example.com` }]) {
    vi.mocked(hash).mockClear();
    expect(await signUp(input, newAddress())).toEqual({ accepted: true });
    expect(vi.mocked(hash)).toHaveBeenCalledTimes(1);
  }
  expect(await signIn({ email, password: PASSWORD }, from(newAddress()))).toMatchObject({ email });
  expect(await signIn({ email, password: taken.password }, from(newAddress()))).toBeNull();
});

test("a password that is easily guessed cannot be signed up with", async () => {
  const email = `${newId("user")}@example.com`;
  await expect(signUp({ ...form(email), password: "password1234" }, newAddress())).rejects.toMatchObject({
    status: 400,
    wire: { param: "password", message: expect.stringMatching(/^password: too easy to guess\. /) },
  });
  expect(await prisma().user.count({ where: { email } })).toBe(0);
});

test("a closed installation says so and creates nothing", async () => {
  env().SIGN_UP_OPEN = false;
  expect(await getSignUpState()).toMatchObject({ open: false, reset_by_mail: false });
  const email = `${newId("user")}@example.com`;
  await expect(signUp(form(email), newAddress())).rejects.toMatchObject({
    status: 403,
    wire: { details: { reason: "sign_up_closed" } },
  });
  expect(await prisma().user.count({ where: { email } })).toBe(0);
});

test("a wrong password and an unknown email get the same answer after the same work", async () => {
  const { email } = await makePerson();
  for (const input of [
    { email, password: "not the password" },
    { email: `${newId("user")}@example.com`, password: "whatever" },
  ]) {
    vi.mocked(verify).mockClear();
    expect(await signIn(input, from(newAddress()))).toBeNull();
    expect(vi.mocked(verify).mock.calls).toEqual([
      [expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/), input.password],
    ]);
  }
});

const NEW = "staple of another stable";

/** Carries something out between the check of the next password, which has the old one, and all that follows. */
function afterNextCheck(carryOut: () => Promise<unknown>): void {
  vi.mocked(verify).mockImplementationOnce(async (...given) => {
    const { verify: check } = await vi.importActual<typeof import("@node-rs/argon2")>("@node-rs/argon2");
    const matches = await check(...given);
    await carryOut();
    return matches;
  });
}

const openSessions = async (userId: string) =>
  prisma().session.count({ where: { userId, revokedAt: null, expiresAt: { gt: new Date() } } });

const change = ({ accountId, userId }: { accountId: string; userId: string }) =>
  changePassword(
    { kind: "session", accountId, userId, isOperator: false },
    { current_password: PASSWORD, new_password: NEW },
    newAddress(),
  );

async function reset({ email }: { email: string }): Promise<void> {
  const { token } = await issuePasswordReset({ kind: "system", name: "test" }, email);
  await resetPassword({ token, password: NEW });
}

test.each([
  ["changed", change],
  ["reset", reset],
])("a sign-in with the old password opens nothing when the password is %s meanwhile", async (_, replace) => {
  const person = await makePerson();
  afterNextCheck(() => replace(person));
  expect(await signIn({ email: person.email, password: PASSWORD }, from(newAddress()))).toBeNull();
  expect(await openSessions(person.userId)).toBe(0);
  await expect
    .poll(() => prisma().auditEntry.findMany({ where: { subjectId: person.userId, action: "sign_in.refused" } }))
    .toEqual([expect.objectContaining({ after: { cause: "wrong_password" } })]);
  expect(await signIn({ email: person.email, password: NEW }, from(newAddress()))).toMatchObject({
    email: person.email,
  });
});

test("a sign-in waits for a change of the password that is not committed yet, and opens nothing", async () => {
  const { email, userId } = await makePerson();
  let signedIn: Promise<unknown> = Promise.resolve();
  await transaction(async (tx) => {
    await tx.query("UPDATE users SET password_hash = $2 WHERE id = $1", [userId, await hash(NEW)]);
    signedIn = signIn({ email, password: PASSWORD }, from(newAddress()));
    await untilWaiting("", 1);
  });
  expect(await signedIn).toBeNull();
  expect(await openSessions(userId)).toBe(0);
});

test.each([
  ["an app", "INSERT INTO second_factors (user_id, secret_sealed, confirmed_at) VALUES ($1, 'sealed', now())"],
  [
    "a passkey",
    `INSERT INTO passkeys (id, user_id, credential_id, public_key, counter, transports, rp_id, name, is_synced)
     VALUES ('pky_' || $1, $1, 'credential of ' || $1, '', 0, '{}', 'localhost', 'Key', false)`,
  ],
])("a sign-in that waits while the person adds %s opens nothing without it", async (_, add) => {
  const { email, userId } = await makePerson();
  const enter = () => signIn({ email, password: PASSWORD }, from(newAddress()));
  let signedIn: Promise<unknown> = Promise.resolve();
  await transaction(async (tx) => {
    await lockPersons(tx, userId);
    await tx.query(add, [userId]);
    signedIn = enter().catch((thrown) => thrown);
    await untilWaiting("", 1);
  });
  const wanted = { status: 401, wire: { details: { reason: "second_factor_required" } } };
  expect(await signedIn).toMatchObject(wanted);
  expect(await openSessions(userId)).toBe(0);
  await expect(enter()).rejects.toMatchObject(wanted);
});

test("the response to a wrong password does not wait for its entry in the audit log, which only a known email has", async () => {
  const { email, userId } = await makePerson();
  const refusals = () => prisma().auditEntry.count({ where: { subjectId: userId, action: "sign_in.refused" } });
  await transaction(async (tx) => {
    await tx.query("LOCK TABLE audit_entries IN SHARE MODE");
    let isOver = false;
    const signedIn = signIn({ email, password: "wrong" }, from(newAddress())).finally(() => {
      isOver = true;
    });
    // A transaction that is idle for long is cut off.
    while (!isOver) await tx.query("SELECT pg_sleep(0.05)");
    expect(await signedIn).toBeNull();
    expect(await refusals()).toBe(0);
  });
  await expect.poll(refusals).toBe(1);
});

test("an invitation is not accepted with the old password when the password is changed meanwhile", async () => {
  const [owner, guest] = [await makePerson(), await makePerson()];
  const { accountId, userId } = owner;
  const inviting = { kind: "session", accountId, userId, isOperator: false, role: "owner" } as const;
  const { link } = await invite(inviting, { email: guest.email, role: "viewer" });
  const token = new URL(link ?? "").searchParams.get("token") ?? "";
  const accept = (password: string) =>
    acceptInvitation({ token, name: "", password }, { address: newAddress(), userAgent: "" });
  afterNextCheck(() => change(guest));
  await expect(accept(PASSWORD)).rejects.toMatchObject({ status: 400, wire: { param: "password" } });
  expect(await prisma().member.count({ where: { accountId, userId: guest.userId } })).toBe(0);
  await accept(NEW);
  expect(await prisma().member.count({ where: { accountId, userId: guest.userId } })).toBe(1);
});
