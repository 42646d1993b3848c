import type { Estimate } from "@/server/messages/accept/estimate-schema";
import type { BulkResult, Message } from "@/server/messages/schema";
import { requiresKey, requiresPermission } from "../support/access";
import type { OwnAccount } from "../support/accounts";
import type { CheckedApi } from "../support/checked-api";
import { expect, test } from "../support/contract-test";
import { balanceOf } from "../support/follow";

const PATH = "/messages/estimate";
const TO = "+15550100008";

const estimateOf = (rest: CheckedApi, body: object): Promise<Estimate> => rest.post<Estimate>(PATH, body);
const refused = (body: unknown) => ({ method: "POST", path: PATH, body });
const messageOf = ({ sender }: OwnAccount) => ({ to: TO, from: sender, body: "Hello" });

test.describe("POST /messages/estimate", () => {
  test("responds 200 with segments, alphabet and cost of a single send, and stores and bills nothing", async ({
    rest,
    account,
  }) => {
    expect(await estimateOf(rest, messageOf(account))).toEqual({
      object: "estimate",
      encoding: "GSM-7",
      segments: 1,
      characters: 5,
      units: 5,
      non_gsm: [],
      smart: { segments: 1, encoding: "GSM-7", saved_segments: 0 },
      cost: 0.01,
      currency: "USD",
      balance: 100,
      sufficient: true,
      recipients: [
        {
          to: TO,
          route_id: expect.any(Number),
          provider: "sandbox",
          segments: 1,
          price_per_segment: 0.01,
          cost: 0.01,
          scheduled_at: null,
          refusal: null,
        },
      ],
      refusals: [],
    });
    expect((await rest.page("/messages")).items).toEqual([]);
    expect(await balanceOf(rest)).toBe(100);
  });

  test("names the characters that make a text expensive, and their smart encoding", async ({ rest, account }) => {
    const body = `“${"a".repeat(98)}ą`;
    expect(await estimateOf(rest, { ...messageOf(account), body })).toMatchObject({
      encoding: "UCS-2",
      segments: 2,
      characters: 100,
      units: 100,
      non_gsm: [
        { character: "“", code_point: "U+201C", index: 0, substitute: '"' },
        { character: "ą", code_point: "U+0105", index: 99, substitute: null },
      ],
      smart: { segments: 2, encoding: "UCS-2", saved_segments: 0 },
    });
    const quoted = { ...messageOf(account), body: `“${"a".repeat(98)}”` };
    const smart = { segments: 1, encoding: "GSM-7", saved_segments: 1 };
    expect(await estimateOf(rest, quoted)).toMatchObject({ segments: 2, cost: 0.02, smart });
    const asked = await estimateOf(rest, { ...quoted, smart_encoding: true });
    expect(asked).toMatchObject({ segments: 1, encoding: "GSM-7", cost: 0.01, smart });
  });

  test("the estimate of a bulk is its later cost", async ({ rest, account }) => {
    const body = { recipients: [TO, "nobody", TO], from: account.sender, body: "ж".repeat(71) };
    const estimate = await estimateOf(rest, body);
    expect(estimate).toMatchObject({ segments: 2, cost: 0.04, sufficient: true, refusals: [] });
    expect(estimate.recipients.map(({ to, cost }) => [to, cost])).toEqual([
      [TO, 0.02],
      ["nobody", 0],
      [TO, 0.02],
    ]);
    const sent = await rest.post<BulkResult>("/messages/bulk", body);
    expect(sent.messages.map(({ to, cost, error }) => [to, cost, error])).toEqual(
      estimate.recipients.map(({ to, cost, refusal }) => [to, cost, refusal]),
    );
    expect(await balanceOf(rest)).toBe(99.96);
  });

  test("returns the routed price, and reports a recipient without a route", async ({ rest, account, operator }) => {
    const routeId = await operator.makeRoute("8821604", 0.5);
    const routed = { ...messageOf(account), to: "+88216045550101", route_id: routeId };
    await expect.poll(async () => (await estimateOf(rest, routed)).refusals).toEqual([]);
    expect(await estimateOf(rest, routed)).toMatchObject({
      cost: 0.5,
      recipients: [{ route_id: routeId, price_per_segment: 0.5 }],
    });
    const estimate = await estimateOf(rest, { ...routed, to: TO });
    const sent = await rest.post<Message>("/messages/send", { ...routed, to: TO });
    expect(estimate).toMatchObject({ cost: 0, refusals: [], recipients: [{ route_id: null, cost: 0 }] });
    expect(estimate.recipients[0]?.refusal).toEqual(sent.error);
  });

  test("a reported refusal does refuse the send, with the same message", async ({ rest, account, operator, keyed }) => {
    const poor = await operator.makeAccount(0.01);
    const limited = await keyed({ daily_limit: 1 });
    await limited.post("/messages/send", messageOf(account));
    const rich = messageOf(account);
    const cases: [api: CheckedApi, body: object, status: number, reason: string | undefined][] = [
      [rest, { ...rich, from: "NOBODY" }, 400, "sender_not_approved"],
      [rest, { ...rich, provider: "twilio" }, 400, "provider_not_configured"],
      [rest, { ...rich, route_id: 2_000_000_000 }, 400, "unknown_route"],
      [rest.withKey(poor.apiKey), { ...messageOf(poor), body: "a".repeat(161) }, 402, undefined],
      [limited, rich, 429, "daily_limit"],
    ];
    for (const [api, body, status, reason] of cases) {
      const [first, ...others] = (await estimateOf(api, body)).refusals;
      const { code, message, param, details } = await api.refusal(status, {
        method: "POST",
        path: "/messages/send",
        body,
      });
      expect(details.reason).toBe(reason);
      expect([first, others]).toEqual([{ status, code, reason: reason ?? code, message, param }, []]);
    }
  });

  test("reports all reasons to refuse a send, not only the first", async ({ rest, operator }) => {
    const poor = await operator.makeAccount(0);
    const body = { ...messageOf(poor), from: "NOBODY", provider: "twilio" };
    const estimate = await estimateOf(rest.withKey(poor.apiKey), body);
    expect(estimate.sufficient).toBe(false);
    expect(estimate.refusals.map(({ reason }) => reason)).toEqual([
      "sender_not_approved",
      "provider_not_configured",
      "insufficient_balance",
    ]);
  });

  test("refuses each malformed field that the send would refuse with a 400 that names it", async ({
    rest,
    account,
  }) => {
    const good = messageOf(account);
    const wrong: [param: string, change: object][] = [
      ["to", { to: undefined }],
      ["to", { to: "4155550123" }],
      ["recipients", { recipients: [TO] }],
      ["recipients", { to: undefined, recipients: [] }],
      ["recipients", { to: undefined, recipients: Array(1_001).fill(TO) }],
      ["recipients[0]", { to: undefined, recipients: [5] }],
      ["from", { from: undefined }],
      ["body", { body: "" }],
      ["body", { body: "x".repeat(1_601) }],
      ["route_id", { route_id: "1" }],
      ["provider", { provider: "nobody" }],
      ["smart_encoding", { smart_encoding: "true" }],
      ["reference", { reference: "x".repeat(256) }],
      ["reference", { reference: 5 }],
    ];
    for (const [param, change] of wrong) {
      const error = await rest.refusal(400, refused({ ...good, ...change }));
      expect(error, JSON.stringify(change).slice(0, 100)).toMatchObject({ param });
    }
  });

  test("accepts the reference of a single send, up to 255 characters", async ({ rest, account }) => {
    const body = { ...messageOf(account), reference: "x".repeat(255) };
    expect((await estimateOf(rest, body)).refusals).toEqual([]);
    expect((await estimateOf(rest, { ...body, reference: null })).refusals).toEqual([]);
  });

  requiresPermission("sms:send", (_rest, account) => refused(messageOf(account)));

  requiresPermission("sms:bulk", (_rest, account) => {
    const { to, ...shared } = messageOf(account);
    return refused({ recipients: [to], ...shared });
  });

  test("a key with neither permission is refused before its body is read", async ({ keyed }) => {
    const reader = await keyed({ permissions: ["sms:read"] });
    const { message, details } = await reader.refusal(403, refused({}));
    expect(details).toEqual({ reason: "missing_scope", required: "sms:send" });
    expect(message).toContain("sms:send or sms:bulk");
  });

  requiresKey("POST", PATH);

  test("cannot see another account", async ({ account, stranger }) => {
    const estimate = await estimateOf(stranger.rest, messageOf(account));
    expect(estimate.refusals.map(({ reason }) => reason)).toEqual(["sender_not_approved"]);
    expect(estimate.balance).toBe(100);
  });
});

test.describe("smart_encoding", () => {
  test("writes typographic punctuation as GSM-7 before a text is counted, sent and shown", async ({
    rest,
    account,
  }) => {
    const typed = "“It’s done” – see…\u00a0ok";
    const input = { ...messageOf(account), body: typed, smart_encoding: true };
    const sent = await rest.post<Message>("/messages/send", input);
    expect(sent.body).toBe(`"It's done" - see... ok`);
    expect((await rest.get<Message>(`/messages/${sent.id}`)).body).toBe(sent.body);
    const { recipients, ...bulk } = { ...input, recipients: [TO] };
    const { messages } = await rest.post<BulkResult>("/messages/bulk", { recipients, ...bulk, to: undefined });
    expect(messages[0]?.body).toBe(sent.body);
  });

  test("saves segments, and never letters or emoji", async ({ rest, account }) => {
    const quoted = `“${"a".repeat(98)}”`;
    const send = (more: object) => rest.post<Message>("/messages/send", { ...messageOf(account), ...more });
    expect(await send({ body: quoted })).toMatchObject({ body: quoted, cost: 0.02 });
    expect(await send({ body: quoted, smart_encoding: false })).toMatchObject({ body: quoted, cost: 0.02 });
    expect(await send({ body: quoted, smart_encoding: true })).toMatchObject({ cost: 0.01 });
    const kept = "Zażółć gęślą jaźń 😀";
    expect(await send({ body: kept, smart_encoding: true })).toMatchObject({ body: kept });
  });
});
