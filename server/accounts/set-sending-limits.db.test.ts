import { expect, test } from "vitest";
import { callAs } from "@/test/call-procedure";
import { lastEntries, makePerson } from "@/test/database/people";
import { pool } from "../core/db";
import { newId } from "../core/ids";
import type { Account } from "./schema";

const EXCEPT = { rule: "except", countries: ["NG", "RU"] } as const;

test("only owners set limits; everybody in the account reads them beside the operator's", async () => {
  const owner = await makePerson();
  await pool().query(
    "UPDATE accounts SET allowed_countries = '{DE,NG}', daily_spend_cap_micros = 9000000 WHERE id = $1",
    [owner.accountId],
  );
  await callAs(owner, "accounts.setCountries", { countries: { ...EXCEPT, countries: ["ru", "NG", "RU"] } });
  await callAs(owner, "accounts.setDailySpendCap", { daily_spend_cap: 2.5 });
  for (const role of ["developer", "viewer"] as const) {
    const other = { ...owner, role };
    const changes = [
      callAs(other, "accounts.setCountries", { countries: null }),
      callAs(other, "accounts.setDailySpendCap", { daily_spend_cap: null }),
    ];
    const refusals = (await Promise.allSettled(changes)).map(
      (done) => done.status === "rejected" && done.reason.message,
    );
    const noRole = expect.stringMatching(/^Your role in this account does not/);
    expect(refusals).toEqual([noRole, noRole]);
    expect(((await callAs(other, "accounts.get", undefined)) as Account).sending_limits).toEqual({
      countries: EXCEPT,
      daily_spend_cap: 2.5,
      operator: { allowed_countries: ["DE", "NG"], daily_spend_cap: 9 },
    });
  }
});

test("changes are in the audit log, and what changes nothing is not", async () => {
  const owner = await makePerson();
  const since = newId("audit");
  await callAs(owner, "accounts.setCountries", { countries: EXCEPT });
  await callAs(owner, "accounts.setCountries", { countries: { ...EXCEPT, countries: ["RU", "NG"] } });
  await callAs(owner, "accounts.setDailySpendCap", { daily_spend_cap: 5 });
  await callAs(owner, "accounts.setDailySpendCap", { daily_spend_cap: 5 });
  await callAs(owner, "accounts.setCountries", { countries: null });
  expect((await lastEntries(since)).map(({ action, before, after }) => [action, before, after])).toEqual([
    ["account.countries_set", { rule: null, countries: [] }, { rule: "except", countries: ["NG", "RU"] }],
    ["account.daily_spend_cap_set", { daily_spend_cap: null }, { daily_spend_cap: 5 }],
    ["account.countries_set", { rule: "except", countries: ["NG", "RU"] }, { rule: null, countries: [] }],
  ]);
});

test.each([
  ["accounts.setCountries", { countries: { rule: "only", countries: [] } }],
  ["accounts.setCountries", { countries: { rule: "only", countries: ["XX"] } }],
  ["accounts.setCountries", { countries: { rule: "all", countries: ["DE"] } }],
  ["accounts.setDailySpendCap", { daily_spend_cap: -1 }],
])("%s refuses %j", async (path, input) => {
  await expect(callAs(await makePerson(), path, input)).rejects.toMatchObject({ code: "BAD_REQUEST" });
});

test("the countries of the last eight days are listed with their messages, and unusual ones are marked", async () => {
  const owner = await makePerson();
  await pool().query(
    `INSERT INTO traffic_hours (account_id, hour, country, messages)
     SELECT $1, date_trunc('hour', now(), 'UTC') - days * interval '1 day', country, messages
     FROM (VALUES (0, 'NG', 900), (1, 'DE', 4), (7, 'DE', 5), (9, 'FR', 7), (2, '', 3)) AS t (days, country, messages)`,
    [owner.accountId],
  );
  await pool().query(
    `INSERT INTO alert_states (kind, subject_id, account_id, raised_at) VALUES ('unusual_traffic', $1 || ':NG', $1, now())`,
    [owner.accountId],
  );
  await pool().query(
    `INSERT INTO alerts (id, account_id, kind, subject_id, state, detail)
     VALUES ($2, $1, 'unusual_traffic', $1 || ':NG', 'raised', '{"country": "NG", "messages": 900}')`,
    [owner.accountId, newId("alert")],
  );
  expect(await callAs(owner, "overview.sentCountries", undefined)).toEqual([
    { country: "NG", messages: 900, is_unusual: true },
    { country: "DE", messages: 9, is_unusual: false },
    { country: null, messages: 3, is_unusual: false },
  ]);
});
