/** The operator's command line. `admin help` lists the commands. */
import { parseArgs } from "node:util";
import { isDatabaseUnavailable, toApiError } from "@/server/core/errors";
import { causeOf, keepStdoutFree } from "@/server/core/log";
import { shutDown } from "@/server/core/process";
import { COMMANDS, runCommand } from "./commands";
import { chooseDatabase, refuseUnfitDatabase } from "./database";
import type { Flags } from "./flags";
import { show } from "./show";

const USAGE = `Usage: npm run admin -- <command> [options]

  account create   --email E [--name N] [--company C] [--password P] [--balance 100.00] [--sender ID] [--operator]
                   an account with its owner, a key with all scopes, an opening balance and an approved sender ID
  account credit   --account ID|--email E --amount 25.00 [--note N]       --amount=-5.00 takes off
  account suspend  --account ID|--email E                                 its sends are refused; messages that wait fail
  account activate --account ID|--email E
  account reset-password --email E                                        a link to choose another password, once, in an hour
  account clear-second-factor --email E                                   for someone who lost app, passkeys and recovery codes;
                   with SMTP_URL, SECRET_KEY and PUBLIC_URL of the service an email tells the person
  sender create    --account ID|--email E --sender-id ID [--approve]
  sender approve   --id ID | --account ID|--email E --sender-id ID
  key create       --account ID|--email E --name N [--scopes a,b] [--rate-limit 600] [--test]
                   --test: a key of test mode, whose messages only the sandbox takes
  key list         --account ID|--email E [--test]                        including those that were revoked or expired recently
  key revoke       --id KEY                                               and every key that was created with it
  route list
  route create     --chain a,b --price 0.01 [--prefix 49] [--priority 0]  price per segment; no prefix: everywhere
  ledger check     compares every balance with its ledger; exit code 1 when one differs
  audit check      [--since 2026-01-31] [--noted SHA256]                  compares the audit log with its digests; exit code 1 when it was
                   altered, or when no digest has the noted hash
  rebuild list-totals  recounts the lists and corrects their lengths, while the service runs
  rebuild usage        recounts messages and events and corrects the counters of usage, likewise
  secrets reseal   seals stored secrets with SECRET_KEY that a key of SECRET_KEY_PREVIOUS sealed; exit code 1 when one
                   opens with neither

--email names the account that its person owns; --account, by id, is needed where they own several.
--json prints the output as one line of JSON. Everywhere: DATABASE_URL names the database; without it the one of the
service that \`npm start\` runs from this folder (or from DATA_DIR) is taken.
`;

const OPTIONS = {
  account: { type: "string" },
  amount: { type: "string" },
  approve: { type: "boolean" },
  balance: { type: "string" },
  chain: { type: "string" },
  company: { type: "string" },
  email: { type: "string" },
  help: { type: "boolean" },
  id: { type: "string" },
  json: { type: "boolean" },
  name: { type: "string" },
  note: { type: "string" },
  noted: { type: "string" },
  operator: { type: "boolean" },
  password: { type: "string" },
  prefix: { type: "string" },
  price: { type: "string" },
  priority: { type: "string" },
  "rate-limit": { type: "string" },
  scopes: { type: "string" },
  sender: { type: "string" },
  "sender-id": { type: "string" },
  since: { type: "string" },
  test: { type: "boolean" },
} as const;

function readCommand(): { command: string; flags: Flags; json: boolean; help: boolean } {
  const { values, positionals, tokens } = parseArgs({ options: OPTIONS, allowPositionals: true, tokens: true });
  const names = tokens.flatMap((token) => (token.kind === "option" ? [token.name] : []));
  const repeated = names.find((name, at) => names.indexOf(name) !== at);
  // `parseArgs` would keep only the last one.
  if (repeated !== undefined) throw new Error(`--${repeated} is given twice.`);
  const { json = false, help = false, ...flags } = values;
  return { command: positionals.join(" "), flags, json, help: help || positionals[0] === "help" };
}

async function main(): Promise<number> {
  const { command, flags, json, help } = readCommand();
  if (help || command === "") {
    process.stdout.write(USAGE);
    return help ? 0 : 1;
  }
  if (!COMMANDS.has(command)) throw new Error(`There is no command "${command}".\n\n${USAGE}`);
  keepStdoutFree();
  chooseDatabase();
  await refuseUnfitDatabase();
  const { output, ok } = await runCommand(command, flags);
  process.stdout.write(json ? `${JSON.stringify(output)}\n` : show(output));
  return ok ? 0 : 1;
}

/** The reason of a failure for an operator: the database's message, not the one for callers of the API. */
function unforeseen(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = causeOf(thrown);
  if (isDatabaseUnavailable(thrown)) return `The database cannot be reached: ${cause ?? thrown.message}`;
  // Prisma's message begins with the call's place in the sources, and ends with the reason.
  return thrown.name.startsWith("Prisma") ? (thrown.message.trim().split("\n").at(-1) ?? "") : thrown.message;
}

try {
  process.exitCode = await main();
} catch (thrown) {
  const known = toApiError(thrown);
  process.stderr.write(`${known.status < 500 ? known.message : unforeseen(thrown)}\n`);
  process.exitCode = 1;
} finally {
  await shutDown();
}
