import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { hashOf } from "@/test/database/passwords";
import { type MailServer, startMailServer } from "@/test/network/mail-server";
import { createAccountWithOwner } from "../accounts/service";
import { ensureTestAccount } from "../accounts/test-mode";
import type { SessionActor } from "../core/actor";
import { pool } from "../core/db";
import { env } from "../core/env";
import { newId } from "../core/ids";
import { sendMail } from "../mail/tasks";
import { newSigningSecret } from "../webhooks/delivery/signature";
import { pauseEndpoint, resumeEndpoint } from "../webhooks/pause";
import { sealSecret } from "../webhooks/secrets";
import { listAlerts, updateAlertSettings } from "./service";
import { sweepAlerts } from "./sweep";

let mails: MailServer;
beforeAll(async () => {
  mails = await startMailServer();
  env().SMTP_URL = mails.url;
});
afterEach(async () => {
  await pool().query("DELETE FROM providers");
  await pool().query("DELETE FROM alert_states");
});
afterAll(() => mails.close());

type Owner = SessionActor & { email: string };

async function makeOwner(isOperator = false): Promise<Owner> {
  const email = `${newId("user")}@alerts.example`;
  const passwordHash = await hashOf("correct horse battery staple");
  const person = { email, passwordHash, name: "Ann", companyName: "" };
  const made = await createAccountWithOwner({ ...person, isOperator, balanceMicros: 100_000_000n });
  return { kind: "session", ...made, isOperator, role: "owner", email };
}

const setBalance = ({ accountId }: Owner, units: number) =>
  pool().query("UPDATE accounts SET balance_micros = $2 WHERE id = $1", [accountId, units * 1_000_000]);

/** Moves raised alerts far enough into the past to be cleared. */
const waitForClearing = () => pool().query("UPDATE alert_states SET raised_at = raised_at - interval '11 minutes'");

async function alertsOf(owner: Owner): Promise<string[]> {
  const { items } = await listAlerts(owner, { page: 1, limit: 100 });
  return items.map(({ type, state }) => `${type} ${state}`).reverse();
}

const mailsTo = async ({ email }: Owner): Promise<string[]> => {
  const { rows } = await pool().query<{ id: string }>("SELECT id FROM mails WHERE address = $1 ORDER BY id", [email]);
  return rows.map(({ id }) => id);
};

async function makeEndpoint({ accountId }: Owner, failures: number): Promise<string> {
  const id = newId("endpoint");
  await pool().query(
    `INSERT INTO webhook_endpoints (id, account_id, url, events, secret_sealed, failure_count)
     VALUES ($1, $2, 'https://example.com/hook', '{}', $3, $4)`,
    [id, accountId, sealSecret(newSigningSecret()), failures],
  );
  return id;
}

test("a balance below the threshold is alerted once, and again only after it was well above", async () => {
  const owner = await makeOwner();
  await updateAlertSettings(owner, { low_balance: 10, by_mail: true, url: null });
  await sweepAlerts();
  expect(await alertsOf(owner)).toEqual([]);
  await setBalance(owner, 9);
  await sweepAlerts();
  await sweepAlerts();
  expect(await alertsOf(owner)).toEqual(["balance_low raised"]);
  // It hovers around the threshold.
  await waitForClearing();
  for (const units of [10.5, 9.5, 10.9]) {
    await setBalance(owner, units);
    await sweepAlerts();
  }
  expect(await alertsOf(owner)).toEqual(["balance_low raised"]);
  await setBalance(owner, 11);
  await sweepAlerts();
  await setBalance(owner, 9);
  await sweepAlerts();
  expect(await alertsOf(owner)).toEqual(["balance_low raised", "balance_low cleared", "balance_low raised"]);
  expect(await mailsTo(owner)).toHaveLength(3);
});

test("a kind whose check fails does not keep the others from being alerted", async () => {
  const owner = await makeOwner();
  await updateAlertSettings(owner, { low_balance: 10, by_mail: true, url: null });
  await setBalance(owner, 9);
  await makeEndpoint(owner, 20);
  await pool().query("ALTER TABLE alert_states ADD CONSTRAINT no_balance CHECK (kind <> 'balance_low') NOT VALID");
  const failure = await sweepAlerts().catch((thrown: unknown) => thrown);
  await pool().query("ALTER TABLE alert_states DROP CONSTRAINT no_balance");
  expect(failure).toMatchObject({ constraint: "no_balance" });
  expect(await alertsOf(owner)).toEqual(["endpoint_failing raised"]);
  await sweepAlerts();
  expect(await alertsOf(owner)).toEqual(["endpoint_failing raised", "balance_low raised"]);
});

test("a problem that comes and goes is alerted at most every ten minutes", async () => {
  const owner = await makeOwner();
  await updateAlertSettings(owner, { low_balance: 10, by_mail: true, url: null });
  for (const units of [9, 20, 9, 20, 9]) {
    await setBalance(owner, units);
    await sweepAlerts();
  }
  expect(await alertsOf(owner)).toEqual(["balance_low raised"]);
});

test("of many sweeps at once one tells of a change", async () => {
  const owner = await makeOwner();
  await updateAlertSettings(owner, { low_balance: 10, by_mail: true, url: null });
  await setBalance(owner, 1);
  await Promise.all(Array.from({ length: 6 }, () => sweepAlerts()));
  expect(await alertsOf(owner)).toEqual(["balance_low raised"]);
  await setBalance(owner, 50);
  await waitForClearing();
  await Promise.all(Array.from({ length: 6 }, () => sweepAlerts()));
  expect(await alertsOf(owner)).toEqual(["balance_low raised", "balance_low cleared"]);
  expect(await mailsTo(owner)).toHaveLength(2);
});

test("a threshold that was taken away ends its alert without a word", async () => {
  const owner = await makeOwner();
  await updateAlertSettings(owner, { low_balance: 10, by_mail: true, url: null });
  await setBalance(owner, 1);
  await sweepAlerts();
  await updateAlertSettings(owner, { low_balance: null, by_mail: true, url: null });
  await waitForClearing();
  await sweepAlerts();
  expect(await alertsOf(owner)).toEqual(["balance_low raised"]);
  expect((await pool().query("SELECT 1 FROM alert_states WHERE account_id = $1", [owner.accountId])).rowCount).toBe(0);
});

test("an endpoint that fails, is disabled and is enabled again raises an alert at each step", async () => {
  const owner = await makeOwner();
  const id = await makeEndpoint(owner, 4);
  await sweepAlerts();
  expect(await alertsOf(owner)).toEqual([]);
  await pool().query("UPDATE webhook_endpoints SET failure_count = 5 WHERE id = $1", [id]);
  await sweepAlerts();
  await waitForClearing();
  await pool().query("UPDATE webhook_endpoints SET failure_count = 25, is_active = false WHERE id = $1", [id]);
  await sweepAlerts();
  await waitForClearing();
  await pool().query("UPDATE webhook_endpoints SET failure_count = 0, is_active = true WHERE id = $1", [id]);
  await sweepAlerts();
  const steps = ["endpoint_failing raised", "endpoint_disabled raised", "endpoint_disabled cleared"];
  expect(await alertsOf(owner)).toEqual(steps);
});

test("an endpoint that somebody paused raises no alert, and one that is disabled after a pause does", async () => {
  const owner = await makeOwner();
  const id = await makeEndpoint(owner, 24);
  await pauseEndpoint(owner, id);
  await sweepAlerts();
  expect(await alertsOf(owner)).toEqual([]);
  await resumeEndpoint(owner, id);
  await sweepAlerts();
  expect(await alertsOf(owner)).toEqual([]);
  await pool().query("UPDATE webhook_endpoints SET is_active = false, disabled_at = now() WHERE id = $1", [id]);
  await sweepAlerts();
  expect(await alertsOf(owner)).toEqual(["endpoint_disabled raised"]);
});

test("an endpoint of the account's test mode raises alerts like one of live mode", async () => {
  const owner = await makeOwner();
  const accountId = await ensureTestAccount(owner.accountId);
  await makeEndpoint({ ...owner, accountId }, 5);
  await sweepAlerts();
  expect(await alertsOf(owner)).toEqual(["endpoint_failing raised"]);
  expect(await mailsTo(owner)).toHaveLength(1);
});

test("an endpoint that works again raises an alert; one that was deleted does not", async () => {
  const owner = await makeOwner();
  const [well, deleted] = [await makeEndpoint(owner, 7), await makeEndpoint(owner, 7)];
  await sweepAlerts();
  await pool().query("UPDATE webhook_endpoints SET failure_count = 0 WHERE id = $1", [well]);
  await pool().query("UPDATE webhook_endpoints SET deleted_at = now() WHERE id = $1", [deleted]);
  await waitForClearing();
  await sweepAlerts();
  expect(await alertsOf(owner)).toEqual([
    "endpoint_failing raised",
    "endpoint_failing raised",
    "endpoint_failing cleared",
  ]);
});

test("many endpoints that fail at once are one email", async () => {
  const owner = await makeOwner();
  await Promise.all(Array.from({ length: 30 }, () => makeEndpoint(owner, 9)));
  await sweepAlerts();
  const [mailId = "", ...more] = await mailsTo(owner);
  expect(more).toEqual([]);
  await sendMail({ mailId });
  expect(mails.received.at(-1)?.raw).toContain("30 alerts");
  expect(mails.received.at(-1)?.raw).toContain("And 10 more.");
});

test("an account that wants no emails gets none; people who are no owners get none either", async () => {
  const [quiet, loud, viewer] = [await makeOwner(), await makeOwner(), await makeOwner()];
  await updateAlertSettings(quiet, { low_balance: null, by_mail: false, url: null });
  await pool().query("INSERT INTO account_members (account_id, user_id, role) VALUES ($1, $2, 'viewer')", [
    loud.accountId,
    viewer.userId,
  ]);
  await makeEndpoint(quiet, 9);
  await makeEndpoint(loud, 9);
  await sweepAlerts();
  expect([await mailsTo(quiet), await mailsTo(viewer)]).toEqual([[], []]);
  expect(await mailsTo(loud)).toHaveLength(1);
  expect(await alertsOf(quiet)).toEqual(["endpoint_failing raised"]);
});

test("a provider that stays down is alerted to operators, and one that they drained is not", async () => {
  const [operator, customer] = [await makeOwner(true), await makeOwner()];
  await pool().query(
    `INSERT INTO providers (id, breaker, unavailable_since, is_drained, last_error) VALUES
       ('twilio', 'open', now() - interval '5 minutes', false, 'HTTP 500'), ('vonage', 'open', now(), false, null),
       ('plivo', 'open', now() - interval '5 minutes', true, null)`,
  );
  await sweepAlerts();
  await sweepAlerts();
  const states = async () =>
    (await pool().query("SELECT subject_id, state FROM alerts WHERE account_id IS NULL ORDER BY id")).rows;
  expect(await states()).toEqual([{ subject_id: "twilio", state: "raised" }]);
  await pool().query("UPDATE providers SET breaker = 'closed', unavailable_since = NULL");
  await waitForClearing();
  await sweepAlerts();
  expect(await states()).toEqual([
    { subject_id: "twilio", state: "raised" },
    { subject_id: "twilio", state: "cleared" },
  ]);
  expect(await mailsTo(operator)).toHaveLength(2);
  expect([await mailsTo(customer), await alertsOf(customer)]).toEqual([[], []]);
});

/** Writes as many emails of alerts to an address as it may get in an hour. */
async function fillMailbox({ email }: Owner): Promise<void> {
  await pool().query(
    `INSERT INTO mails (id, address, kind, status, valid_until)
     SELECT $2 || n, $1, 'alert', 'sent', now() FROM generate_series(1, 10) n`,
    [email, newId("mail")],
  );
}

/** Empties a mailbox, as an hour does. @returns the texts of the emails in it that wait for the mail server. */
async function emptyMailbox(owner: Owner): Promise<string[]> {
  const texts: string[] = [];
  for (const mailId of await mailsTo(owner)) {
    const before = mails.received.length;
    await sendMail({ mailId });
    texts.push(...mails.received.slice(before).map(({ raw }) => raw));
  }
  await pool().query("DELETE FROM mails WHERE address = $1", [owner.email]);
  return texts;
}

test("an alert whose email was one too many for the hour is told later, once, together with those since", async () => {
  const owner = await makeOwner();
  await updateAlertSettings(owner, { low_balance: 10, by_mail: true, url: null });
  await fillMailbox(owner);
  await makeEndpoint(owner, 7);
  const second = await makeEndpoint(owner, 0);
  await setBalance(owner, 1);
  await sweepAlerts();
  await sweepAlerts();
  expect(await emptyMailbox(owner)).toEqual([]);
  await pool().query("UPDATE webhook_endpoints SET failure_count = 8 WHERE id = $1", [second]);
  await Promise.all([sweepAlerts(), sweepAlerts(), sweepAlerts()]);
  const texts = (await emptyMailbox(owner)).sort();
  expect(texts).toHaveLength(2);
  expect(texts.filter((text) => text.includes("2 alerts"))).toHaveLength(1);
  await sweepAlerts();
  expect(await emptyMailbox(owner)).toEqual([]);
  expect(await alertsOf(owner)).toHaveLength(3);
});

test("operators are told later that a provider is down, and nobody of what ended or concerns them no more", async () => {
  const [operator, former, owner] = [await makeOwner(true), await makeOwner(true), await makeOwner()];
  for (const reader of [operator, former, owner]) await fillMailbox(reader);
  await pool().query(
    `INSERT INTO providers (id, breaker, unavailable_since) VALUES ('twilio', 'open', now() - interval '5 minutes'),
       ('vonage', 'open', now() - interval '5 minutes')`,
  );
  const endpoint = await makeEndpoint(owner, 7);
  await sweepAlerts();
  await waitForClearing();
  await pool().query("UPDATE providers SET breaker = 'closed', unavailable_since = NULL WHERE id = 'vonage'");
  await pool().query("UPDATE webhook_endpoints SET deleted_at = now() WHERE id = $1", [endpoint]);
  await pool().query("UPDATE users SET is_operator = false WHERE id = $1", [former.userId]);
  await sweepAlerts();
  for (const reader of [operator, former, owner]) expect(await emptyMailbox(reader)).toEqual([]);
  await sweepAlerts();
  const texts = await emptyMailbox(operator);
  expect(texts.filter((text) => text.includes("twilio"))).toHaveLength(1);
  expect(texts.filter((text) => text.includes("vonage"))).toHaveLength(1);
  expect(texts).toHaveLength(2);
  for (const reader of [former, owner]) expect(await emptyMailbox(reader)).toEqual([]);
});
