/** The spending cap of the day on which scheduled messages are due. */
import { beforeAll, expect, test } from "vitest";
import { plainRequest } from "@/server/accounts/idempotency/request";
import { HOUR_MS } from "@/server/core/clock";
import { pool } from "@/server/core/db";
import { sendBulk } from "@/server/messages/accept/send";
import { SendBulkInput } from "@/server/messages/schema";
import { prepareAttempts } from "@/test/database/attempts";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { findDueRefusals } from "./due-check";

beforeAll(prepareAttempts);

/** Messages of 0.01 that were accepted yesterday and are due now. @returns their ids. */
async function acceptedYesterday(account: TestAccount, count: number): Promise<string[]> {
  const input = SendBulkInput.parse({
    recipients: Array.from({ length: count }, (_, at) => `+141555502${String(at).padStart(2, "0")}`),
    from: account.senderId,
    body: "Hello",
    send_at: new Date(Date.now() + HOUR_MS).toISOString(),
  });
  const { messages } = await sendBulk(account.actor, input, plainRequest());
  const ids = messages.map(({ id }) => id);
  await pool().query(
    `UPDATE messages SET created_at = date_trunc('day', now(), 'UTC') - interval '1 hour',
       scheduled_at = date_trunc('day', now(), 'UTC') WHERE id = ANY($1)`,
    [ids],
  );
  await pool().query("UPDATE usage_days SET day = day - 1 WHERE account_id = $1", [account.accountId]);
  return ids;
}

const cap = ({ accountId }: TestAccount, micros: number) =>
  pool().query("UPDATE accounts SET own_daily_spend_cap_micros = $2 WHERE id = $1", [accountId, micros]);

const refusedOf = async (jobs: readonly (readonly string[])[]): Promise<string[]> =>
  (await Promise.all(jobs.map(findDueRefusals))).flatMap((refusals) => [...refusals.keys()]);

test.each([
  ["one job", (ids: string[]) => [ids]],
  ["a job each, at the same time", (ids: string[]) => ids.map((id) => [id])],
  ["jobs of three", (ids: string[]) => [ids.slice(0, 3), ids.slice(3, 6), ids.slice(6, 9), ids.slice(9)]],
])("as many leave as the cap allows, in %s", async (_, jobsOf) => {
  const account = await makeAccount();
  const ids = await acceptedYesterday(account, 12);
  await cap(account, 50_000);
  expect(await refusedOf(jobsOf(ids))).toHaveLength(7);
});

test("one after the other, with what is accepted on the day, until the cap is raised; a repeated job counts once", async () => {
  const account = await makeAccount();
  const [one = "", two = "", three = "", four = ""] = await acceptedYesterday(account, 4);
  await pool().query(
    "INSERT INTO usage_days (account_id, day, messages, cost_micros) VALUES ($1, (now() AT TIME ZONE 'UTC')::date, 1, 10000)",
    [account.accountId],
  );
  await cap(account, 30_000);
  for (const job of [[one], [one], [two], [one, two]]) expect(await refusedOf([job])).toEqual([]);
  expect(await refusedOf([[three]])).toEqual([three]);
  await cap(account, 40_000);
  expect(await refusedOf([[four]])).toEqual([]);
  await cap(account, 0);
  expect(await refusedOf([[three]])).toEqual([three]);
});

test("accounts do not count for each other, and those without a cap leave no trace", async () => {
  const [capped, other, free] = [await makeAccount(), await makeAccount(), await makeAccount()];
  const [own, others, frees] = [
    await acceptedYesterday(capped, 2),
    await acceptedYesterday(other, 1),
    await acceptedYesterday(free, 3),
  ];
  for (const account of [capped, other]) await cap(account, 10_000);
  expect(await refusedOf([[...own, ...others, ...frees]])).toEqual([own[1]]);
  const { rows } = await pool().query<{ id: string }>("SELECT account_id AS id FROM due_spending ORDER BY message_id");
  expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining([capped.accountId, other.accountId]));
  expect(rows.map(({ id }) => id)).not.toContain(free.accountId);
});
