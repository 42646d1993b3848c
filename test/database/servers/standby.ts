/** Streaming standbys of an embedded PostgreSQL, made from a running server without another program. */
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, chown, copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { isAlive } from "@/scripts/is-alive";
import { type RunningPostgres, startPostgres } from "@/scripts/postgres/server";

/** Contents of the data folder that are not copied: they belong to the running server, or the standby streams them. */
const LEFT_OUT = new Set(["postmaster.pid", "postmaster.opts", "pg_wal", "pg_replslot", "pg_stat_tmp"]);
/** How a copy of the data begins and ends; under other names before version 15. */
const BACKUP = { begin: "pg_backup_start('standby', true)", end: "pg_backup_stop(false)" };
const BACKUP_14 = { begin: "pg_start_backup('standby', true, false)", end: "pg_stop_backup(false, false)" };
const STREAMS_WITHIN_MS = 30_000;
const END_WITHIN_MS = 10_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function withClient<Result>(server: RunningPostgres, work: (client: pg.Client) => Promise<Result>) {
  // A standby refuses serializable transactions, which may be the server's default.
  const options = "-c default_transaction_isolation=read\\ committed";
  const client = new pg.Client({ connectionString: server.url("postgres"), options });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Copies a data folder. Files that vanish meanwhile are left out, since the WAL has their changes. There are thousands: one after the
 * other they would take minutes in a busy process.
 */
async function copyInto(source: string, target: string): Promise<void> {
  await mkdir(target, { mode: 0o700 });
  const entries = await readdir(source, { withFileTypes: true });
  await Promise.all(
    entries.map(async (entry) => {
      if (LEFT_OUT.has(entry.name)) return;
      const from = path.join(source, entry.name);
      const to = path.join(target, entry.name);
      if (entry.isDirectory()) return copyInto(from, to);
      await copyFile(from, to).catch((thrown: NodeJS.ErrnoException) => {
        if (thrown.code !== "ENOENT") throw thrown;
      });
    }),
  );
}

async function giveTo(folder: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  await chown(folder, uid, gid);
  const entries = await readdir(folder, { withFileTypes: true });
  await Promise.all(
    entries.map((entry) => {
      const inside = path.join(folder, entry.name);
      return entry.isDirectory() ? giveTo(inside, { uid, gid }) : chown(inside, uid, gid);
    }),
  );
}

/** Address of a server as its standby's settings have it. */
function addressOf(primary: RunningPostgres): string {
  const { hostname, port, username, password } = new URL(primary.url("postgres"));
  return `host=${hostname} port=${port} user=${username} password=${password}`;
}

/**
 * Copies the data of a running server, as of a point within the copy.
 * Protocol: https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
async function copyData(primary: RunningPostgres, source: string, target: string, slot: string): Promise<void> {
  await withClient(primary, async (client) => {
    // The slot keeps the WAL from here on, so none has to be copied.
    await client.query("SELECT pg_create_physical_replication_slot($1, true)", [slot]);
    const { rows: versions } = await client.query<{ major: number }>(
      "SELECT current_setting('server_version_num')::int / 10000 AS major",
    );
    const { begin, end } = (versions[0]?.major ?? 0) < 15 ? BACKUP_14 : BACKUP;
    await client.query(`SELECT ${begin}`);
    await copyInto(source, target);
    const { rows } = await client.query<{ labelfile: string }>(`SELECT labelfile FROM ${end}`);
    await writeFile(path.join(target, "backup_label"), rows[0]?.labelfile ?? "");
  });
  for (const name of ["pg_wal/archive_status", "pg_replslot", "pg_stat_tmp"]) {
    await mkdir(path.join(target, name), { recursive: true, mode: 0o700 });
  }
  const settings = `primary_conninfo = '${addressOf(primary)}'\nprimary_slot_name = '${slot}'\n`;
  // Replaces the primary's settings, with which COMMIT waits for a standby.
  await writeFile(path.join(target, "postgresql.auto.conf"), settings);
  await writeFile(path.join(target, "standby.signal"), "");
  await chmod(target, 0o700);
  const owner = await stat(source);
  if (process.getuid?.() === 0) await giveTo(target, owner);
  await writeFile(`${target}.password`, await readFile(`${source}.password`), { mode: 0o600 });
}

/**
 * Starts a standby on the new folder `target`, and has the primary wait for it at every COMMIT.
 * @param source data folder of the primary.
 * @throws Error when it does not stream in time.
 */
export async function startStandby(
  primary: RunningPostgres,
  source: string,
  target: string,
  settings: Record<string, string>,
): Promise<RunningPostgres> {
  await rm(target, { recursive: true, force: true });
  await copyData(primary, source, target, `standby_${randomBytes(4).toString("hex")}`);
  const standby = await startPostgres(target, settings);
  await withClient(primary, async (client) => {
    await client.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await client.query("SELECT pg_reload_conf()");
    const isSynchronous = async () =>
      (await client.query("SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'")).rows.length > 0;
    for (const until = Date.now() + STREAMS_WITHIN_MS; !(await isSynchronous()); await pause(20)) {
      if (Date.now() > until) throw new Error("The standby did not begin to stream.");
    }
  });
  return standby;
}

/** Has the standby stream from its primary at a new address. */
export async function follow(standby: RunningPostgres, primary: RunningPostgres): Promise<void> {
  await withClient(standby, async (client) => {
    await client.query(`ALTER SYSTEM SET primary_conninfo = '${addressOf(primary)}'`);
    await client.query("SELECT pg_reload_conf()");
  });
}

/** Makes the standby the primary. Resolves when it takes writes. */
export async function promote(standby: RunningPostgres): Promise<void> {
  await withClient(standby, (client) => client.query("SELECT pg_promote(true, 60)"));
}

/** Process ids of the children of a process. Linux only. */
async function childrenOf(pid: number): Promise<number[]> {
  const children = `/proc/${pid}/task/${pid}/children`;
  if (!existsSync(children)) return [];
  return (await readFile(children, "utf8")).split(" ").filter(Boolean).map(Number);
}

/** Ends a server as the loss of its machine would: none of its processes does anything from here on. */
export async function loseMachine({ pid }: RunningPostgres): Promise<void> {
  // A stopped server starts no more children, so all of them are found.
  process.kill(pid, "SIGSTOP");
  for (const one of [...(await childrenOf(pid)), pid]) {
    if (isAlive(one)) process.kill(one, "SIGKILL");
  }
  for (const until = Date.now() + END_WITHIN_MS; isAlive(pid) && Date.now() < until; ) await pause(10);
}
