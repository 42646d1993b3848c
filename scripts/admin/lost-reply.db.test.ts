import { afterAll, beforeAll, expect, test } from "vitest";
import { checkLedger } from "@/server/accounts/tasks";
import { pool } from "@/server/core/db";
import { makeAccount } from "@/test/database/seed";
import { type Cut, type DatabaseProxy, startDatabaseProxy } from "@/test/network/database-proxy";
import { runCommand } from "./commands";

let proxy: DatabaseProxy;

beforeAll(async () => {
  proxy = await startDatabaseProxy(process.env.DATABASE_URL ?? "");
  process.env.DATABASE_URL = proxy.url;
});

afterAll(() => proxy.close());

const creditsOf = async (accountId: string) => {
  const { rows } = await pool().query<{ amount: bigint }>(
    "SELECT amount_micros AS amount FROM ledger_entries WHERE account_id = $1 AND note = 'Invoice 4711'",
    [accountId],
  );
  return rows.map(({ amount }) => amount);
};

test.each<[string, Cut]>([
  ["the COMMIT of a credit is lost", "withhold"],
  ["the reply to the COMMIT of a credit is lost", "swallow"],
])("when %s, the command continues, and the amount is booked once", async (_, cut) => {
  const { accountId } = await makeAccount({ balanceMicros: 1_000_000n });
  const cutOff = proxy.cutCommitOf("Invoice 4711", cut);
  const credited = runCommand("account credit", { account: accountId, amount: "5", note: "Invoice 4711" });
  await cutOff;
  expect((await credited).output).toMatchObject({ accountId, balance: 6 });
  expect(await creditsOf(accountId)).toEqual([5_000_000n]);
  expect((await checkLedger()).drifted).toEqual([]);
});

test("when the reply to the COMMIT of a key is lost, the command shows the key, and creates no second one", async () => {
  const { accountId } = await makeAccount();
  await pool().query(
    "WITH u AS (INSERT INTO users (id, account_id, email, name, password_hash) VALUES ('usr_lost', $1, 'lost@admin.example', 'L', '')) INSERT INTO account_members (account_id, user_id, role) VALUES ($1, 'usr_lost', 'owner')",
    [accountId],
  );
  const cutOff = proxy.cutCommitOf("Lost and found", "swallow");
  const created = runCommand("key create", { account: accountId, name: "Lost and found" });
  await cutOff;
  const { output } = await created;
  const { rows } = await pool().query("SELECT id FROM api_keys WHERE account_id = $1 AND name = 'Lost and found'", [
    accountId,
  ]);
  expect(rows).toEqual([{ id: (output as { id: string }).id }]);
});

test("when the reply to the COMMIT of a route or an account is lost, the command continues and shows it", async () => {
  const [prefix, cut] = ["9981", "swallow"] as const;
  const cutRoute = proxy.cutCommitOf("INSERT INTO routes", cut);
  const route = runCommand("route create", { chain: "sandbox", price: "0.01", prefix });
  await cutRoute;
  const { output: madeRoute } = await route;
  const { rows: routes } = await pool().query("SELECT id FROM routes WHERE prefix = $1", [prefix]);
  expect(routes).toEqual([{ id: (madeRoute as { id: number }).id }]);

  const email = `${cut}@admin.example`;
  const cutAccount = proxy.cutCommitOf("INSERT INTO accounts", cut);
  const created = runCommand("account create", { email, balance: "5", sender: "LOST" });
  await cutAccount;
  const { output: madeAccount } = await created;
  const { rows: accounts } = await pool().query(
    `SELECT a.id AS "accountId", a.balance_micros AS balance, s.status FROM accounts a
       JOIN senders s ON s.account_id = a.id WHERE a.email = $1`,
    [email],
  );
  const { accountId } = madeAccount as { accountId: string };
  expect(accounts).toEqual([{ accountId, balance: 5_000_000n, status: "approved" }]);
  expect((await checkLedger()).drifted).toEqual([]);
});

test("a password link comes with a warning that it leads to this machine, unless PUBLIC_URL is set", async () => {
  await runCommand("account create", { email: "link@admin.example" });
  const { output } = await runCommand("account reset-password", { email: "link@admin.example" });
  expect(output).toMatchObject({ note: expect.stringContaining("PUBLIC_URL is not set") });
});
