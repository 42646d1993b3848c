import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { makeAuthenticator } from "@/test/authenticator";
import { enroll, makePerson, PASSWORD, type Person } from "@/test/database/people";
import { linksIn, type MailServer, startMailServer } from "@/test/network/mail-server";
import { pool } from "../../core/db";
import { env, publicUrl } from "../../core/env";
import { newId } from "../../core/ids";
import { sendMail } from "../../mail/tasks";
import { addPasskey, beginPasskey, beginPasskeyProof, removePasskey } from "../passkeys/passkeys";
import { passkeySite } from "../passkeys/site";
import { changePassword, issuePasswordReset, resetPassword } from "./change-password";
import { mailReset } from "./reset-by-mail";
import { clearSecondFactor, disableSecondFactor, regenerateRecoveryCodes } from "./second-factor";

const OPERATOR = { kind: "system", name: "admin", origin: { address: "203.0.113.9", userAgent: "" } } as const;
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
const ORIGIN = { address: "198.51.100.7", userAgent: FIREFOX };
const NEW_PASSWORD = "another battery staple altogether";

let server: MailServer;
beforeAll(async () => {
  server = await startMailServer();
});
beforeEach(() => {
  env().SMTP_URL = server.url;
  server.received.length = 0;
});
afterAll(() => server.close());

let networks = 0;
const newAddress = () => `198.18.13.${++networks}`;

const person = async (): Promise<Person> => ({ ...(await makePerson()), origin: ORIGIN });

type Row = { id: string; kind: string };
const mailsTo = async ({ email }: Person): Promise<Row[]> =>
  (await pool().query<Row>("SELECT id, kind FROM mails WHERE address = $1 ORDER BY created_at", [email])).rows;

/** Sends the emails about a person's sign-in. @returns their texts, with the subject. */
async function textsTo(someone: Person): Promise<string[]> {
  for (const { id, kind } of await mailsTo(someone)) if (kind === "security") await sendMail({ mailId: id });
  return server.received.map(({ raw }) => raw.replace(/=\r\n/g, ""));
}

async function add(someone: Person, name = "Phone") {
  const authenticator = makeAuthenticator(passkeySite(publicUrl())?.origin ?? "");
  const made = authenticator.create(await beginPasskey(someone));
  const { passkey } = await addPasskey(someone, { name, passkey: made });
  const proof = async () => ({ password: PASSWORD, passkey: authenticator.get(await beginPasskeyProof(someone)) });
  return { id: passkey.id, proof };
}

test("a person is told of an added and of a removed passkey, when and from where", async () => {
  const ann = await person();
  const { id, proof } = await add(ann, "Ann’s <b>phone</b>");
  await removePasskey(ann, { id, ...(await proof()) }, newAddress());
  const [added = "", removed = ""] = await textsTo(ann);
  expect(server.received.map(({ to }) => to)).toEqual([ann.email, ann.email]);
  for (const part of ["Subject: A passkey was added", "UTC, from 198.51.100.7 (Firefox on Linux)", "If it was not you"])
    expect(added).toContain(part);
  expect(added).toContain("&lt;b&gt;phone&lt;/b&gt;");
  expect(removed).toContain("Subject: A passkey was removed");
  expect(server.received.map((mail) => linksIn(mail))).toEqual(Array(2).fill([`${publicUrl()}/settings/security`]));
});

test("a person is told of an authenticator app, of new recovery codes, and when the app is disabled", async () => {
  const ann = await person();
  const [first = "", second = ""] = await enroll(ann);
  await regenerateRecoveryCodes(ann, { password: PASSWORD, code: first }, newAddress());
  await expect(disableSecondFactor(ann, { password: PASSWORD, code: second }, newAddress())).rejects.toThrow();
  expect(await mailsTo(ann)).toHaveLength(2);
  const { proof } = await add(ann);
  await disableSecondFactor(ann, await proof(), newAddress());
  const subjects = (await textsTo(ann)).map((raw) => /^Subject: (.+)\r$/m.exec(raw)?.[1]);
  expect(subjects).toEqual([
    "An authenticator app was set up",
    "New recovery codes were made",
    "A passkey was added",
    "Your authenticator app was disabled",
  ]);
});

test("a person is told of another password, whoever chose it", async () => {
  const ann = await person();
  const change = { current_password: PASSWORD, new_password: NEW_PASSWORD };
  await changePassword(ann, change, newAddress());
  await expect(changePassword(ann, change, newAddress())).rejects.toThrow();
  const { token } = await issuePasswordReset(OPERATOR, ann.email);
  await resetPassword({ token, password: PASSWORD }, ORIGIN);
  const [changed = "", reset = "", ...more] = await textsTo(ann);
  expect(more).toEqual([]);
  expect(changed).toContain("All your other sessions have ended.");
  expect(reset).toContain("A link for a forgotten password was used.");
});

test("a person whose second factor an operator has removed is told, without the operator's address", async () => {
  const ann = await person();
  await add(ann);
  await clearSecondFactor(OPERATOR, ann.email);
  const [, cleared = ""] = await textsTo(ann);
  expect(cleared).toContain("Subject: Your second factor was removed");
  expect(cleared).not.toContain("203.0.113.9");
});

test("without a mail server the change is made, and nobody is told", async () => {
  const ann = await person();
  env().SMTP_URL = undefined;
  await add(ann);
  expect(await mailsTo(ann)).toEqual([]);
});

test("links for a forgotten password, which strangers may ask for, keep no such email away", async () => {
  const ann = await person();
  for (let n = 0; n < 11; n += 1) await mailReset({ email: ann.email, mailId: newId("mail") });
  await add(ann);
  expect((await mailsTo(ann)).filter(({ kind }) => kind === "security")).toHaveLength(1);
});
