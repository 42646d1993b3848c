import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { utcDay } from "../../core/clock";
import { pool } from "../../core/db";
import { env } from "../../core/env";
import { createSuppression } from "../../suppressions/service";
import { estimateSend } from "./estimate";
import { sendBulk } from "./send";

const LIMIT = 5;
const request = () => ({ idempotency: () => null, responseHeaders: {} });

beforeAll(async () => {
  await makeRoute();
});
beforeEach(() => {
  env().FAILED_AT_ONCE_PER_DAY = LIMIT;
});

const wrong = (count: number): string[] => Array.from({ length: count }, (_, at) => `nobody-${at}`);
const right = (count: number): string[] => Array.from({ length: count }, (_, at) => `+1415555${1_000 + at}`);
const bulk = (account: TestAccount, recipients: string[]) => ({ recipients, from: account.senderId, body: "Hi" });
const send = (account: TestAccount, recipients: string[]) =>
  sendBulk(account.actor, bulk(account, recipients), request());

const rowsOf = async ({ accountId }: TestAccount): Promise<number> => {
  const { rows } = await pool().query<{ n: number }>("SELECT count(*)::int AS n FROM messages WHERE account_id = $1", [
    accountId,
  ]);
  return rows[0]?.n ?? 0;
};

const FAILED_LIMIT = { status: 429, wire: { details: { reason: "failed_limit" } } };

describe("messages that fail when they are accepted", () => {
  test("are refused beyond the day's limit, as a whole and without a row", async () => {
    const account = await makeAccount();
    expect((await send(account, wrong(3))).failed).toBe(3);
    await expect(send(account, wrong(3))).rejects.toMatchObject({
      ...FAILED_LIMIT,
      wire: { details: { reason: "failed_limit", limit: LIMIT, failed: 3, requested: 3 } },
    });
    expect((await send(account, wrong(2))).failed).toBe(2);
    expect(await rowsOf(account)).toBe(5);
  });

  test("are counted exactly, however many requests are concurrent", async () => {
    const account = await makeAccount();
    const ends = await Promise.allSettled(Array.from({ length: 30 }, () => send(account, wrong(1))));
    expect(ends.filter((end) => end.status === "fulfilled")).toHaveLength(LIMIT);
    expect(await rowsOf(account)).toBe(LIMIT);
    const { rows } = await pool().query("SELECT messages FROM api_key_quotas WHERE key_id = $1 AND period = $2", [
      account.accountId,
      `failed:${utcDay(new Date())}`,
    ]);
    expect(rows).toEqual([{ messages: LIMIT }]);
  });

  test("may be more by the number of sent messages, because a large list contains some wrong numbers", async () => {
    const account = await makeAccount();
    expect(await send(account, [...right(10), ...wrong(15)])).toMatchObject({ sent: 10, failed: 15 });
    await expect(send(account, wrong(1))).rejects.toMatchObject(FAILED_LIMIT);
    expect(await send(account, [...right(12).slice(10), ...wrong(2)])).toMatchObject({ sent: 2, failed: 2 });
  });

  test("count whether the number is wrong or suppressed", async () => {
    const account = await makeAccount();
    await createSuppression(account.actor, { number: "+14155551000" });
    for (let at = 0; at < LIMIT; at += 1) expect((await send(account, ["+14155551000"])).failed).toBe(1);
    await expect(send(account, ["+14155551000"])).rejects.toMatchObject(FAILED_LIMIT);
  });

  test("are predicted by an estimate", async () => {
    const account = await makeAccount();
    const { refusals } = await estimateSend(account.actor, bulk(account, wrong(LIMIT + 1)));
    expect(refusals).toMatchObject([{ status: 429, reason: "failed_limit" }]);
    expect((await estimateSend(account.actor, bulk(account, wrong(LIMIT)))).refusals).toEqual([]);
  });

  test("have no limit when the operator sets none", async () => {
    env().FAILED_AT_ONCE_PER_DAY = 0;
    const account = await makeAccount();
    expect((await send(account, wrong(50))).failed).toBe(50);
  });
});
