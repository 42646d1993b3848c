import { expect, test } from "vitest";
import { createApiKey } from "@/server/api-keys/service";
import { digestAudit } from "@/server/audit/tasks";
import type { SessionActor } from "@/server/core/actor";
import { pool } from "@/server/core/db";
import { newId } from "@/server/core/ids";
import { switchAccount } from "@/server/members/sessions";
import { runCommand } from "./commands";
import type { Flags } from "./flags";

const run = async (command: string, flags: Flags): Promise<unknown> => (await runCommand(command, flags)).output;

type Made = { accountId: string; userId: string; email: string };

const newEmail = () => `${newId("user")}@admin.example`;
const makeAccount = async (company: string): Promise<Made> =>
  (await run("account create", { email: newEmail(), company })) as Made;

const actorOf = ({ accountId, userId }: Made) =>
  ({ kind: "session", accountId, userId, isOperator: false }) as const satisfies SessionActor;

async function addMember(accountId: string, { userId }: Made, role: string): Promise<void> {
  await pool().query("INSERT INTO account_members (account_id, user_id, role) VALUES ($1, $2, $3)", [
    accountId,
    userId,
    role,
  ]);
}

/** Creates Ann, who owns an account but whose sessions act in Bob's, as a viewer. */
async function makeVisitor(): Promise<{ ann: Made; bob: Made }> {
  const [ann, bob] = [await makeAccount("Ann Inc"), await makeAccount("Bob Ltd")];
  await addMember(bob.accountId, ann, "viewer");
  await switchAccount(actorOf(ann), { account_id: bob.accountId });
  return { ann, bob };
}

test("an email address stands for the account that its person owns, whichever one they have opened", async () => {
  const { ann, bob } = await makeVisitor();
  const { accountId, email } = ann;
  expect(await run("account credit", { email, amount: "5" })).toMatchObject({ accountId, balance: 5 });
  expect(await run("account suspend", { email })).toMatchObject({ accountId, status: "suspended" });
  expect(await run("account activate", { email })).toMatchObject({ accountId, status: "active" });
  expect(await run("sender create", { email, "sender-id": "ANN" })).toMatchObject({ accountId });
  expect(await run("sender approve", { email, "sender-id": "ANN" })).toMatchObject({ accountId, status: "approved" });
  expect(await run("key create", { email, name: "Ops" })).toMatchObject({ accountId });
  expect(await run("key list", { email })).toMatchObject([{ name: "Ops" }, { name: "Admin" }]);
  const { rows } = await pool().query("SELECT balance_micros, status FROM accounts WHERE id = $1", [bob.accountId]);
  expect(rows).toEqual([{ balance_micros: 0n, status: "active" }]);
});

test("an account is found by its id, even while its owner has opened another one", async () => {
  const { ann } = await makeVisitor();
  const account = ann.accountId;
  expect(await run("account credit", { account, amount: "5" })).toMatchObject({ accountId: account, balance: 5 });
  expect(await run("key create", { account, name: "Ops" })).toMatchObject({ accountId: account });
  const { id } = await createApiKey(actorOf(ann), { name: "Leaked" });
  expect(await run("key revoke", { id })).toEqual({ id, accountId: account, isActive: false });
  const test = (await run("key create", { account, name: "Try", test: true })) as { id: string };
  expect(await run("key revoke", { id: test.id })).toMatchObject({ id: test.id, accountId: account });
});

test("an email address whose person owns several accounts, or none, is refused with instructions", async () => {
  const { ann, bob } = await makeVisitor();
  const credit = (flags: Flags) => run("account credit", { ...flags, amount: "5" });
  await pool().query("UPDATE account_members SET role = 'owner' WHERE user_id = $1", [ann.userId]);
  await expect(credit({ email: ann.email })).rejects.toThrow(
    `${ann.email} owns several accounts; give one by --account:\n  ${ann.accountId}  Ann Inc\n  ${bob.accountId}  Bob Ltd`,
  );
  expect(await credit({ account: bob.accountId })).toMatchObject({ accountId: bob.accountId, balance: 5 });

  const guest = await makeAccount("Guest");
  await pool().query("UPDATE account_members SET role = 'viewer' WHERE user_id = $1", [guest.userId]);
  await expect(credit({ email: guest.email })).rejects.toThrow(`${guest.email} owns no account.`);
  await expect(credit({ email: "nobody@admin.example" })).rejects.toThrow("nobody@admin.example owns no account.");
});

test("an account that does not exist is refused, and so is one of test mode", async () => {
  const { accountId } = await makeAccount("Acme");
  await run("key create", { account: accountId, name: "Try", test: true });
  for (const account of ["acc_nowhere", accountId.replace("acc_", "tac_")]) {
    for (const [command, flags] of [
      ["account credit", { amount: "5" }],
      ["account suspend", {}],
      ["key list", {}],
      ["sender create", { "sender-id": "ACME" }],
    ] as const)
      await expect(run(command, { account, ...flags })).rejects.toThrow(`There is no account ${account}.`);
  }
});

test.each([
  ["a sender ID that is too long", { sender: "MUCH TOO LONG NAME" }, "--sender: must be up to 11 characters"],
  ["a malformed sender ID", { sender: "!!!" }, "sender_id must have"],
  ["a weak password", { password: "short" }, "--password: must have at least 10 characters"],
  ["a company name that is too long", { company: "x".repeat(101) }, "--company: must have at most 100 characters"],
  ["a balance that is too large", { balance: "99999999999999" }, "--balance: must be at most 1000000000"],
  ["a debt", { balance: "-1" }, "--balance: must not be negative"],
])("%s is refused with an explanation, before the account is created", async (_, flags, message) => {
  const email = newEmail();
  await expect(run("account create", { email, ...flags })).rejects.toThrow(message);
  const { rowCount } = await pool().query("SELECT 1 FROM users WHERE email = $1", [email]);
  expect(rowCount).toBe(0);
});

test("an invalid email address is refused with an explanation", async () => {
  await expect(run("account create", { email: "Ann" })).rejects.toThrow("--email: must be an email address");
});

test("wrong options of keys, senders and credits are refused by name, with an explanation", async () => {
  const { accountId: account } = await makeAccount("Acme");
  const refusal = (command: string, flags: Flags) => expect(run(command, { account, ...flags })).rejects;
  await refusal("key create", { name: "x".repeat(101) }).toThrow("--name: must have at most 100 characters");
  await refusal("key create", { name: "Ops", "rate-limit": "0.5" }).toThrow("--rate-limit: must be a whole number");
  await refusal("key create", { name: "Ops", scopes: "sms:read,all" }).toThrow("--scopes: must be one of sms:send,");
  await refusal("sender create", { "sender-id": "x".repeat(17) }).toThrow("--sender-id: must be up to 11 characters");
  await refusal("account credit", { amount: "1", note: "x".repeat(256) }).toThrow(
    "--note: must have at most 255 characters",
  );
  await expect(run("route create", { chain: "nobody", price: "1" })).rejects.toThrow(
    "--chain: no such provider: nobody.",
  );
});

test("a credit of zero is refused, with instructions to add and to take off", async () => {
  const { accountId: account } = await makeAccount("Acme");
  for (const amount of ["0", "-0", "0.000000"]) {
    await expect(run("account credit", { account, amount })).rejects.toThrow(
      "--amount must not be 0: 25.00 is added to the balance, -25.00 taken off it.",
    );
  }
  await expect(run("account credit", { account, amount: "0.0000001" })).rejects.toThrow("with up to six decimals");
});

test("an invalid amount is refused with an explanation", async () => {
  const { accountId: account } = await makeAccount("Acme");
  await expect(run("account credit", { account, amount: "much" })).rejects.toThrow(
    '--amount must be a number such as 25.00, with up to six decimals, not "much".',
  );
  await expect(run("route create", { chain: "sandbox", price: "-1" })).rejects.toThrow("--price: must not be negative");
});

test("an option without a value is refused, and does not mean every scope or a route for every number", async () => {
  const { accountId: account } = await makeAccount("Acme");
  const refused = (command: string, flags: Flags, name: string) =>
    expect(run(command, flags)).rejects.toThrow(`--${name} is empty: give it a value, or leave it out.`);
  await refused("key create", { account, name: "Ops", scopes: "" }, "scopes");
  await refused("route create", { chain: "sandbox", price: "1", prefix: "" }, "prefix");
  await refused("account suspend", { account: "", email: newEmail() }, "account");
  expect(await run("key list", { account })).toHaveLength(1);
  const { rowCount } = await pool().query("SELECT 1 FROM routes WHERE chain = '{sandbox}'");
  expect(rowCount).toBe(0);
});

test("an account and the email address of somebody else are refused together", async () => {
  const [ann, bob] = [await makeAccount("Ann Inc"), await makeAccount("Bob Ltd")];
  const credit = (flags: Flags) => run("account credit", { ...flags, amount: "5" });
  await expect(credit({ account: bob.accountId, email: ann.email })).rejects.toThrow(
    `${ann.email} does not own the account ${bob.accountId}: give one of the two.`,
  );
  expect(await credit({ account: ann.accountId, email: ann.email })).toMatchObject({ balance: 5 });
  await expect(credit({})).rejects.toThrow("--account or --email is missing.");
});

test("a prefix that no number begins with is refused", async () => {
  for (const prefix of ["0049", "x"]) {
    await expect(run("route create", { chain: "sandbox", price: "1", prefix })).rejects.toThrow(
      "--prefix: must be the leading digits of numbers, such as 49",
    );
  }
});

test("options of other commands are refused before anything is done", async () => {
  const email = newEmail();
  await expect(run("account create", { email, "sender-id": "ACME", amount: "50" })).rejects.toThrow(
    '"account create" takes no --sender-id, --amount. Its options: --email, --name,',
  );
  const { rowCount } = await pool().query("SELECT 1 FROM users WHERE email = $1", [email]);
  expect(rowCount).toBe(0);
  await expect(run("route list", { chain: "sandbox" })).rejects.toThrow(
    '"route list" takes no --chain. Its options: none.',
  );
});

test("a number is the same sender with and without its +", async () => {
  const { email } = await makeAccount("Acme");
  await run("sender create", { email, "sender-id": "+14155550199" });
  const approved = await run("sender approve", { email, "sender-id": "14155550199" });
  expect(approved).toMatchObject({ senderId: "+14155550199", status: "approved" });
});

test("a check of the ledger shows every difference of an account", async () => {
  const { accountId } = await makeAccount("Acme");
  await pool().query("UPDATE accounts SET balance_micros = 2000000, held_micros = 1000000 WHERE id = $1", [accountId]);
  await pool().query(
    "INSERT INTO forgotten_days (account_id, day, messages, cost_micros) VALUES ($1, now(), 1, 10000)",
    [accountId],
  );
  expect(await run("ledger check", {})).toMatchObject({
    drifted: [
      {
        accountId,
        ...{ balance: 2, ledger: 0, held: 1, ledgerHeld: 0, forgotten: 0.01, ledgerForgotten: 0 },
        faultyMessages: [],
      },
    ],
  });
});

test("a check of the audit log shows its newest digest, and refuses what is no day or hash", async () => {
  await makeAccount("Acme");
  await digestAudit();
  const check = (await run("audit check", {})) as { newest: { sha256: string }; entries: number };
  expect(check).toMatchObject({ faults: [], waiting: 0, newest: { number: "1", sha256: expect.any(String) } });
  expect(check.entries).toBeGreaterThan(0);
  const noted = check.newest.sha256.toUpperCase();
  expect(await run("audit check", { noted, since: "2026-01-31" })).toMatchObject({
    noted: "found",
    since: "2026-01-31",
  });
  expect(await runCommand("audit check", { noted: "0".repeat(64) })).toMatchObject({
    ok: false,
    output: { noted: "not found" },
  });
  await expect(run("audit check", { noted: "5f0c" })).rejects.toThrow(
    "--noted: must be a SHA-256 of 64 hexadecimal digits",
  );
  await expect(run("audit check", { since: "yesterday" })).rejects.toThrow(
    "--since: must be a UTC day such as 2026-01-31",
  );
});
