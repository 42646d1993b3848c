import { beforeAll, describe, expect, test } from "vitest";
import { makeRoute } from "@/e2e/support/routes";
import { makeAccount, type TestAccount } from "@/e2e/support/seed";
import { plainRequest } from "@/server/accounts/answers";
import { checkLedger } from "@/server/accounts/tasks";
import { pool } from "@/server/core/db";
import type { ReceiptReport } from "@/server/core/jobs";
import { recordOutcome } from "@/server/messages/attempts";
import type { Attempt } from "@/server/messages/claims";
import { claimAttempts } from "@/server/messages/dispatch";
import { getMessage } from "@/server/messages/read";
import { applyReceipts } from "@/server/messages/receipts";
import { sendMessage } from "@/server/messages/send";
import { failUnresolved } from "@/server/messages/tasks";
import { referenceTo } from "@/server/providers/reference";

const PRICE = 10_000n;
const LONG_TEXT = "x".repeat(400);
const UNKNOWN = { kind: "unknown", code: "timeout", detail: "No answer." } as const;
const soon = () => new Date(Date.now() + 60_000);

beforeAll(async () => {
  // Nobody is called here: the outcomes are the tests' own.
  const nowhere = "http://127.0.0.1:9";
  Object.assign(process.env, {
    TWILIO_ACCOUNT_SID: "AC0",
    TWILIO_AUTH_TOKEN: "token",
    TWILIO_BASE_URL: nowhere,
    VONAGE_API_KEY: "key",
    VONAGE_API_SECRET: "secret",
    VONAGE_BASE_URL: nowhere,
  });
  await makeRoute({ chain: ["vonage", "twilio"], priceMicros: Number(PRICE) });
});

async function claimed(body = "Hello"): Promise<{ account: TestAccount; id: string; first: Attempt }> {
  const account = await makeAccount();
  const { id } = await sendMessage(account.actor, { to: "+14155550123", from: account.senderId, body }, plainRequest());
  const [first] = await claimAttempts([id]);
  if (!first) throw new Error("not claimed");
  return { account, id, first };
}

const accepted = (...providerMessageIds: string[]) => ({ kind: "accepted", providerMessageIds }) as const;

const report = (
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

const statusOf = async ({ account, id }: { account: TestAccount; id: string }) =>
  (await getMessage(account.actor, id)).status;

describe("parts", () => {
  test("a message is delivered when the last of its parts is", async () => {
    const message = await claimed(LONG_TEXT);
    const ids = ["a", "b", "c"].map((part) => `${message.id}-${part}`);
    await recordOutcome(message.first, accepted(...ids), 1);
    for (const [at, id] of ids.entries()) {
      expect(await statusOf(message)).toBe("sent");
      await applyReceipts("vonage", [report(id, "delivered")]);
      // The same again changes nothing.
      await applyReceipts("vonage", [report(id, "delivered")]);
      if (at < 2) expect(await statusOf(message)).toBe("sent");
    }
    expect(await statusOf(message)).toBe("delivered");
    expect((await getMessage(message.account.actor, message.id)).provider_message_id).toBe(ids[0]);
  });

  test("a message whose part was lost is undelivered, whatever the other parts do", async () => {
    const message = await claimed(LONG_TEXT);
    const ids = ["a", "b", "c"].map((part) => `${message.id}-${part}`);
    await recordOutcome(message.first, accepted(...ids), 1);
    await applyReceipts("vonage", [report(`${ids[0]}`, "delivered"), report(`${ids[1]}`, "undelivered")]);
    expect(await statusOf(message)).toBe("undelivered");
    await applyReceipts("vonage", [report(`${ids[1]}`, "delivered"), report(`${ids[2]}`, "delivered")]);
    expect(await statusOf(message)).toBe("undelivered");
  });

  test("receipts of all parts that come before the answer deliver the message when it is answered", async () => {
    const message = await claimed(LONG_TEXT);
    const ids = ["a", "b", "c"].map((part) => `${message.id}-${part}`);
    await applyReceipts(
      "vonage",
      ids.map((id) => report(id, "delivered")),
    );
    expect(await statusOf(message)).toBe("pending");
    await recordOutcome(message.first, accepted(...ids), 1);
    expect(await statusOf(message)).toBe("delivered");
  });

  test("parts of a send that was never answered are counted by our reference", async () => {
    const message = await claimed(LONG_TEXT);
    const reference = referenceTo(message.id, 1);
    for (const part of ["a", "b"]) {
      await applyReceipts("vonage", [report(`${message.id}-${part}`, "delivered", reference)]);
      expect(await statusOf(message)).toBe("sent");
    }
    await applyReceipts("vonage", [report(`${message.id}-c`, "delivered", reference)]);
    expect(await statusOf(message)).toBe("delivered");
  });
});

describe("receipts that name the attempt themselves", () => {
  test("a receipt resolves an attempt whose answer never came, without waiting to be joined", async () => {
    const message = await claimed();
    await recordOutcome(message.first, UNKNOWN, 1);
    const { rows } = await pool().query<{ provider: string }>(
      "SELECT provider FROM message_attempts WHERE message_id = $1 ORDER BY seq",
      [message.id],
    );
    expect(rows.map((row) => row.provider)).toEqual(["vonage", "twilio"]);
    await applyReceipts("twilio", [report(`${message.id}-x`, "delivered", referenceTo(message.id, 2))]);
    expect(await getMessage(message.account.actor, message.id)).toMatchObject({
      status: "delivered",
      provider: "twilio",
      provider_message_id: `${message.id}-x`,
      cost: 0.01,
    });
  });

  test("a reference of another provider's attempt, or of none, is not believed", async () => {
    const message = await claimed();
    await applyReceipts("twilio", [report(`${message.id}-x`, "delivered", referenceTo(message.id, 1))]);
    await applyReceipts("vonage", [report(`${message.id}-y`, "delivered", referenceTo(message.id, 7))]);
    await applyReceipts("vonage", [report(`${message.id}-z`, "delivered", "msg_x' OR 1=1")]);
    expect(await statusOf(message)).toBe("pending");
  });
});

describe("more than one attempt", () => {
  async function sentBySecond() {
    const message = await claimed();
    const second = await recordOutcome(message.first, UNKNOWN, 1);
    if (!second) throw new Error("did not go on");
    return { ...message, second };
  }

  test("that the first provider failed says nothing of what the second one took", async () => {
    const message = await sentBySecond();
    const failed = report(`${message.id}-1`, "failed", referenceTo(message.id, 1));
    await applyReceipts("vonage", [failed]);
    expect(await statusOf(message)).toBe("pending");
    await recordOutcome(message.second, accepted(`${message.id}-2`), 1);
    await applyReceipts("vonage", [failed]);
    expect(await statusOf(message)).toBe("sent");
    await applyReceipts("twilio", [report(`${message.id}-2`, "delivered")]);
    expect(await statusOf(message)).toBe("delivered");
  });

  test("that the first provider delivered ends it, billed once", async () => {
    const message = await sentBySecond();
    await recordOutcome(message.second, accepted(`${message.id}-2`), 1);
    await applyReceipts("vonage", [report(`${message.id}-1`, "delivered", referenceTo(message.id, 1))]);
    expect(await statusOf(message)).toBe("delivered");
    expect((await checkLedger()).drifted).toEqual([]);
  });

  test("a chain that ends after an unknown outcome waits for a receipt, and is refunded when none comes", async () => {
    const message = await sentBySecond();
    const refusal = { kind: "retryable", code: "503", detail: "Busy.", fault: "provider" } as const;
    expect(await recordOutcome(message.second, refusal, 1)).toBeNull();
    expect(await statusOf(message)).toBe("pending");
    await failUnresolved(soon());
    expect(await getMessage(message.account.actor, message.id)).toMatchObject({
      status: "failed",
      cost: 0,
      error: { code: "provider_outcome_unknown" },
    });
    expect((await checkLedger()).drifted).toEqual([]);
  });
});
