import { expect, test } from "vitest";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { pool } from "../core/db";
import { firstIdAt, newId } from "../core/ids";
import { pauseEndpoint } from "../webhooks/pause";
import { breakDown, compareDays, listConcerns } from "./service";
import { WALKED_MAX } from "./store";

const DAY_MS = 86_400_000;
let made = 0;

type Stored = { to?: string; from?: string; status?: string; code?: string; daysAgo?: number };

/** Stores a message as it is after its end; the triggers of messages list those that failed. */
async function store({ accountId, senderId }: TestAccount, message: Stored): Promise<void> {
  const { to = "+4915112345678", from = senderId, status = "delivered", code = null, daysAgo = 0 } = message;
  made += 1;
  const at = new Date(Date.now() - daysAgo * DAY_MS);
  const id = firstIdAt("message", at).slice(0, -6) + String(made).padStart(6, "0");
  await pool().query(
    `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros,
       currency, chain, error_code, error_message, created_at)
     VALUES ($1, $2, $3, $4, 'Hello', 'GSM-7', 1, $5, 10000, 'USD', '{sandbox}', $6, 'It failed.', $7)`,
    [id, accountId, to, from, status, code, at.toISOString()],
  );
}

/** Sets the counters of a UTC day. */
const count = ({ accountId }: TestAccount, daysAgo: number, day: Record<string, number>) =>
  pool().query(
    `INSERT INTO usage_days (account_id, day, messages, cost_micros, delivered, failed, undelivered)
     VALUES ($1, (now() AT TIME ZONE 'UTC')::date - $2::int, $3, $4, $5, $6, $7)`,
    [accountId, daysAgo, day.messages ?? 0, day.cost ?? 0, day.delivered ?? 0, day.failed ?? 0, day.undelivered ?? 0],
  );

test("a period is compared with the one of the same length before it, of the same account", async () => {
  const account = await makeAccount();
  const stranger = await makeAccount();
  await count(account, 0, { messages: 5, delivered: 4, failed: 1, cost: 50_000 });
  await count(account, 6, { messages: 2, delivered: 2, cost: 20_000 });
  await count(account, 7, { messages: 3, delivered: 3, cost: 30_000 });
  await count(account, 14, { messages: 100 });
  await count(stranger, 0, { messages: 1_000 });
  const { current, previous, currency } = await compareDays(account.actor, { days: 7 });
  expect({ current, previous, currency }).toMatchObject({
    currency: "USD",
    current: { messages: 7, delivered: 6, failed: 1, cost: 0.07 },
    previous: { messages: 3, delivered: 3, failed: 0, cost: 0.03 },
  });
});

test("messages are counted by country and sender, failures by code, within the period", async () => {
  const account = await makeAccount();
  await store(account, {});
  await store(account, { status: "undelivered", code: "absent" });
  await store(account, { to: "+14155550123", from: "Other", status: "failed", code: "refused" });
  await store(account, { to: "+870773111632", status: "failed", code: "refused" });
  await store(account, { to: "+33612345678", status: "failed", code: "ancient", daysAgo: 40 });
  await store(await makeAccount(), { status: "failed", code: "strange" });
  const found = await breakDown(account.actor, { days: 7 });
  expect(found).toMatchObject({ looked_at: 4, is_complete: true, errors_are_complete: true });
  expect(found.by_country).toEqual([
    { country: "DE", messages: 2, delivered: 1, failed: 1 },
    { country: null, messages: 1, delivered: 0, failed: 1 },
    { country: "US", messages: 1, delivered: 0, failed: 1 },
  ]);
  expect(found.by_sender).toEqual([
    { sender: account.senderId, messages: 3, delivered: 1, failed: 2 },
    { sender: "Other", messages: 1, delivered: 0, failed: 1 },
  ]);
  expect(found.errors.map(({ code, messages }) => [code, messages])).toEqual([
    ["refused", 2],
    ["absent", 1],
  ]);
});

test("breakdowns say when messages of the period were deleted", async () => {
  const account = await makeAccount();
  await store(account, {});
  const forget = (daysAgo: number, counts: { delivered: number; undelivered: number }) =>
    pool().query(
      `INSERT INTO forgotten_days (account_id, day, messages, delivered, undelivered)
       VALUES ($1, (now() AT TIME ZONE 'UTC')::date - $2::int, $3::int + $4::int, $3, $4)`,
      [account.accountId, daysAgo, counts.delivered, counts.undelivered],
    );
  await forget(20, { delivered: 2, undelivered: 1 });
  expect(await breakDown(account.actor, { days: 7 })).toMatchObject({ is_complete: true, errors_are_complete: true });
  expect(await breakDown(account.actor, { days: 30 })).toMatchObject({
    is_complete: false,
    errors_are_complete: false,
  });
  await forget(6, { delivered: 2, undelivered: 0 });
  expect(await breakDown(account.actor, { days: 7 })).toMatchObject({ is_complete: false, errors_are_complete: true });
});

test("an account at which all is well has no concerns", async () => {
  const account = await makeAccount();
  await count(account, 3, { messages: 100, delivered: 100, cost: 1_000_000 });
  expect(await listConcerns(account.actor)).toEqual([]);
});

test("what is wrong is named: money, failures, waiting messages, endpoints, senders and keys", async () => {
  const account = await makeAccount({ balanceMicros: 1_000_000n });
  const { accountId, actor } = account;
  await count(account, 1, { messages: 40, delivered: 20, undelivered: 20 });
  await count(account, 2, { messages: 100, delivered: 100, cost: 7_000_000 });
  await store(account, { status: "pending", daysAgo: 0.5 });
  const endpoint = (id: string, isActive: boolean, failures: number) =>
    pool().query(
      `INSERT INTO webhook_endpoints (id, account_id, url, events, secret_sealed, is_active, failure_count)
       VALUES ($1, $2, 'https://example.com', '{}', 'sealed', $3, $4)`,
      [id, accountId, isActive, failures],
    );
  const [disabled, failing, healthy] = [newId("endpoint"), newId("endpoint"), newId("endpoint")];
  const paused = newId("endpoint");
  await endpoint(disabled, false, 25);
  await endpoint(failing, true, 3);
  await endpoint(healthy, true, 0);
  await endpoint(paused, true, 0);
  await pauseEndpoint(actor, paused);
  await pool().query(
    `INSERT INTO senders (id, account_id, sender_id, type, status, status_reason)
     VALUES ($1, $2, 'BANK', 'alphanumeric', 'rejected', 'Not your name.')`,
    [newId("sender"), accountId],
  );
  await pool().query("UPDATE api_keys SET expires_at = now() + interval '1 day' WHERE id = $1", [account.keyId]);
  expect(await listConcerns(actor)).toMatchObject([
    { kind: "balance_low", balance: 1, days_left: 1 },
    { kind: "messages_failing", failed: 20, ended: 40, usual_share: 0 },
    { kind: "messages_waiting" },
    { kind: "endpoint_paused", id: paused, since: expect.any(String) },
    { kind: "endpoint_failing", id: failing, failures: 3 },
    { kind: "endpoint_disabled", id: disabled },
    { kind: "sender_rejected", sender: "BANK", reason: "Not your name." },
    { kind: "key_expiring", id: account.keyId },
  ]);
  expect(await listConcerns((await makeAccount()).actor)).toEqual([]);
});

test("messages that their account canceled are no failures, neither lately nor usually", async () => {
  const account = await makeAccount();
  const cancel = async (times: number, daysAgo: number) => {
    for (let time = 0; time < times; time += 1) await store(account, { status: "failed", code: "canceled", daysAgo });
  };
  await count(account, 0, { messages: 42, delivered: 20, failed: 22 });
  await cancel(21, 0);
  await store(account, { status: "failed", code: "refused" });
  expect(await listConcerns(account.actor)).toEqual([]);

  await count(account, 1, { messages: 9, undelivered: 9 });
  await count(account, 3, { messages: 100, delivered: 60, failed: 40 });
  await cancel(40, 3);
  expect(await listConcerns(account.actor)).toEqual([
    { kind: "messages_failing", failed: 10, ended: 30, usual_share: 0 },
  ]);
});

test("waiting messages are named, however many scheduled ones were accepted before them", async () => {
  const account = await makeAccount();
  const scheduled = (count: number) =>
    pool().query(
      `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros,
         currency, chain, created_at, scheduled_at)
       SELECT left($2, 20) || lpad(n::text, 10, '0'), $1, '+14155550123', 'T', 'Hello', 'GSM-7', 1, 'pending', 10000,
         'USD', '{sandbox}', now() - interval '1 day', now() + interval '1 day' FROM generate_series(1, $3) n`,
      [account.accountId, firstIdAt("message", new Date(Date.now() - DAY_MS)), count],
    );
  await scheduled(WALKED_MAX);
  expect(await listConcerns(account.actor)).toEqual([]);
  await store(account, { status: "pending", daysAgo: 0.25 });
  await store(account, { status: "pending", daysAgo: 0.5 });
  const concerns = await listConcerns(account.actor);
  expect(concerns).toMatchObject([{ kind: "messages_waiting" }]);
  const since =
    concerns.map((concern) => (concern.kind === "messages_waiting" ? Date.parse(concern.since) : 0))[0] ?? 0;
  expect(Math.round((Date.now() - since) / 3_600_000)).toBe(12);
  expect(await listConcerns((await makeAccount()).actor)).toEqual([]);
});
