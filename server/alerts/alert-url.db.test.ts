import { afterAll, beforeAll, expect, test } from "vitest";
import { makePerson } from "@/test/database/people";
import { type Receiver, startReceiver, status } from "@/test/network/receiver";
import { pool } from "../core/db";
import { verifySignature } from "../webhooks/delivery/signature";
import { getAlertSettings, updateAlertSettings } from "./service";
import { sweepAlerts } from "./sweep";
import { postAlert } from "./tasks";

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.close());

async function lastAlert(accountId: string): Promise<string> {
  const { rows } = await pool().query<{ id: string }>(
    "SELECT id FROM alerts WHERE account_id = $1 ORDER BY id DESC LIMIT 1",
    [accountId],
  );
  return rows[0]?.id ?? "";
}

test("a URL that stays keeps its secret, unless a new one is asked for", async () => {
  const owner = await makePerson();
  const settings = { low_balance: null, by_mail: false, url: receiver.url };
  const { signing_secret: first } = await updateAlertSettings(owner, settings);
  expect((await updateAlertSettings(owner, settings)).signing_secret).toBeNull();
  const { signing_secret: second } = await updateAlertSettings(owner, { ...settings, new_secret: true });
  expect(second).not.toBeNull();
  expect(second).not.toBe(first);
  expect((await updateAlertSettings(owner, { ...settings, url: null, new_secret: true })).signing_secret).toBeNull();
});

test("an alert is posted to the alert URL, signed, once; what is not acknowledged is tried again", async () => {
  const owner = await makePerson();
  const { signing_secret: secret } = await updateAlertSettings(owner, {
    low_balance: 10,
    by_mail: false,
    url: receiver.url,
  });
  await pool().query("UPDATE accounts SET balance_micros = 3000000 WHERE id = $1", [owner.accountId]);
  await sweepAlerts();
  const alertId = await lastAlert(owner.accountId);
  receiver.respondWith(status(500));
  await expect(postAlert({ alertId })).rejects.toThrow("not acknowledged");
  receiver.respondWith(status(200));
  await postAlert({ alertId });
  await postAlert({ alertId });
  const own = receiver.received.filter(({ body }) => body.includes(alertId));
  expect(own).toHaveLength(2);
  const last = own.at(-1);
  expect(JSON.parse(String(last?.body))).toMatchObject({
    id: alertId,
    object: "alert",
    type: "balance_low",
    state: "raised",
    subject_id: owner.accountId,
    text: "The balance is 3.00 USD, below 10.00 USD.",
  });
  const verified = verifySignature({
    header: String(last?.headers["service-signature"]),
    secret: secret ?? "",
    rawBody: last?.body ?? "",
    nowSeconds: Math.floor(Date.now() / 1_000),
  });
  expect(verified.valid).toBe(true);
});

test("a new URL gets a new secret, the same keeps its own, and an inner address is refused", async () => {
  const owner = await makePerson();
  const set = (url: string | null) => updateAlertSettings(owner, { low_balance: null, by_mail: true, url });
  const first = (await set(receiver.url)).signing_secret;
  expect(first).toMatch(/^whsec_/);
  expect((await set(receiver.url)).signing_secret).toBeNull();
  expect((await set(`${receiver.url}/other`)).signing_secret).not.toBe(first);
  await set(null);
  expect(await getAlertSettings(owner)).toMatchObject({ url: null, by_mail: true, low_balance: null });
  await expect(set("http://10.0.0.1/")).rejects.toMatchObject({ status: 400 });
});
