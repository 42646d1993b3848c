import { beforeAll, describe, expect, test } from "vitest";
import { untilWaiting } from "@/test/database/lock-waits";
import { explain, rowsRead, statementsOf } from "@/test/database/plans";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { plainRequest } from "../../accounts/idempotency/request";
import { lockAdmission } from "../../accounts/store";
import { HOUR_MS } from "../../core/clock";
import { pool, transaction } from "../../core/db";
import { env } from "../../core/env";
import { isApiError } from "../../core/errors";
import { firstIdAt, newId } from "../../core/ids";
import { createSuppression, deleteSuppression } from "../../suppressions/service";
import { estimateSend } from "./estimate";
import { type CandidateMessage, loadFraudCheck } from "./fraud-check";
import { sendBulk, sendMessage } from "./send";

const TO = "+14155550123";
const OTHER_TO = "+14155550124";

beforeAll(async () => {
  await makeRoute({ priceMicros: 10_000 });
});

type Limits = {
  allowed_countries?: string[];
  flood_identical?: number;
  flood_total?: number;
  daily_spend_cap_micros?: number;
};

async function limitedAccount(limits: Limits, balanceMicros?: bigint): Promise<TestAccount> {
  const account = await makeAccount({ balanceMicros });
  for (const [column, value] of Object.entries(limits)) {
    await pool().query(`UPDATE accounts SET ${column} = $2 WHERE id = $1`, [account.accountId, value]);
  }
  return account;
}

const send = (account: TestAccount, more: { to?: string; body?: string; from?: string } = {}) =>
  sendMessage(account.actor, { to: TO, from: account.senderId, body: "Hello", ...more }, plainRequest());
const bulk = (account: TestAccount, recipients: string[]) =>
  sendBulk(account.actor, { recipients, from: account.senderId, body: "Hello" }, plainRequest());
const estimate = (account: TestAccount, recipients: string[]) =>
  estimateSend(account.actor, { recipients, from: account.senderId, body: "Hello" });

const codes = (messages: { error: { code: string } | null }[]) => messages.map(({ error }) => error?.code ?? "goes");
const countOf = (all: string[], code: string) => all.filter((one) => one === code).length;

/** Rows written for an account's messages. */
async function traces({ accountId }: TestAccount) {
  const { rows } = await pool().query<Record<string, number>>(
    `SELECT (SELECT count(*)::int4 FROM ledger_lines WHERE account_id = $1 AND kind = 'reserve') AS reserves,
       (SELECT count(*)::int4 FROM message_attempts a JOIN messages m ON m.id = a.message_id WHERE m.account_id = $1)
         AS attempts,
       (SELECT count(*)::int4 FROM events WHERE account_id = $1 AND type = 'message.failed' AND status = 'failed')
         AS failures,
       (SELECT sum(cost_micros)::int4 FROM usage_days WHERE account_id = $1) AS cost,
       (SELECT sum(failed)::int4 FROM usage_days WHERE account_id = $1) AS failed,
       (SELECT count(*)::int4 FROM graphile_worker._private_jobs j JOIN messages m
          ON j.payload::jsonb->'messageIds' ? m.id WHERE m.account_id = $1) AS dispatched`,
    [accountId],
  );
  return rows[0];
}

describe("suppressions", () => {
  test("a message to a suppressed number fails at once, free of charge, and is never dispatched", async () => {
    const account = await makeAccount();
    const { id } = await createSuppression(account.actor, { number: TO });
    const message = await send(account);
    expect(message).toMatchObject({ status: "failed", cost: 0, provider: "", attempts: 0 });
    expect(message.error?.code).toBe("blocklisted");
    expect(message.failed_at).toBe(message.created_at);
    expect(await traces(account)).toEqual({ reserves: 0, attempts: 0, failures: 1, cost: 0, failed: 1, dispatched: 0 });
    await deleteSuppression(account.actor, id);
    expect(await send(account)).toMatchObject({ status: "pending", error: null });
  });

  test("in a bulk only the suppressed item fails, and only for the suppression's account and sender", async () => {
    const [account, other] = await Promise.all([makeAccount(), makeAccount()]);
    await pool().query(
      "INSERT INTO senders (id, account_id, sender_id, type, status) VALUES ($1, $2, 'Second', 'alphanumeric', 'approved')",
      [newId("sender"), account.accountId],
    );
    await createSuppression(account.actor, { number: TO, sender_id: account.senderId });
    expect(await bulk(account, [TO, OTHER_TO, TO])).toMatchObject({ total: 3, sent: 1, failed: 2 });
    expect((await send(account, { from: "Second" })).error).toBeNull();
    expect((await send(other)).error).toBeNull();
  });

  test("a suppression that is committed while a send waits for its account applies", async () => {
    const account = await makeAccount();
    let sending: Promise<unknown> = Promise.resolve();
    await transaction(async (tx) => {
      await tx.query("SET LOCAL idle_in_transaction_session_timeout = 0");
      await lockAdmission(tx, [account.accountId]);
      sending = send(account);
      await untilWaiting();
      await pool().query("INSERT INTO suppressions (id, account_id, number, reason) VALUES ($1, $2, $3, 'stop')", [
        newId("suppression"),
        account.accountId,
        TO,
      ]);
    });
    expect(await sending).toMatchObject({ status: "failed", error: { code: "blocklisted" } });
  });
});

test("an account with a list of countries sends only to these", async () => {
  const account = await limitedAccount({ allowed_countries: ["US", "DE"] });
  const { messages } = await bulk(account, [TO, "+442071838750", "+4915112345678", "+15550100001", "nobody"]);
  expect(codes(messages)).toEqual(["goes", "country_not_allowed", "goes", "country_not_allowed", "invalid_recipient"]);
  expect(await traces(account)).toMatchObject({ reserves: 2, cost: 20_000 });
});

describe("flood limits", () => {
  test("60 concurrent sends of the same text: exactly the limit is accepted, whatever else is sent meanwhile", async () => {
    const account = await limitedAccount({ flood_identical: 6 });
    const sent = await Promise.all(
      Array.from({ length: 60 }, (_, at) =>
        Promise.all([send(account), send(account, { to: OTHER_TO, body: `Code ${at}` })]),
      ),
    );
    expect(countOf(codes(sent.map(([same]) => same)), "goes")).toBe(6);
    expect(countOf(codes(sent.map(([same]) => same)), "flood_limit")).toBe(54);
    expect(countOf(codes(sent.map(([, different]) => different)), "goes")).toBe(60);
    expect(await traces(account)).toMatchObject({ reserves: 66, failures: 54 });
  });

  test("concurrent large bulks in several transactions: exactly the limit is accepted in all", async () => {
    const account = await limitedAccount({ flood_identical: 0, flood_total: 20 });
    const bulks = await Promise.all(Array.from({ length: 4 }, () => bulk(account, Array<string>(600).fill(TO))));
    expect(bulks.reduce((sum, { sent }) => sum + sent, 0)).toBe(20);
    expect((await send(account, { body: "Other" })).error?.message).toMatch(/^At most 20 messages in all /);
  });

  test("duplicates within a bulk count, other recipients are unaffected", async () => {
    const account = await limitedAccount({ flood_identical: 2 });
    const { messages } = await bulk(account, [TO, TO, OTHER_TO, TO]);
    expect(codes(messages)).toEqual(["goes", "goes", "goes", "flood_limit"]);
  });

  test("messages of a refused request do not count", async () => {
    const account = await limitedAccount({ flood_total: 1 }, 10_000n);
    const [refused, taken] = await Promise.allSettled([bulk(account, [TO, OTHER_TO]), send(account)]);
    expect(refused).toMatchObject({ status: "rejected", reason: { status: 402 } });
    expect(taken).toMatchObject({ status: "fulfilled", value: { status: "pending" } });
  });

  test("blocked messages do not count, and accepted ones count for an hour", async () => {
    const account = await limitedAccount({ flood_total: 2 });
    const sent = [await send(account), await send(account), await send(account)];
    expect(codes(sent)).toEqual(["goes", "goes", "flood_limit"]);
    const frees = /at (\S+)\.$/.exec(sent[2]?.error?.message ?? "")?.[1] ?? "";
    expect(Date.parse(frees) - Date.parse(sent[0]?.created_at ?? "")).toBeCloseTo(HOUR_MS, -2);
    // Backdates the first one by more than an hour.
    await pool().query("UPDATE messages SET id = $2 WHERE id = $1", [
      sent[0]?.id,
      firstIdAt("message", new Date(Date.now() - HOUR_MS - 1_000)),
    ]);
    expect(codes([await send(account), await send(account)])).toEqual(["goes", "flood_limit"]);
  });

  /** Stores messages to one number that were blocked; their ids are `at` milliseconds from now. */
  const storeBlocked = ({ accountId }: TestAccount, body: string, [from, to]: [number, number], at = -60_000) =>
    pool().query(
      `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros,
         currency, chain, created_at, failed_at)
       SELECT $2 || lpad(n::text, 5, '0'), $1, $3, 'T', $6, 'GSM-7', 1, 'failed', 0, 'USD', '{}', now(), now()
       FROM generate_series($4::int4, $5::int4) AS n`,
      [accountId, firstIdAt("message", new Date(Date.now() + at)).slice(0, -5), TO, from, to, body],
    );

  test("more blocked messages than are scanned: the recipient stays blocked", async () => {
    const account = await limitedAccount({ flood_total: 2 });
    await storeBlocked(account, "x", [1, 1_000]);
    expect(codes([await send(account)])).toEqual(["goes"]);
    await storeBlocked(account, "x", [1_001, 1_100]);
    expect(codes([await send(account)])).toEqual(["flood_limit"]);
  });

  test("without a total limit, the limit for a text holds however many messages were blocked since", async () => {
    const account = await limitedAccount({ flood_identical: 2, flood_total: 0 });
    expect(codes([await send(account), await send(account)])).toEqual(["goes", "goes"]);
    await storeBlocked(account, "Hello", [1, 1_003], 60_000);
    expect(codes([await send(account), await send(account, { body: "Other" })])).toEqual(["flood_limit", "goes"]);
    await storeBlocked(account, "Hello", [1_004, 11_000], 60_000);
    expect(codes([await send(account), await send(account, { body: "New" })])).toEqual(["flood_limit", "flood_limit"]);
  });

  test("a recipient's messages are read once, however many texts go to it in one request", async () => {
    const account = await limitedAccount({ flood_total: 2, flood_identical: 1 });
    const input = {
      recipients: Array<string>(200).fill(TO),
      from: account.senderId,
      body: "{{n}}",
      variables: Array.from({ length: 200 }, (_, n) => ({ n: `${n}` })),
    };
    const { messages } = await sendBulk(account.actor, input, plainRequest());
    expect(countOf(codes(messages), "goes")).toBe(2);
    const [scan] = (await statementsOf(() => sendBulk(account.actor, input, plainRequest()))).filter(
      ({ name }) => name === "messages.recent",
    );
    if (!scan) throw new Error("nothing was scanned");
    const { plan } = await explain(scan);
    expect(rowsRead(plan, ["messages"])).toBeGreaterThanOrEqual(200);
    expect(rowsRead(plan, ["messages"])).toBeLessThan(1_200);
  });

  const judged = async (account: TestAccount, chain: string[], bodies: string[]) => {
    const { rows } = await pool().query<{ identical: number | null; total: number | null }>(
      "SELECT flood_identical AS identical, flood_total AS total FROM accounts WHERE id = $1",
      [account.accountId],
    );
    const limits = { floodIdentical: rows[0]?.identical ?? null, floodTotal: rows[0]?.total ?? null };
    const countries = { allowedCountries: [], ownCountryRule: null, ownCountries: null };
    const known = { id: account.accountId, ...countries, ...limits };
    const sendings = bodies.map(
      (body): CandidateMessage => ({
        id: newId("message"),
        accountId: account.accountId,
        toNumber: TO,
        fromSender: account.senderId,
        body,
        chain,
      }),
    );
    const checkFraud = await loadFraudCheck(pool(), new Map([[known.id, known]]), sendings, () => false);
    return checkFraud(sendings).blocked.size;
  };

  test("the installation's defaults apply to real providers, not to the sandbox, and 0 disables them", async () => {
    expect([env().FLOOD_IDENTICAL_PER_HOUR, env().FLOOD_TOTAL_PER_HOUR]).toEqual([6, 20]);
    const [account, free] = await Promise.all([makeAccount(), limitedAccount({ flood_identical: 0, flood_total: 0 })]);
    const same = Array<string>(30).fill("Hello");
    const different = same.map((body, at) => `${body} ${at}`);
    expect(await judged(account, ["twilio", "sandbox"], same)).toBe(24);
    expect(await judged(account, ["twilio"], different)).toBe(10);
    expect(await judged(account, ["sandbox"], same)).toBe(0);
    expect(await judged(free, ["twilio"], same)).toBe(0);
    await Promise.all(same.map(() => send(account)));
    expect(await judged(account, ["twilio"], ["Hello", "Other"])).toBe(2);
  });
});

describe("the daily spend cap", () => {
  test("50 concurrent sends under a cap for 10: exactly 10 are accepted, and the rest is refused with the amounts", async () => {
    const account = await limitedAccount({ daily_spend_cap_micros: 100_000 });
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => send(account)));
    const refusals = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(refusals).toHaveLength(40);
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({
        status: 429,
        wire: { details: { reason: "daily_spend_cap", limit: 0.1, spent: 0.1, requested: 0.01 } },
      });
    }
    expect(await traces(account)).toMatchObject({ reserves: 10, cost: 100_000, failures: 0 });
  });

  test("refuses a request as a whole, but no message that is free of charge", async () => {
    const account = await limitedAccount({ daily_spend_cap_micros: 25_000 });
    await expect(bulk(account, [TO, TO, OTHER_TO])).rejects.toMatchObject({
      status: 429,
      wire: { details: { limit: 0.025, spent: 0, requested: 0.03 } },
    });
    expect(await bulk(account, [TO, "nobody", OTHER_TO])).toMatchObject({ sent: 2, failed: 1 });
    await expect(send(account)).rejects.toMatchObject({ status: 429 });
    expect(await bulk(account, ["nobody"])).toMatchObject({ sent: 0, failed: 1 });
    expect(await traces(account)).toMatchObject({ reserves: 2, cost: 20_000 });
  });
});

describe("an estimate", () => {
  test("reports blocked messages with the errors of the send, and counts nothing", async () => {
    const account = await limitedAccount({ allowed_countries: ["US"], flood_identical: 2 });
    await createSuppression(account.actor, { number: OTHER_TO });
    await send(account);
    await send(account);
    const recipients = [TO, OTHER_TO, "+442071838750", "+14155550125"];
    const estimated = await estimate(account, recipients);
    expect(await estimate(account, recipients)).toEqual(estimated);
    const { messages } = await bulk(account, recipients);
    expect(codes(messages)).toEqual(["flood_limit", "blocklisted", "country_not_allowed", "goes"]);
    expect(estimated.recipients.map(({ cost, refusal }) => ({ cost, error: refusal }))).toEqual(
      messages.map(({ cost, error }) => ({ cost, error })),
    );
    expect(estimated.recipients[1]).toMatchObject({ route_id: null, provider: null, price_per_segment: null });
    expect(estimated).toMatchObject({ cost: 0.01, refusals: [] });
  });

  test("reports the cap with the send's refusal", async () => {
    const account = await limitedAccount({ daily_spend_cap_micros: 15_000 });
    await send(account);
    const [refusal] = (await estimate(account, [TO])).refusals;
    const refused: unknown = await send(account).catch((thrown) => thrown);
    if (!isApiError(refused)) throw refused;
    const { code, message, param } = refused.wire;
    expect(refusal).toEqual({ status: 429, reason: "daily_spend_cap", code, message, param });
  });
});
