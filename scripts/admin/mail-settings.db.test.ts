import { afterEach, beforeEach, expect, test } from "vitest";
import { pool } from "@/server/core/db";
import { env } from "@/server/core/env";
import { newId } from "@/server/core/ids";
import { runCommand } from "./commands";
import { chooseDatabase } from "./database";

const own = { ...process.env };

beforeEach(() => {
  Object.assign(process.env, { SECRET_KEY: env().SECRET_KEY, PUBLIC_URL: "https://sms.example" });
  env().SMTP_URL = "smtp://127.0.0.1:1";
});

afterEach(() => {
  for (const name of ["SECRET_KEY", "PUBLIC_URL"]) {
    if (own[name] === undefined) delete process.env[name];
    else process.env[name] = own[name];
  }
  env().SMTP_URL = undefined;
});

/** Somebody with a passkey. */
async function makePerson(): Promise<string> {
  const email = `${newId("user")}@admin.example`;
  const { userId } = (await runCommand("account create", { email })).output as { userId: string };
  await pool().query(
    `INSERT INTO passkeys (id, user_id, credential_id, public_key, is_synced, name, rp_id)
     VALUES ($1, $2, $1, '\\x00', false, 'Phone', 'sms.example')`,
    [newId("passkey"), userId],
  );
  return email;
}

/** The command that removes a second factor, as started with the present settings. */
async function clear(email: string): Promise<unknown> {
  chooseDatabase();
  return (await runCommand("account clear-second-factor", { email })).output;
}

async function countsOf(email: string) {
  const { rows } = await pool().query(
    `SELECT (SELECT count(*)::int FROM passkeys p JOIN users u ON u.id = p.user_id WHERE u.email = $1) AS passkeys,
       (SELECT count(*)::int FROM mails WHERE address = $1) AS mails`,
    [email],
  );
  return rows[0];
}

test("with the service's settings the person is told by email", async () => {
  const email = await makePerson();
  expect(await clear(email)).toEqual({ userId: expect.stringContaining("usr_"), passkeys: 1, told: true });
  expect(await countsOf(email)).toEqual({ passkeys: 0, mails: 1 });
});

test("without a mail server the operator is asked to tell the person", async () => {
  const email = await makePerson();
  env().SMTP_URL = undefined;
  expect(await clear(email)).toMatchObject({ passkeys: 1, told: false, note: expect.stringContaining("SMTP_URL") });
  expect(await countsOf(email)).toEqual({ passkeys: 0, mails: 0 });
});

test.each(["SECRET_KEY", "PUBLIC_URL"])(
  "no email is written that no worker could open or that leads nowhere: %s",
  async (name) => {
    const email = await makePerson();
    delete process.env[name];
    await expect(clear(email)).rejects.toThrow(`Set ${name}`);
    expect(await countsOf(email)).toEqual({ passkeys: 1, mails: 0 });
  },
);
