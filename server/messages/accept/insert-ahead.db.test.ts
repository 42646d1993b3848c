import pg from "pg";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { untilWaiting } from "@/test/database/lock-waits";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { lockAdmission } from "../../accounts/store";
import { checkLedger } from "../../accounts/tasks";
import { SCOPES } from "../../api-keys/scopes";
import { utcDay } from "../../core/clock";
import { pool } from "../../core/db";
import { env } from "../../core/env";
import { metrics } from "../../core/metrics";
import type { Acceptance } from "./decide";
import { isWorthInsertingAhead, noteMiss } from "./insert-ahead";
import { sendBulk } from "./send";

const LARGE = 300;
/** The most messages that a request, and a batch, may have. */
const BULK_MAX = 1_000;

beforeAll(async () => {
  await makeRoute();
  env().FAILED_AT_ONCE_PER_DAY = 0;
});

const batchOf = (count: number) => [{ messages: Array.from({ length: count }) } as unknown as Acceptance];
/** After a miss, batches are not inserted ahead for a second. */
const untilAhead = () => expect.poll(() => isWorthInsertingAhead(batchOf(LARGE))).toBe(true);

beforeEach(untilAhead);

const numbers = (count: number): string[] => Array.from({ length: count }, (_, at) => `+1415555${1_000 + at}`);

const sendTo = (account: TestAccount, recipients: string[], key: string | null = null) =>
  sendBulk(
    account.actor,
    { recipients, from: account.senderId, body: "Hello" },
    { idempotency: () => (key === null ? null : { key, requestHash: "hash" }), responseHeaders: {} },
  );

const misses = async (): Promise<number> => (await metrics().insertedInVain.get()).values[0]?.value ?? 0;

const stored = async ({ accountId }: TestAccount) => {
  const { rows } = await pool().query<{ status: string; count: number }>(
    "SELECT status, count(*)::int AS count FROM messages WHERE account_id = $1 GROUP BY status ORDER BY status",
    [accountId],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
};

const INSERTING = `SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
  WHERE l.relation = 'messages'::regclass AND l.mode = 'RowExclusiveLock'`;

/** Sends a bulk, and changes something once it has inserted its messages and waits for the admission lock. */
async function sendWhile(account: TestAccount, change: (holder: pg.Client) => Promise<unknown>) {
  // Not from the pool, whose connections are ended when they idle in a transaction.
  const holder = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await holder.connect();
  try {
    await holder.query("BEGIN");
    await lockAdmission(holder, [account.accountId]);
    const sending = sendTo(account, numbers(LARGE));
    sending.catch(() => undefined);
    await untilWaiting("pg_advisory_xact_lock");
    expect((await pool().query(INSERTING)).rowCount).toBe(1);
    await change(holder);
    await holder.query("COMMIT");
    return await sending;
  } finally {
    await holder.end();
  }
}

const limitFlood = ({ accountId }: TestAccount, total: number) =>
  pool().query("UPDATE accounts SET flood_identical = 0, flood_total = $2 WHERE id = $1", [accountId, total]);

describe("a large bulk", () => {
  test("is inserted before the admission lock is free, and accepted with it", async () => {
    const [account, before] = [await makeAccount(), await misses()];
    expect(await sendWhile(account, async () => undefined)).toMatchObject({ sent: LARGE, failed: 0 });
    expect(await stored(account)).toEqual({ pending: LARGE });
    expect(await misses()).toBe(before);
  });

  test("of an account with flood limits is inserted ahead too, because its own messages do not change the decision", async () => {
    const [account, before] = [await makeAccount(), await misses()];
    await limitFlood(account, 1);
    expect(await sendWhile(account, async () => undefined)).toMatchObject({ sent: LARGE, failed: 0 });
    expect(await sendWhile(account, async () => undefined)).toMatchObject({ sent: 0, failed: LARGE });
    expect(await misses()).toBe(before);
  });

  const spent = (holder: pg.Client, { accountId }: TestAccount) =>
    holder.query(
      `WITH spent AS (UPDATE accounts SET balance_micros = 0 WHERE id = $1)
       INSERT INTO ledger_entries (account_id, kind, amount_micros, held_micros, note) VALUES ($1, 'credit', -1000000000, 0, 'spent')`,
      [accountId],
    );
  const suspended = (holder: pg.Client, { accountId }: TestAccount) =>
    holder.query("UPDATE accounts SET status = 'suspended' WHERE id = $1", [accountId]);
  const usedUp = (holder: pg.Client, { keyId }: TestAccount) =>
    holder.query("INSERT INTO api_key_quotas (key_id, period, messages) VALUES ($1, $2, 1)", [
      keyId,
      `day:${utcDay(new Date())}`,
    ]);
  test.each([
    ["its money is spent", 402, spent],
    ["its account is suspended", 403, suspended],
    ["its key's quota is used up", 429, usedUp],
  ])("is refused, with nothing stored, when %s meanwhile", async (_, status, change) => {
    const [made, before] = [await makeAccount(), await misses()];
    const limits = { daily: LARGE, monthly: null };
    const account = {
      ...made,
      actor: { ...made.actor, kind: "apiKey" as const, keyId: made.keyId, scopes: SCOPES, limits },
    };
    await expect(sendWhile(account, (holder) => change(holder, account))).rejects.toMatchObject({ status });
    expect(await stored(account)).toEqual({});
    expect(await misses()).toBe(before + 1);
    expect((await checkLedger()).drifted).toEqual([]);
  });

  test("is decided again when countries are closed meanwhile: its messages fail at once", async () => {
    const account = await makeAccount();
    const result = await sendWhile(account, (holder) =>
      holder.query("UPDATE accounts SET allowed_countries = '{FR}' WHERE id = $1", [account.accountId]),
    );
    expect(result).toMatchObject({ sent: 0, failed: LARGE });
    expect(await stored(account)).toEqual({ failed: LARGE });
    expect((await checkLedger()).drifted).toEqual([]);
  });
});

describe("large bulks at once", () => {
  test("keep the flood limit, without counting their own messages twice", async () => {
    const account = await makeAccount();
    await limitFlood(account, 3);
    const recipients = numbers(BULK_MAX / 2).flatMap((number) => [number, number]);
    const results = await Promise.all([sendTo(account, recipients), sendTo(account, recipients)]);
    expect(results.map(({ sent }) => sent).sort((one, other) => one - other)).toEqual([BULK_MAX / 2, BULK_MAX]);
    expect(await stored(account)).toEqual({ pending: 1.5 * BULK_MAX, failed: BULK_MAX / 2 });
  });

  test("with one Idempotency-Key are carried out once", async () => {
    const account = await makeAccount();
    const results = await Promise.all([1, 2, 3].map(() => sendTo(account, numbers(BULK_MAX), "once")));
    expect(new Set(results.map(({ messages }) => messages[0]?.id)).size).toBe(1);
    expect(await stored(account)).toEqual({ pending: BULK_MAX });
  });

  test("spend no more than the balance", async () => {
    const account = await makeAccount({ balanceMicros: BigInt(2.5 * BULK_MAX) * 10_000n });
    const ends = await Promise.allSettled([1, 2, 3, 4].map(() => sendTo(account, numbers(BULK_MAX))));
    expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "fulfilled", "rejected", "rejected"]);
    expect(await stored(account)).toEqual({ pending: 2 * BULK_MAX });
    expect((await checkLedger()).drifted).toEqual([]);
  });
});

test("small batches, and batches within a second after a miss, are accepted in the usual order", async () => {
  expect(isWorthInsertingAhead(batchOf(10))).toBe(false);
  noteMiss();
  expect(isWorthInsertingAhead(batchOf(LARGE))).toBe(false);
  await untilAhead();
});
