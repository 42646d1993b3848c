/** Messages that have lived through their statuses, and clocks that are behind. */
import { vi } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { DAY_MS } from "@/server/core/clock";
import { sendMessage } from "@/server/messages/accept/send";
import { attemptResult } from "@/server/messages/dispatch/attempt-result";
import { recordOutcome } from "@/server/messages/dispatch/record-outcome";
import { applyReceipts } from "@/server/messages/receipts/apply-receipts";
import { claimAttempts } from "../attempts";
import type { TestAccount } from "../seed";

/** Sends a message, and has it taken and delivered, refused, or left without a receipt. */
export async function live({ actor, senderId }: TestAccount, end: "delivered" | "refused" | "sent"): Promise<string> {
  const to = `+1415555${String(Math.floor(Math.random() * 10_000)).padStart(4, "0")}`;
  const input = { to, from: senderId, body: `Secret ${end}`, metadata: { end } };
  const { id } = await sendMessage(actor, input, plainRequest());
  const [attempt] = await claimAttempts([id]);
  if (!attempt) throw new Error("not claimed");
  attempt.slot?.release();
  const refused = { kind: "refused", code: "7", detail: "No." } as const;
  const providerMessageId = `up_${id}`;
  const taken = { kind: "accepted", providerMessageIds: [providerMessageId] } as const;
  await recordOutcome(attemptResult(attempt, end === "refused" ? refused : taken, 1));
  if (end === "delivered") {
    const occurredAt = new Date().toISOString();
    await applyReceipts("sandbox", [{ providerMessageId, status: "delivered", code: null, detail: null, occurredAt }]);
  }
  return id;
}

/** Runs `work` in a process whose clock is some days behind: it gives ids and times. */
export async function daysAgo<Result>(work: () => Promise<Result>, days = 40): Promise<Result> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - days * DAY_MS });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}
