/** PgBouncer with the settings that we ship, before a database server of a test. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { freePort } from "@/scripts/free-port";

const READY_WITHIN_MS = 30_000;
const LOOK_EVERY_MS = 50;

const [, major = "0", minor = "0"] =
  /PgBouncer (\d+)\.(\d+)/.exec(spawnSync("pgbouncer", ["--version"], { encoding: "utf8" }).stdout ?? "") ?? [];

/** Whether PgBouncer is installed here. */
export const hasPooler = major !== "0";
/** Whether it keeps prepared statements; else the service must send none. */
export const keepsStatements = Number(major) > 1 || Number(minor) >= 21;

export type Pooler = {
  /** The address of a database, given as that of the server, through the pooler. */
  through: (direct: string) => string;
  stop: () => Promise<void>;
};

/** The settings that we ship, with a test's addresses, for every database of the server. */
async function settingsFor(direct: string, folder: string, port: number, connections: number): Promise<string> {
  const url = new URL(direct);
  const target = `host=127.0.0.1 port=${url.port} user=${url.username} password=${url.password}`;
  const shipped = await readFile("deploy/pgbouncer/pgbouncer.ini", "utf8");
  return shipped
    .replace(/^messaging = .* connect_query=/m, `* = ${target} connect_query=`)
    .replace(
      /^listen_port = .*/m,
      `listen_port = ${port}\nadmin_users = postgres\nlogfile = ${folder}/log\nunix_socket_dir =`,
    )
    .replace(/^auth_type = .*\nauth_file = .*/m, `auth_type = any\nauth_file = ${folder}/users`)
    .replace(/^default_pool_size = .*/m, `default_pool_size = ${connections}`)
    .replace(/^; (max_prepared_statements)/m, keepsStatements ? "$1" : "; $1");
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

async function stop(child: ChildProcess, folder: string): Promise<void> {
  child.kill("SIGTERM");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  await rm(folder, { recursive: true, force: true });
}

/**
 * Starts PgBouncer in transaction mode.
 * @param direct address of a database of the server.
 * @param connections to each database of the server.
 */
export async function startPooler(direct: string, connections: number): Promise<Pooler> {
  const folder = await mkdtemp(path.join(tmpdir(), "messaging-pgbouncer-"));
  await chmod(folder, 0o777);
  const port = await freePort();
  await writeFile(path.join(folder, "users"), '"postgres" ""\n');
  await writeFile(path.join(folder, "pgbouncer.ini"), await settingsFor(direct, folder, port, connections));
  // It does not run as root.
  const user = process.getuid?.() === 0 ? ["-u", "postgres"] : [];
  const child = spawn("pgbouncer", ["-q", ...user, path.join(folder, "pgbouncer.ini")], { stdio: "ignore" });
  const through = (address: string) => {
    const url = new URL(address);
    url.port = String(port);
    return url.href;
  };
  for (const until = Date.now() + READY_WITHIN_MS; !(await isReached(through(direct))); ) {
    if (child.exitCode !== null || Date.now() > until) {
      await stop(child, folder);
      throw new Error("PgBouncer did not start.");
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return { through, stop: () => stop(child, folder) };
}
