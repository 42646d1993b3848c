import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { makePerson, type Person } from "@/test/database/people";
import { explain, rowsRead, statementsOf } from "@/test/database/plans";
import { type MailServer, startMailServer } from "@/test/network/mail-server";
import { pool } from "../core/db";
import { env } from "../core/env";
import { sendMail } from "../mail/tasks";
import type { Alert } from "./schema";
import { getAlertSettings, listAlerts, updateAlertSettings } from "./service";
import { sweepAlerts } from "./sweep";

let mails: MailServer;
beforeAll(async () => {
  mails = await startMailServer();
  env().SMTP_URL = mails.url;
});
afterEach(async () => {
  await pool().query("DELETE FROM alert_states");
  await pool().query("DELETE FROM traffic_hours");
});
afterAll(() => mails.close());

type Hour = { hoursAgo: number; messages: number; country?: string };

/** Replaces the counts of an account: hours ago, counted from the present one. */
async function setTraffic({ accountId }: Person, hours: readonly Hour[]): Promise<void> {
  await pool().query("DELETE FROM traffic_hours WHERE account_id = $1", [accountId]);
  for (const { hoursAgo, messages, country = "NG" } of hours) {
    await pool().query(
      `INSERT INTO traffic_hours (account_id, hour, country, messages)
       VALUES ($1, date_trunc('hour', now(), 'UTC') - $2 * interval '1 hour', $3, $4)`,
      [accountId, hoursAgo, country, messages],
    );
  }
}

/** An account whose traffic has been known for long. */
const LONG_KNOWN: Hour = { hoursAgo: 300, messages: 1, country: "DE" };

/** Moves raised alerts far enough into the past to be cleared. */
const waitForClearing = () => pool().query("UPDATE alert_states SET raised_at = raised_at - interval '11 minutes'");

async function alertsOf(owner: Person): Promise<Alert[]> {
  const { items } = await listAlerts(owner, { page: 1, limit: 100 });
  return items.reverse();
}

/** Sweeps with these counts. @returns the states of the account's alerts so far. */
async function statesWith(owner: Person, hours: readonly Hour[]): Promise<string[]> {
  await setTraffic(owner, hours);
  await waitForClearing();
  await sweepAlerts();
  return (await alertsOf(owner)).map(({ state }) => state);
}

const setFrom = async (owner: Person, unusual_traffic_from: number | null) => {
  const { low_balance, by_mail, url } = await getAlertSettings(owner);
  await updateAlertSettings(owner, { low_balance, by_mail, url, unusual_traffic_from });
};

test("a hundred messages within an hour to a country of none before are unusual, and alerted once", async () => {
  const owner = await makePerson();
  expect(await statesWith(owner, [LONG_KNOWN, { hoursAgo: 0, messages: 99 }])).toEqual([]);
  expect(await statesWith(owner, [LONG_KNOWN, { hoursAgo: 0, messages: 1_100 }])).toEqual(["raised"]);
  await Promise.all([sweepAlerts(), sweepAlerts()]);
  const [alert, ...more] = await alertsOf(owner);
  expect(more).toEqual([]);
  expect(alert).toMatchObject({
    type: "unusual_traffic",
    subject_id: `${owner.accountId}:NG`,
    traffic: { country: "NG", messages: 1_100, highest_before: 0 },
  });
  expect(alert?.text).toContain(
    "sent 1,100 messages to Nigeria within an hour; in the week before it sent none there.",
  );
  expect(alert?.text).toContain("SMS pumping");
});

test.each([
  { where: "two days ago", hoursAgo: 48 },
  { where: "eight days ago", hoursAgo: 192 },
  { where: "a day ago", hoursAgo: 24 },
])("five times the busiest hour is unusual, and it counts $where", async ({ hoursAgo }) => {
  const owner = await makePerson();
  const before = { hoursAgo, messages: 40 };
  expect(await statesWith(owner, [LONG_KNOWN, before, { hoursAgo: 0, messages: 199 }])).toEqual([]);
  expect(await statesWith(owner, [LONG_KNOWN, before, { hoursAgo: 0, messages: 200 }])).toEqual(["raised"]);
  expect((await alertsOf(owner))[0]?.text).toContain("in the week before it was never more than 40.");
});

test.each([
  { where: "earlier than eight days ago", hoursAgo: 193 },
  { where: "within the last day", hoursAgo: 23 },
])("an hour $where is not compared with", async ({ hoursAgo }) => {
  const owner = await makePerson();
  const hours = [LONG_KNOWN, { hoursAgo, messages: 90 }, { hoursAgo: 0, messages: 150 }];
  expect(await statesWith(owner, hours)).toEqual(["raised"]);
});

test("the first campaign of a new account is not unusual; two days after its first message it may be", async () => {
  const owner = await makePerson();
  const campaign = { hoursAgo: 0, messages: 5_000, country: "DE" };
  expect(await statesWith(owner, [campaign])).toEqual([]);
  expect(await statesWith(owner, [{ hoursAgo: 47, messages: 1, country: "DE" }, campaign])).toEqual([]);
  expect(await statesWith(owner, [{ hoursAgo: 48, messages: 1, country: "DE" }, campaign])).toEqual(["raised"]);
});

test("it goes on while traffic does, and is over once neither this hour nor the last has half of it", async () => {
  const owner = await makePerson();
  const hour = (hoursAgo: number, messages: number) => ({ hoursAgo, messages });
  expect(await statesWith(owner, [LONG_KNOWN, hour(0, 100)])).toEqual(["raised"]);
  // The hour has turned.
  expect(await statesWith(owner, [LONG_KNOWN, hour(1, 100)])).toEqual(["raised"]);
  expect(await statesWith(owner, [LONG_KNOWN, hour(2, 100), hour(1, 800), hour(0, 0)])).toEqual(["raised"]);
  expect(await statesWith(owner, [LONG_KNOWN, hour(3, 800), hour(1, 50), hour(0, 3)])).toEqual(["raised"]);
  expect(await statesWith(owner, [LONG_KNOWN, hour(4, 800), hour(1, 49), hour(0, 3)])).toEqual(["raised", "cleared"]);
  expect((await alertsOf(owner))[1]?.text).toBe(
    "Traffic to Nigeria is no longer unusual: 49 messages within the last hour.",
  );
  expect(await statesWith(owner, [LONG_KNOWN, hour(4, 800), hour(0, 100)])).toEqual(["raised", "cleared", "raised"]);
});

test("messages that were counted just before the hour turned are noticed after", async () => {
  const owner = await makePerson();
  expect(await statesWith(owner, [LONG_KNOWN, { hoursAgo: 1, messages: 100 }, { hoursAgo: 0, messages: 1 }])).toEqual([
    "raised",
  ]);
  expect((await alertsOf(owner))[0]?.traffic?.messages).toBe(100);
});

test("each country has an alert of its own, all in one email, and numbers of no country are one more", async () => {
  const owner = await makePerson();
  await setTraffic(owner, [
    LONG_KNOWN,
    ...["NG", "EE", ""].map((country) => ({ hoursAgo: 0, messages: 100, country })),
  ]);
  await sweepAlerts();
  const alerts = await alertsOf(owner);
  expect(alerts.map(({ traffic }) => traffic?.country ?? "none").sort()).toEqual(["EE", "NG", "none"]);
  expect(alerts.map(({ text }) => text).join()).toContain("to numbers of no known country");
  const { rows } = await pool().query<{ id: string }>("SELECT id FROM mails WHERE address = $1", [owner.email]);
  expect(rows).toHaveLength(1);
});

test("an email names the country in its subject, and leads to the countries, with that one to be taken out", async () => {
  const owner = await makePerson();
  await statesWith(owner, [LONG_KNOWN, { hoursAgo: 0, messages: 120 }]);
  const { rows } = await pool().query<{ id: string }>("SELECT id FROM mails WHERE address = $1", [owner.email]);
  await sendMail({ mailId: rows[0]?.id ?? "" });
  const raw = (mails.received.at(-1)?.raw ?? "").replaceAll(/\r\n /g, " ");
  expect(raw).toMatch(/^Subject: This account sent 120 messages to Nigeria within an hour; in the week before/m);
  expect(raw).not.toMatch(/^Subject:.*SMS pumping/m);
  expect(raw.replaceAll("=\r\n", "")).toMatch(/\/settings\/sending\?without=(3D)?NG/);
});

test("an owner sets how many it takes, or switches the alert off, which ends it without a word", async () => {
  const owner = await makePerson();
  expect(await getAlertSettings(owner)).toMatchObject({ unusual_traffic_from: 100 });
  await setFrom(owner, 500);
  expect(await statesWith(owner, [LONG_KNOWN, { hoursAgo: 0, messages: 499 }])).toEqual([]);
  expect(await statesWith(owner, [LONG_KNOWN, { hoursAgo: 0, messages: 500 }])).toEqual(["raised"]);
  await setFrom(owner, null);
  expect(await statesWith(owner, [LONG_KNOWN, { hoursAgo: 0, messages: 9_000 }])).toEqual(["raised"]);
  expect((await pool().query("SELECT FROM alert_states")).rowCount).toBe(0);
  expect(await statesWith(owner, [LONG_KNOWN, { hoursAgo: 0, messages: 9_000 }])).toEqual(["raised"]);
});

test("settings that do not name it, as those of an older page, leave it", async () => {
  const owner = await makePerson();
  await setFrom(owner, 7);
  await updateAlertSettings(owner, { low_balance: 3, by_mail: true, url: null });
  expect(await getAlertSettings(owner)).toMatchObject({ low_balance: 3, unusual_traffic_from: 7 });
});

test("earlier hours are read only for traffic that reaches the threshold", async () => {
  const [accounts, earlierHours] = [20, 100];
  const people = await Promise.all(Array.from({ length: accounts }, () => makePerson()));
  await pool().query(
    `INSERT INTO traffic_hours (account_id, hour, country, messages)
     SELECT a.id, date_trunc('hour', now(), 'UTC') - h * interval '1 hour', 'NG', 1
     FROM unnest($1::text[]) AS a (id), generate_series(0, $2::int4) AS s (n), LATERAL (SELECT CASE n WHEN 0 THEN 0 ELSE 24 + n END) AS o (h)`,
    [people.map(({ accountId }) => accountId), earlierHours],
  );
  await pool().query("ANALYZE traffic_hours");
  const sweep = (await statementsOf(sweepAlerts)).find(
    ({ text }) => /INSERT INTO alert_states/.test(text) && /traffic_hours/.test(text),
  );
  if (!sweep) throw new Error("no statement");
  expect(rowsRead((await explain(sweep)).plan, ["traffic_hours"])).toBeLessThanOrEqual(accounts);
});
