import type { BulkResult, Message } from "@/server/messages/schema";
import { acceptedMessage } from "../support/accepted-message";
import { requiresKey, requiresPermission } from "../support/access";
import { expect, test } from "../support/contract-test";
import { balanceOf, ISO } from "../support/follow";

const PATH = "/messages/bulk";
/** The sandbox never reports on this number, so a thousand messages are soon at rest. */
const SILENT = "+15550100008";
const PRICE = 0.01;

const bulk = (body: unknown) => ({ method: "POST", path: PATH, body });

test.describe("POST /messages/bulk", () => {
  test("every recipient gets a separate message, in the order of the request, repeated ones too", async ({
    rest,
    account,
  }) => {
    const recipients = ["+14155550101", "+14155550102", "+14155550101"];
    const result = await rest.post<BulkResult>(PATH, { recipients, from: account.sender, body: "To all" });
    expect(result).toEqual({
      object: "bulk_result",
      total: 3,
      sent: 3,
      failed: 0,
      messages: recipients.map((to) => acceptedMessage({ to, from: account.sender, body: "To all" })),
    });
    const ids = result.messages.map((message) => message.id);
    expect(new Set(ids).size).toBe(3);
    for (const { id, to } of result.messages) {
      expect(await rest.get<Message>(`/messages/${id}`)).toMatchObject({ id, to, body: "To all", cost: PRICE });
    }
    expect(await balanceOf(rest)).toBe(99.97);
  });

  test("a recipient that is not a phone number fails alone, free of charge, and the rest are sent", async ({
    rest,
    account,
  }) => {
    const bad = ["not a number", "4155550123", "", "+0123456789", "+1 415 555 0123"];
    const recipients = ["+14155550101", ...bad, "+14155550102"];
    const result = await rest.post<BulkResult>(PATH, { recipients, from: account.sender, body: "To all" });
    expect(result).toMatchObject({ total: 7, sent: 2, failed: 5 });
    expect(result.messages.map(({ status }) => status)).toEqual(["pending", ...bad.map(() => "failed"), "pending"]);
    for (const [at, message] of result.messages.slice(1, -1).entries()) {
      expect(message, bad[at]).toMatchObject({
        id: expect.stringMatching(/^msg_/),
        cost: 0,
        attempts: 0,
        error: { code: "invalid_recipient", message: expect.any(String), reason: "invalid_recipient" },
        failed_at: ISO,
        scheduled_at: null,
        validity_period: null,
        sent_at: null,
      });
    }
    expect(result.messages.slice(1, -1).map(({ to }) => to)).toEqual(bad);
    expect(await balanceOf(rest)).toBe(99.98);
  });

  test("takes 1,000 recipients and not one more", async ({ rest, account }) => {
    const recipients = Array<string>(1_000).fill(SILENT);
    const result = await rest.post<BulkResult>(PATH, { recipients, from: account.sender, body: "To all" });
    expect(result).toMatchObject({ total: 1_000, sent: 1_000, failed: 0 });
    expect(new Set(result.messages.map((message) => message.id)).size).toBe(1_000);
    expect(await balanceOf(rest)).toBe(90);
    const more = { recipients: [...recipients, SILENT], from: account.sender, body: "To all" };
    expect(await rest.refusal(400, bulk(more))).toMatchObject({ param: "recipients" });
    expect(await balanceOf(rest)).toBe(90);
  });

  test("refuses each wrong field with a 400 that names it, stores nothing and bills nothing", async ({
    rest,
    account,
  }) => {
    const good = { recipients: ["+14155550101"], from: account.sender, body: "Hello" };
    const wrong: [param: string, change: object][] = [
      ["recipients", { recipients: undefined }],
      ["recipients", { recipients: [] }],
      ["recipients", { recipients: "+14155550101" }],
      ["recipients", { recipients: null }],
      ["recipients[1]", { recipients: ["+14155550101", 5] }],
      ["recipients[0]", { recipients: [null, "+14155550101"] }],
      // Text that cannot be stored cannot be reported as a recipient.
      ["recipients[1]", { recipients: ["+14155550101", "nul \0"] }],
      ["recipients[0]", { recipients: ["half \ud83d"] }],
      ["from", { from: undefined }],
      ["from", { from: "NOBODY" }],
      ["body", { body: "" }],
      ["body", { body: "x".repeat(1_601) }],
      ["route_id", { route_id: "1" }],
      ["route_id", { route_id: 2_000_000_000 }],
      ["provider", { provider: "nobody" }],
      ["provider", { provider: "twilio" }],
      ["smart_encoding", { smart_encoding: "yes" }],
    ];
    for (const [param, change] of wrong) {
      expect(await rest.refusal(400, bulk({ ...good, ...change })), JSON.stringify(change)).toMatchObject({ param });
    }
    expect((await rest.page("/messages")).pagination.total).toBe(0);
    expect(await balanceOf(rest)).toBe(100);
  });

  test("the balance must cover all deliverable messages, or a 402 sends nothing to anybody", async ({
    rest,
    operator,
  }) => {
    const poor = await operator.makeAccount(0.02);
    const theirs = rest.withKey(poor.apiKey);
    const three = { recipients: [SILENT, SILENT, SILENT], from: poor.sender, body: "Hello" };
    const { details } = await theirs.refusal(402, bulk(three));
    expect(details).toEqual({ required: 0.03, balance: 0.02, currency: "USD" });
    expect((await theirs.page("/messages")).items).toEqual([]);
    expect(await balanceOf(theirs)).toBe(0.02);
    // Messages that fail at once cost nothing and need no balance.
    const two = { ...three, recipients: [SILENT, "nobody", SILENT] };
    expect(await theirs.post<BulkResult>(PATH, two)).toMatchObject({ sent: 2, failed: 1 });
    expect(await balanceOf(theirs)).toBe(0);
    const none = { ...three, recipients: ["nobody"] };
    expect(await theirs.post<BulkResult>(PATH, none)).toMatchObject({ total: 1, sent: 0, failed: 1 });
  });

  test("every segment of every message is billed", async ({ rest, account }) => {
    const body = "ж".repeat(71);
    const { messages } = await rest.post<BulkResult>(PATH, {
      recipients: [SILENT, SILENT],
      from: account.sender,
      body,
    });
    expect(messages.map((message) => message.cost)).toEqual([0.02, 0.02]);
    expect(await balanceOf(rest)).toBe(99.96);
  });

  test("a suspended account sends to nobody", async ({ rest, account, operator }) => {
    await operator.suspend(account);
    const error = await rest.refusal(403, bulk({ recipients: [SILENT], from: account.sender, body: "Hello" }));
    expect(error.details.reason).toBe("account_not_active");
  });

  requiresPermission("sms:bulk", (_rest, { sender }) => bulk({ recipients: [SILENT], from: sender, body: "Hello" }));

  requiresKey("POST", PATH);

  test("cannot see another account", async ({ rest, account, stranger }) => {
    const body = { recipients: [SILENT], from: account.sender, body: "Hello" };
    expect(await stranger.rest.refusal(400, bulk(body))).toMatchObject({
      param: "from",
      details: { reason: "sender_not_approved" },
    });
    await rest.post<BulkResult>(PATH, body);
    expect((await stranger.rest.page("/messages")).items).toEqual([]);
    expect(await balanceOf(stranger.rest)).toBe(100);
  });
});
