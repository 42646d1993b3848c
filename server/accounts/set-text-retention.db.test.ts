import { expect, test } from "vitest";
import { callAs } from "@/test/call-procedure";
import { lastEntries, makePerson } from "@/test/database/people";
import { newId } from "../core/ids";
import type { Account } from "./schema";

test("only owners set it, everybody in the account reads it, and each change is in the audit log", async () => {
  const owner = await makePerson();
  const since = newId("audit");
  for (const days of [30, 30, null]) await callAs(owner, "accounts.setTextRetention", { text_retention_days: days });
  await callAs(owner, "accounts.setTextRetention", { text_retention_days: 7 });
  for (const role of ["developer", "viewer"] as const) {
    const other = { ...owner, role };
    await expect(callAs(other, "accounts.setTextRetention", { text_retention_days: null })).rejects.toThrow(
      /^Your role in this account does not/,
    );
    expect(((await callAs(other, "accounts.get", undefined)) as Account).text_retention_days).toBe(7);
  }
  expect((await lastEntries(since)).map(({ action, before, after }) => [action, before, after])).toEqual([
    ["account.text_retention_set", { text_retention_days: null }, { text_retention_days: 30 }],
    ["account.text_retention_set", { text_retention_days: 30 }, { text_retention_days: null }],
    ["account.text_retention_set", { text_retention_days: null }, { text_retention_days: 7 }],
  ]);
});

test.each([0, -1, 1.5, 3_651, "7"])("%s days are refused", async (days) => {
  await expect(
    callAs(await makePerson(), "accounts.setTextRetention", { text_retention_days: days }),
  ).rejects.toMatchObject({ code: "BAD_REQUEST" });
});
