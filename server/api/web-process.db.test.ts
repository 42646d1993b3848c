/** A web process starts and stops while its database does not respond. */
import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { freePort } from "@/scripts/free-port";
import { pool } from "@/server/core/db";
import { type Program, startProgram } from "@/test/commands";
import { asSuperuser } from "@/test/database/superuser";
import { type DatabaseProxy, startDatabaseProxy } from "@/test/network/database-proxy";

/** Generous, because a slow machine is not a failure. */
const WITHIN_MS = 60_000;
const other = `other_${randomBytes(6).toString("hex")}`;
/** Known once the tests run. */
const main = (): string => process.env.DATABASE_URL ?? "";

let proxy: DatabaseProxy;
let web: Program | null = null;

beforeAll(() => asSuperuser(`CREATE DATABASE ${other}`));
beforeEach(async () => {
  proxy = await startDatabaseProxy(main());
});
afterEach(async () => {
  web?.signal("SIGKILL");
  await web?.ended;
  await proxy.close();
});
afterAll(async () => {
  await asSuperuser(`DROP DATABASE ${other} WITH (FORCE)`);
});

async function startWeb(env: Record<string, string> = {}): Promise<Program & { url: string }> {
  const port = String(await freePort());
  const settings = { SECRET_KEY: "0123456789abcdef0123456789abcdef", HOST: "127.0.0.1", PORT: port, CONSOLE: "false" };
  const program = startProgram([inject("programs").web], {
    cwd: ".",
    env: { ...settings, DATABASE_URL: proxy.url, LOG_LEVEL: "info", ...env },
  });
  web = program;
  return { url: `http://127.0.0.1:${port}`, ...program };
}

const says = (program: Program, text: string) => expect.poll(program.output, { timeout: WITHIN_MS }).toContain(text);

test("addresses of two different databases end it, even if they can be compared only after its start", {
  timeout: 2 * WITHIN_MS,
}, async () => {
  await proxy.goAway();
  const direct = new URL(main());
  direct.pathname = `/${other}`;
  const program = await startWeb({ DATABASE_DIRECT_URL: direct.href });
  await says(program, "database.not_compared");
  await proxy.comeBack();
  expect(await program.ended).toBe(1);
  expect(program.output()).toContain(`DATABASE_DIRECT_URL leads to the database ${other}`);
});

test("it ends in order when it is stopped after its database has fallen silent", {
  timeout: 2 * WITHIN_MS,
}, async () => {
  const program = await startWeb();
  await says(program, "web.ready");
  const health = await fetch(`${program.url}/api/health`);
  expect(health.status).toBe(200);
  const asked = proxy.fallSilent();
  const request = fetch(`${program.url}/api/v1/account`, {
    headers: { authorization: `Bearer ds_live_${"a".repeat(32)}` },
  });
  request.catch(() => undefined);
  await asked;
  program.signal("SIGTERM");
  expect(await program.ended).toBe(0);
  expect(program.output()).toContain("db.silent");
  expect(program.output()).not.toContain("web.not_stopped_in_time");
});

/** The responses of a web process: status and reason, and whether it is ready and why not. */
async function lookAt({ url }: { url: string }) {
  const [api, receipt, ready] = await Promise.all([
    fetch(`${url}/api/v1/account`, { headers: { authorization: `Bearer ds_live_${"a".repeat(32)}` } }),
    fetch(`${url}/api/receipts/twilio/secret`, { method: "POST" }),
    fetch(`${url}/api/health/ready`),
  ]);
  const { error } = (await api.json()) as { error: { details: { reason: string } } };
  const { failing } = (await ready.json()) as { failing: string[] };
  return {
    api: [api.status, error.details.reason, api.headers.get("retry-after")],
    receipt: [receipt.status, receipt.headers.get("retry-after")],
    ready: [ready.status, failing.includes("migrations")],
  };
}

const UNMIGRATED = {
  api: [503, "migrations_pending", "5"],
  receipt: [503, "5"],
  ready: [503, true],
};

test("on an empty database it is not ready, and tells callers to come back", { timeout: 2 * WITHIN_MS }, async () => {
  const empty = new URL(main());
  empty.pathname = `/${other}`;
  const program = await startWeb({ DATABASE_URL: empty.href });
  await says(program, "web.ready");
  expect(await lookAt(program)).toEqual(UNMIGRATED);
});

test("it serves as soon as the migrations have run, even if it could not look for them when it started", {
  timeout: 2 * WITHIN_MS,
}, async () => {
  const newest = "migration_name = (SELECT max(migration_name) FROM _prisma_migrations)";
  await pool().query(`UPDATE _prisma_migrations SET finished_at = NULL WHERE ${newest}`);
  try {
    await proxy.goAway();
    const program = await startWeb();
    await says(program, "migrations.not_read");
    await proxy.comeBack();
    await says(program, "web.ready");
    const seen: unknown[] = [];
    const look = async () => {
      const looked = await lookAt(program);
      seen.push(looked.api[0]);
      return looked;
    };
    // Its first connections may still find the database away.
    await expect.poll(look, { timeout: WITHIN_MS }).toEqual(UNMIGRATED);
    await pool().query(`UPDATE _prisma_migrations SET finished_at = now() WHERE ${newest}`);
    await expect.poll(look, { timeout: WITHIN_MS }).toMatchObject({ api: [401, "key_invalid", null] });
    expect(new Set(seen)).toEqual(new Set([503, 401]));
  } finally {
    await pool().query(`UPDATE _prisma_migrations SET finished_at = now() WHERE ${newest}`);
  }
});
