import pg from "pg";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { contradictions } from "@/test/database/account-truth";
import { claimAttempts } from "@/test/database/attempts";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { DAY_MS, SECOND_MS, utcDay } from "../core/clock";
import { pool } from "../core/db";
import { env } from "../core/env";
import { sendMessage } from "../messages/accept/send";
import { cancelMessage } from "../messages/changes/cancel";
import { attemptResult } from "../messages/dispatch/attempt-result";
import { recordOutcome } from "../messages/dispatch/record-outcome";
import { applyReceipts } from "../messages/receipts/apply-receipts";
import type { SendMessageInput } from "../messages/schema";
import { forgetOldData } from "../retention/tasks";
import { plainRequest } from "./idempotency/request";
import { rebuildUsage } from "./rebuild-usage";
import { getUsage } from "./service";

beforeAll(async () => {
  // Days are those of UTC, wherever the database is. Connections of the pool are made later.
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
  await client.connect();
  await client.query(`DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET timezone TO %L', current_database(), 'Pacific/Auckland'); END $$`);
  await client.end();
  await makeRoute();
});

afterEach(() => {
  vi.useRealTimers();
});

const setClock = (at: number) => vi.useFakeTimers({ toFake: ["Date"], now: at });

const send = ({ actor, senderId }: TestAccount, more: Partial<SendMessageInput> = {}) =>
  sendMessage(actor, { to: "+14155550123", from: senderId, body: "Hello", ...more }, plainRequest());

async function dispatch(id: string, outcome: "accepted" | "refused"): Promise<void> {
  const [attempt] = await claimAttempts([id]);
  if (!attempt) throw new Error("not claimed");
  attempt.slot?.release();
  const end =
    outcome === "accepted"
      ? ({ kind: "accepted", providerMessageIds: [`up_${id}`] } as const)
      : ({ kind: "refused", code: "7", detail: "No." } as const);
  await recordOutcome(attemptResult(attempt, end, 1));
}

const receive = (id: string, status: "delivered" | "undelivered") =>
  applyReceipts("sandbox", [
    { providerMessageId: `up_${id}`, status, code: null, detail: null, occurredAt: new Date().toISOString() },
  ]);

test("a message counts for the UTC day of its acceptance, on whichever days it is due, sent, billed, ended and forgotten", async () => {
  const account = await makeAccount();
  const midnight = Math.floor(Date.now() / DAY_MS - 3) * DAY_MS;
  setClock(midnight - 30 * SECOND_MS);
  const [delivered, refused, canceled, open] = [
    await send(account, { send_at: new Date(midnight + 30 * SECOND_MS).toISOString() }),
    await send(account),
    await send(account, { send_at: new Date(midnight + DAY_MS).toISOString() }),
    await send(account),
  ];
  setClock(midnight + 60 * SECOND_MS);
  await dispatch(delivered.id, "accepted");
  await dispatch(refused.id, "refused");
  await cancelMessage(account.actor, canceled.id);
  setClock(midnight + DAY_MS + 60 * SECOND_MS);
  await receive(delivered.id, "delivered");
  await dispatch(open.id, "accepted");
  vi.useRealTimers();

  const days = async () =>
    (
      await pool().query(
        `SELECT to_char(day, 'YYYY-MM-DD') AS day, messages, cost_micros AS cost, sent, delivered, failed
         FROM usage_days WHERE account_id = $1`,
        [account.accountId],
      )
    ).rows;
  const counted = { day: utcDay(new Date(midnight - 1)), messages: 4, cost: 20_000n, sent: 1, delivered: 1, failed: 2 };
  expect(await days()).toEqual([counted]);
  expect(await contradictions(account.accountId)).toEqual([]);
  expect(await rebuildUsage()).toBe(0);

  const usage = await getUsage(account.actor, { period: "all" });
  env().RETENTION_MESSAGES_DAYS = 1;
  await forgetOldData();
  const { rows } = await pool().query("SELECT id FROM messages WHERE account_id = $1", [account.accountId]);
  expect(rows).toEqual([{ id: open.id }]);
  expect((await getUsage(account.actor, { period: "all" })).totals).toEqual(usage.totals);
  expect(await rebuildUsage()).toBe(0);
  await receive(open.id, "undelivered");
  expect(await days()).toEqual([{ ...counted, sent: 0 }]);
  expect(await rebuildUsage()).toBe(0);
});

test("sums of usage go beyond what a counter of one day holds", async () => {
  const account = await makeAccount();
  await pool().query(
    `INSERT INTO usage_days (account_id, day, messages, segments, delivered, cost_micros)
     SELECT $1, current_date - n, 2000000000, 2000000000, 2000000000, 20000000000000000 FROM generate_series(1, 3) n`,
    [account.accountId],
  );
  expect(await getUsage(account.actor, { period: "all" })).toMatchObject({
    totals: { messages: 6_000_000_000, cost: 60_000_000_000 },
    by_status: { delivered: 6_000_000_000 },
  });
});
