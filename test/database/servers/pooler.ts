/** PgBouncer with the settings that we ship, in front of a test's database server. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { freePort } from "@/scripts/free-port";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const READY_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 50;

const [, major = "0", minor = "0"] =
  /PgBouncer (\d+)\.(\d+)/.exec(spawnSync("pgbouncer", ["--version"], { encoding: "utf8" }).stdout ?? "") ?? [];

/** Whether PgBouncer is installed here. */
export const hasPooler = major !== "0";
/** Whether it supports prepared statements; if not, the service must send none. */
export const keepsStatements = Number(major) > 1 || Number(minor) >= 21;

export type Pooler = {
  port: number;
  /** The pooler's address of a database, given its direct address. */
  through: (direct: string) => string;
  /** Kills it, and starts it again on the same port `downMs` later. */
  restart: (downMs: number) => Promise<void>;
  /** Has every statement wait for a while, as during a switch of servers (PAUSE and RESUME). */
  pause: (ms: number) => Promise<void>;
  stop: () => Promise<void>;
};

/**
 * Changes to the settings that we ship: the value of a setting, or null to omit its line; null for `fit_values` omits
 * {@link FIT_VALUES}.
 */
export type PoolerSettings = Readonly<Record<string, string | null>>;

/** The test server's own defaults do not suit the service, which cannot change them through a pooler. */
const FIT_VALUES = 'SET default_transaction_isolation = "read committed"; SET synchronous_commit = on; ';

/** The settings that we ship, with a test's addresses, for every database of the server. */
async function settingsFor(direct: string, folder: string, port: number, changes: PoolerSettings): Promise<string> {
  const url = new URL(direct);
  const target = `host=127.0.0.1 port=${url.port} user=${url.username} password=${url.password}`;
  const shipped = await readFile("deploy/pgbouncer/pgbouncer.ini", "utf8");
  const settings = shipped
    .replace(
      /^messaging = .* connect_query='/m,
      `* = ${target} connect_query='${changes.fit_values === null ? "" : FIT_VALUES}`,
    )
    .replace(
      /^listen_port = .*/m,
      `listen_port = ${port}\nadmin_users = postgres\nlogfile = ${folder}/log\nunix_socket_dir =`,
    )
    .replace(/^auth_type = .*\nauth_file = .*/m, `auth_type = any\nauth_file = ${folder}/users`)
    .replace(/^; (max_prepared_statements)/m, keepsStatements ? "$1" : "; $1");
  return Object.entries(changes).reduce(
    (text, [name, value]) => text.replace(new RegExp(`^${name} = .*`, "m"), value === null ? "" : `${name} = ${value}`),
    settings,
  );
}

async function isReached(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("SELECT 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function end(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
  child.kill(signal);
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

/** Runs a command in the pooler's admin console. */
async function command(port: number, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: `postgresql://postgres@127.0.0.1:${port}/pgbouncer` });
  client.on("error", () => undefined);
  await client.connect();
  await client.query(text).finally(() => client.end());
}

/**
 * Starts PgBouncer, in transaction mode unless `changes` says otherwise.
 * @param direct address of a database of the server.
 * @param changes of the settings that we ship.
 */
export async function startPooler(direct: string, changes: PoolerSettings): Promise<Pooler> {
  const folder = await mkdtemp(path.join(tmpdir(), "messaging-pgbouncer-"));
  await chmod(folder, 0o777);
  const port = await freePort();
  await writeFile(path.join(folder, "users"), '"postgres" ""\n');
  await writeFile(path.join(folder, "pgbouncer.ini"), await settingsFor(direct, folder, port, changes));
  const through = (address: string) => {
    const url = new URL(address);
    url.port = String(port);
    return url.href;
  };
  const start = async (): Promise<ChildProcess> => {
    // PgBouncer refuses to run as root.
    const user = process.getuid?.() === 0 ? ["-u", "postgres"] : [];
    const child = spawn("pgbouncer", ["-q", ...user, path.join(folder, "pgbouncer.ini")], { stdio: "ignore" });
    for (const until = Date.now() + READY_WITHIN_MS; !(await isReached(through(direct))); ) {
      if (child.exitCode !== null || Date.now() > until) {
        await end(child, "SIGTERM");
        throw new Error("PgBouncer did not start.");
      }
      await pause(LOOK_EVERY_MS);
    }
    return child;
  };
  const remove = () => rm(folder, { recursive: true, force: true });
  let child = await start().catch(async (thrown) => {
    await remove();
    throw thrown;
  });
  return {
    port,
    through,
    restart: async (downMs) => {
      await end(child, "SIGKILL");
      await pause(downMs);
      child = await start();
    },
    pause: async (ms) => {
      // PAUSE returns once every transaction has ended; new ones wait meanwhile.
      const paused = command(port, "PAUSE");
      await pause(ms);
      await paused;
      await command(port, "RESUME");
    },
    stop: async () => {
      await end(child, "SIGTERM");
      await remove();
    },
  };
}
