import { beforeAll, describe, expect, test } from "vitest";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { plainRequest } from "../../accounts/idempotency/request";
import type { AccountActor } from "../../core/actor";
import { pool } from "../../core/db";
import { isApiError } from "../../core/errors";
import { estimateSend } from "./estimate";
import type { EstimateInput } from "./estimate-schema";
import { sendBulk, sendMessage } from "./send";

const TO = "+14155550123";
const DEAR_TO = "+442071838750";
const UNREACHABLE_TO = "+999155550123";
let dearRoute = 0;

beforeAll(async () => {
  await makeRoute({ prefix: "1", priceMicros: 7_500 });
  dearRoute = await makeRoute({ prefix: "44", priceMicros: 41_300 });
});

/** All data of an account that a send changes. */
const booksOf = async ({ accountId, keyId }: TestAccount) => {
  const { rows } = await pool().query(
    `SELECT balance_micros, held_micros,
       (SELECT count(*) FROM messages WHERE account_id = $1) AS messages,
       (SELECT count(*) FROM ledger_entries WHERE account_id = $1) AS entries,
       (SELECT count(*) FROM usage_days WHERE account_id = $1) AS days,
       (SELECT count(*) FROM events WHERE account_id = $1) AS events,
       (SELECT count(*) FROM api_key_quotas WHERE key_id = $2) AS quotas
     FROM accounts WHERE id = $1`,
    [accountId, keyId],
  );
  return rows[0] as Record<string, bigint>;
};

const balanceOf = async (account: TestAccount) => Number((await booksOf(account)).balance_micros) / 1_000_000;

const limited = (account: TestAccount, daily: number | null, monthly: number | null): AccountActor => {
  if (account.actor.kind !== "apiKey") throw new Error("not a key");
  return { ...account.actor, limits: { daily, monthly } };
};

/** The refusal of the send of `input`, as an estimate presents it; null when it was accepted. */
async function refusalOfSend(actor: AccountActor, { to, recipients, ...shared }: EstimateInput) {
  try {
    if (to !== undefined) await sendMessage(actor, { to, ...shared }, plainRequest());
    if (recipients !== undefined) await sendBulk(actor, { recipients, ...shared }, plainRequest());
    return null;
  } catch (thrown) {
    if (!isApiError(thrown)) throw thrown;
    const { code, message, param, details } = thrown.wire;
    return { status: thrown.status, code, reason: details.reason ?? code, message, param };
  }
}

describe("an estimate agrees with the send that follows", () => {
  test.each([
    ["a short text", TO, "Hello", undefined],
    ["several segments", DEAR_TO, "a".repeat(307), undefined],
    ["a text outside GSM-7", TO, "“Hello” – it’s us… ".repeat(6), undefined],
    ["smart encoding", DEAR_TO, "“Hello” – it’s us… ".repeat(6), true],
    ["a number without a route", UNREACHABLE_TO, "Hello", undefined],
  ])("single, %s: to the cent, and without side effects", async (_name, to, body, smart_encoding) => {
    const account = await makeAccount();
    const input = { to, from: account.senderId, body, smart_encoding };
    const before = await booksOf(account);
    const estimate = await estimateSend(account.actor, input);
    expect(await booksOf(account)).toEqual(before);
    const message = await sendMessage(account.actor, input, plainRequest());
    expect(estimate).toMatchObject({ cost: message.cost, refusals: [], sufficient: true, currency: "USD" });
    expect(await balanceOf(account)).toBeCloseTo(estimate.balance - estimate.cost, 9);
    const { rows } = await pool().query("SELECT body, encoding, segments, route_id FROM messages WHERE id = $1", [
      message.id,
    ]);
    expect(rows).toEqual([
      {
        body: message.body,
        encoding: estimate.encoding,
        segments: estimate.segments,
        route_id: estimate.recipients[0]?.route_id,
      },
    ]);
    expect(estimate.recipients).toMatchObject([{ to, cost: message.cost, refusal: message.error }]);
  });

  test("bulk: every recipient costs or fails as estimated", async () => {
    const account = await makeAccount();
    const recipients = [TO, DEAR_TO, "4155550123", TO, UNREACHABLE_TO, "", "\0".repeat(70)];
    const input = { recipients, from: account.senderId, body: "x".repeat(200) };
    const before = await booksOf(account);
    const estimate = await estimateSend(account.actor, input);
    expect(await booksOf(account)).toEqual(before);
    const { messages } = await sendBulk(account.actor, input, plainRequest());
    expect(estimate.recipients.map(({ to, cost, refusal }) => ({ to, cost, error: refusal }))).toEqual(
      messages.map(({ to, cost, error }) => ({ to, cost, error })),
    );
    expect(estimate.cost).toBeCloseTo(2 * (2 * 0.0075 + 0.0413), 9);
    expect(await balanceOf(account)).toBeCloseTo(estimate.balance - estimate.cost, 9);
    expect(estimate.recipients[1]).toMatchObject({
      route_id: dearRoute,
      provider: "sandbox",
      price_per_segment: 0.0413,
    });
    expect(estimate.recipients[2]).toMatchObject({
      route_id: null,
      provider: null,
      price_per_segment: null,
      refusal: { code: "invalid_recipient" },
    });
  });

  test.each([
    ["sender_not_approved", { from: "NOBODY" }],
    ["unknown_route", { route_id: 999_999 }],
    ["provider_not_configured", { provider: "twilio" as const }],
  ])("%s is reported with the send's refusal", async (reason, more) => {
    const account = await makeAccount();
    const input = { to: TO, from: account.senderId, body: "Hi", ...more };
    const { refusals } = await estimateSend(account.actor, input);
    expect(refusals).toEqual([await refusalOfSend(account.actor, input)]);
    expect(refusals).toMatchObject([{ status: 400, code: "invalid_request", reason }]);
  });

  test("an insufficient balance and exceeded limits are reported with the send's refusals", async () => {
    const poor = await makeAccount({ balanceMicros: 20_000n });
    const bulk = (account: TestAccount) => ({ recipients: [TO, TO, TO], from: account.senderId, body: "Hi" });
    const short = await estimateSend(poor.actor, bulk(poor));
    expect(short).toMatchObject({ balance: 0.02, cost: 0.0225, sufficient: false });
    expect(short.refusals).toEqual([await refusalOfSend(poor.actor, bulk(poor))]);
    expect(short.refusals).toMatchObject([{ status: 402, reason: "insufficient_balance", param: null }]);

    const account = await makeAccount();
    const monthly = limited(account, null, 3);
    expect(await refusalOfSend(monthly, { to: TO, from: account.senderId, body: "Hi" })).toBeNull();
    const { refusals } = await estimateSend(monthly, bulk(account));
    expect(refusals).toEqual([await refusalOfSend(monthly, bulk(account))]);
    expect(refusals).toMatchObject([{ status: 429, code: "rate_limit_exceeded", reason: "monthly_limit" }]);
    expect((await estimateSend(monthly, { ...bulk(account), recipients: [TO, "nobody", TO] })).refusals).toEqual([]);
  });

  test("all refusals are reported at once, beginning with the send's", async () => {
    const account = await makeAccount({ balanceMicros: 0n });
    await pool().query("UPDATE accounts SET status = 'suspended' WHERE id = $1", [account.accountId]);
    const actor = limited(account, 0, 0);
    const { refusals } = await estimateSend(actor, { to: TO, from: "NOBODY", body: "Hi", provider: "smpp" });
    expect(refusals.map((refusal) => refusal.reason)).toEqual([
      "sender_not_approved",
      "provider_not_configured",
      "account_not_active",
      "insufficient_balance",
      "daily_limit",
      "monthly_limit",
    ]);
  });
});

describe("the analysis of the text", () => {
  test("lists the characters outside GSM-7, their substitutes, and the segments that smart encoding saves", async () => {
    const account = await makeAccount();
    const body = `“${"a".repeat(100)}” ą cafe\u0301`;
    const input = { to: TO, from: account.senderId, body };
    const estimate = await estimateSend(account.actor, input);
    expect(estimate).toMatchObject({ encoding: "UCS-2", segments: 2, characters: 110, units: 110 });
    expect(estimate.non_gsm).toEqual([
      { character: "“", code_point: "U+201C", index: 0, substitute: '"' },
      { character: "”", code_point: "U+201D", index: 101, substitute: '"' },
      { character: "ą", code_point: "U+0105", index: 103, substitute: null },
      { character: "\u0301", code_point: "U+0301", index: 109, substitute: "é" },
    ]);
    expect(estimate.smart).toEqual({ segments: 2, encoding: "UCS-2", saved_segments: 0 });

    const plain = await estimateSend(account.actor, { ...input, body: body.replace("ą", "{"), smart_encoding: true });
    expect(plain).toMatchObject({ encoding: "GSM-7", segments: 1, characters: 109, units: 110 });
    expect(plain.smart).toEqual({ segments: 1, encoding: "GSM-7", saved_segments: 1 });
    expect(plain.non_gsm).toHaveLength(3);
  });

  test("counts a surrogate pair as one character, and lists at most 100", async () => {
    const account = await makeAccount();
    const estimate = await estimateSend(account.actor, { to: TO, from: account.senderId, body: "😀".repeat(150) });
    expect(estimate).toMatchObject({ characters: 150, units: 300 });
    expect(estimate.non_gsm).toHaveLength(100);
    expect(estimate.non_gsm[1]).toMatchObject({ character: "😀", code_point: "U+1F600", index: 2 });
  });
});

describe("smart encoding", () => {
  test("the text as sent is stored, returned and billed", async () => {
    const account = await makeAccount();
    const body = `“${"a".repeat(100)}”…`;
    const input = { from: account.senderId, body, smart_encoding: true };
    const message = await sendMessage(account.actor, { to: TO, ...input }, plainRequest());
    expect(message).toMatchObject({ body: `"${"a".repeat(100)}"...`, cost: 0.0075 });
    const { messages } = await sendBulk(account.actor, { recipients: [TO, TO], ...input }, plainRequest());
    expect(messages.map((each) => [each.body, each.cost])).toEqual([
      [message.body, 0.0075],
      [message.body, 0.0075],
    ]);
  });

  test("without smart encoding a text is sent as typed", async () => {
    const account = await makeAccount();
    for (const smart_encoding of [undefined, false]) {
      const input = { to: TO, from: account.senderId, body: "“typed”…", smart_encoding };
      expect((await sendMessage(account.actor, input, plainRequest())).body).toBe("“typed”…");
    }
  });
});
