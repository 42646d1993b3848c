import { expect, test, vi } from "vitest";
import { type Authenticator, makeAuthenticator } from "@/test/authenticator";
import { enroll, lastEntries, makePerson, PASSWORD, type Person } from "@/test/database/people";
import { pool } from "../../core/db";
import { publicUrl } from "../../core/env";
import { beginSecondFactor } from "../credentials/second-factor";
import { codeAt, stepAt } from "../credentials/totp";
import { addPasskey, beginPasskey, beginPasskeyProof, listPasskeys } from "../passkeys/passkeys";
import { passkeySite } from "../passkeys/site";
import { signIn } from "../service";
import { findSignedIn } from "../sessions/sessions";
import { beginPasskeySignIn, signInWithPasskey } from "./passkey-sign-in";
import { reserveAttempt } from "./throttle";

const REFUSED = { status: 401, wire: { details: { reason: "passkey_refused" } } };
const WANTED = { status: 401, wire: { details: { reason: "second_factor_required" } } };
const WRONG = { status: 401, wire: { details: { reason: "second_factor_wrong" } } };
const THROTTLED = { status: 429, wire: { details: { reason: "sign_in_throttled" } } };

let addresses = 0;
const newAddress = () => `198.18.12.${++addresses}`;
let browsers = 0;
const newToken = () => `token of browser ${++browsers}`;

async function add(person: Person, counts = false) {
  const authenticator = makeAuthenticator(passkeySite(publicUrl())?.origin ?? "", { counts });
  const passkey = authenticator.create(await beginPasskey(person));
  const { recovery } = await addPasskey(person, { name: "Phone", passkey });
  return { authenticator, codes: recovery?.recovery_codes ?? [] };
}

type Device = { deviceId: string; email: string } | null;

const from = (address: string, device: Device = null) => ({ address, userAgent: "", device });

type Use = Parameters<Authenticator["get"]>[1];

/** Asks for a challenge in a browser, and has it signed. */
async function signed(authenticator: Authenticator, use?: Use) {
  const csrfToken = newToken();
  const asked = await beginPasskeySignIn({ csrf_token: csrfToken }, newAddress());
  return { assertion: authenticator.get(asked, use), csrfToken };
}

const enter = async (authenticator: Authenticator, use?: Use, address = newAddress()) =>
  signInWithPasskey(await signed(authenticator, use), from(address));

/** As `enter`, after the password. */
const enterWithPassword = async (
  { email }: Person,
  given: Awaited<ReturnType<typeof signed>>,
  address = newAddress(),
) => signIn({ email, password: PASSWORD, passkey: given }, { address, userAgent: "", deviceId: null });

test("a passkey alone signs its owner in, without password and code", async () => {
  const person = await makePerson(true);
  const { authenticator } = await add(person);
  await enroll(person);
  const signedIn = await enter(authenticator);
  expect(signedIn).toMatchObject({
    userId: person.userId,
    accountId: person.accountId,
    isOperator: true,
    role: "owner",
    email: person.email,
  });
  expect(await findSignedIn(signedIn.sessionId, "")).toMatchObject({ userId: person.userId, isConfirmed: true });
  const { passkeys } = await listPasskeys(person);
  expect(passkeys[0]?.last_used_at).not.toBeNull();
  const started = (await lastEntries("")).filter(({ after }) => after?.passkey === passkeys[0]?.id);
  expect(started).toMatchObject([{ action: "session.started", actor_id: person.userId }]);
});

test("the request to sign in is the same for everybody", async () => {
  await add(await makePerson());
  const asked = await beginPasskeySignIn({ csrf_token: newToken() }, newAddress());
  expect(asked).toEqual({
    ...{ challenge: expect.any(String), timeout: 300_000 },
    ...{ rpId: "localhost", userVerification: "required", allowCredentials: [] },
  });
});

test.each([
  ["at another origin", { origin: "https://evil.example" }],
  ["for another host", { rpId: "evil.example" }],
  ["without verification of its owner", { isVerified: false }],
  ["as a registration", { type: "webauthn.create" }],
  ["in another person's name", { userHandle: Buffer.from("usr_other").toString("base64url") }],
  ["in nobody's name", { userHandle: null }],
])("a passkey used %s signs nobody in", async (_, use) => {
  const { authenticator } = await add(await makePerson());
  await expect(enter(authenticator, use)).rejects.toMatchObject(REFUSED);
  expect(await enter(authenticator)).toBeDefined();
});

test("an unknown passkey, a wrong signature and a removed passkey look the same", async () => {
  const person = await makePerson();
  const { authenticator } = await add(person);
  const strangers = makeAuthenticator("http://localhost");
  strangers.create(await beginPasskey(person));
  const forged = await signed(authenticator);
  forged.assertion.response.signature = (await signed(authenticator)).assertion.response.signature;
  const refusals = [
    await enter(strangers).catch(String),
    await signInWithPasskey(forged, from(newAddress())).catch(String),
  ];
  await pool().query("DELETE FROM passkeys WHERE user_id = $1", [person.userId]);
  refusals.push(await enter(authenticator).catch(String));
  expect(new Set(refusals)).toEqual(
    new Set(["ApiError: This passkey was not accepted. Try again, or sign in with your password."]),
  );
});

test("a signed challenge is used once, also when many try it at once, and by no other browser", async () => {
  const { authenticator } = await add(await makePerson());
  const given = await signed(authenticator);
  const elsewhere = { ...given, csrfToken: newToken() };
  await expect(signInWithPasskey(elsewhere, from(newAddress()))).rejects.toMatchObject(REFUSED);
  const ends = await Promise.allSettled(Array.from({ length: 6 }, () => signInWithPasskey(given, from(newAddress()))));
  expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  await expect(signInWithPasskey(given, from(newAddress()))).rejects.toMatchObject(REFUSED);
});

test("a challenge that is over, was refused before, or was made for a proof signs nobody in", async () => {
  const person = await makePerson();
  const { authenticator } = await add(person);
  const late = await signed(authenticator);
  await pool().query("UPDATE passkey_challenges SET expires_at = now()");
  await expect(signInWithPasskey(late, from(newAddress()))).rejects.toMatchObject(REFUSED);

  const csrfToken = newToken();
  const asked = await beginPasskeySignIn({ csrf_token: csrfToken }, newAddress());
  for (const use of [{ isVerified: false }, {}]) {
    const assertion = authenticator.get(asked, use);
    await expect(signInWithPasskey({ assertion, csrfToken }, from(newAddress()))).rejects.toMatchObject(REFUSED);
  }
  const assertion = authenticator.get(await beginPasskeyProof(person));
  const proof = { assertion, csrfToken: person.sessionId };
  await expect(signInWithPasskey(proof, from(newAddress()))).rejects.toMatchObject(REFUSED);
});

test("a counter that does not go up is refused: the key was copied", async () => {
  const { authenticator } = await add(await makePerson(), true);
  const [key] = authenticator.credentials;
  const copy = key && { ...key };
  expect(await enter(authenticator)).toBeDefined();
  expect(await enter(authenticator)).toBeDefined();
  const csrfToken = newToken();
  const asked = await beginPasskeySignIn({ csrf_token: csrfToken }, newAddress());
  const assertion = authenticator.get(asked, {}, copy);
  await expect(signInWithPasskey({ assertion, csrfToken }, from(newAddress()))).rejects.toMatchObject(REFUSED);
});

test("once there is a passkey, the password alone opens nothing; with the passkey or a recovery code it does", async () => {
  const [person, other] = [await makePerson(), await makePerson()];
  const { authenticator, codes } = await add(person);
  const { authenticator: others } = await add(other);
  const given = { email: person.email, password: PASSWORD };
  const caller = { address: newAddress(), userAgent: "", deviceId: null };
  await expect(signIn(given, caller)).rejects.toMatchObject({
    ...WANTED,
    message: "Use your passkey, or enter a recovery code.",
  });
  await expect(enterWithPassword(person, await signed(others))).rejects.toMatchObject(WRONG);
  await expect(enterWithPassword(person, await signed(authenticator, { isVerified: false }))).rejects.toMatchObject(
    WRONG,
  );
  expect(await enterWithPassword(person, await signed(authenticator))).toMatchObject({ userId: person.userId });
  expect(await signIn({ ...given, code: codes[0] }, caller)).toMatchObject({ userId: person.userId });
  await expect(signIn({ ...given, code: codes[0] }, caller)).rejects.toMatchObject(WRONG);
  const used = await signed(authenticator);
  expect(await signIn({ ...given, password: "wrong", passkey: used }, { ...caller, address: newAddress() })).toBeNull();

  // An app that was begun and never confirmed is no second factor.
  const { secret } = await beginSecondFactor(person);
  const code = codeAt(secret, stepAt(Date.now() / 1_000));
  await expect(signIn({ ...given, code }, { ...caller, address: newAddress() })).rejects.toMatchObject(WRONG);

  await enroll(person);
  await expect(signIn(given, caller)).rejects.toMatchObject({
    ...WANTED,
    message: "Use your passkey, or enter the code of your authenticator app.",
  });
  expect(await enterWithPassword(person, await signed(authenticator))).not.toBeNull();
});

test("wrong passkeys after the password are throttled as wrong codes are, and use up their challenges", async () => {
  const [person, other] = [await makePerson(), await makePerson()];
  const [{ authenticator }, { authenticator: others }] = [await add(person), await add(other)];
  const address = newAddress();
  const first = await signed(others);
  await expect(enterWithPassword(person, first, address)).rejects.toMatchObject(WRONG);
  await expect(signInWithPasskey(first, from(newAddress()))).rejects.toMatchObject(REFUSED);
  for (let guess = 2; guess <= 5; guess += 1)
    await expect(enterWithPassword(person, await signed(others), address)).rejects.toMatchObject(WRONG);
  await expect(enterWithPassword(person, await signed(authenticator), address)).rejects.toMatchObject(THROTTLED);
});

test("refused passkeys count for the network; a success gives its attempt back, and lifts no limit of others", async () => {
  const [person, other] = [await makePerson(), await makePerson()];
  const { authenticator } = await add(person);
  const address = newAddress();
  for (let each = 1; each <= 3; each += 1) await enter(authenticator, {}, address);
  const busyOf = async () => {
    const { rows } = await pool().query(
      "SELECT 1 FROM sign_in_limits WHERE subject = $1 AND busy_until > clock_timestamp()",
      [`network:${address}`],
    );
    return rows.length;
  };
  expect(await busyOf()).toBe(0);
  await expect(enter(authenticator, { isVerified: false }, address)).rejects.toMatchObject(REFUSED);
  expect(await busyOf()).toBe(1);

  // The device of somebody else, on which their password was guessed.
  const device = { deviceId: `device of ${other.userId}`, email: other.email };
  const guess = { email: other.email, address, deviceId: device.deviceId };
  for (let each = 1; each <= 4; each += 1) await reserveAttempt(guess);
  await signInWithPasskey(await signed(authenticator), from(address, device));
  await reserveAttempt(guess);
  await expect(reserveAttempt(guess)).rejects.toMatchObject(THROTTLED);
  await expect(signInWithPasskey(await signed(authenticator), from(address, device))).rejects.toMatchObject(THROTTLED);
});

test("a network can ask for so many challenges only", async () => {
  const address = newAddress();
  await beginPasskeySignIn({ csrf_token: "one" }, address);
  // As if there had been 300 at once.
  await pool().query(
    "UPDATE sign_in_limits SET busy_until = clock_timestamp() + interval '30 min' WHERE subject = $1",
    [`passkeys:${address}`],
  );
  await expect(beginPasskeySignIn({ csrf_token: "one" }, address)).rejects.toMatchObject(THROTTLED);
  expect(await beginPasskeySignIn({ csrf_token: "one" }, newAddress())).toBeDefined();
});

test("a page that goes on with one person is not handed to another", async () => {
  const [person, other] = [await makePerson(), await makePerson()];
  const { authenticator } = await add(person);
  const given = await signed(authenticator);
  await expect(signInWithPasskey({ ...given, email: other.email }, from(newAddress()))).rejects.toMatchObject(REFUSED);
  const again = await signed(authenticator);
  expect(await signInWithPasskey({ ...again, email: person.email }, from(newAddress()))).toBeDefined();
});

test("a former member signs in to nothing", async () => {
  const person = await makePerson();
  const { authenticator } = await add(person);
  await pool().query("DELETE FROM account_members WHERE user_id = $1", [person.userId]);
  await expect(enter(authenticator)).rejects.toMatchObject({
    status: 403,
    wire: { details: { reason: "no_account" } },
  });
  const { rows } = await pool().query("SELECT count(*)::int AS n FROM sessions WHERE user_id = $1", [person.userId]);
  expect(rows).toEqual([{ n: 1 }]);
});

test("nothing that a caller sends is logged", async () => {
  const { authenticator } = await add(await makePerson());
  const written = vi.spyOn(process.stdout, "write");
  await expect(enter(authenticator, { origin: "https://evil.example" })).rejects.toMatchObject(REFUSED);
  expect(written.mock.calls.join()).not.toContain("evil.example");
  written.mockRestore();
});
