import { beforeAll, describe, expect, test } from "vitest";
import { HOUR_MS } from "@/server/core/clock";
import { pool } from "@/server/core/db";
import type { JobPayload, ReceiptReport } from "@/server/core/jobs";
import type { Attempt } from "@/server/messages/dispatch/claims";
import { joinLeftReceipts } from "@/server/messages/dispatch/join-left-receipts";
import { getMessage } from "@/server/messages/read";
import { applyReceipts } from "@/server/messages/receipts/apply-receipts";
import { forgetCallbacks, rejoin } from "@/server/messages/tasks";
import { referenceTo } from "@/server/providers/reference";
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
} from "@/test/database/attempts";

const LONG_TEXT = "x".repeat(400);

beforeAll(prepareAttempts);

describe("receipts with our reference", () => {
  test("resolve an attempt without a response, without being parked", async () => {
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

  test("count the attempt even before the response", async () => {
    const message = await claimed();
    await applyReceipts("vonage", [report(`${message.id}-x`, "delivered", referenceTo(message.id, 1))]);
    const settled = { status: "delivered", provider: "vonage", attempts: 1 };
    expect(await getMessage(message.account.actor, message.id)).toMatchObject(settled);
    await record(message.first, accepted(`${message.id}-x`));
    expect(await getMessage(message.account.actor, message.id)).toMatchObject(settled);
  });

  test("for two messages under one provider id settle both, and every other one of the batch", async () => {
    const [a, b, c] = [await claimed(), await claimed(), await claimed()];
    await recordAndAdvance(a.first, BUSY);
    await recordAndAdvance(b.first, BUSY);
    await record(await recordAndAdvance(c.first, BUSY), accepted(`${c.id}-x`));
    const same = `${a.id}-same`;
    const batch = [
      report(same, "delivered", referenceTo(a.id, 2)),
      report(same, "delivered", referenceTo(b.id, 2)),
      report(`${c.id}-x`, "delivered"),
    ];
    await applyReceipts("twilio", batch);
    expect(await Promise.all([a, b, c].map(statusOf))).toEqual(["delivered", "delivered", "delivered"]);
    await applyReceipts("twilio", batch);
    const { rows } = await pool().query(
      "SELECT message_id AS id FROM message_attempts WHERE provider = 'twilio' AND provider_message_id = $1",
      [same],
    );
    expect(rows).toEqual([{ id: [a.id, b.id].sort()[0] }]);
  });

  test("are ignored when the reference names another provider's attempt, or none", async () => {
    const message = await claimed();
    await applyReceipts("twilio", [report(`${message.id}-x`, "delivered", referenceTo(message.id, 1))]);
    await applyReceipts("vonage", [report(`${message.id}-y`, "delivered", referenceTo(message.id, 7))]);
    await applyReceipts("vonage", [report(`${message.id}-z`, "delivered", "msg_x' OR 1=1")]);
    expect(await statusOf(message)).toBe("pending");
  });
});

describe("a message centre that restarts its ids", () => {
  test("has receipts that belong to the newer message once the older one is finished", async () => {
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

  test("may be a provider that reports on whole messages", async () => {
    const [older, newer, newest] = [await sentByTwilio("same"), await claimed(), await claimed()];
    const ofTwilio = async ({ first }: { first: Attempt }) => {
      const second = await recordAndAdvance(first, BUSY);
      return record(second, accepted(older.providerMessageId));
    };
    await ofTwilio(newer);
    // The older one is not finished, so it keeps the id.
    expect((await getMessage(newer.account.actor, newer.id)).provider_message_id).toBe("");
    await applyReceipts("twilio", [report(older.providerMessageId, "delivered")]);
    expect(await statusOf(older)).toBe("delivered");
    await ofTwilio(newest);
    await applyReceipts("twilio", [report(older.providerMessageId, "undelivered")]);
    expect(await statusOf(newest)).toBe("undelivered");
    expect(await statusOf(newer)).toBe("sent");
  });

  test("a receipt that was parked before a message was accepted is not about that message", async () => {
    const message = await claimed();
    const [old, early] = [`${message.id}-1`, `${message.id}-2`];
    await applyReceipts("vonage", [report(old, "undelivered")]);
    await pool().query(
      "UPDATE receipts SET received_at = received_at - interval '1 day' WHERE provider_message_id = $1",
      [old],
    );
    await record(message.first, accepted(old));
    await rejoin({ provider: "vonage", providerMessageIds: [old], isLast: true });
    expect(await statusOf(message)).toBe("sent");

    // A receipt that came before the response to its own send is about it.
    const other = await claimed();
    await applyReceipts("vonage", [report(early, "undelivered")]);
    await record(other.first, accepted(early));
    expect(await statusOf(other)).toBe("undelivered");
  });

  async function sentByTwilio(name: string) {
    const message = await claimed();
    const second = await recordAndAdvance(message.first, BUSY);
    const providerMessageId = `${message.id}-${name}`;
    await record(second, accepted(providerMessageId));
    return { ...message, providerMessageId };
  }
});

describe("receipts about unknown messages", () => {
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

  test("are matched again for an hour, and deleted after 72 hours", async () => {
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

test("nonces of callbacks are kept for a day, and for a month where callbacks have no timestamp", async () => {
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

describe("a receipt counts as applied only when it moved its message", () => {
  const appliedOf = async (id: string) =>
    (
      await pool().query<{ status: string; applied: boolean }>(
        "SELECT status, applied FROM receipts WHERE message_id = $1 ORDER BY id",
        [id],
      )
    ).rows.map(({ status, applied }) => `${status} ${applied}`);

  test("several in one batch, some of them repeated", async () => {
    const message = await claimed();
    const id = `${message.id}-x`;
    await record(message.first, accepted(id));
    await applyReceipts("vonage", [
      report(id, "sent"),
      report(id, "sent"),
      report(id, "delivered"),
      report(id, "delivered"),
      report(id, "sent"),
    ]);
    expect(await statusOf(message)).toBe("delivered");
    expect(await appliedOf(message.id)).toEqual([
      "sent false",
      "sent false",
      "delivered true",
      "delivered false",
      "sent false",
    ]);
  });

  test("if two final receipts come together, the one about the earlier event counts", async () => {
    const message = await claimed();
    const id = `${message.id}-x`;
    await record(message.first, accepted(id));
    const at = (minute: number) => ({ occurredAt: `2026-01-31T12:0${minute}:00Z` });
    const reports = [
      { ...report(id, "undelivered"), ...at(2) },
      { ...report(id, "delivered"), ...at(1) },
    ];
    await applyReceipts("vonage", reports);
    expect(await statusOf(message)).toBe("delivered");
  });

  test("repeated ones for a pending message", async () => {
    const message = await claimed();
    const reference = referenceTo(message.id, 1);
    await applyReceipts("vonage", [
      report(`${message.id}-x`, "sent", reference),
      report(`${message.id}-x`, "sent", reference),
    ]);
    expect(await statusOf(message)).toBe("sent");
    expect(await appliedOf(message.id)).toEqual(["sent true", "sent false"]);
  });

  test("parked ones are matched again a moment later, and once more", async () => {
    const message = await claimed();
    const id = `${message.id}-x`;
    const waiting = async () => {
      const { rows } = await pool().query<{ payload: JobPayload<"join_receipts">; ms: number }>(
        `SELECT p.payload, (extract(epoch FROM p.run_at - clock_timestamp()) * 1000)::float8 AS ms
         FROM graphile_worker._private_jobs p JOIN graphile_worker._private_tasks t ON t.id = p.task_id
         WHERE t.identifier = 'join_receipts' AND p.payload::text LIKE $1 ORDER BY p.id`,
        [`%${id}%`],
      );
      return rows;
    };
    await applyReceipts("vonage", [report(id, "delivered"), report(`${id}-foreign`, "delivered")]);
    const [first] = await waiting();
    expect(first?.payload).toEqual({ provider: "vonage", providerMessageIds: [id, `${id}-foreign`] });
    expect(first?.ms).toBeLessThan(1_000);
    await rejoin(first?.payload ?? expect.fail());
    const [, last] = await waiting();
    expect(last?.payload).toEqual({ ...first?.payload, isLast: true });
    expect(last?.ms).toBeGreaterThan(first?.ms ?? 0);
    // The outcome is stored by a transaction that saw no receipt.
    await pool().query(
      "UPDATE message_attempts SET provider_message_id = $2, outcome = 'accepted' WHERE message_id = $1",
      [message.id, id],
    );
    await rejoin(last?.payload ?? expect.fail());
    expect(await statusOf(message)).toBe("delivered");
    expect(await waiting()).toHaveLength(2);
  });

  test("parked ones that are joined in one batch", async () => {
    const message = await claimed();
    const id = `${message.id}-x`;
    await applyReceipts("vonage", [report(id, "sent"), report(id, "sent"), report(id, "delivered")]);
    await record(message.first, accepted(id));
    expect(await statusOf(message)).toBe("delivered");
    expect(await appliedOf(message.id)).toEqual(["sent false", "sent false", "delivered true"]);
  });
});

describe("receipts that anybody with a phone could have sent", () => {
  const recipientOf = async (id: string): Promise<string> => {
    const { rows } = await pool().query<{ to_number: string }>("SELECT to_number FROM messages WHERE id = $1", [id]);
    return rows[0]?.to_number ?? "";
  };
  const waiting = async (id: string) => {
    const { rows } = await pool().query<{ payload: { receipts: ReceiptReport[] } }>(
      `SELECT p.payload FROM graphile_worker._private_jobs p JOIN graphile_worker._private_tasks t ON t.id = p.task_id
       WHERE t.identifier = 'apply_receipts' AND p.payload::text LIKE $1`,
      [`%${id}%`],
    );
    return rows.flatMap(({ payload }) => payload.receipts);
  };

  test("count only if they come from the number that the message went to", async () => {
    const message = await claimed();
    const id = `${message.id}-c`;
    await record(message.first, accepted(id));
    await applyReceipts("vonage", [{ ...report(id, "undelivered"), recipient: "4915112345678" }]);
    expect(await statusOf(message)).toBe("sent");
    const national = `0${(await recipientOf(message.id)).slice(3)}`;
    await applyReceipts("vonage", [{ ...report(id, "delivered"), recipient: national }]);
    expect(await statusOf(message)).toBe("delivered");
  });

  test("are checked once more when their message is not known, and never kept for it", async () => {
    const message = await claimed();
    const id = `${message.id}-d`;
    const early = { ...report(id, "delivered"), recipient: await recipientOf(message.id) };
    await applyReceipts("vonage", [early]);
    const again = await waiting(id);
    expect(again).toMatchObject([{ ...early, isLastTry: true }]);
    await applyReceipts("vonage", again);
    expect(await waiting(id)).toHaveLength(1);
    await record(message.first, accepted(id));
    expect(await statusOf(message)).toBe("sent");
    await applyReceipts("vonage", again);
    expect(await statusOf(message)).toBe("delivered");
  });
});
