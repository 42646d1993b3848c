/** The databases of installations: copies of a template that a run migrates and fills once, because doing it for each takes too long. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import type { OwnAccount } from "../accounts";
import { databaseUrlOf } from "../books";
import { pastPooler, type Service, secretKeyOf } from "../service";

const TEMPLATE = "test_template";
/** Any number, as long as every test process takes the same. */
const TEMPLATE_LOCK_ID = 4_411_902;

/** The accounts that a copied database has from the start. */
type Known = {
  /** Accounts with 100.00 of balance and {@link SENDER} as approved sender. */
  accounts: OwnAccount[];
  /** The path of each provider's receipt URL, as operators enter it in the provider's console. */
  receiptPaths: Record<string, string>;
};

/** A sender that every carrier accepts, including the one that requires a number. */
export const SENDER = "+14155550100";
export const BALANCE = 100;

export type OwnDatabase = Known & { url: string; drop: () => Promise<void> };

/** The server of the running service, bypassing its pooler. */
const serverOf = (service: Service): string => {
  const url = databaseUrlOf(service);
  return pastPooler(url).DATABASE_DIRECT_URL ?? url;
};

function urlOf(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Migrates and fills the template, unless another test process has done so. One that a killed process left half-made is replaced. */
async function ensureTemplate(service: Service, client: pg.Client, server: string): Promise<Known> {
  const file = path.join(service.dataDir, `${TEMPLATE}.json`);
  if (!existsSync(file)) {
    await client.query(`DROP DATABASE IF EXISTS ${TEMPLATE}`);
    await client.query(`CREATE DATABASE ${TEMPLATE}`);
    const env = {
      PATH: process.env.PATH,
      NODE_ENV: "production" as const,
      DATABASE_URL: urlOf(server, TEMPLATE),
      SECRET_KEY: secretKeyOf(service),
    };
    const run = async (...args: string[]) => (await promisify(execFile)(process.execPath, args, { env })).stdout;
    await run(path.join("dist", "migrate.mjs"));
    const made = await run("--import", "tsx", path.join(import.meta.dirname, "fill-template.ts"), SENDER, `${BALANCE}`);
    writeFileSync(file, made, { mode: 0o600 });
  }
  return JSON.parse(readFileSync(file, "utf8")) as Known;
}

/** Creates a migrated database with accounts, on the service's server. */
export async function makeDatabase(service: Service): Promise<OwnDatabase> {
  const server = serverOf(service);
  const name = `test_${randomBytes(6).toString("hex")}`;
  const withClient = async <Result>(use: (client: pg.Client) => Promise<Result>): Promise<Result> => {
    const client = new pg.Client({ connectionString: server, application_name: "tests" });
    await client.connect();
    return use(client).finally(() => client.end());
  };
  const known = await withClient(async (client) => {
    // PostgreSQL copies a template once at a time.
    await client.query("SELECT pg_advisory_lock($1)", [TEMPLATE_LOCK_ID]);
    const made = await ensureTemplate(service, client, server);
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
    return made;
  });
  return {
    ...known,
    url: urlOf(databaseUrlOf(service), name),
    drop: () => withClient(async (client) => void (await client.query(`DROP DATABASE ${name} WITH (FORCE)`))),
  };
}
