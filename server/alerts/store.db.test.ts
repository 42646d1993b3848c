import { expect, test } from "vitest";
import { makeAccount, newOperator } from "@/test/database/seed";
import { pool } from "../core/db";
import { getOperatedAccount } from "../operator/account";
import { getHome } from "../operator/home";
import { listConcerns } from "../overview/service";
import { sweepAlerts } from "./sweep";

test("unusual traffic is shown to the account and its operator as it is now, while the alert is raised", async () => {
  const [account, other] = [await makeAccount(), await makeAccount()];
  const { accountId, actor } = account;
  await pool().query(
    `INSERT INTO traffic_hours (account_id, hour, country, messages)
     SELECT $1, date_trunc('hour', now(), 'UTC') - hours * interval '1 hour', country, messages
     FROM (VALUES (0, 'JM', 100), (48, 'JM', 7), (0, '', 200), (300, 'DE', 1)) v (hours, country, messages)`,
    [accountId],
  );
  await sweepAlerts();
  await pool().query("UPDATE traffic_hours SET messages = 900 WHERE country = 'JM' AND messages = 100");
  const jamaica = { country: "JM", messages: 900, highest_before: 7 };
  const unknown = { country: null, messages: 200, highest_before: 0 };
  const operator = newOperator();
  expect(await listConcerns(actor)).toEqual(
    [unknown, jamaica].map((traffic) => ({ kind: "unusual_traffic", ...traffic, number_prefix: null })),
  );
  expect((await getOperatedAccount(operator, { account_id: accountId })).unusual_traffic).toEqual([unknown, jamaica]);
  expect((await getHome(operator)).unusual_traffic).toEqual([
    { account_id: accountId, account: "Test", country: null },
    { account_id: accountId, account: "Test", country: "JM" },
  ]);
  expect(await listConcerns(other.actor)).toEqual([]);
  expect((await getOperatedAccount(operator, { account_id: other.accountId })).unusual_traffic).toEqual([]);
  await pool().query("DELETE FROM alert_states");
  expect(await listConcerns(actor)).toEqual([]);
});
