/**
 * Creates the operator and the accounts of the template by the operator's commands, in the database that DATABASE_URL names, and
 * prints them as JSON. Arguments: sender and balance of the accounts. It is a program because a process keeps to one database.
 */
import { randomBytes } from "node:crypto";
import { COMMANDS } from "@/scripts/admin/commands";
import { chooseDatabase } from "@/scripts/admin/database";
import type { Flags } from "@/scripts/admin/flags";
import { shutDown } from "@/server/core/process";

/** More than the tests of one file need. */
const ACCOUNTS = 12;

const [sender = "", balance = ""] = process.argv.slice(2);

async function createAccount(flags: Flags): Promise<unknown> {
  const create = COMMANDS.get("account create");
  if (!create) throw new Error('There is no command "account create".');
  return (await create(flags)).output;
}

chooseDatabase();
const operator = { email: "operator@example.com", password: randomBytes(12).toString("hex") };
await createAccount({ ...operator, operator: true });
const accounts = [];
for (let at = 1; at <= ACCOUNTS; at += 1)
  accounts.push(await createAccount({ email: `test-${at}@example.com`, balance, sender }));
process.stdout.write(JSON.stringify({ operator, accounts }));
await shutDown();
