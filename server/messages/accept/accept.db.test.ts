import { beforeAll, describe, expect, test } from "vitest";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import type { AccountActor } from "../../core/actor";
import { pool } from "../../core/db";
import { isApiError } from "../../core/errors";
import { routeExists } from "../../routing/service";
import { invalidateApproval } from "../../senders/approval";
import { createSender } from "../../senders/service";
import type { SendMessageInput } from "../schema";
import { estimateSend } from "./estimate";
import { sendBulk, sendMessage } from "./send";

const PRICE_MICROS = 10_000n;

beforeAll(async () => {
  await makeRoute({ priceMicros: Number(PRICE_MICROS) });
});

const request = (idempotency: { key: string; requestHash: string } | null = null) => ({
  idempotency: () => idempotency,
  responseHeaders: {} as Record<string, string>,
});

const input = (account: TestAccount, more: Partial<SendMessageInput> = {}): SendMessageInput => ({
  to: "+14155550123",
  from: account.senderId,
  body: "Hello",
  ...more,
});

const books = async (accountId: string) => {
  const { rows } = await pool().query<{
    balance: bigint;
    reserved: bigint;
    amounts: bigint;
    holds: bigint;
    reserves: bigint;
  }>(
    `SELECT a.balance_micros AS balance, a.held_micros AS reserved, sum(l.amount_micros)::int8 AS amounts,
       sum(l.held_micros)::int8 AS holds, 
       (SELECT count(*) FROM ledger_lines WHERE account_id = $1 AND kind = 'reserve') AS reserves
     FROM accounts a JOIN ledger_entries l ON l.account_id = a.id WHERE a.id = $1 GROUP BY a.id`,
    [accountId],
  );
  return rows[0];
};

const count = async (text: string, accountId: string) =>
  Number((await pool().query<{ n: bigint }>(text, [accountId])).rows[0]?.n);

const statusOf = (result: PromiseSettledResult<unknown>) =>
  result.status === "fulfilled" ? 201 : isApiError(result.reason) ? result.reason.status : 500;

describe("acceptance", () => {
  test("debits, stores, counts and queues in one transaction", async () => {
    const account = await makeAccount();
    const message = await sendMessage(
      account.actor,
      input(account, { body: "a".repeat(161), reference: "r-1" }),
      request(),
    );
    expect(message).toMatchObject({ status: "pending", cost: 0.02, currency: "USD", provider: "sandbox", attempts: 0 });
    expect(await books(account.accountId)).toMatchObject({
      balance: 1_000_000_000n - 2n * PRICE_MICROS,
      amounts: 1_000_000_000n - 2n * PRICE_MICROS,
      reserved: 2n * PRICE_MICROS,
      holds: 2n * PRICE_MICROS,
      reserves: 1n,
    });
    const { rows } = await pool().query(
      "SELECT messages, segments, pending, cost_micros FROM usage_days WHERE account_id = $1",
      [account.accountId],
    );
    expect(rows).toEqual([{ messages: 1, segments: 2, pending: 1, cost_micros: 20_000n }]);
    const jobs = await pool().query(
      `SELECT 1 FROM graphile_worker._private_jobs WHERE payload->'messageIds' ? $1`.replace(
        "payload->",
        "payload::jsonb->",
      ),
      [message.id],
    );
    expect(jobs.rowCount).toBe(1);
  });

  test("200 concurrent sends on a balance that covers 120: exactly 120 are accepted and nothing is left", async () => {
    const account = await makeAccount({ balanceMicros: 120n * PRICE_MICROS });
    const results = await Promise.allSettled(
      Array.from({ length: 200 }, () => sendMessage(account.actor, input(account), request())),
    );
    const statuses = results.map(statusOf);
    expect(statuses.filter((status) => status === 201)).toHaveLength(120);
    expect(statuses.filter((status) => status === 402)).toHaveLength(80);
    expect(await books(account.accountId)).toMatchObject({ balance: 0n, amounts: 0n, reserves: 120n });
    expect(await count("SELECT count(*) AS n FROM messages WHERE account_id = $1", account.accountId)).toBe(120);
  });

  test("an account without money fails alone in a batch with others", async () => {
    const [rich, poor] = await Promise.all([makeAccount(), makeAccount({ balanceMicros: 0n })]);
    const results = await Promise.allSettled([
      sendMessage(rich.actor, input(rich), request()),
      sendMessage(poor.actor, input(poor), request()),
      sendMessage(rich.actor, input(rich), request()),
    ]);
    expect(results.map(statusOf)).toEqual([201, 402, 201]);
  });

  test("a suspended account is refused with 403 and pays nothing", async () => {
    const account = await makeAccount();
    await pool().query("UPDATE accounts SET status = 'suspended' WHERE id = $1", [account.accountId]);
    await expect(sendMessage(account.actor, input(account), request())).rejects.toMatchObject({ status: 403 });
    expect(await books(account.accountId)).toMatchObject({ balance: 1_000_000_000n });
  });

  test("a message has its sender in the registered spelling, whatever spelling the request uses", async () => {
    const account = await makeAccount();
    const sender = await createSender(account.actor, { sender_id: "14155550100" });
    await pool().query("UPDATE senders SET status = 'approved' WHERE id = $1", [sender.id]);
    const from = "+14155550100";
    expect(await sendMessage(account.actor, input(account, { from }), request())).toMatchObject({
      from: "14155550100",
    });
    const bulk = await sendBulk(account.actor, { recipients: ["+14155550123"], from, body: "Hi" }, request());
    expect(bulk.messages).toMatchObject([{ from: "14155550100", status: "pending" }]);
    expect((await estimateSend(account.actor, { to: "+14155550123", from, body: "Hi" })).refusals).toEqual([]);
  });

  test("an unapproved sender, an unknown route and an unconfigured provider are 400 and name the parameter", async () => {
    const account = await makeAccount();
    const refusal = (more: Partial<SendMessageInput>) => sendMessage(account.actor, input(account, more), request());
    await expect(refusal({ from: "NOBODY" })).rejects.toMatchObject({ status: 400, wire: { param: "from" } });
    await expect(refusal({ route_id: 999_999 })).rejects.toMatchObject({ status: 400, wire: { param: "route_id" } });
    await expect(refusal({ provider: "twilio" })).rejects.toMatchObject({ status: 400, wire: { param: "provider" } });
  });
});

describe("bulk", () => {
  test("a recipient that is no phone number is shown with its first 64 characters", async () => {
    const account = await makeAccount();
    const recipients = [`${"x".repeat(63)}😀y`, "😀".repeat(65)];
    const { messages } = await sendBulk(account.actor, { recipients, from: account.senderId, body: "Hi" }, request());
    expect(messages.map(({ to }) => to)).toEqual([`${"x".repeat(63)}😀`, "😀".repeat(64)]);
  });

  test("invalid recipients fail alone, duplicates are separate messages, and only valid ones are billed", async () => {
    const account = await makeAccount();
    const result = await sendBulk(
      account.actor,
      { recipients: ["+14155550123", "4155550123", "+14155550123", ""], from: account.senderId, body: "Hi" },
      request(),
    );
    expect(result).toMatchObject({ total: 4, sent: 2, failed: 2 });
    expect(result.messages.map((message) => message.status)).toEqual(["pending", "failed", "pending", "failed"]);
    expect(result.messages[1]).toMatchObject({ cost: 0, error: { code: "invalid_recipient" }, to: "4155550123" });
    expect(await books(account.accountId)).toMatchObject({ reserves: 2n, reserved: 2n * PRICE_MICROS });
    expect(
      await count(
        "SELECT count(*) AS n FROM events WHERE account_id = $1 AND type = 'message.failed'",
        account.accountId,
      ),
    ).toBe(2);
  });

  test("that costs more than the balance is a 402, and nothing is sent", async () => {
    const account = await makeAccount({ balanceMicros: 2n * PRICE_MICROS });
    const recipients = ["+14155550101", "+14155550102", "+14155550103"];
    await expect(
      sendBulk(account.actor, { recipients, from: account.senderId, body: "Hi" }, request()),
    ).rejects.toMatchObject({ status: 402, wire: { code: "insufficient_balance" } });
    expect(await count("SELECT count(*) AS n FROM messages WHERE account_id = $1", account.accountId)).toBe(0);
  });

  test("1,000 recipients are accepted together and dispatched in several jobs", async () => {
    const account = await makeAccount();
    const recipients = Array.from({ length: 1_000 }, (_, at) => `+1415555${String(at).padStart(4, "0")}`);
    const result = await sendBulk(account.actor, { recipients, from: account.senderId, body: "Hi" }, request());
    expect(result.sent).toBe(1_000);
    expect(new Set(result.messages.map((message) => message.id)).size).toBe(1_000);
  });
});

describe("key limits", () => {
  const limited = (account: TestAccount, daily: number | null, monthly: number | null): AccountActor => {
    if (account.actor.kind !== "apiKey") throw new Error("not a key");
    return { ...account.actor, limits: { daily, monthly } };
  };

  test("a daily limit is exact under concurrency", async () => {
    const account = await makeAccount();
    const actor = limited(account, 7, null);
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () => sendMessage(actor, input(account), request())),
    );
    expect(results.filter((result) => statusOf(result) === 201)).toHaveLength(7);
    expect(results.filter((result) => statusOf(result) === 429)).toHaveLength(13);
  });

  test("a bulk that would exceed the monthly limit is refused as a whole", async () => {
    const account = await makeAccount();
    const actor = limited(account, null, 3);
    await sendMessage(actor, input(account), request());
    const recipients = ["+14155550101", "+14155550102", "+14155550103"];
    await expect(sendBulk(actor, { recipients, from: account.senderId, body: "Hi" }, request())).rejects.toMatchObject({
      status: 429,
      wire: { details: { reason: "monthly_limit" } },
    });
    expect(await count("SELECT count(*) AS n FROM messages WHERE account_id = $1", account.accountId)).toBe(1);
  });

  test("messages that fail at once count against no limit", async () => {
    const account = await makeAccount();
    const actor = limited(account, 3, null);
    const bulk = (right: number) => ({
      recipients: ["nobody", "nowhere", ...Array.from({ length: right }, (_, at) => `+1415555010${at}`)],
      ...{ from: account.senderId, body: "Hi" },
    });
    expect(await sendBulk(actor, bulk(2), request())).toMatchObject({ sent: 2, failed: 2 });
    expect(await sendBulk(actor, bulk(1), request())).toMatchObject({ sent: 1, failed: 2 });
    await expect(sendBulk(actor, bulk(1), request())).rejects.toMatchObject({
      wire: { details: { reason: "daily_limit", used: 3, requested: 1 } },
    });
  });
});

describe("Idempotency-Key", () => {
  test("20 parallel sends with one key make one message, and all get the same response", async () => {
    const account = await makeAccount();
    const requests = Array.from({ length: 20 }, () => request({ key: "k-1", requestHash: "h" }));
    const messages = await Promise.all(requests.map((one) => sendMessage(account.actor, input(account), one)));
    expect(new Set(messages.map((message) => message.id)).size).toBe(1);
    expect(requests.filter((one) => one.responseHeaders["Idempotency-Replayed"] === "true")).toHaveLength(19);
    expect(await count("SELECT count(*) AS n FROM messages WHERE account_id = $1", account.accountId)).toBe(1);
    expect(messages[0]).toEqual(messages[19]);
  });

  test("the same key with another request is refused", async () => {
    const account = await makeAccount();
    await sendMessage(account.actor, input(account), request({ key: "k-2", requestHash: "one" }));
    await expect(
      sendMessage(account.actor, input(account, { body: "Other" }), request({ key: "k-2", requestHash: "two" })),
    ).rejects.toMatchObject({ status: 400, wire: { details: { reason: "idempotency_key_reused" } } });
  });

  test("an accepted request is replayed, even if its sender, route or account has changed since", async () => {
    const account = await makeAccount();
    const routeId = await makeRoute({ prefix: "1415", priceMicros: Number(PRICE_MICROS) });
    await expect.poll(() => routeExists(routeId)).toBe(true);
    const key = { key: "k-4", requestHash: "h" };
    const single = input(account, { route_id: routeId });
    const bulk = { recipients: [single.to, "nobody"], from: account.senderId, body: "Hi", route_id: routeId };
    const sent = await sendMessage(account.actor, single, request(key));
    const many = await sendBulk(account.actor, bulk, request({ ...key, key: "k-5" }));

    const changes: [text: string, id: string | number][] = [
      ["UPDATE routes SET is_active = false WHERE id = $1", routeId],
      ["UPDATE senders SET status = 'suspended' WHERE account_id = $1", account.accountId],
      ["UPDATE accounts SET status = 'suspended' WHERE id = $1", account.accountId],
    ];
    for (const [text, id] of changes) {
      await pool().query(text, [id]);
      invalidateApproval(account.accountId, account.senderId);
      await expect.poll(() => routeExists(routeId)).toBe(false);
      const again = request(key);
      expect(await sendMessage(account.actor, single, again)).toEqual(sent);
      expect(again.responseHeaders["Idempotency-Replayed"]).toBe("true");
      expect(await sendBulk(account.actor, bulk, request({ ...key, key: "k-5" }))).toEqual(many);
      // A new request is still checked, and its refusal leaves its key unused.
      await expect(sendMessage(account.actor, single, request({ ...key, key: "k-6" }))).rejects.toMatchObject({
        status: 400,
      });
    }
    expect(await count("SELECT count(*) AS n FROM messages WHERE account_id = $1", account.accountId)).toBe(3);
    expect(await books(account.accountId)).toMatchObject({ reserves: 2n });
  });

  test("a response stored by a version without encoding, segments, reference and metadata is replayed with them", async () => {
    const account = await makeAccount();
    const single = { ...input(account, { body: "Grüße 😀" }), reference: "order-1" };
    const bulk = { recipients: [single.to], from: account.senderId, body: "Hi" };
    const sent = await sendMessage(account.actor, single, request({ key: "k-7", requestHash: "h" }));
    const many = await sendBulk(account.actor, bulk, request({ key: "k-8", requestHash: "h" }));
    expect(sent).toMatchObject({ encoding: "UCS-2", segments: 1, reference: "order-1" });
    const added = "- '{encoding,segments,reference,metadata}'::text[]";
    await pool().query(
      `UPDATE idempotency_keys SET response = CASE key
         WHEN 'k-7' THEN response::jsonb ${added}
         ELSE jsonb_set(response::jsonb, '{messages,0}', (response::jsonb #> '{messages,0}') ${added}) END
       WHERE account_id = $1`,
      [account.accountId],
    );
    expect(await sendMessage(account.actor, single, request({ key: "k-7", requestHash: "h" }))).toEqual(sent);
    expect(await sendBulk(account.actor, bulk, request({ key: "k-8", requestHash: "h" }))).toEqual(many);
  });

  test("a failed message stored by a version without failure reasons is replayed with its reason", async () => {
    const account = await makeAccount();
    const bulk = { recipients: ["nobody"], from: account.senderId, body: "Hi" };
    const key = { key: "k-9", requestHash: "h" };
    const failed = await sendBulk(account.actor, bulk, request(key));
    expect(failed.messages[0]?.error).toMatchObject({ code: "invalid_recipient", reason: "invalid_recipient" });
    await pool().query(
      "UPDATE idempotency_keys SET response = response::jsonb #- '{messages,0,error,reason}' WHERE account_id = $1",
      [account.accountId],
    );
    expect(await sendBulk(account.actor, bulk, request(key))).toEqual(failed);
  });

  test("keys of two accounts are independent, and a refused send leaves its key unused", async () => {
    const [one, other] = await Promise.all([makeAccount(), makeAccount({ balanceMicros: 0n })]);
    const key = { key: "k-3", requestHash: "h" };
    await sendMessage(one.actor, input(one), request(key));
    await expect(sendMessage(other.actor, input(other), request(key))).rejects.toMatchObject({ status: 402 });
    await pool().query("UPDATE accounts SET balance_micros = 50000 WHERE id = $1", [other.accountId]);
    expect((await sendMessage(other.actor, input(other), request(key))).status).toBe("pending");
  });
});
