/**
 * Creates the accounts of the template by the operator's commands, in the database that DATABASE_URL names, and
 * prints them as JSON, with the paths of the receipt URLs that follow from SECRET_KEY. Arguments: sender and balance of the
 * accounts. It is a separate program because a process can use only one database.
 */
import { runCommand } from "@/scripts/admin/commands";
import { chooseDatabase } from "@/scripts/admin/database";
import type { Flags } from "@/scripts/admin/flags";
import { shutDown } from "@/server/core/process";
import { receiptUrlOf } from "@/server/providers/receipt-url";
import { PROVIDERS } from "@/server/providers/schema";

/** More than the tests of one file need. */
const ACCOUNTS = 12;

const [sender = "", balance = ""] = process.argv.slice(2);

const createAccount = async (flags: Flags): Promise<unknown> => (await runCommand("account create", flags)).output;

chooseDatabase();
const accounts = [];
for (let at = 1; at <= ACCOUNTS; at += 1)
  accounts.push(await createAccount({ email: `test-${at}@example.com`, balance, sender }));
const receiptPaths = PROVIDERS.map((id) => [id, new URL(receiptUrlOf(id, 0)).pathname] as const);
process.stdout.write(JSON.stringify({ accounts, receiptPaths: Object.fromEntries(receiptPaths) }));
await shutDown();
