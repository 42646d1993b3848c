import { beforeAll, describe, expect, test } from "vitest";
import { makeRoute } from "@/e2e/support/routes";
import { makeAccount, type TestAccount } from "@/e2e/support/seed";
import { plainRequest } from "@/server/accounts/answers";
import { checkLedger } from "@/server/accounts/tasks";
import { pool } from "@/server/core/db";
import type { ReceiptReport } from "@/server/core/jobs";
import { endingOf, recordEnding } from "@/server/messages/attempts";
import type { Attempt } from "@/server/messages/claims";
import { claimAttempts } from "@/server/messages/dispatch";
import { getMessage } from "@/server/messages/read";
import { applyReceipts } from "@/server/messages/receipts";
import { sendMessage } from "@/server/messages/send";
import { readStory } from "@/server/messages/story";
import { failStranded, failUnresolved, forgetCallbacks, joinLeftReceipts } from "@/server/messages/tasks";
import type { Outcome } from "@/server/providers/port";
import { referenceTo } from "@/server/providers/reference";

const PRICE = 10_000n;
const LONG_TEXT = "x".repeat(400);
const UNKNOWN = { kind: "unknown", code: "timeout", detail: "No answer." } as const;
const BUSY = { kind: "retryable", code: "503", detail: "Busy.", fault: "provider" } as const;
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

const record = (attempt: Attempt, outcome: Outcome) => recordEnding(endingOf(attempt, outcome, 1));

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
    await record(message.first, accepted(...ids));
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
    await record(message.first, accepted(...ids));
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
    await record(message.first, accepted(...ids));
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
    await record(message.first, UNKNOWN);
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
      attempts: 2,
      cost: 0.01,
    });
  });

  test("a receipt that comes before the answer counts the attempt too", async () => {
    const message = await claimed();
    await applyReceipts("vonage", [report(`${message.id}-x`, "delivered", referenceTo(message.id, 1))]);
    const settled = { status: "delivered", provider: "vonage", attempts: 1 };
    expect(await getMessage(message.account.actor, message.id)).toMatchObject(settled);
    await record(message.first, accepted(`${message.id}-x`));
    expect(await getMessage(message.account.actor, message.id)).toMatchObject(settled);
  });

  test("a reference of another provider's attempt, or of none, is not believed", async () => {
    const message = await claimed();
    await applyReceipts("twilio", [report(`${message.id}-x`, "delivered", referenceTo(message.id, 1))]);
    await applyReceipts("vonage", [report(`${message.id}-y`, "delivered", referenceTo(message.id, 7))]);
    await applyReceipts("vonage", [report(`${message.id}-z`, "delivered", "msg_x' OR 1=1")]);
    expect(await statusOf(message)).toBe("pending");
  });
});

describe("a message centre whose ids begin anew", () => {
  test("its receipts are the newer message's, once the older one is over", async () => {
    const older = await claimed(LONG_TEXT);
    const ids = ["a", "b", "c"].map((part) => `${older.id}-${part}`);
    const [first = "", second = ""] = ids;
    await record(older.first, accepted(...ids));
    await applyReceipts(
      "vonage",
      ids.map((id) => report(id, "delivered")),
    );
    expect(await statusOf(older)).toBe("delivered");

    const [short, long] = [await claimed(), await claimed(LONG_TEXT)];
    await record(short.first, accepted(first));
    await record(long.first, accepted(`${older.id}-x`, second, `${older.id}-y`));
    await applyReceipts("vonage", [report(first, "undelivered")]);
    expect(await statusOf(short)).toBe("undelivered");
    await applyReceipts("vonage", [report(second, "undelivered")]);
    expect(await statusOf(long)).toBe("undelivered");
    expect(await getMessage(older.account.actor, older.id)).toMatchObject({
      status: "delivered",
      provider_message_id: first,
    });
  });

  test("of one provider that reports on messages as a whole as well", async () => {
    const [older, newer, newest] = [await sentByTwilio("same"), await claimed(), await claimed()];
    const ofTwilio = async ({ first }: { first: Attempt }) => {
      const second = await record(first, BUSY);
      if (!second) throw new Error("did not go on");
      return record(second, accepted(older.providerMessageId));
    };
    await ofTwilio(newer);
    // The older one still waits for its receipt.
    expect((await getMessage(newer.account.actor, newer.id)).provider_message_id).toBe("");
    await applyReceipts("twilio", [report(older.providerMessageId, "delivered")]);
    expect(await statusOf(older)).toBe("delivered");
    await ofTwilio(newest);
    await applyReceipts("twilio", [report(older.providerMessageId, "undelivered")]);
    expect(await statusOf(newest)).toBe("undelivered");
    expect(await statusOf(newer)).toBe("sent");
  });

  async function sentByTwilio(name: string) {
    const message = await claimed();
    const second = await record(message.first, BUSY);
    if (!second) throw new Error("did not go on");
    const providerMessageId = `${message.id}-${name}`;
    await record(second, accepted(providerMessageId));
    return { ...message, providerMessageId };
  }
});

describe("receipts about no message that is known", () => {
  const receiptsOf = async (providerMessageId: string) =>
    (
      await pool().query<{ messageId: string | null }>(
        `SELECT message_id AS "messageId" FROM receipts WHERE provider_message_id = $1`,
        [providerMessageId],
      )
    ).rows;
  const age = (providerMessageId: string, by: string) =>
    pool().query("UPDATE receipts SET received_at = received_at - $2::interval WHERE provider_message_id = $1", [
      providerMessageId,
      by,
    ]);

  test("are looked at again for an hour, and forgotten after 72 hours", async () => {
    const message = await claimed();
    const [late, old] = [`${message.id}-late`, `${message.id}-old`];
    for (const id of [late, old]) await applyReceipts("vonage", [report(id, "delivered")]);
    await age(old, "71 hours");
    await forgetCallbacks();
    expect([await receiptsOf(late), await receiptsOf(old)]).toEqual([[{ messageId: null }], [{ messageId: null }]]);

    await record(message.first, accepted());
    await pool().query("UPDATE message_attempts SET provider_message_id = $2 WHERE message_id = $1", [message.id, old]);
    await joinLeftReceipts(new Date(Date.now() - 3_600_000));
    expect(await receiptsOf(old)).toEqual([{ messageId: null }]);
    await pool().query("UPDATE message_attempts SET provider_message_id = $2 WHERE message_id = $1", [
      message.id,
      late,
    ]);
    await joinLeftReceipts(new Date(Date.now() - 3_600_000));
    expect(await receiptsOf(late)).toEqual([{ messageId: message.id }]);
    expect(await statusOf(message)).toBe("delivered");

    for (const id of [late, old]) await age(id, "2 hours");
    await age(late, "71 hours");
    await forgetCallbacks();
    expect([await receiptsOf(late), await receiptsOf(old)]).toEqual([[{ messageId: message.id }], []]);
  });
});

describe("more than one attempt", () => {
  async function sentBySecond() {
    const message = await claimed();
    const second = await record(message.first, UNKNOWN);
    if (!second) throw new Error("did not go on");
    return { ...message, second };
  }

  test("that the first provider failed says nothing of what the second one took", async () => {
    const message = await sentBySecond();
    const failed = report(`${message.id}-1`, "failed", referenceTo(message.id, 1));
    await applyReceipts("vonage", [failed]);
    expect(await statusOf(message)).toBe("pending");
    await record(message.second, accepted(`${message.id}-2`));
    await applyReceipts("vonage", [failed]);
    expect(await statusOf(message)).toBe("sent");
    await applyReceipts("twilio", [report(`${message.id}-2`, "delivered")]);
    expect(await statusOf(message)).toBe("delivered");
  });

  test("that the first provider delivered ends it, billed once", async () => {
    const message = await sentBySecond();
    await record(message.second, accepted(`${message.id}-2`));
    await applyReceipts("vonage", [report(`${message.id}-1`, "delivered", referenceTo(message.id, 1))]);
    expect(await statusOf(message)).toBe("delivered");
    expect((await checkLedger()).drifted).toEqual([]);
  });

  test("a chain that ends after an unknown outcome waits for a receipt, and is refunded when none comes", async () => {
    const message = await sentBySecond();
    expect(await record(message.second, BUSY)).toBeNull();
    expect(await statusOf(message)).toBe("pending");
    await failUnresolved(soon());
    expect(await getMessage(message.account.actor, message.id)).toMatchObject({
      status: "failed",
      attempts: 2,
      cost: 0,
      error: { code: "provider_outcome_unknown" },
    });
    expect((await checkLedger()).drifted).toEqual([]);
  });

  test("a refusal after an outcome that is not known stops the chain, and leaves the last word to a receipt", async () => {
    const refused = { kind: "refused", code: "21610", detail: "The recipient has opted out." } as const;
    const [told, silent] = [await sentBySecond(), await sentBySecond()];
    for (const message of [told, silent]) {
      expect(await record(message.second, refused)).toBeNull();
      expect(await statusOf(message)).toBe("pending");
      expect(await claimAttempts([message.id])).toEqual([]);
    }
    await applyReceipts("vonage", [report(`${told.id}-1`, "delivered", referenceTo(told.id, 1))]);
    expect(await getMessage(told.account.actor, told.id)).toMatchObject({ status: "delivered", cost: 0.01 });
    await failUnresolved(soon());
    expect(await getMessage(silent.account.actor, silent.id)).toMatchObject({
      status: "failed",
      attempts: 2,
      cost: 0,
      error: { code: "provider_outcome_unknown" },
    });
    expect((await checkLedger()).drifted).toEqual([]);
  });

  test("the first provider's own failure ends what the second one refused", async () => {
    const message = await sentBySecond();
    await record(message.second, { kind: "refused", code: "21610", detail: "The recipient has opted out." });
    await applyReceipts("vonage", [report(`${message.id}-1`, "failed", referenceTo(message.id, 1))]);
    expect(await statusOf(message)).toBe("failed");
  });

  test("once the first provider has reported its failure, the end of the chain is the end", async () => {
    const message = await sentBySecond();
    await applyReceipts("vonage", [report(`${message.id}-1`, "failed", referenceTo(message.id, 1))]);
    expect(await statusOf(message)).toBe("pending");
    await record(message.second, BUSY);
    expect(await getMessage(message.account.actor, message.id)).toMatchObject({
      status: "failed",
      cost: 0,
      error: { code: "no_provider_available" },
    });
  });
});

test("what a provider says in words of its own is kept, and shown to no customer", async () => {
  const message = await claimed();
  const said = "The account AC1 was not found.";
  await record(message.first, { ...BUSY, said });
  const attempt = { ...message.first, seq: 2, provider: "twilio", tried: ["vonage"] };
  await record(attempt, { kind: "refused", code: "20404", detail: "The provider refused the message.", said });
  const { rows } = await pool().query("SELECT said, fault FROM message_attempts WHERE message_id = $1 ORDER BY seq", [
    message.id,
  ]);
  expect(rows).toEqual([
    { said, fault: "provider" },
    { said, fault: null },
  ]);
  const shown = await getMessage(message.account.actor, message.id);
  expect(shown.error).toEqual({ code: "20404", message: "The provider refused the message." });
  expect(
    (await readStory(message.account.actor, message.id)).attempts.flatMap((made) => Object.values(made)),
  ).not.toContain(said);
});

test("a message whose attempts have all ended, and that nobody goes on with, is given up", async () => {
  const message = await claimed();
  await pool().query("UPDATE message_attempts SET outcome = 'retryable' WHERE message_id = $1", [message.id]);
  await failUnresolved(soon());
  expect(await statusOf(message)).toBe("pending");
  await failStranded(new Date(Date.now() - 60_000));
  expect(await statusOf(message)).toBe("pending");
  await failStranded(soon());
  expect(await getMessage(message.account.actor, message.id)).toMatchObject({
    status: "failed",
    attempts: 1,
    cost: 0,
    error: { code: "no_provider_available" },
  });
});

describe("an outcome that is recorded more than once", () => {
  const attemptsOf = async (id: string) =>
    (
      await pool().query<{ provider: string; outcome: string | null }>(
        "SELECT provider, outcome FROM message_attempts WHERE message_id = $1 ORDER BY seq",
        [id],
      )
    ).rows;

  test("by several at once: one of them goes on", async () => {
    const message = await claimed();
    const nexts = await Promise.all([record(message.first, BUSY), record(message.first, BUSY)]);
    expect(nexts.map((next) => next?.seq ?? null).sort()).toEqual([2, null]);
    expect(await record(message.first, BUSY)).toBeNull();
    expect(await record(message.first, UNKNOWN)).toBeNull();
    expect(await attemptsOf(message.id)).toEqual([
      { provider: "vonage", outcome: "retryable" },
      { provider: "twilio", outcome: null },
    ]);
  });

  test("beside a dispatch that goes on too: one hand-over", async () => {
    const message = await claimed();
    await record(message.first, UNKNOWN);
    await pool().query("DELETE FROM message_attempts WHERE message_id = $1 AND seq = 2", [message.id]);
    const outcomes = await Promise.all([claimAttempts([message.id]), record(message.first, BUSY)]);
    expect(outcomes.flat().filter(Boolean)).toHaveLength(1);
    expect(await attemptsOf(message.id)).toHaveLength(2);
  });

  test("a refusal that comes late does not end a message that is under way elsewhere", async () => {
    const message = await claimed();
    await record(message.first, UNKNOWN);
    await record(message.first, { kind: "refused", code: "x", detail: "Late." });
    expect(await statusOf(message)).toBe("pending");
  });

  test("by its own recorder, who did not hear of the COMMIT: the hand-over that follows stays its own", async () => {
    const message = await claimed();
    const ending = endingOf(message.first, BUSY, 1);
    const next = await recordEnding(ending);
    expect(next?.provider).toBe("twilio");
    expect(await recordEnding(ending)).toEqual(next);
    expect(await recordEnding(endingOf(message.first, BUSY, 1))).toBeNull();
    expect(await attemptsOf(message.id)).toHaveLength(2);
  });

  test("that a provider took it counts, even when somebody else has gone on", async () => {
    const message = await claimed();
    await record(message.first, BUSY);
    await record(message.first, accepted(`${message.id}-1`));
    expect(await getMessage(message.account.actor, message.id)).toMatchObject({ status: "sent", provider: "vonage" });
  });
});
