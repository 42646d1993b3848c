import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { freePort } from "@/scripts/postgres";
import { pool, readPrisma } from "@/server/core/db";
import { sendMessage } from "@/server/messages/accept/send";
import { getMessage } from "@/server/messages/read";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";

const [, major = "0", minor = "0"] =
  /PgBouncer (\d+)\.(\d+)/.exec(spawnSync("pgbouncer", ["--version"], { encoding: "utf8" }).stdout ?? "") ?? [];
const keepsStatements = Number(major) > 1 || Number(minor) >= 21;
const CONNECTIONS = 5;

const children: ChildProcess[] = [];
let folder = "";
let direct = "";
let pooled = "";

/** The settings that we ship, with this test's addresses, and fewer connections than the service has. */
async function writeSettings(port: number): Promise<void> {
  const url = new URL(direct);
  const target = `host=127.0.0.1 port=${url.port} user=${url.username} password=${url.password}`;
  const shipped = await readFile("deploy/pgbouncer/pgbouncer.ini", "utf8");
  const settings = shipped
    .replace(/^messaging = .* connect_query=/m, `* = ${target} connect_query=`)
    .replace(
      /^listen_port = .*/m,
      `listen_port = ${port}\nadmin_users = postgres\nlogfile = ${folder}/log\nunix_socket_dir =`,
    )
    .replace(/^auth_type = .*\nauth_file = .*/m, `auth_type = any\nauth_file = ${folder}/users`)
    .replace(/^default_pool_size = .*/m, `default_pool_size = ${CONNECTIONS}`)
    .replace(/^; (max_prepared_statements)/m, keepsStatements ? "$1" : "; $1");
  await writeFile(path.join(folder, "users"), '"postgres" ""\n');
  await writeFile(path.join(folder, "pgbouncer.ini"), settings);
}

async function startPooler(): Promise<void> {
  folder = await mkdtemp(path.join(tmpdir(), "messaging-pgbouncer-"));
  await chmod(folder, 0o777);
  const port = await freePort();
  await writeSettings(port);
  // It does not run as root.
  const user = process.getuid?.() === 0 ? ["-u", "postgres"] : [];
  children.push(spawn("pgbouncer", ["-q", ...user, path.join(folder, "pgbouncer.ini")], { stdio: "ignore" }));
  const url = new URL(direct);
  url.port = String(port);
  pooled = url.href;
  await vi.waitUntil(() => ask(pooled, "SELECT 1").catch(() => null), { timeout: 30_000 });
}

async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const consoleOf = (): string => {
  const url = new URL(pooled);
  url.pathname = "/pgbouncer";
  return url.href;
};

describe.skipIf(major === "0")(
  "behind PgBouncer in transaction mode (skipped without pgbouncer)",
  () => {
    beforeAll(async () => {
      direct = process.env.DATABASE_URL ?? "";
      await startPooler();
      Object.assign(process.env, {
        DATABASE_URL: pooled,
        DATABASE_DIRECT_URL: direct,
        DATABASE_STATEMENT_NAMES: String(keepsStatements),
      });
      await makeRoute();
      const worker = spawn(process.execPath, ["--import", "tsx", "worker/index.ts"], {
        env: { ...process.env, LOG_LEVEL: "info", NODE_ENV: "production" },
        stdio: ["ignore", "pipe", "ignore"],
      });
      children.push(worker);
      let output = "";
      worker.stdout?.on("data", (chunk) => (output += chunk));
      await vi.waitUntil(() => output.includes("worker.ready"), { timeout: 60_000 });
    });

    afterAll(async () => {
      for (const child of children.reverse()) {
        child.kill("SIGTERM");
        if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      }
      await rm(folder, { recursive: true, force: true });
    });

    test("messages are accepted, sent and delivered over fewer connections than callers", async () => {
      const { actor, senderId } = await makeAccount();
      const send = (at: number) =>
        sendMessage(
          actor,
          { to: "+15550100001", from: senderId, body: `${at}` },
          { idempotency: () => null, responseHeaders: {} },
        );
      const sent = await Promise.all(Array.from({ length: 60 }, (_, at) => send(at)));
      const statuses = async () =>
        new Set(await Promise.all(sent.map(async ({ id }) => (await getMessage(actor, id)).status)));
      await expect.poll(statuses, { timeout: 60_000 }).toEqual(new Set(["delivered"]));
      expect(await readPrisma().message.count({ where: { accountId: actor.accountId } })).toBe(60);
      const [totals] = await ask(consoleOf(), "SHOW POOLS");
      expect(totals).toBeDefined();
      const servers = await ask(consoleOf(), "SHOW SERVERS");
      expect(servers.filter(({ database }) => String(database).startsWith("test_")).length).toBeLessThanOrEqual(
        CONNECTIONS,
      );
    });

    test("LISTEN and session locks have connections of their own, past the pooler", async () => {
      const rows = await ask(
        direct,
        `SELECT application_name AS name, count(*)::int4 AS count FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'worker-%' GROUP BY 1 ORDER BY 1`,
      );
      expect(rows.map(({ name }) => name)).toEqual(["worker-lease", "worker-queue"]);
      const clients = await ask(consoleOf(), "SHOW CLIENTS");
      expect(clients.filter(({ application_name: name }) => String(name).startsWith("worker-"))).toEqual([]);
    });

    test("the limits that keep a stalled transaction from blocking others hold", async () => {
      const names = ["lock_timeout", "idle_in_transaction_session_timeout", "statement_timeout"];
      const { rows } = await pool().query<{ name: string; setting: string }>(
        "SELECT name, setting FROM pg_settings WHERE name = ANY($1::text[]) ORDER BY name",
        [names],
      );
      expect(rows.map(({ setting }) => setting)).toEqual(["2000", "10000", "25000"]);
    });
  },
  120_000,
);
