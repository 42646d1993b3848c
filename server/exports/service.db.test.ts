import { expect, test } from "vitest";
import { makePerson } from "@/test/database/people";
import { makeAccount, personOf, type TestAccount } from "@/test/database/seed";
import { endSession } from "../auth/sessions/sessions";
import { pool } from "../core/db";
import { newId } from "../core/ids";
import type { ExportInput } from "./schema";
import { exportList } from "./service";

/** Stores messages, the last one newest. */
async function store({ accountId }: TestAccount, count: number, status = "delivered", to = "+14155550123") {
  await pool().query(
    `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros,
       currency, chain, created_at)
     SELECT id, $2, $3, 'DEMO', '=1+1', 'GSM-7', 1, $4, 10000, 'USD', '{sandbox}', now() FROM unnest($1::text[]) id`,
    [Array.from({ length: count }, () => newId("message")), accountId, to, status],
  );
}

async function rowsOf(account: TestAccount, input: ExportInput) {
  const { pages } = exportList(personOf(account), input);
  const sizes: number[] = [];
  const ids: unknown[] = [];
  for await (const page of pages) {
    sizes.push(page.length);
    ids.push(...page.map(([id]) => id));
  }
  return { sizes, ids };
}

test("every message of the account comes once, the newest first, a page of rows at a time", async () => {
  const [account, stranger] = [await makeAccount(), await makeAccount()];
  await store(account, 1_203);
  await store(stranger, 3);
  const { sizes, ids } = await rowsOf(account, { list: "messages" });
  expect(sizes).toEqual([500, 500, 203]);
  expect(ids).toEqual([...new Set(ids)].sort().reverse());
  expect(ids).toHaveLength(1_203);
});

test("messages that come while a file is written neither move nor repeat its rows", async () => {
  const account = await makeAccount();
  await store(account, 600);
  const { pages } = exportList(personOf(account), { list: "messages" });
  const first = (await pages.next()).value ?? [];
  await store(account, 10);
  const second = (await pages.next()).value ?? [];
  expect([first.length, second.length]).toEqual([500, 100]);
  expect(new Set([...first, ...second].map(([id]) => id)).size).toBe(600);
});

test("the filters of the list are those of the file", async () => {
  const account = await makeAccount();
  await store(account, 2, "failed", "+442071838750");
  await store(account, 3, "delivered", "+14155550124");
  const count = async (filter: Partial<ExportInput>) =>
    (await rowsOf(account, { list: "messages", ...filter } as ExportInput)).ids.length;
  expect(await count({ status: "failed" })).toBe(2);
  expect(await count({ status: "delivered" })).toBe(3);
  expect(await count({ part: "50124" })).toBe(3);
  expect(await count({ part: "+44" })).toBe(2);
  expect(await count({ part: "+50124" })).toBe(0);
  expect(await count({ created_before: "2020-01-01T00:00:00Z" })).toBe(0);
  expect(await count({ from: "DEMO", provider: "sandbox" })).toBe(5);
  expect(await count({ from: "DEMO", provider: "twilio" })).toBe(0);
  expect(await count({ from: "OTHER" })).toBe(0);
  expect(await count({ api_key_id: account.keyId })).toBe(0);
  expect(await count({ reference: "order-1" })).toBe(0);
});

test("a filter that few messages pass finds all of them, each once, however far apart they are", async () => {
  const account = await makeAccount();
  for (let batch = 0; batch < 4; batch += 1) {
    await store(account, 1, "delivered", "+442071838750");
    await store(account, 3_000);
  }
  await store(account, 700, "delivered", "+442071838750");
  const { ids } = await rowsOf(account, { list: "messages", part: "+44", provider: "sandbox" });
  expect(ids).toHaveLength(704);
  expect(ids).toEqual([...new Set(ids)].sort().reverse());
});

test("suppressions come with their numbers, senders and notes", async () => {
  const account = await makeAccount();
  await pool().query(
    `INSERT INTO suppressions (id, account_id, number, sender_id, reason, note) VALUES ($1, $2, '+14155550123', '', 'manual', 'By mail')`,
    [newId("suppression"), account.accountId],
  );
  const { header, pages } = exportList(personOf(account), { list: "suppressions" });
  expect(header.slice(0, 4)).toEqual(["number", "sender_id", "reason", "note"]);
  expect((await pages.next()).value?.[0]?.slice(0, 4)).toEqual(["+14155550123", null, "manual", "By mail"]);
});

const ENDS = {
  "their session is ended": ({ sessionId }: { sessionId: string }) => endSession(sessionId),
  "they are removed from the account": ({ userId }: { userId: string }) =>
    pool().query("DELETE FROM account_members WHERE user_id = $1", [userId]),
};

test.each(Object.entries(ENDS))(
  "a person reads no further page once %s: the file ends with an error",
  async (_, end) => {
    const [account, person] = [await makeAccount(), await makePerson()];
    await pool().query("INSERT INTO account_members (account_id, user_id, role) VALUES ($1, $2, 'viewer')", [
      account.accountId,
      person.userId,
    ]);
    await store(account, 1_203);
    const actor = { ...person, accountId: account.accountId };
    const { pages } = exportList(actor, { list: "messages" }, 0);
    expect((await pages.next()).value).toHaveLength(500);
    await end(person);
    await expect(pages.next()).rejects.toMatchObject({ status: 401, wire: { details: { reason: "no_session" } } });
    await expect(exportList(actor, { list: "messages" }).pages.next()).rejects.toMatchObject({ status: 401 });
  },
);
