/**
 * Entry of every command on a fresh clone; needs only Node and npm. Checks Node, installs the dependencies if they are missing or
 * differ from the lock file, and continues with the TypeScript entry in the same process.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { outliveReaders, runQuietly, step, stopCommands } from "./progress.mjs";

const OLDEST_NODE = [20, 19];
const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

function assertNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return;
  throw new Error(
    `Node ${OLDEST_NODE.join(".")} or newer is needed; this is ${process.version} (${process.execPath}).`,
  );
}

function readPackages(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).packages : null;
}

/**
 * Compares the lock file with npm's own record of installed packages, which npm writes when an install is complete.
 * @param isNeeded returns whether a package of the lock file must be installed.
 */
function isInstalled(installed, wanted, isNeeded) {
  if (Object.keys(installed).some((name) => !(name in wanted))) return false;
  return Object.entries(wanted).every(([name, entry]) => {
    if (name === "" || entry.link) return true;
    // npm omits packages for other platforms, and optional ones.
    if (!(name in installed)) return entry.optional || entry.devOptional || !isNeeded(entry);
    return installed[name].version === entry.version;
  });
}

/**
 * The npm arguments that complete the installation; null when nothing is missing. Tests and checks need every package, a start only
 * the packages for building and running the product. Installed packages for tests stay.
 */
function missingInstall(forTests) {
  const wanted = readPackages(path.join(root, "package-lock.json"));
  const installed = readPackages(path.join(root, "node_modules", ".package-lock.json"));
  const isForProduct = ({ dev }) => !dev;
  const hasProduct = installed !== null && isInstalled(installed, wanted, isForProduct);
  if (hasProduct && !forTests) return null;
  if (hasProduct && isInstalled(installed, wanted, () => true)) return null;
  // `npm ci` would remove the installed packages first, and then install all of them again.
  if (hasProduct) return ["install", "--no-save", "--include=dev"];
  const hadDevelopment = installed !== null && Object.values(installed).some(({ dev }) => dev);
  return ["ci", forTests || hadDevelopment ? "--include=dev" : "--omit=dev"];
}

async function install(forTests) {
  const missing = missingInstall(forTests);
  if (!missing) return;
  // No package needs its install script. Cached packages are not requested again.
  const quickly = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  const args = [...missing, ...quickly];
  const npm = process.env.npm_execpath ?? "";
  const [command, first] = /npm-cli\.c?js$/.test(npm) ? [process.execPath, [npm]] : ["npm", []];
  await step(`Installing the dependencies (npm ${missing[0]})`, () =>
    runQuietly(command, [...first, ...args], { cwd: root }),
  );
}

let aborted = false;

function abort() {
  aborted = true;
  stopCommands().then(() => process.exit(130));
}

/** Pause between two checks for the shell. */
const SHELL_LOOK_MS = 500;

/**
 * Stops this process gracefully when the shell in which npm runs it is gone. npm sends SIGTERM to that shell, and some shells (dash)
 * end without passing it on: web process, worker and database would keep running.
 */
function stopWithShell() {
  const entry = path.basename(process.argv[1] ?? "");
  // Not when an npm script runs this command inside another one of ours.
  if (entry === "" || !process.env.npm_lifecycle_script?.includes(entry)) return;
  const shell = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(look);
    process.kill(process.pid, "SIGTERM");
  }, SHELL_LOOK_MS);
  look.unref();
}

/**
 * Runs `script` (next to this file) once everything that it imports is installed. An error ends the process with its message and
 * exit code 1.
 * @param forTests whether to install the packages that only tests and checks need, too.
 * @param beforeInstall a check that may fail before the installation.
 */
export async function bootstrap(script, { forTests = true, beforeInstall = async () => undefined } = {}) {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  outliveReaders();
  try {
    assertNode();
    process.chdir(root);
    await beforeInstall();
    for (const signal of signals) process.on(signal, abort);
    stopWithShell();
    await install(forTests);
    const { register } = await import("tsx/esm/api");
    register();
    for (const signal of signals) process.off(signal, abort);
    await import(pathToFileURL(path.join(root, "scripts", script)).href);
  } catch (thrown) {
    // An interrupted script counts as failed.
    if (aborted) return;
    process.stderr.write(`\n${thrown instanceof Error ? thrown.message : thrown}\n`);
    process.exit(1);
  }
}
