import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "@/scripts/free-port";
import { createDatabase, startPostgres } from "@/scripts/postgres/server";
import { keepsStatements, startPooler } from "../../test/database/servers/pooler";
import { makeServerFolder } from "../../test/database/servers/server-folder";

const READY_WITHIN_MS = 300_000;
/** More seconds than a test needs to check a sender that waits for approval; a local start approves it after two seconds. */
const SENDER_APPROVED_AFTER_S = "10";

/** The running product, as `npm start` describes it in `credentials.json`. */
export type Service = { url: string; email: string; password: string; apiKey: string; dataDir: string };

/** The variable with the folder where test processes find the file of {@link start}. */
const DATA_DIR = "E2E_DATA_DIR";

/** URL of an installation that already runs, for the smoke tests; undefined: the run starts its own. */
const installationUrl = (): string | undefined => process.env.E2E_BASE_URL;

/** Whether the run uses an installation that it did not start; then it may use only the given account. */
export const isForeign = (): boolean => installationUrl() !== undefined;

/** The service shared by the whole run. */
export function runningService(): Service {
  const dataDir = process.env[DATA_DIR];
  if (!dataDir) throw new Error("The service was not started: run the tests with `npm run test:e2e`.");
  return { ...JSON.parse(readFileSync(path.join(dataDir, "credentials.json"), "utf8")), dataDir };
}

async function waitForCard(child: ChildProcess, output: () => string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!output().includes("Ctrl-C stops everything")) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`The service did not start:\n${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Takes the account for a running installation from the file that E2E_CREDENTIALS names. @throws Error naming what is missing. */
function prepareInstallation(url: string): () => Promise<void> {
  const file = process.env.E2E_CREDENTIALS;
  if (!file) throw new Error("Set E2E_CREDENTIALS to a JSON file with email, password and apiKey of an account.");
  const { email, password, apiKey } = JSON.parse(readFileSync(file, "utf8"));
  for (const [name, value] of Object.entries({ email, password, apiKey })) {
    if (typeof value !== "string" || value === "") throw new Error(`${file} has no ${name}.`);
  }
  const folder = mkdtempSync(path.join(tmpdir(), "messaging-smoke-"));
  process.env[DATA_DIR] = folder;
  const credentials = { url: url.replace(/\/+$/, ""), email, password, apiKey };
  writeFileSync(path.join(folder, "credentials.json"), JSON.stringify(credentials), { mode: 0o600 });
  return async () => rmSync(folder, { recursive: true, force: true });
}

/** The secret of the running product, which processes that tests start share. */
export const secretKeyOf = ({ dataDir }: Service): string => readFileSync(path.join(dataDir, "secret-key"), "utf8");

/** The variable with the database's address that bypasses the pooler, for the processes that tests start. */
const DIRECT_URL = "E2E_DIRECT_URL";

/** The settings that a process on this run's database server needs behind the pooler; none without a pooler. */
export function pastPooler(databaseUrl: string): Record<string, string> {
  const direct = process.env[DIRECT_URL];
  if (!direct) return {};
  const url = new URL(direct);
  url.pathname = new URL(databaseUrl).pathname;
  return { DATABASE_DIRECT_URL: url.href, DATABASE_STATEMENT_NAMES: String(keepsStatements) };
}

/** Connections of the pooler to the database of the run, fewer than its processes have. */
const POOLED_CONNECTIONS = 20;

type Behind = { settings: Record<string, string>; stop: () => Promise<void> };

/** A database server behind PgBouncer, for a run with E2E_PGBOUNCER=true; otherwise the product starts its own database. */
async function startBehindPooler(dataDir: string): Promise<Behind> {
  if (process.env.E2E_PGBOUNCER !== "true") return { settings: {}, stop: async () => undefined };
  const server = await startPostgres(path.join(dataDir, "postgres"));
  const direct = await createDatabase(server, "messaging");
  const pooler = await startPooler(direct, { default_pool_size: String(POOLED_CONNECTIONS) });
  return {
    settings: {
      DATABASE_URL: pooler.through(direct),
      DATABASE_DIRECT_URL: direct,
      DATABASE_STATEMENT_NAMES: String(keepsStatements),
    },
    stop: async () => {
      await pooler.stop();
      await server.stop();
    },
  };
}

/**
 * Starts the product with the command behind `npm start`, on its own port and data folder, so that another one can run at the
 * same time. @returns a function that stops it.
 */
// biome-ignore lint/style/noDefaultExport: Playwright requires the global set-up to be the default export.
export default async function start(): Promise<() => Promise<void>> {
  const running = installationUrl();
  if (running) return prepareInstallation(running);
  const dataDir = await makeServerFolder("messaging-e2e-");
  process.env[DATA_DIR] = dataDir;
  const { DATABASE_URL: _, PUBLIC_URL: __, HOST: ___, ...inherited } = process.env;
  const behind = await startBehindPooler(dataDir);
  const { DATABASE_DIRECT_URL: direct, DATABASE_STATEMENT_NAMES: names } = behind.settings;
  // Test processes use the same database.
  if (direct) Object.assign(process.env, { [DIRECT_URL]: direct, DATABASE_STATEMENT_NAMES: names });
  const child = spawn(process.execPath, [path.join("scripts", "start.mjs")], {
    env: {
      ...inherited,
      ...behind.settings,
      PORT: String(await freePort()),
      DATA_DIR: dataDir,
      LOG_LEVEL: "debug",
      SENDER_AUTO_APPROVE_S: SENDER_APPROVED_AFTER_S,
      // The browsers of a run share the processors, and would otherwise starve the pages process that they wait for.
      PAGES_NICENESS: "0",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  }
  const stop = async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (child.exitCode === null && child.kill("SIGTERM")) await ended;
    await behind.stop();
    if (existsSync(dataDir)) rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await waitForCard(child, () => output);
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  return stop;
}
