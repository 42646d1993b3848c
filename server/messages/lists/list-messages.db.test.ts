import { describe, expect, test } from "vitest";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { pool } from "../../core/db";
import { firstIdAt } from "../../core/ids";
import type { MessageStatus } from "../status";
import { listMessages } from "./list-messages";

const PAGE = { page: 1, limit: 50 };
const TO = "+14155550123";
const OTHER = "+442071838750";

type Sent = {
  at: string;
  status?: MessageStatus;
  to?: string;
  from?: string;
  reference?: string;
  keyId?: string;
  idAt?: string;
};
let made = 0;

/** Stores messages and the counters of their days. `idAt`: the time in the id, if it differs. */
async function store({ accountId }: TestAccount, sent: readonly Sent[]): Promise<void> {
  for (const { at, status = "sent", to = TO, from = "DEMO", reference, keyId, idAt = at } of sent) {
    made += 1;
    const id = firstIdAt("message", new Date(idAt)).slice(0, -6) + String(made).padStart(6, "0");
    await pool().query(
      `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros,
         currency, chain, created_at, reference, api_key_id)
       VALUES ($1, $2, $3, $6, 'Hello', 'GSM-7', 1, $4, 10000, 'USD', '{sandbox}', $5, $7, $8)`,
      [id, accountId, to, status, at, from, reference ?? null, keyId ?? null],
    );
    await pool().query(
      `INSERT INTO usage_days AS u (account_id, day, messages, ${status}) VALUES ($1, $2, 1, 1)
       ON CONFLICT (account_id, day) DO UPDATE SET messages = u.messages + 1, ${status} = u.${status} + 1`,
      [accountId, at.slice(0, 10)],
    );
  }
}

const listed = async ({ actor }: TestAccount, query: Partial<Parameters<typeof listMessages>[1]>) => {
  const { items, pagination } = await listMessages(actor, { ...PAGE, ...query });
  return { times: items.map((item) => item.created_at), total: pagination.total };
};

const TIMES = [
  "2026-01-29T23:59:59.999Z",
  "2026-01-30T00:00:00.000Z",
  "2026-01-30T12:00:00.000Z",
  "2026-01-31T00:00:00.000Z",
  "2026-01-31T23:59:59.999Z",
  "2026-02-02T08:00:00.000Z",
];

describe("reference, sender and key", () => {
  test("filter alone and together, and never across accounts", async () => {
    const [account, stranger] = [await makeAccount(), await makeAccount()];
    const keys = [account.keyId, "key_other"];
    const sent = TIMES.flatMap((at, day) =>
      keys.flatMap((keyId): Sent[] => [
        { at, keyId, reference: "order-1", from: "SHOP" },
        { at, keyId, reference: `order-${day + 2}` },
        { at, from: "SHOP", status: "delivered" },
        { at, keyId, reference: "" },
      ]),
    );
    await store(account, sent);
    await store(stranger, [{ at: TIMES[0] ?? "", keyId: account.keyId, reference: "order-1", from: "SHOP" }]);
    for (const reference of [undefined, "order-1", "order-3", "order-99", ""]) {
      for (const from of [undefined, "SHOP", "DEMO"]) {
        for (const api_key_id of [undefined, account.keyId, "key_none"]) {
          for (const created_after of [undefined, TIMES[2]]) {
            const expected = sent
              .filter((one) => reference === undefined || one.reference === reference)
              .filter((one) => from === undefined || (one.from ?? "DEMO") === from)
              .filter((one) => api_key_id === undefined || one.keyId === api_key_id)
              .filter((one) => created_after === undefined || one.at >= created_after)
              .map(({ at }) => at)
              .toReversed();
            const found = await listed(account, { reference, from, api_key_id, created_after });
            const filter = JSON.stringify({ reference, from, api_key_id, created_after });
            expect(found, filter).toEqual({ times: expected, total: expected.length });
          }
        }
      }
    }
  });

  test("are read from their own index, even if they select few messages", async () => {
    const account = await makeAccount();
    await pool().query(
      `INSERT INTO messages (id, account_id, api_key_id, to_number, from_sender, body, encoding, segments, status,
         cost_micros, currency, chain, reference, created_at)
       SELECT 'msg_plan' || lpad(n::text, 8, '0'), $1, 'key_' || n % 2, '+14155550' || n % 1000, 'S' || n % 3, 'Hello',
         'GSM-7', 1, 'sent', 10000, 'USD', '{sandbox}', CASE WHEN n % 2 = 0 THEN 'order-' || n END, now()
       FROM generate_series(1, 20000) n`,
      [account.accountId],
    );
    await pool().query("ANALYZE messages");
    const planOf = async (condition: string) => {
      const { rows } = await pool().query<{ "QUERY PLAN": string }>(
        `EXPLAIN SELECT m.id FROM messages m WHERE m.account_id = ANY ('{${account.accountId}}') AND ${condition}
         ORDER BY m.account_id DESC, m.id DESC LIMIT 50`,
      );
      return rows.map((row) => row["QUERY PLAN"]).join("\n");
    };
    expect(await planOf("m.reference = 'order-4'")).toContain("messages_reference");
    expect(await planOf("m.from_sender = 'NONE'")).toContain("messages_from_sender");
    expect(await planOf("m.api_key_id = 'key_none'")).toContain("messages_api_key");
  });
});

describe("times", () => {
  test("every range lists and counts exactly its messages, by status and number", async () => {
    const account = await makeAccount();
    const sent = TIMES.flatMap((at): Sent[] => [
      { at },
      { at, status: "delivered" },
      { at, status: "delivered", to: OTHER },
    ]);
    await store(account, sent);
    const bounds = [undefined, ...TIMES, "2026-01-31T12:00:00Z", "2026-02-01T00:00:00Z", "2999-01-01T00:00:00Z"];
    for (const created_after of bounds) {
      for (const created_before of bounds) {
        for (const filter of [
          {},
          { status: "delivered" as const },
          { to: OTHER },
          { status: "sent" as const, to: TO },
        ]) {
          const expected = sent
            .filter(({ at }) => created_after === undefined || Date.parse(at) >= Date.parse(created_after))
            .filter(({ at }) => created_before === undefined || Date.parse(at) < Date.parse(created_before))
            .filter(({ status = "sent" }) => !("status" in filter) || status === filter.status)
            .filter(({ to = TO }) => !("to" in filter) || to === filter.to)
            .map(({ at }) => at)
            .toReversed();
          const found = await listed(account, { ...filter, created_after, created_before });
          expect(found, `${created_after} ${created_before}`).toEqual({ times: expected, total: expected.length });
        }
      }
    }
  });

  test("messages of a process whose clock was set back by minutes stay in their range", async () => {
    const account = await makeAccount();
    const at = "2026-01-31T12:00:00.000Z";
    await store(account, [
      { at, idAt: "2026-01-31T12:09:00Z" },
      { at, idAt: "2026-01-31T11:51:00Z" },
    ]);
    const minute = { created_after: at, created_before: "2026-01-31T12:00:01Z" };
    expect(await listed(account, minute)).toEqual({ times: [at, at], total: 2 });
    const after = { created_after: "2026-01-31T12:00:01Z", created_before: "2026-01-31T13:00:00Z" };
    expect(await listed(account, after)).toEqual({ times: [], total: 0 });
  });

  test("messages with ids of another time are not read", async () => {
    const account = await makeAccount();
    await store(account, [{ at: "2026-01-31T12:00:00.000Z", idAt: "2026-01-31T14:00:00Z" }]);
    const range = { created_after: "2026-01-31T11:00:00Z", created_before: "2026-01-31T13:00:00Z" };
    expect(await listed(account, range)).toEqual({ times: [], total: 0 });
  });
});

describe("totals", () => {
  test("whole days are read from their counters, and only the edges are counted", async () => {
    const account = await makeAccount();
    await store(account, [{ at: "2026-01-30T12:00:00.000Z" }, { at: "2026-01-31T12:00:00.000Z" }]);
    await pool().query("UPDATE usage_days SET messages = messages + 100, sent = sent + 40 WHERE account_id = $1", [
      account.accountId,
    ]);
    // Pages before the end of the list: the last page counts its own rows.
    const totalOf = async (query: Parameters<typeof listed>[1]) =>
      (await listed(account, { ...query, limit: 1 })).total;
    expect(await totalOf({})).toBe(202);
    expect(await totalOf({ status: "sent" })).toBe(82);
    expect(await totalOf({ created_after: "2026-01-30T06:00:00Z" })).toBe(102);
    expect(await totalOf({ created_before: "2026-01-31T18:00:00Z", status: "sent" })).toBe(42);
    expect((await listed(account, {})).total).toBe(2);
    expect((await listed(account, { to: TO })).total).toBe(2);
    expect(await listed(account, { created_after: "9999-12-31T23:59:59.999Z" })).toEqual({ times: [], total: 0 });
  });

  test("a page past the end is empty and has the total", async () => {
    const account = await makeAccount();
    await store(account, [{ at: "2026-01-31T12:00:00.000Z" }]);
    expect(await listed(account, { page: 1_000_000, limit: 100 })).toEqual({ times: [], total: 1 });
  });
});

test("pages follow each other, without another account's messages", async () => {
  const [account, other] = await Promise.all([makeAccount(), makeAccount()]);
  await store(
    account,
    TIMES.map((at) => ({ at })),
  );
  await store(other, [{ at: "2026-01-31T12:00:00.000Z" }]);
  const pages = await Promise.all([1, 2, 3].map((page) => listed(account, { page, limit: 2 })));
  expect(pages.flatMap(({ times }) => times)).toEqual(TIMES.toReversed());
  expect(pages.map(({ total }) => total)).toEqual([6, 6, 6]);
});
