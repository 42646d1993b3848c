/** Tests of sends that are repeated with their Idempotency-Key after the text of a message was deleted. */
import { beforeAll, expect, test } from "vitest";
import type { Idempotency } from "@/server/core/trpc";
import { attemptResult } from "@/server/messages/dispatch/attempt-result";
import { recordOutcome } from "@/server/messages/dispatch/record-outcome";
import { claimAttempts, prepareAttempts } from "@/test/database/attempts";
import { makeAccount } from "@/test/database/seed";
import { redactMessage } from "../changes/redact";
import { sendBulk, sendMessage } from "./send";

beforeAll(prepareAttempts);

function request(key: string) {
  const idempotency: Idempotency = { key, requestHash: "h" };
  return { idempotency: () => idempotency, responseHeaders: {} as Record<string, string> };
}

/** Has every provider refuse the message, so that it has ended. */
async function fail(id: string): Promise<void> {
  const [attempt] = await claimAttempts([id]);
  if (!attempt) throw new Error("not claimed");
  attempt.slot?.release();
  await recordOutcome(attemptResult(attempt, { kind: "refused", code: "7", detail: "No." }, 1));
}

test("a repeated send gets its first response without the text", async () => {
  const account = await makeAccount();
  const input = { to: "+14155550123", from: account.senderId, body: "Your code is 4711", reference: "order-1" };
  const sent = await sendMessage(account.actor, input, request("one"));
  await fail(sent.id);
  expect(await sendMessage(account.actor, input, request("one"))).toEqual(sent);
  await redactMessage(account.actor, sent.id);
  const again = request("one");
  expect(await sendMessage(account.actor, input, again)).toEqual({ ...sent, body: "" });
  expect(again.responseHeaders["Idempotency-Replayed"]).toBe("true");
});

test("a repeated bulk send gets its first response without the deleted texts, but with the others", async () => {
  const account = await makeAccount();
  const input = { recipients: ["+14155550123", "+14155550124"], from: account.senderId, body: "Hello" };
  const sent = await sendBulk(account.actor, input, request("many"));
  const [first, second] = sent.messages;
  await fail(first?.id ?? "");
  await redactMessage(account.actor, first?.id ?? "");
  expect(await sendBulk(account.actor, input, request("many"))).toEqual({
    ...sent,
    messages: [{ ...first, body: "" }, second],
  });
});
