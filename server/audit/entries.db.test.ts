/** The contents of entries in the audit log. */
import { expect, test } from "vitest";
import { callAs } from "@/test/call-procedure";
import { lastEntries, makePerson } from "@/test/database/people";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";
import { newId } from "../core/ids";

test("before and after are what changed, and nothing else", async () => {
  const [owner, operator] = [await makePerson(), await makePerson(true)];
  const since = newId("audit");
  const limits = { allowed_countries: [], flood_identical: null, flood_total: 7, daily_spend_cap: 2.5 };
  await callAs(operator, "operator.limitAccount", { account_id: owner.accountId, ...limits });
  const id = await makeRoute({ prefix: "46" });
  await callAs(operator, "operator.routes.update", { id, price: 0.5 });
  await callAs(operator, "operator.credit", { account_id: owner.accountId, amount: 12.5 });
  expect((await lastEntries(since)).map(({ action, before, after }) => [action, before, after])).toEqual([
    ["account.limited", { flood_total: null, daily_spend_cap: null }, { flood_total: 7, daily_spend_cap: 2.5 }],
    ["route.updated", { price: 0.01 }, { price: 0.5 }],
    ["account.credited", { balance: 0 }, { balance: 12.5, note: null }],
  ]);
});

test("what fails writes nothing", async () => {
  const [owner, operator] = [await makePerson(), await makePerson(true)];
  const since = newId("audit");
  for (const [path, input] of [
    ["operator.credit", { account_id: owner.accountId, amount: -1 }],
    ["operator.setAccountStatus", { account_id: "nothing", status: "suspended" }],
    ["operator.routes.delete", { id: 999_999 }],
    ["apiKeys.revoke", { id: "nothing" }],
  ] as const) {
    await expect(callAs(operator, path, input)).rejects.toThrow();
  }
  expect(await lastEntries(since)).toEqual([]);
});

test("a key is named as the one who acts", async () => {
  const { actor, keyId } = await makeAccount();
  const since = newId("audit");
  await callAs(actor, "senders.create", { sender_id: "Acme" });
  expect((await lastEntries(since))[0]).toMatchObject({ actor_kind: "key", actor_id: keyId });
});
