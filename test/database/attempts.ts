/** Messages at their first attempt, for tests that decide its outcome. */

import { plainRequest } from "@/server/accounts/idempotency/request";
import type { ReceiptReport } from "@/server/core/jobs";
import { sendBulk, sendMessage } from "@/server/messages/accept/send";
import { attemptResult } from "@/server/messages/dispatch/attempt-result";
import type { Attempt } from "@/server/messages/dispatch/claims";
import { dispatch } from "@/server/messages/dispatch/dispatch";
import { recordOutcome } from "@/server/messages/dispatch/record-outcome";
import { getMessage } from "@/server/messages/read";
import type { SendOutcome } from "@/server/providers/port";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";

const PRICE_MICROS = 10_000;

export const UNKNOWN = { kind: "unknown", code: "timeout", detail: "No answer." } as const;
export const BUSY = { kind: "retryable", code: "503", detail: "Busy.", fault: "provider" } as const;
export const THROTTLED = { kind: "retryable", code: "429", detail: "Too many.", fault: "throttled" } as const;

/** Sets up two providers that are never called, and a route through both: `vonage`, then `twilio`. */
export async function prepareAttempts(): Promise<void> {
  const nowhere = "http://127.0.0.1:9";
  Object.assign(process.env, {
    TWILIO_ACCOUNT_SID: "AC0",
    TWILIO_AUTH_TOKEN: "token",
    TWILIO_BASE_URL: nowhere,
    VONAGE_API_KEY: "key",
    VONAGE_API_SECRET: "secret",
    VONAGE_BASE_URL: nowhere,
  });
  await makeRoute({ chain: ["vonage", "twilio"], priceMicros: PRICE_MICROS });
}

/** Dispatches messages without making the claimed attempts. @returns these attempts. */
export async function claimAttempts(messageIds: readonly string[]): Promise<Attempt[]> {
  const claimed: Attempt[] = [];
  await dispatch(messageIds, (attempts) => claimed.push(...attempts));
  return claimed;
}

export type Claimed = { account: TestAccount; id: string; first: Attempt };

/** A message of a new account that nobody has dispatched. */
export async function pending(body = "Hello", to = "+14155550123"): Promise<Omit<Claimed, "first">> {
  const account = await makeAccount();
  const { id } = await sendMessage(account.actor, { to, from: account.senderId, body }, plainRequest());
  return { account, id };
}

/** As {@link pending}, handed to the first provider. */
export async function claimed(body = "Hello", to?: string): Promise<Claimed> {
  const { account, id } = await pending(body, to);
  const [first] = await claimAttempts([id]);
  if (!first) throw new Error("not claimed");
  // The provider is never called.
  first.slot?.release();
  return { account, id, first };
}

/** Messages of an account, accepted together and claimed at their first provider, which nobody calls. */
export async function claimMany(count: number, body = "Your code is 482913. It expires in ten minutes.") {
  const owner = await makeAccount();
  const recipients = Array.from({ length: count }, (_, at) => `+1415555${String(at).padStart(4, "0")}`);
  const input = { recipients, from: owner.senderId, body };
  const { messages } = await sendBulk(owner.actor, input, plainRequest());
  const attempts: Attempt[] = [];
  await dispatch(
    messages.map(({ id }) => id),
    (claimed) => {
      for (const { slot } of claimed) slot?.release();
      attempts.push(...claimed);
    },
  );
  if (attempts.length !== count) throw new Error("not all were claimed");
  return { owner, attempts: attempts.sort((a, b) => (a.message.id < b.message.id ? -1 : 1)) };
}

/** Records the outcome of an attempt. @returns the next attempt. */
export const record = (attempt: Attempt, outcome: SendOutcome): Promise<Attempt | null> =>
  recordOutcome(attemptResult(attempt, outcome, 1));

/** As {@link record}, when another attempt must follow. */
export async function recordAndAdvance(attempt: Attempt, outcome: SendOutcome): Promise<Attempt> {
  const next = await record(attempt, outcome);
  if (!next) throw new Error("did not go on");
  return next;
}

export const accepted = (...providerMessageIds: string[]) => ({ kind: "accepted", providerMessageIds }) as const;

export const report = (
  providerMessageId: string,
  status: ReceiptReport["status"],
  reference: string | null = null,
): ReceiptReport => ({
  providerMessageId,
  reference,
  status,
  code: status === "failed" || status === "undelivered" ? "7" : null,
  detail: null,
  occurredAt: new Date().toISOString(),
});

export const statusOf = async ({ account, id }: Pick<Claimed, "account" | "id">): Promise<string> =>
  (await getMessage(account.actor, id)).status;
