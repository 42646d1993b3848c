import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";
import { pool, readPrisma } from "@/server/core/db";
import { sendMessage } from "@/server/messages/accept/send";
import { getMessage } from "@/server/messages/read";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";
import { hasPooler, keepsStatements, type Pooler, startPooler } from "@/test/database/servers/pooler";

const CONNECTIONS = 5;

let worker: ChildProcess;
let pooler: Pooler;
let direct = "";
let pooled = "";

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

describe.skipIf(!hasPooler)(
  "behind PgBouncer in transaction mode (skipped without pgbouncer)",
  () => {
    beforeAll(async () => {
      direct = process.env.DATABASE_URL ?? "";
      pooler = await startPooler(direct, { default_pool_size: String(CONNECTIONS) });
      pooled = pooler.through(direct);
      Object.assign(process.env, {
        DATABASE_URL: pooled,
        DATABASE_DIRECT_URL: direct,
        DATABASE_STATEMENT_NAMES: String(keepsStatements),
      });
      await makeRoute();
      worker = spawn(process.execPath, [inject("programs").worker], {
        env: { ...process.env, LOG_LEVEL: "info", NODE_ENV: "production" },
        stdio: ["ignore", "pipe", "ignore"],
      });
      let output = "";
      worker.stdout?.on("data", (chunk) => (output += chunk));
      await vi.waitUntil(() => output.includes("worker.ready"), { timeout: 60_000 });
    });

    afterAll(async () => {
      worker.kill("SIGTERM");
      if (worker.exitCode === null && worker.signalCode === null) await once(worker, "exit");
      await pooler.stop();
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

    test("LISTEN and session locks use their own connections, bypassing the pooler", async () => {
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
