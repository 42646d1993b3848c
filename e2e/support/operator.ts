/** The operator's commands, run in the test's own process, because as separate commands they would take too long. */
import { randomBytes } from "node:crypto";
import { runCommand } from "@/scripts/admin/commands";
import { chooseDatabase } from "@/scripts/admin/database";
import { createAccountWithOwner } from "@/server/accounts/service";
import { createApiKey } from "@/server/api-keys/service";
import { env } from "@/server/core/env";
import { shutDown } from "@/server/core/process";
import { toMicros } from "@/server/core/wire";
import { createSender } from "@/server/senders/service";
import { hashOf } from "../../test/database/passwords";
import type { OwnAccount } from "./accounts";
import type { Service } from "./service";

export type Operator = {
  /** Creates an account for one test. @param balance in units of its currency. */
  makeAccount: (balance?: number) => Promise<OwnAccount>;
  /** Creates a key of the account's test mode. */
  makeTestKey: (account: OwnAccount) => Promise<string>;
  credit: (account: OwnAccount, amount: number) => Promise<void>;
  approveSender: (senderRowId: string) => Promise<void>;
  /** Creates a route for numbers that begin with `prefix`, digits without the plus. @param price of a segment. */
  makeRoute: (prefix: string, price: number) => Promise<number>;
  /** Finds accounts whose balance is not the sum of their ledger, with the difference; empty: the books are right. */
  findDrift: () => Promise<unknown[]>;
  suspend: (account: OwnAccount) => Promise<void>;
  /** Runs any other command by its name and options. @returns its output. */
  command: (name: string, flags: Record<string, string | boolean>) => Promise<unknown>;
  close: () => Promise<void>;
};

/** The password of all accounts that this process creates: hashing one takes 33 ms, several hundred times a run. */
const PASSWORD = randomBytes(12).toString("base64url");

/** Creates an account like `account create`, which has separate tests. */
async function makeAccount(balance: number): Promise<OwnAccount> {
  const id = randomBytes(5).toString("hex");
  const [email, sender] = [`test-${id}@example.com`, `T${id}`];
  const made = await createAccountWithOwner({
    email,
    passwordHash: await hashOf(PASSWORD),
    name: `Test ${id}`,
    companyName: "",
    balanceMicros: toMicros(balance),
  });
  const owner = { kind: "session", ...made, isOperator: false } as const;
  const key = await createApiKey(owner, { name: "Admin", rate_limit: 6_000 });
  const { id: senderRowId } = await createSender(owner, { sender_id: sender });
  await runCommand("sender approve", { id: senderRowId });
  const { accountId } = made;
  return { accountId, email, password: PASSWORD, apiKey: key.plain_key, apiKeyId: key.id, sender, balance };
}

/** Reads the settings of the running service once, and leaves this process's environment as it was. */
function readSettings(service: Service): void {
  const before = { ...process.env };
  delete process.env.DATABASE_URL;
  process.env.DATA_DIR = service.dataDir;
  chooseDatabase();
  env();
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
}

/** The operator of the running service. */
export function operatorOf(service: Service): Operator {
  readSettings(service);
  const run = async (command: string, flags: Record<string, string | boolean>): Promise<unknown> =>
    (await runCommand(command, flags)).output;
  return {
    makeAccount: (balance = 100) => makeAccount(balance),
    makeTestKey: async ({ accountId }) => {
      const key = await run("key create", { account: accountId, name: "Test", test: true });
      return (key as { apiKey: string }).apiKey;
    },
    credit: async ({ accountId }, amount) => {
      await run("account credit", { account: accountId, amount: String(amount) });
    },
    approveSender: async (id) => {
      await run("sender approve", { id });
    },
    makeRoute: async (prefix, price) => {
      const route = await run("route create", { prefix, chain: "sandbox", price: String(price) });
      return (route as { id: number }).id;
    },
    findDrift: async () => ((await run("ledger check", {})) as { drifted: unknown[] }).drifted,
    suspend: async ({ accountId }) => {
      await run("account suspend", { account: accountId });
    },
    command: run,
    close: shutDown,
  };
}
