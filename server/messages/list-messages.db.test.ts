import { describe, expect, test } from "vitest";
import { makeAccount, type TestAccount } from "@/e2e/support/seed";
import { pool } from "../core/db";
import { firstIdAt } from "../core/ids";
import { listMessages } from "./list-messages";
import type { MessageStatus } from "./status";

const PAGE = { page: 1, limit: 50 };
const TO = "+14155550123";
const OTHER = "+442071838750";

type Sent = { at: string; status?: MessageStatus; to?: string; idAt?: string };
let made = 0;

/** Stores messages and the counters of their days. `idAt`: the time in the id, if it differs. */
async function store({ accountId }: TestAccount, sent: readonly Sent[]): Promise<void> {
  for (const { at, status = "sent", to = TO, idAt = at } of sent) {
    made += 1;
    const id = firstIdAt("message", new Date(idAt)).slice(0, -6) + String(made).padStart(6, "0");
    await pool().query(
      `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros,
         currency, chain, created_at)
       VALUES ($1, $2, $3, 'DEMO', 'Hello', 'GSM-7', 1, $4, 10000, 'USD', '{sandbox}', $5)`,
      [id, accountId, to, status, at],
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

describe("times", () => {
  test("every span lists and counts exactly its messages, by status and number", async () => {
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

  test("messages of a process whose clock was set back by minutes stay in their span", async () => {
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

  test("messages whose ids are of another time are not read", async () => {
    const account = await makeAccount();
    await store(account, [{ at: "2026-01-31T12:00:00.000Z", idAt: "2026-01-31T14:00:00Z" }]);
    const span = { created_after: "2026-01-31T11:00:00Z", created_before: "2026-01-31T13:00:00Z" };
    expect(await listed(account, span)).toEqual({ times: [], total: 0 });
  });
});

describe("totals", () => {
  test("whole days are read from their counters, and only the edges are counted", async () => {
    const account = await makeAccount();
    await store(account, [{ at: "2026-01-30T12:00:00.000Z" }, { at: "2026-01-31T12:00:00.000Z" }]);
    await pool().query("UPDATE usage_days SET messages = messages + 100, sent = sent + 40 WHERE account_id = $1", [
      account.accountId,
    ]);
    expect((await listed(account, {})).total).toBe(202);
    expect((await listed(account, { status: "sent" })).total).toBe(82);
    expect((await listed(account, { created_after: "2026-01-30T06:00:00Z" })).total).toBe(102);
    expect((await listed(account, { created_before: "2026-01-31T18:00:00Z", status: "sent" })).total).toBe(42);
    expect((await listed(account, { to: TO })).total).toBe(2);
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
