/** Sends that are repeated with their Idempotency-Key after a retention has deleted the text of a message, or the message. */
import { beforeAll, beforeEach, expect, test } from "vitest";
import { claimAttempts, prepareAttempts } from "@/test/database/attempts";
import { daysAgo } from "@/test/database/messages/ended-messages";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { pool } from "../core/db";
import { env } from "../core/env";
import type { Idempotency } from "../core/trpc";
import { sendBulk, sendMessage } from "../messages/accept/send";
import { attemptResult } from "../messages/dispatch/attempt-result";
import { recordOutcome } from "../messages/dispatch/record-outcome";
import { forgetOldData } from "./tasks";

beforeAll(prepareAttempts);
beforeEach(() => pool().query("DELETE FROM retention_rounds"));

function request(key: string) {
  const idempotency: Idempotency = { key, requestHash: "h" };
  return { idempotency: () => idempotency, responseHeaders: {} as Record<string, string> };
}

/** Has every provider refuse the messages, so that they have ended. */
async function fail(ids: readonly string[]): Promise<void> {
  for (const attempt of await claimAttempts([...ids])) {
    attempt.slot?.release();
    await recordOutcome(attemptResult(attempt, { kind: "refused", code: "7", detail: "No." }, 1));
  }
}

type Setting = "RETENTION_BODIES_DAYS" | "RETENTION_MESSAGES_DAYS";

/** Sets a retention of the installation. @returns a function that ends it. */
const installation = (setting: Setting) => () => {
  env()[setting] = 30;
  return () => {
    env()[setting] = 0;
  };
};

const ofAccount = async ({ accountId }: TestAccount) => {
  await pool().query("UPDATE accounts SET text_retention_days = 30 WHERE id = $1", [accountId]);
  return () => undefined;
};

test.each<[string, (account: TestAccount) => (() => void) | Promise<() => void>]>([
  ["its account keeps texts for a shorter time", ofAccount],
  ["the installation keeps texts for a shorter time", installation("RETENTION_BODIES_DAYS")],
  ["the installation has forgotten the message", installation("RETENTION_MESSAGES_DAYS")],
])("get their first response without the text if %s", async (_, begin) => {
  const account = await makeAccount();
  const text = { from: account.senderId, body: "Your code is 4711" };
  const one = { ...text, to: "+14155550123" };
  const many = { ...text, recipients: ["+14155550124", "+14155550125"] };
  const [sent, bulk] = await daysAgo(async () => {
    const single = await sendMessage(account.actor, one, request("one"));
    const several = await sendBulk(account.actor, many, request("many"));
    await fail([single.id, ...several.messages.map(({ id }) => id)]);
    return [single, several] as const;
  });
  const end = await begin(account);
  try {
    await forgetOldData();
  } finally {
    end();
  }
  expect(await sendMessage(account.actor, one, request("one"))).toEqual({ ...sent, body: "" });
  expect(await sendBulk(account.actor, many, request("many"))).toEqual({
    ...bulk,
    messages: bulk.messages.map((message) => ({ ...message, body: "" })),
  });
});
