import { afterEach, expect, test } from "vitest";
import { type Authenticator, makeAuthenticator } from "@/test/authenticator";
import { openTransaction, untilWaiting } from "@/test/database/lock-waits";
import { enroll, lastEntries, makePerson, PASSWORD, type Person } from "@/test/database/people";
import { pool } from "../../core/db";
import { env, publicUrl } from "../../core/env";
import { hasSecondFactor } from "../credentials/has-second-factor";
import { clearSecondFactor, disableSecondFactor, getSecondFactor } from "../credentials/second-factor";
import { lockPersons } from "../lock-persons";
import { startSession } from "../sessions/sessions";
import { forgetSignIns } from "../tasks";
import { addPasskey, beginPasskey, beginPasskeyProof, listPasskeys, removePasskey, renamePasskey } from "./passkeys";
import { passkeySite } from "./site";

const OPERATOR = { kind: "system", name: "admin" } as const;

const origin = () => passkeySite(publicUrl())?.origin ?? "";

afterEach(() => {
  env().PUBLIC_URL = undefined;
});

let addresses = 0;
const newAddress = () => `198.18.11.${++addresses}`;

const refusal = (status: number, reason: string) => ({ status, wire: { details: { reason } } });
const INVALID = refusal(400, "passkey_invalid");

/** Adds a passkey of a new authenticator. */
async function add(person: Person, authenticator = makeAuthenticator(origin()), name = "Phone") {
  const passkey = authenticator.create(await beginPasskey(person));
  return { authenticator, ...(await addPasskey(person, { name, passkey })) };
}

const remove = async (person: Person, id: string, authenticator: Authenticator, password = PASSWORD) =>
  removePasskey(person, { id, password, passkey: authenticator.get(await beginPasskeyProof(person)) }, newAddress());

test("the first passkey is the second factor, and brings recovery codes; a further one brings none", async () => {
  const person = await makePerson();
  expect(await hasSecondFactor(person.userId)).toBe(false);
  const first = await add(person);
  expect(first.recovery?.recovery_codes).toHaveLength(10);
  expect(first.passkey).toMatchObject({ name: "Phone", is_synced: true, other_host: null, last_used_at: null });
  expect(await hasSecondFactor(person.userId)).toBe(true);
  expect(await getSecondFactor(person)).toEqual({
    enabled: false,
    passkeys: 1,
    recovery_codes_left: 10,
    recovery_codes_made_at: first.recovery?.recovery_codes_made_at,
  });
  const second = await add(person, makeAuthenticator(origin(), { counts: true }), "Security key");
  expect(second).toMatchObject({ recovery: null, passkey: { is_synced: false } });
  const { passkeys, max } = await listPasskeys(person);
  expect(passkeys.map(({ name }) => name)).toEqual(["Phone", "Security key"]);
  expect(max).toBe(10);
  expect((await listPasskeys(await makePerson())).passkeys).toEqual([]);
});

test("a request asks for a discoverable passkey of this person, with verification, and not for one that they have", async () => {
  const person = await makePerson();
  const { authenticator } = await add(person);
  const asked = await beginPasskey(person);
  expect(asked).toMatchObject({
    rp: { id: "localhost" },
    user: { id: Buffer.from(person.userId).toString("base64url"), name: person.email },
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    excludeCredentials: [{ id: authenticator.credentials[0]?.id, transports: ["internal"] }],
  });
});

test("a session that was left open adds no passkey", async () => {
  const person = { ...(await makePerson()), isConfirmed: false };
  await expect(beginPasskey(person)).rejects.toMatchObject(refusal(403, "confirmation_required"));
  const passkey = makeAuthenticator(origin()).create(await beginPasskey({ ...person, isConfirmed: true }));
  await expect(addPasskey(person, { name: "Phone", passkey })).rejects.toMatchObject(
    refusal(403, "confirmation_required"),
  );
});

test.each([
  ["of another origin", { origin: "https://evil.example" }],
  ["of another host", { rpId: "evil.example" }],
  ["without verification of its owner", { isVerified: false }],
  ["that signs in instead", { type: "webauthn.get" }],
])("a passkey %s is not added", async (_, use) => {
  const person = await makePerson();
  const passkey = makeAuthenticator(origin()).create(await beginPasskey(person), use);
  await expect(addPasskey(person, { name: "Phone", passkey })).rejects.toMatchObject(INVALID);
  expect((await listPasskeys(person)).passkeys).toEqual([]);
});

test("a challenge counts once, for one session, and for five minutes", async () => {
  const [person, other] = [await makePerson(), await makePerson()];
  const authenticator = makeAuthenticator(origin());
  const asked = await beginPasskey(person);
  await expect(addPasskey(other, { name: "Stolen", passkey: authenticator.create(asked) })).rejects.toMatchObject(
    INVALID,
  );
  await addPasskey(person, { name: "Phone", passkey: authenticator.create(asked) });
  await expect(addPasskey(person, { name: "Again", passkey: authenticator.create(asked) })).rejects.toMatchObject(
    INVALID,
  );
  const late = await beginPasskey(person);
  await pool().query("UPDATE passkey_challenges SET expires_at = now() WHERE challenge = $1", [late.challenge]);
  await expect(addPasskey(person, { name: "Late", passkey: authenticator.create(late) })).rejects.toMatchObject(
    INVALID,
  );
  await forgetSignIns();
  const { rowCount } = await pool().query("SELECT 1 FROM passkey_challenges WHERE challenge = $1", [late.challenge]);
  expect(rowCount).toBe(0);
});

test("a challenge counts for what it was made for only", async () => {
  const person = await makePerson();
  const { authenticator, passkey } = await add(person);
  const { challenge } = await beginPasskey(person);
  const asked = { ...(await beginPasskeyProof(person)), challenge };
  const proof = { id: passkey.id, password: PASSWORD, passkey: authenticator.get(asked) };
  await expect(removePasskey(person, proof, newAddress())).rejects.toMatchObject({ wire: { param: "passkey" } });
  const creation = { ...(await beginPasskey(person)), challenge: (await beginPasskeyProof(person)).challenge };
  const made = makeAuthenticator(origin()).create(creation);
  await expect(addPasskey(person, { name: "Phone", passkey: made })).rejects.toMatchObject(INVALID);
});

test("a refused response uses its challenge up", async () => {
  const person = await makePerson();
  const authenticator = makeAuthenticator(origin());
  const asked = await beginPasskey(person);
  for (const use of [{ isVerified: false }, {}]) {
    await expect(
      addPasskey(person, { name: "Phone", passkey: authenticator.create(asked, use) }),
    ).rejects.toMatchObject(INVALID);
  }
});

test("a person has at most ten passkeys, also when they add many at once", async () => {
  const person = await makePerson();
  for (let each = 1; each <= 9; each += 1) await add(person);
  const made = await Promise.all(
    ["one", "two", "three"].map(async (userAgent) => {
      const session = { ...person, sessionId: await startSession(person.userId, { address: "", userAgent }) };
      return { session, passkey: makeAuthenticator(origin()).create(await beginPasskey(session)) };
    }),
  );
  const other = await openTransaction((tx) => lockPersons(tx, person.userId));
  const additions = Promise.allSettled(
    made.map(({ session, passkey }) => addPasskey(session, { name: "Phone", passkey })),
  );
  await untilWaiting("users", 3);
  await other.commit();
  const ends = await additions;
  expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect((await listPasskeys(person)).passkeys).toHaveLength(10);
  await expect(beginPasskey(person)).rejects.toMatchObject(refusal(400, "passkey_limit"));
});

test("one passkey belongs to one person", async () => {
  const [person, other] = [await makePerson(), await makePerson()];
  const { passkey } = await add(person);
  const authenticator = makeAuthenticator(origin());
  const copy = authenticator.create(await beginPasskey(other));
  await pool().query("UPDATE passkeys SET credential_id = $2 WHERE id = $1", [passkey.id, copy.id]);
  await expect(addPasskey(other, { name: "Copy", passkey: copy })).rejects.toMatchObject(refusal(400, "passkey_known"));
});

test("a passkey is renamed and removed by its owner alone; removing it requires the password and a second factor", async () => {
  const [person, other] = [await makePerson(), await makePerson()];
  const { passkey, authenticator, recovery } = await add(person);
  const { authenticator: others } = await add(other);
  const notFound = { status: 404 };
  await expect(renamePasskey(other, { id: passkey.id, name: "Mine" })).rejects.toMatchObject(notFound);
  expect((await renamePasskey(person, { id: passkey.id, name: "Old phone" })).passkeys[0]?.name).toBe("Old phone");
  await expect(remove(other, passkey.id, others)).rejects.toMatchObject(notFound);

  const { id } = passkey;
  await expect(remove(person, id, authenticator, "wrong")).rejects.toMatchObject({
    status: 400,
    wire: { param: "password" },
  });
  await expect(removePasskey(person, { id, password: PASSWORD }, newAddress())).rejects.toMatchObject({
    status: 400,
    wire: { param: "code" },
  });
  const stolen = { id, password: PASSWORD, passkey: others.get(await beginPasskeyProof(person)) };
  await expect(removePasskey(person, stolen, newAddress())).rejects.toMatchObject({
    status: 400,
    wire: { param: "passkey" },
  });
  expect((await listPasskeys(person)).passkeys).toHaveLength(1);
  const [code = ""] = recovery?.recovery_codes ?? [];
  expect(await removePasskey(person, { id, password: PASSWORD, code }, newAddress())).toEqual({
    passkeys: [],
    max: 10,
  });
  expect(await getSecondFactor(person)).toMatchObject({ enabled: false, passkeys: 0, recovery_codes_left: 0 });
});

test("recovery codes stay until the last second factor is gone", async () => {
  const person = await makePerson();
  const { authenticator, passkey } = await add(person);
  const codes = await enroll(person);
  const proof = async () => ({ password: PASSWORD, passkey: authenticator.get(await beginPasskeyProof(person)) });
  expect(await disableSecondFactor(person, await proof(), newAddress())).toMatchObject({
    enabled: false,
    passkeys: 1,
    recovery_codes_left: 10,
  });
  const { id } = passkey;
  await removePasskey(person, { id, password: PASSWORD, code: codes[0] }, newAddress());
  const { rowCount } = await pool().query("SELECT 1 FROM recovery_codes WHERE user_id = $1", [person.userId]);
  expect(rowCount).toBe(0);
});

test("an operator clears the passkeys of somebody who lost them", async () => {
  const person = await makePerson();
  await add(person);
  expect(await clearSecondFactor(OPERATOR, person.email)).toEqual({
    userId: person.userId,
    passkeys: 1,
    isTold: false,
  });
  expect(await hasSecondFactor(person.userId)).toBe(false);
  await expect(clearSecondFactor(OPERATOR, person.email)).rejects.toMatchObject({ status: 404 });
});

test("additions, renamings and removals are in the audit log, without keys", async () => {
  const person = await makePerson();
  const [last] = await lastEntries("");
  const since = last?.id ?? "";
  const { passkey, authenticator } = await add(person);
  await renamePasskey(person, { id: passkey.id, name: "Work phone" });
  await remove(person, passkey.id, authenticator);
  const entries = (await lastEntries(since)).filter(({ actor_id }) => actor_id === person.userId);
  expect(entries.map(({ action, before, after }) => ({ action, before, after }))).toEqual([
    { action: "passkey.added", before: null, after: { name: "Phone" } },
    { action: "passkey.renamed", before: { name: "Phone" }, after: { name: "Work phone" } },
    { action: "passkey.removed", before: { name: "Work phone" }, after: null },
  ]);
});

test("under another address passkeys do not work, are listed as such, and still count as second factor", async () => {
  const person = await makePerson();
  const { recovery } = await add(person);
  env().PUBLIC_URL = "https://sms.example.com";
  expect((await listPasskeys(person)).passkeys).toMatchObject([{ other_host: "localhost" }]);
  expect(await hasSecondFactor(person.userId)).toBe(true);
  await expect(beginPasskeyProof(person)).rejects.toMatchObject({ status: 400, wire: { param: "passkey" } });
  const { passkey } = await add(person, makeAuthenticator("https://sms.example.com"), "New");
  expect(passkey.other_host).toBeNull();
  const old = (await listPasskeys(person)).passkeys[0]?.id ?? "";
  const code = recovery?.recovery_codes[0];
  await removePasskey(person, { id: old, password: PASSWORD, code }, newAddress());
  env().PUBLIC_URL = "http://10.0.0.4:3000";
  await expect(beginPasskey(person)).rejects.toMatchObject(refusal(403, "passkeys_unavailable"));
});
