import { beforeAll, describe, expect, test } from "vitest";
import {
  accepted,
  BUSY,
  claimed,
  prepareAttempts,
  record,
  recordAndAdvance,
  report,
  statusOf,
  UNKNOWN,
} from "@/e2e/support/attempts";
import { HOUR_MS } from "@/server/core/clock";
import { pool } from "@/server/core/db";
import type { Attempt } from "@/server/messages/dispatch/claims";
import { joinLeftReceipts } from "@/server/messages/dispatch/sweeps";
import { getMessage } from "@/server/messages/read";
import { applyReceipts } from "@/server/messages/receipts/apply-receipts";
import { forgetCallbacks } from "@/server/messages/tasks";
import { referenceTo } from "@/server/providers/reference";

const LONG_TEXT = "x".repeat(400);

beforeAll(prepareAttempts);

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

  test("receipts of a part that come together, the later step first, count by the final one", async () => {
    const message = await claimed(LONG_TEXT);
    const ids = ["a", "b", "c"].map((part) => `${message.id}-${part}`);
    await record(message.first, accepted(...ids));
    await applyReceipts(
      "vonage",
      ids.flatMap((id) => [report(id, "delivered"), report(id, "sent")]),
    );
    expect(await statusOf(message)).toBe("delivered");
  });

  test("parts that were taken before the provider fell silent are known by their ids", async () => {
    const message = await claimed(LONG_TEXT);
    const taken = ["a", "b"].map((part) => `${message.id}-${part}`);
    await record(message.first, { ...UNKNOWN, taken });
    await applyReceipts("vonage", [report(`${taken[0]}`, "delivered")]);
    // The third part may be anywhere, so two of them do not deliver the message.
    await applyReceipts("vonage", [report(`${taken[1]}`, "delivered")]);
    expect(await getMessage(message.account.actor, message.id)).toMatchObject({ status: "sent", provider: "vonage" });
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
      const second = await recordAndAdvance(first, BUSY);
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
    const second = await recordAndAdvance(message.first, BUSY);
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
    await joinLeftReceipts(HOUR_MS);
    expect(await receiptsOf(old)).toEqual([{ messageId: null }]);
    await pool().query("UPDATE message_attempts SET provider_message_id = $2 WHERE message_id = $1", [
      message.id,
      late,
    ]);
    await joinLeftReceipts(HOUR_MS);
    expect(await receiptsOf(late)).toEqual([{ messageId: message.id }]);
    expect(await statusOf(message)).toBe("delivered");

    for (const id of [late, old]) await age(id, "2 hours");
    await age(late, "71 hours");
    await forgetCallbacks();
    expect([await receiptsOf(late), await receiptsOf(old)]).toEqual([[{ messageId: message.id }], []]);
  });
});

test("what makes callbacks unique is kept for a day, and for a month where they have no time", async () => {
  const ages = [
    ["sinch", "24 hours"],
    ["sinch", "26 hours"],
    ["plivo", "30 days"],
    ["plivo", "32 days"],
  ];
  for (const [provider, old] of ages) {
    await pool().query("INSERT INTO receipt_nonces VALUES ($1, $2, now() - $3::interval)", [provider, old, old]);
  }
  await forgetCallbacks();
  const { rows } = await pool().query("SELECT provider, nonce FROM receipt_nonces ORDER BY seen_at DESC");
  expect(rows).toEqual([
    { provider: "sinch", nonce: "24 hours" },
    { provider: "plivo", nonce: "30 days" },
  ]);
});
