import { hash, verify } from "@node-rs/argon2";
import { afterEach, expect, test, vi } from "vitest";
import { createAccountWithOwner } from "../accounts/service";
import { prisma } from "../core/db";
import { env } from "../core/env";
import { newId } from "../core/ids";
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
  const made = await createAccountWithOwner({ email, password: PASSWORD, name: "Ann", companyName: "" });
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
  expect(await getSignUpState()).toEqual({ open: false, reset_by_mail: false });
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
