import { expect, test } from "vitest";
import { hashOf } from "@/test/database/passwords";
import { createAccountWithOwner } from "../../accounts/service";
import { listAudit } from "../../audit/service";
import type { SessionActor } from "../../core/actor";
import { pool } from "../../core/db";
import { newId } from "../../core/ids";
import { acceptInvitation } from "../../members/accept-invitation";
import { invite } from "../../members/invitations";
import { signIn } from "../service";
import { startSession } from "../sessions/sessions";
import { confirmPassword } from "./change-password";
import {
  beginSecondFactor,
  clearSecondFactor,
  confirmSecondFactor,
  disableSecondFactor,
  getSecondFactor,
  regenerateRecoveryCodes,
} from "./second-factor";
import { codeAt, stepAt } from "./totp";

const PASSWORD = "correct horse battery staple";
const OPERATOR = { kind: "system", name: "admin" } as const;
const WRONG_CODE = { status: 401, wire: { details: { reason: "second_factor_wrong" } } };
const WANTED = { status: 401, wire: { details: { reason: "second_factor_required" } } };
const THROTTLED = { status: 429, wire: { details: { reason: "sign_in_throttled" } } };

let networks = 0;
const newAddress = () => `198.18.7.${++networks}`;

type Person = SessionActor & { email: string };

async function makePerson(): Promise<Person> {
  const email = `${newId("user")}@example.com`;
  const made = await createAccountWithOwner({
    email,
    passwordHash: await hashOf(PASSWORD),
    name: "Ann",
    companyName: "",
  });
  const sessionId = await startSession(made.userId, { address: "", userAgent: "" });
  return { kind: "session", ...made, isOperator: false, sessionId, isConfirmed: true, email };
}

/** The code of now, of the step before, or of the one after. */
const codeOf = (secret: string, steps = 0): string => codeAt(secret, stepAt(Date.now() / 1_000) + steps);

/** Enables an app by the code of the step before, so that those of now and after are unused. */
async function enroll(person: Person) {
  const { secret } = await beginSecondFactor(person);
  const { recovery_codes: recoveryCodes } = await confirmSecondFactor(person, { code: codeOf(secret, -1) });
  return { secret, recoveryCodes };
}

const enter = ({ email }: Person, code?: string, address = newAddress(), password = PASSWORD) =>
  signIn({ email, password, code }, { address, userAgent: "", deviceId: null });

test("once an app is enabled, the password alone opens nothing; with a code it does", async () => {
  const person = await makePerson();
  const { secret } = await enroll(person);
  expect(await getSecondFactor(person)).toMatchObject({ enabled: true, recovery_codes_left: 10 });
  await expect(enter(person)).rejects.toMatchObject(WANTED);
  await expect(enter(person, "000000")).rejects.toMatchObject(WRONG_CODE);
  expect(await enter(person, codeOf(secret))).toMatchObject({ userId: person.userId });
  const { rows } = await pool().query("SELECT count(*)::int AS n FROM sessions WHERE user_id = $1 AND id <> $2", [
    person.userId,
    person.sessionId,
  ]);
  expect(rows).toEqual([{ n: 1 }]);
});

test("a wrong password is refused as ever, whatever the code", async () => {
  const person = await makePerson();
  const { secret } = await enroll(person);
  expect(await enter(person, codeOf(secret), newAddress(), "wrong")).toBeNull();
  expect(await enter(person, codeOf(secret))).not.toBeNull();
});

test("a code works once, and no earlier one after it; also when many try it at once", async () => {
  const person = await makePerson();
  const { secret } = await enroll(person);
  const code = codeOf(secret, 1);
  const ends = await Promise.allSettled(Array.from({ length: 8 }, () => enter(person, code)));
  expect(ends.filter((end) => end.status === "fulfilled")).toHaveLength(1);
  for (const used of [code, codeOf(secret), codeOf(secret, -1)]) {
    await expect(enter(person, used)).rejects.toMatchObject(WRONG_CODE);
  }
});

test("a recovery code stands in for the app once", async () => {
  const person = await makePerson();
  const { recoveryCodes } = await enroll(person);
  const [first = "", second = ""] = recoveryCodes;
  const ends = await Promise.allSettled(Array.from({ length: 5 }, () => enter(person, first)));
  expect(ends.filter((end) => end.status === "fulfilled")).toHaveLength(1);
  await expect(enter(person, first)).rejects.toMatchObject(WRONG_CODE);
  expect(await enter(person, ` ${second.toUpperCase().replaceAll("-", " ")}`)).not.toBeNull();
  expect(await getSecondFactor(person)).toMatchObject({ enabled: true, recovery_codes_left: 8 });
});

test("wrong codes are throttled as wrong passwords are, and asking for the second step does not lift that", async () => {
  const person = await makePerson();
  const { secret } = await enroll(person);
  const address = newAddress();
  for (let guess = 1; guess <= 5; guess += 1) {
    await expect(enter(person, "000000", address)).rejects.toMatchObject(WRONG_CODE);
    if (guess < 5) await expect(enter(person, undefined, address)).rejects.toMatchObject(WANTED);
  }
  await expect(enter(person, codeOf(secret), address)).rejects.toMatchObject(THROTTLED);
  await expect(enter(person, undefined, address)).rejects.toMatchObject(THROTTLED);
  expect(await enter(person, codeOf(secret))).not.toBeNull();
});

test("an app counts only once a code of it was given, and is enabled once", async () => {
  const person = await makePerson();
  const { secret, uri, qr } = await beginSecondFactor(person);
  expect(uri).toContain(`secret=${secret}`);
  expect(qr.size).toBeGreaterThan(20);
  expect(qr.path).toMatch(/^(M\d+ \d+h1v1h-1z)+$/);
  expect(await enter(person)).not.toBeNull();
  await expect(confirmSecondFactor(person, { code: "000000" })).rejects.toMatchObject({
    status: 400,
    wire: { param: "code" },
  });
  const again = await beginSecondFactor(person);
  expect(again.secret).not.toBe(secret);
  await expect(confirmSecondFactor(person, { code: codeOf(secret) })).rejects.toMatchObject({ status: 400 });
  await confirmSecondFactor(person, { code: codeOf(again.secret) });
  const late = [() => beginSecondFactor(person), () => confirmSecondFactor(person, { code: codeOf(again.secret, 1) })];
  for (const attempt of late) {
    await expect(attempt()).rejects.toMatchObject({
      status: 400,
      wire: { details: { reason: "second_factor_enabled" } },
    });
  }
});

test("a session that was left open cannot put up an app of somebody else", async () => {
  const person = { ...(await makePerson()), isConfirmed: false };
  const refused = { status: 403, wire: { details: { reason: "confirmation_required" } } };
  await expect(beginSecondFactor(person)).rejects.toMatchObject(refused);
  await expect(confirmSecondFactor(person, { code: "000000" })).rejects.toMatchObject(refused);
});

test("disabling wants the password and a code, and counts wrong ones", async () => {
  const person = await makePerson();
  const { secret, recoveryCodes } = await enroll(person);
  const disable = (password: string, code: string) => disableSecondFactor(person, { password, code }, "198.51.100.1");
  await expect(disable("wrong", codeOf(secret))).rejects.toMatchObject({ status: 400, wire: { param: "password" } });
  await expect(disable(PASSWORD, "000000")).rejects.toMatchObject({ status: 400, wire: { param: "code" } });
  expect(await getSecondFactor(person)).toMatchObject({ enabled: true });
  expect(await disable(PASSWORD, recoveryCodes[0] ?? "")).toEqual({
    enabled: false,
    passkeys: 0,
    recovery_codes_left: 0,
    recovery_codes_made_at: null,
  });
  expect(await enter(person)).not.toBeNull();
  const other = await makePerson();
  await enroll(other);
  const guess = () => disableSecondFactor(other, { password: PASSWORD, code: "000000" }, "198.51.100.2");
  for (let tries = 1; tries <= 5; tries += 1) await expect(guess()).rejects.toMatchObject({ status: 400 });
  await expect(guess()).rejects.toMatchObject(THROTTLED);
});

test("the right password alone starts no limit of codes anew, wherever it is given", async () => {
  const person = await makePerson();
  const { secret } = await enroll(person);
  const address = newAddress();
  const disable = (code: string) => disableSecondFactor(person, { password: PASSWORD, code }, address);
  for (let guess = 1; guess <= 5; guess += 1) {
    await expect(disable("000000")).rejects.toMatchObject({ status: 400, wire: { param: "code" } });
    if (guess < 5) await confirmPassword(person, { password: PASSWORD }, address);
  }
  await expect(disable(codeOf(secret))).rejects.toMatchObject(THROTTLED);

  const owner = await makePerson();
  const guest = await makePerson();
  const { secret: guestSecret } = await enroll(guest);
  const { link } = await invite({ ...owner, role: "owner" }, { email: guest.email, role: "viewer" });
  const token = new URL(link ?? "").searchParams.get("token") ?? "";
  for (let guess = 1; guess <= 4; guess += 1) {
    await expect(enter(guest, "000000", address)).rejects.toMatchObject(WRONG_CODE);
  }
  await acceptInvitation({ token, name: "", password: PASSWORD }, { address, userAgent: "" });
  await expect(enter(guest, "000000", address)).rejects.toMatchObject(WRONG_CODE);
  await expect(enter(guest, codeOf(guestSecret), address)).rejects.toMatchObject(THROTTLED);
});

test("without an app the right password starts the limit anew", async () => {
  const person = await makePerson();
  const address = newAddress();
  const confirm = (password: string) => confirmPassword(person, { password }, address);
  for (let round = 1; round <= 2; round += 1) {
    for (let guess = 1; guess <= 4; guess += 1) await expect(confirm("wrong")).rejects.toMatchObject({ status: 400 });
    await confirm(PASSWORD);
  }
});

test("the operator takes it away from a person who lost it, which is recorded", async () => {
  const person = await makePerson();
  await enroll(person);
  await clearSecondFactor(OPERATOR, person.email.toUpperCase());
  expect(await enter(person)).not.toBeNull();
  await expect(clearSecondFactor(OPERATOR, person.email)).rejects.toMatchObject({ status: 404 });
  await expect(clearSecondFactor(person, person.email)).rejects.toMatchObject({ status: 403 });
  const { items } = await listAudit(person, { page: 1, limit: 50 });
  expect(items.map(({ action }) => action)).toEqual(
    expect.arrayContaining(["second_factor.cleared", "second_factor.enabled"]),
  );
});

const regenerate = async (person: Person, code: string, { password = PASSWORD, address = newAddress() } = {}) =>
  (await regenerateRecoveryCodes(person, { password, code }, address)).recovery_codes;

test("recovery codes come with the time by which they are known to be the ones that count", async () => {
  const person = await makePerson();
  const { secret } = await beginSecondFactor(person);
  const enabled = await confirmSecondFactor(person, { code: codeOf(secret) });
  const madeAt = async () => (await getSecondFactor(person)).recovery_codes_made_at;
  expect(await madeAt()).toBe(enabled.recovery_codes_made_at);
  const proof = { password: PASSWORD, code: enabled.recovery_codes[0] ?? "" };
  const renewed = await regenerateRecoveryCodes(person, proof, newAddress());
  expect(await madeAt()).toBe(renewed.recovery_codes_made_at);
  expect(renewed.recovery_codes_made_at).not.toBe(enabled.recovery_codes_made_at);
});

/** The codes that open a session. */
async function workingOf(person: Person, codes: readonly string[]): Promise<string[]> {
  const working: string[] = [];
  for (const code of codes) {
    const opened = await enter(person, code).catch(() => null);
    if (opened) working.push(code);
  }
  return working;
}

test("new recovery codes end the earlier ones, work once each, and end no session", async () => {
  const person = await makePerson();
  const { secret, recoveryCodes } = await enroll(person);
  const before = await getSecondFactor(person);
  const opened = await enter(person, recoveryCodes[0]);
  const codes = await regenerate(person, codeOf(secret));
  expect(new Set([...recoveryCodes, ...codes]).size).toBe(20);
  const after = await getSecondFactor(person);
  expect(after).toMatchObject({ enabled: true, recovery_codes_left: 10 });
  expect(after.recovery_codes_made_at).not.toBe(before.recovery_codes_made_at);
  const { rowCount } = await pool().query("SELECT 1 FROM sessions WHERE id = $1", [opened?.sessionId]);
  expect(rowCount).toBe(1);
  expect(await workingOf(person, recoveryCodes)).toEqual([]);
  expect(await workingOf(person, [codes[0] ?? "", codes[0] ?? "", codes[9] ?? ""])).toEqual([codes[0], codes[9]]);
  expect(await enter(person, codeOf(secret, 1))).not.toBeNull();
  const { items } = await listAudit(person, { page: 1, limit: 50 });
  expect(items.filter(({ action }) => action === "second_factor.recovery_codes_regenerated")).toHaveLength(1);
});

test("a recovery code is proof enough for new ones, which count from then on", async () => {
  const person = await makePerson();
  const { recoveryCodes } = await enroll(person);
  const codes = await regenerate(person, recoveryCodes[0] ?? "");
  expect(await getSecondFactor(person)).toMatchObject({ recovery_codes_left: 10 });
  expect(await workingOf(person, [recoveryCodes[1] ?? "", codes[0] ?? ""])).toEqual([codes[0]]);
});

test("without the password and a code the recovery codes stay as they are, and wrong ones are counted", async () => {
  const person = await makePerson();
  const { secret, recoveryCodes } = await enroll(person);
  const before = await getSecondFactor(person);
  const wrong = (param: string) => ({ status: 400, wire: { param } });
  await expect(regenerate(person, codeOf(secret), { password: "wrong" })).rejects.toMatchObject(wrong("password"));
  for (let guess = 2; guess <= 5; guess += 1) {
    await expect(regenerate(person, "000000")).rejects.toMatchObject(wrong("code"));
  }
  await expect(regenerate(person, codeOf(secret))).rejects.toMatchObject(THROTTLED);
  expect(await getSecondFactor(person)).toEqual(before);
  expect(await workingOf(person, recoveryCodes.slice(0, 2))).toEqual(recoveryCodes.slice(0, 2));
});

test("nobody without an enabled second factor gets recovery codes", async () => {
  const person = await makePerson();
  const refused = { status: 400, wire: { details: { reason: "second_factor_not_enabled" } } };
  await expect(regenerate(person, "000000")).rejects.toMatchObject(refused);
  const { secret } = await beginSecondFactor(person);
  await expect(regenerate(person, codeOf(secret))).rejects.toMatchObject(refused);
  const { rows } = await pool().query("SELECT 1 FROM recovery_codes WHERE user_id = $1", [person.userId]);
  expect(rows).toEqual([]);
});

test.each(["app", "recovery"])("a request that comes again with a code (%s) replaces nothing", async (kind) => {
  const person = await makePerson();
  const { secret, recoveryCodes } = await enroll(person);
  const proof = kind === "app" ? codeOf(secret) : (recoveryCodes[0] ?? "");
  const ends = await Promise.allSettled(Array.from({ length: 4 }, () => regenerate(person, proof)));
  const [codes, ...others] = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
  expect(others).toEqual([]);
  await expect(regenerate(person, proof)).rejects.toMatchObject({ status: 400, wire: { param: "code" } });
  expect(await workingOf(person, codes ?? [])).toEqual(codes);
});

test("of simultaneous requests with different codes, all of one response work and none of the others", async () => {
  const person = await makePerson();
  const { secret, recoveryCodes } = await enroll(person);
  const proofs = [codeOf(secret), codeOf(secret, 1), ...recoveryCodes.slice(0, 3)];
  const ends = await Promise.allSettled(proofs.map((proof) => regenerate(person, proof)));
  const sets = ends.flatMap((end) => (end.status === "fulfilled" ? [end.value] : []));
  expect(await getSecondFactor(person)).toMatchObject({ recovery_codes_left: 10 });
  const working = await Promise.all(sets.map((codes) => workingOf(person, codes)));
  expect(working.filter(({ length }) => length > 0).map(({ length }) => length)).toEqual([10]);
  expect(await workingOf(person, recoveryCodes)).toEqual([]);
});

test("neither the secret nor a recovery code can be read in the database", async () => {
  const person = await makePerson();
  const enrolled = await enroll(person);
  const { secret } = enrolled;
  const recoveryCodes = [...enrolled.recoveryCodes, ...(await regenerate(person, codeOf(secret)))];
  const tables = ["second_factors", "recovery_codes", "audit_entries"];
  const rows = await Promise.all(tables.map((table) => pool().query(`SELECT * FROM ${table}`)));
  const written = JSON.stringify(rows.map((result) => result.rows));
  for (const hidden of [secret, ...recoveryCodes]) expect(written).not.toContain(hidden);
});

test("the time of recovery codes that a process of the version before has made is known", async () => {
  const person = await makePerson();
  await enroll(person);
  const { rows } = await pool().query<{ madeAt: Date }>(
    `UPDATE second_factors SET recovery_codes_at = clock_timestamp() + interval '1 minute' WHERE user_id = $1
     RETURNING recovery_codes_at AS "madeAt"`,
    [person.userId],
  );
  const { recovery_codes_made_at: madeAt } = await getSecondFactor(person);
  expect(madeAt).toBe(rows[0]?.madeAt.toISOString());
});
