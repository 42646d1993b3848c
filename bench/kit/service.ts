/** The system under test: a fresh PostgreSQL with one customer, and the built web process and worker. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { migrate } from "@/prisma/migrate";
import { freePort } from "@/scripts/free-port";
import { NODE_OPTIONS_OF } from "@/scripts/node-options";
import { createDatabase, type RunningPostgres, startPostgres } from "@/scripts/postgres/server";
import { SCOPES } from "@/server/api-keys/scopes";
import { hashKey, keyHint, newPlainKey } from "@/server/api-keys/secret";
import { newId } from "@/server/core/ids";
import { unnest } from "@/server/core/unnest";
import type { Stage } from "./workload";

const READY_WITHIN_MS = 60_000;
const STOP_WITHIN_MS = 15_000;
const POLL_MS = 50;
const KEYS = 200;
const KEY_RATE_LIMIT = 6_000;
export const PRICE_MICROS = 10_000;
const OPENING_MICROS = 1_000_000_000_000_000n;

/** Builds `dist` and the pages if they are outdated, as every start does. */
export async function build(stage: Stage): Promise<void> {
  const child = await stage.keep(
    async () =>
      spawn(process.execPath, ["--import", "tsx", path.join("scripts", "build.ts")], {
        detached: true,
        stdio: ["ignore", 2, 2],
      }),
    async (building) => {
      // The whole process group, because the build has children.
      if (building.exitCode === null && building.pid) process.kill(-building.pid, "SIGTERM");
    },
  );
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("exit", resolve));
  if (code !== 0) throw new Error(`The build failed (code ${code}).`);
}

/** A temporary folder. */
export const openFolder = (stage: Stage): Promise<string> =>
  stage.keep(
    () => mkdtemp(path.join(tmpdir(), "messaging-bench-")),
    (folder) => rm(folder, { recursive: true, force: true }),
  );

/** A new server with default settings and fsync on. @param connections the benchmark's concurrent connections. */
export const openServer = (
  stage: Stage,
  folder: string,
  connections: number,
  settings: Record<string, string> = {},
): Promise<RunningPostgres> =>
  stage.keep(
    () =>
      startPostgres(path.join(folder, "data"), {
        max_connections: String(Math.max(200, connections + 36)),
        ...settings,
      }),
    (server) => server.stop(),
  );

/** The benchmark's own database connection. */
export const openClient = (stage: Stage, url: string): Promise<pg.Client> =>
  stage.keep(
    async () => {
      const client = new pg.Client({ connectionString: url });
      client.on("error", () => undefined);
      await client.connect();
      return client;
    },
    (client) => client.end(),
  );

/** The account that sends everything, its sender ID and its keys. */
export type Customer = { accountId: string; sender: string; keys: { id: string; plain: string }[] };

/** @param keys how many it has. */
export const makeCustomer = (keys = KEYS): Customer => ({
  accountId: newId("account"),
  sender: "BENCH",
  keys: Array.from({ length: keys }, () => ({ id: newId("apiKey"), plain: newPlainKey() })),
});

/** After the account, the permissions and the rate limit. */
const KEY_ROWS = unnest<Customer["keys"][number]>(
  {
    id: ["text", ({ id }) => id],
    hash: ["text", ({ plain }) => hashKey(plain)],
    hint: ["text", ({ plain }) => keyHint(plain)],
  },
  4,
);

/** Creates a migrated database with the customer and one route to the sandbox. @returns its connection string. */
export async function makeDatabase(server: RunningPostgres, name: string, customer: Customer): Promise<string> {
  const url = await createDatabase(server, name);
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await insertCustomer(client, customer);
    await client.query("INSERT INTO routes (prefix, chain, price_micros) VALUES ('', '{sandbox}', $1)", [PRICE_MICROS]);
  } finally {
    await client.end();
  }
  return url;
}

/** Gives a customer its account, with credit, its keys, and its approved sender. */
export async function insertCustomer(client: pg.Client, customer: Customer): Promise<void> {
  await client.query("INSERT INTO accounts (id, email, name, balance_micros) VALUES ($1, $2, 'Bench', $3)", [
    customer.accountId,
    "bench@example.com",
    OPENING_MICROS,
  ]);
  await client.query(
    "INSERT INTO ledger_entries (account_id, kind, amount_micros, held_micros, note) VALUES ($1, 'credit', $2, 0, 'opening')",
    [customer.accountId, OPENING_MICROS],
  );
  await client.query(
    `INSERT INTO api_keys (id, account_id, name, key_hash, key_hint, permissions, rate_limit, allowed_ips)
     SELECT id, $1, 'bench', hash, hint, $2, $3, '{}' FROM ${KEY_ROWS.as("k")}`,
    [customer.accountId, [...SCOPES], KEY_RATE_LIMIT, ...KEY_ROWS.values(customer.keys)],
  );
  await client.query(
    `INSERT INTO senders (id, account_id, sender_id, type, status, approved_at)
     VALUES ($1, $2, $3, 'alphanumeric', 'approved', now())`,
    [newId("sender"), customer.accountId, customer.sender],
  );
}

/** Production settings for the web process and the worker, independent of the caller's environment. */
export const serviceSettings = (databaseUrl: string, port: number): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  NODE_ENV: "production",
  DATABASE_URL: databaseUrl,
  SECRET_KEY: randomBytes(32).toString("base64"),
  HOST: "127.0.0.1",
  PORT: String(port),
  SANDBOX: "true",
  LOG_LEVEL: "warn",
  // All keys belong to one account.
  ACCOUNT_RATE_FACTOR: "1000",
  NEXT_TELEMETRY_DISABLED: "1",
});

/** A process of the service. `problems` reads its stderr: warnings and errors. */
export type Service = {
  pid: number;
  stop: () => Promise<void>;
  problems: () => Promise<string>;
  hasEnded: () => boolean;
};

/** Starts `dist/<name>.mjs`. */
export const startService = (
  stage: Stage,
  name: "web" | "worker",
  settings: NodeJS.ProcessEnv,
  folder: string,
): Promise<Service> =>
  stage.keep(
    async () => {
      const logFile = path.join(folder, `${name}.log`);
      const log = await open(logFile, "w");
      const child = spawn(process.execPath, [...NODE_OPTIONS_OF[name], path.join("dist", `${name}.mjs`)], {
        // Its own process group; it stops by itself when the IPC channel closes.
        detached: true,
        env: settings,
        stdio: ["ignore", "ignore", log.fd, "ipc"],
      });
      await log.close();
      if (!child.pid) throw new Error(`The ${name} process could not be started.`);
      return {
        pid: child.pid,
        stop: () => stopService(child),
        problems: async () => (await readFile(logFile, "utf8")).trim(),
        hasEnded: () => child.exitCode !== null || child.signalCode !== null,
      };
    },
    (service) => service.stop(),
  );

async function stopService(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const kill = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
  await ended;
  clearTimeout(kill);
}

/** Without keep-alive: the process would wait for an open connection when it stops. */
const healthStatus = (port: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const request = http.get({ host: "127.0.0.1", port, path: "/api/health", agent: false }, (response) => {
      response.resume().once("close", () => resolve(response.statusCode));
    });
    request.once("error", () => resolve(undefined));
  });

/** Waits until the web process reports that it and its database are healthy. @throws Error with its log on timeout. */
export async function waitUntilHealthy(stage: Stage, web: Service, port: number): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    if ((await healthStatus(port)) === 200) return;
    if (web.hasEnded() || Date.now() > deadline) {
      throw new Error(`The web process did not become healthy:\n${await web.problems()}`);
    }
    await pause(POLL_MS, undefined, { signal: stage.signal });
  }
}

/** A built web process on a new server, with one customer. */
export type OpenService = {
  database: pg.Client;
  server: RunningPostgres;
  web: Service;
  customer: Customer;
  port: number;
  environment: NodeJS.ProcessEnv;
  /** A temporary folder. */
  folder: string;
  /** Starts a further process of the service. @param settings only for this process. */
  start: (name: "web" | "worker", settings?: Record<string, string>) => Promise<Service>;
};

type ServicePlan = {
  connections: number;
  /** Extra `postgresql.conf` settings. */
  database?: Record<string, string>;
  /** Extra settings of the service. */
  environment?: Record<string, string>;
  /** Called with the server before anything else connects to the database `messaging`. */
  prepare?: (server: RunningPostgres) => Promise<void>;
};

/** Builds the service if needed, and starts it without a worker. */
export async function openService(stage: Stage, plan: ServicePlan): Promise<OpenService> {
  stage.say("Building the service if it is outdated");
  await build(stage);
  stage.say("Starting PostgreSQL and the web process");
  const folder = await openFolder(stage);
  const server = await openServer(stage, folder, plan.connections, plan.database);
  const customer = makeCustomer();
  const url = await makeDatabase(server, "messaging", customer);
  await plan.prepare?.(server);
  const database = await openClient(stage, url);
  const port = await freePort();
  const environment = { ...serviceSettings(url, port), ...plan.environment };
  const start: OpenService["start"] = (name, settings) =>
    startService(stage, name, { ...environment, ...settings }, folder);
  const web = await start("web");
  await waitUntilHealthy(stage, web, port);
  return { database, server, web, customer, port, environment, folder, start };
}
