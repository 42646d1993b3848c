import type { Message } from "@/server/messages/schema";
import { acceptedMessage } from "../support/accepted-message";
import { requiresKey, requiresPermission } from "../support/access";
import { expect, test } from "../support/contract-test";
import { balanceOf, ISO } from "../support/follow";

const PATH = "/messages/send";
const TO = "+14155550123";
const PRICE = 0.01;

const send = (body: unknown) => ({ method: "POST", path: PATH, body });

test.describe("POST /messages/send", () => {
  test("responds 201 with the pending message, and reserves its price at once", async ({ rest, account }) => {
    const input = { to: TO, from: account.sender, body: "Grüße ¡Ω! 😀" };
    const message = await rest.post<Message>(PATH, input);
    expect(message).toEqual(acceptedMessage({ ...input, encoding: "UCS-2" }));
    expect(Math.abs(Date.now() - Date.parse(message.created_at))).toBeLessThan(60_000);
    expect(await balanceOf(rest)).toBe(100 - PRICE);
  });

  test("bills every segment: 160 and 153 characters in GSM-7, 70 and 67 in any other alphabet", async ({
    rest,
    account,
  }) => {
    const texts: [text: string, segments: number][] = [
      ["a".repeat(160), 1],
      ["a".repeat(161), 2],
      ["a".repeat(306), 2],
      ["a".repeat(307), 3],
      [`${"a".repeat(158)}€`, 1],
      [`${"a".repeat(159)}€`, 2],
      ["ж".repeat(70), 1],
      ["ж".repeat(71), 2],
      ["ж".repeat(134), 2],
      ["ж".repeat(135), 3],
      ["😀".repeat(35), 1],
      ["😀".repeat(36), 2],
      ["a".repeat(1_600), 11],
      ["ж".repeat(1_600), 24],
      ["😀".repeat(1_600), 49],
    ];
    const answers = await Promise.all(
      texts.map(([body]) => rest.post<Message>(PATH, { to: TO, from: account.sender, body })),
    );
    const costs = answers.map(({ body, cost }) => [body, cost]);
    expect(costs).toEqual(texts.map(([body, segments]) => [body, (segments * 100 * PRICE) / 100]));
    const total = texts.reduce((sum, [, segments]) => sum + segments, 0);
    expect(await balanceOf(rest)).toBe((100 * 100 - total) / 100);
  });

  test("accepts all optional fields, and null for each of them", async ({ rest, account, operator }) => {
    const message = { to: TO, from: account.sender, body: "Hello" };
    for (const extra of [
      { route_id: null, provider: null, reference: null },
      { provider: "sandbox", reference: "order-4711" },
      { reference: "" },
      { reference: "x".repeat(255) },
    ]) {
      expect(await rest.post<Message>(PATH, { ...message, ...extra })).toMatchObject({ status: "pending" });
    }
    const routeId = await operator.makeRoute("8821601", 0.25);
    const routed = { ...message, to: "+88216015550101" };
    await expect.poll(async () => (await rest.ask(send({ ...routed, route_id: routeId }))).status).toBe(201);
    // The longest prefix wins, so the number leads to that route even when it is not forced.
    expect(await rest.post<Message>(PATH, routed)).toMatchObject({ cost: 0.25 });
  });

  test("a number to which the forced route does not lead fails at once and costs nothing", async ({
    rest,
    account,
    operator,
  }) => {
    const routeId = await operator.makeRoute("8821602", 0.25);
    const input = { to: TO, from: account.sender, body: "Hello", route_id: routeId };
    await expect.poll(async () => (await rest.ask(send(input))).status).toBe(201);
    expect(await rest.post<Message>(PATH, input)).toMatchObject({
      status: "failed",
      cost: 0,
      provider: "",
      attempts: 0,
      error: { code: "no_route", message: expect.any(String), reason: "no_provider" },
      sent_at: null,
      failed_at: ISO,
      metadata: null,
      scheduled_at: null,
      validity_period: null,
    });
    expect(await balanceOf(rest)).toBe(100);
  });

  test("refuses each wrong field with a 400 that names it, stores nothing and bills nothing", async ({
    rest,
    account,
  }) => {
    const good = { to: TO, from: account.sender, body: "Hello" };
    const wrong: [field: string, values: unknown[]][] = [
      [
        "to",
        [undefined, null, "", 14155550123, "14155550123", "4155550123", "0049301234567", "+0155550123", "+123456"],
      ],
      ["to", ["+1234567890123456", "+1 415 555 0123", "+1-415-555-0123", "+1415555012a", ` ${TO}`, `${TO}\n`, [TO]]],
      ["from", [undefined, null, "", "x".repeat(17), 4711]],
      ["body", [undefined, null, "", "x".repeat(1_601), "😀".repeat(1_601), 5, ["Hello"], "nul \0", "half \ud83d"]],
      ["route_id", ["5", 0, -1, 1.5, true, 2 ** 31]],
      ["provider", ["nobody", "", "Sandbox", 5]],
      ["reference", [5, "x".repeat(256), {}]],
      ["smart_encoding", ["true", 1]],
    ];
    for (const [field, values] of wrong) {
      for (const value of values) {
        const error = await rest.refusal(400, send({ ...good, [field]: value }));
        expect(error, `${field}: ${JSON.stringify(value)}`).toMatchObject({
          param: field,
          message: expect.any(String),
        });
      }
    }
    expect((await rest.page("/messages")).pagination.total).toBe(0);
    expect(await balanceOf(rest)).toBe(100);
  });

  test("refuses a sender that is not approved, and an unknown route", async ({ rest, account }) => {
    const good = { to: TO, from: account.sender, body: "Hello" };
    await rest.post("/senders/create", { sender_id: "NOTYET" });
    const refusals: [change: object, param: string, reason: string][] = [
      [{ from: "NOTYET" }, "from", "sender_not_approved"],
      [{ from: "NOBODY" }, "from", "sender_not_approved"],
      [{ from: account.sender.toLowerCase() }, "from", "sender_not_approved"],
      [{ route_id: 2_000_000_000 }, "route_id", "unknown_route"],
    ];
    for (const [change, param, reason] of refusals) {
      const error = await rest.refusal(400, send({ ...good, ...change }));
      expect(error, JSON.stringify(change)).toMatchObject({ param, details: { reason } });
    }
    expect(await balanceOf(rest)).toBe(100);
  });

  test("refuses with 402 a send that the balance does not cover, and charges nothing", async ({ rest, operator }) => {
    const poor = await operator.makeAccount(0.01);
    const theirs = rest.withKey(poor.apiKey);
    const message = { to: TO, from: poor.sender, body: "a".repeat(161) };
    const { param, details } = await theirs.refusal(402, send(message));
    expect({ param, details }).toEqual({ param: null, details: { required: 0.02, balance: 0.01, currency: "USD" } });
    expect(await balanceOf(theirs)).toBe(0.01);
    expect((await theirs.page("/messages")).items).toEqual([]);
    await theirs.post(PATH, { ...message, body: "Affordable" });
    expect(await balanceOf(theirs)).toBe(0);
    await operator.credit(poor, 5);
    expect(await theirs.post<Message>(PATH, message)).toMatchObject({ cost: 0.02 });
  });

  test("never spends the same money twice, however many sends come at once", async ({ rest, operator }) => {
    const poor = await operator.makeAccount(0.1);
    const theirs = rest.withKey(poor.apiKey);
    const request = send({ to: "+15550100008", from: poor.sender, body: "Hello" });
    const answers = await Promise.all(Array.from({ length: 30 }, () => theirs.ask(request)));
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([...Array(10).fill(201), ...Array(20).fill(402)]);
    expect(await balanceOf(theirs)).toBe(0);
    expect((await theirs.page("/messages")).pagination.total).toBe(10);
  });

  test("a suspended account reads but does not send", async ({ rest, account, operator }) => {
    await operator.suspend(account);
    const error = await rest.refusal(403, send({ to: TO, from: account.sender, body: "Hello" }));
    expect(error.details.reason).toBe("account_not_active");
    expect(await rest.get("/account")).toMatchObject({ status: "suspended", balance: 100 });
  });

  requiresPermission("sms:send", (_rest, account) => send({ to: TO, from: account.sender, body: "Hello" }));

  requiresKey("POST", PATH);

  test("cannot see another account", async ({ rest, account, stranger }) => {
    const error = await stranger.rest.refusal(400, send({ to: TO, from: account.sender, body: "Hello" }));
    expect(error).toMatchObject({ param: "from", details: { reason: "sender_not_approved" } });
    const { id } = await rest.post<Message>(PATH, { to: TO, from: account.sender, body: "Hello" });
    await stranger.rest.refusal(404, { method: "GET", path: `/messages/${id}` });
    expect(await balanceOf(stranger.rest)).toBe(100);
  });
});
