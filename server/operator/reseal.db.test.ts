import { beforeEach, expect, test } from "vitest";
import { hashOf } from "@/test/database/passwords";
import { makeAccount } from "@/test/database/seed";
import { createAccountWithOwner } from "../accounts/service";
import { beginSecondFactor } from "../auth/credentials/second-factor";
import { pool } from "../core/db";
import { env } from "../core/env";
import { newId } from "../core/ids";
import { seal, unseal } from "../core/seal";
import { isReceiptToken, receiptUrlOf } from "../providers/receipt-url";
import { saveSettings } from "../providers/stored-settings";
import { sealSecret, unsealSecrets } from "../webhooks/secrets";
import { resealSecrets, SEALED } from "./reseal";

const OPERATOR = { kind: "system", name: "admin" } as const;
const [FIRST, SECOND] = [
  "the first key of this installation, long enough",
  "the second key of this installation, longer",
];

const useKeys = (present: string, ...former: string[]) => {
  env().SECRET_KEY = present;
  env().SECRET_KEY_PREVIOUS = former;
};

beforeEach(async () => {
  useKeys(FIRST);
  await pool().query("DELETE FROM webhook_endpoints");
});

async function makeEndpoints(count: number): Promise<void> {
  const { accountId } = await makeAccount();
  for (let made = 0; made < count; made += 1) {
    await pool().query(
      `INSERT INTO webhook_endpoints (id, account_id, url, events, secret_sealed, previous_secret_sealed)
       VALUES ($1, $2, 'https://example.com', '{}', $3, $4)`,
      [newId("endpoint"), accountId, sealSecret(`whsec_${made}`), made % 2 ? sealSecret(`whsec_old_${made}`) : null],
    );
  }
}

const secretsOf = async () => {
  const { rows } = await pool().query<{ secretSealed: string; previousSecretSealed: string | null }>(
    `SELECT secret_sealed AS "secretSealed", previous_secret_sealed AS "previousSecretSealed"
     FROM webhook_endpoints ORDER BY id`,
  );
  return rows.map(unsealSecrets);
};

test("every sealed column of the database is known", async () => {
  const { rows } = await pool().query<{ place: string }>(
    `SELECT table_name || '.' || column_name AS place FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name LIKE '%sealed' ORDER BY 1`,
  );
  expect(rows.map(({ place }) => place)).toEqual(SEALED.map(({ table, column }) => `${table}.${column}`).sort());
});

test("after a change of the key all is read; once it is sealed anew, without the former key too", async () => {
  await makeEndpoints(3);
  await saveSettings(OPERATOR, { id: "twilio", settings: { accountSid: `AC${"0".repeat(32)}`, authToken: "t0k3n" } });
  const made = await createAccountWithOwner({
    email: `${newId("user")}@reseal.example`,
    passwordHash: await hashOf("correct horse battery staple"),
    name: "Ann",
    companyName: "",
  });
  const { secret } = await beginSecondFactor({ kind: "session", ...made, isOperator: false, isConfirmed: true });
  await pool().query(
    "INSERT INTO alert_settings (account_id, url, secret_sealed) VALUES ($1, 'https://a.example', $2)",
    [made.accountId, sealSecret("whsec_alerts")],
  );
  await pool().query(
    `INSERT INTO mails (id, address, kind, content_sealed, valid_until) VALUES ($1, 'ann@reseal.example', 'alert', $2, now())`,
    [newId("mail"), seal(FIRST, "mail", "{}")],
  );
  await pool().query("INSERT INTO provider_tokens (id, provider, token_sealed) VALUES ('a', 'bandwidth', $1)", [
    seal(FIRST, "access token", "t0k3n"),
  ]);
  const before = await secretsOf();

  useKeys(SECOND, FIRST);
  expect(await secretsOf()).toEqual(before);
  expect(await resealSecrets(OPERATOR)).toEqual([
    { column: "webhook_endpoints.secret_sealed", resealed: 3, current: 0, lost: 0 },
    { column: "webhook_endpoints.previous_secret_sealed", resealed: 1, current: 0, lost: 0 },
    { column: "providers.settings_sealed", resealed: 1, current: 0, lost: 0 },
    { column: "alert_settings.secret_sealed", resealed: 1, current: 0, lost: 0 },
    { column: "mails.content_sealed", resealed: 1, current: 0, lost: 0 },
    { column: "provider_tokens.token_sealed", resealed: 1, current: 0, lost: 0 },
    { column: "second_factors.secret_sealed", resealed: 1, current: 0, lost: 0 },
  ]);

  useKeys(SECOND);
  expect(await secretsOf()).toEqual(before);
  const { rows } = await pool().query<{ settings: string; factor: string }>(
    `SELECT settings_sealed AS settings, (SELECT secret_sealed FROM second_factors WHERE user_id = $1) AS factor
     FROM providers WHERE id = 'twilio'`,
    [made.userId],
  );
  expect(unseal([SECOND], "provider settings", rows[0]?.settings ?? "")).toContain("t0k3n");
  expect(unseal([SECOND], "second factor", rows[0]?.factor ?? "")).toBe(secret);
  expect((await resealSecrets(OPERATOR)).map(({ resealed, current }) => [resealed, current])).toEqual([
    [0, 3],
    [0, 1],
    [0, 1],
    [0, 1],
    [0, 1],
    [0, 1],
    [0, 1],
  ]);
});

test("what no key opens is counted and left as it is", async () => {
  await makeEndpoints(2);
  useKeys(SECOND);
  expect((await resealSecrets(OPERATOR))[0]).toMatchObject({ resealed: 0, current: 0, lost: 2 });
  useKeys(FIRST);
  expect(await secretsOf()).toHaveLength(2);
});

test("more secrets than are read at once are all sealed anew", async () => {
  await makeEndpoints(1_101);
  useKeys(SECOND, FIRST);
  expect((await resealSecrets(OPERATOR))[0]).toMatchObject({ resealed: 1_101, current: 0, lost: 0 });
});

test("only operators do it", async () => {
  await expect(resealSecrets((await makeAccount()).actor)).rejects.toMatchObject({ status: 403 });
});

test("receipts come in by the URL of any key of the ring, and new URLs are of the present one", async () => {
  const tokenNow = () => receiptUrlOf("twilio", 0).split("/").at(-1) ?? "";
  const isToken = (provider: "twilio" | "vonage", token: string) =>
    isReceiptToken(provider, token, async () => ({ receiptRotation: 0, isFormerReceiptUrlValid: false }));
  const former = tokenNow();
  useKeys(SECOND, FIRST);
  const present = tokenNow();
  expect(present).not.toBe(former);
  expect([await isToken("twilio", present), await isToken("twilio", former)]).toEqual([true, true]);
  expect(await isToken("vonage", former)).toBe(false);
  useKeys(SECOND);
  expect(await isToken("twilio", former)).toBe(false);
});
