import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import type { Service } from "./service";

const run = promisify(execFile);

/** An account for one test: its owner, a key with all scopes, and an approved sender. */
export type OwnAccount = {
  accountId: string;
  email: string;
  password: string;
  apiKey: string;
  apiKeyId: string;
  sender: string;
  balance: number;
};

/** Runs the operator's command line against the service. @returns its JSON output; no log line may precede it. */
export async function admin(service: Service, ...args: string[]): Promise<unknown> {
  const { DATABASE_URL: _, ...inherited } = process.env;
  const env = { ...inherited, DATA_DIR: service.dataDir, LOG_LEVEL: "debug" };
  const { stdout } = await run(process.execPath, [path.join("dist", "admin.mjs"), ...args, "--json"], { env });
  return JSON.parse(stdout);
}

type Sender = { sender_id: string };

/** The account of `credentials.json`, with its first approved sender. @throws Error when it has none. */
export async function givenAccount(service: Service): Promise<OwnAccount> {
  const { email, password, apiKey } = service;
  const read = async (path: string) => {
    const response = await fetch(`${service.url}/api/v1${path}`, { headers: { authorization: `Bearer ${apiKey}` } });
    if (!response.ok) throw new Error(`GET ${path} of ${service.url} responds with ${response.status}.`);
    return (await response.json()).data;
  };
  const [account, { balance }, senders] = await Promise.all([
    read("/account"),
    read("/balance"),
    read("/senders?status=approved&limit=1"),
  ]);
  const [sender] = senders as Sender[];
  if (!sender) throw new Error(`The account ${email} has no approved sender.`);
  return { accountId: account.id, email, password, apiKey, apiKeyId: "", sender: sender.sender_id, balance };
}
