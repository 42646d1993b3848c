/**
 * The way into every command on a fresh clone: nothing but Node and npm. Checks Node, installs the dependencies when
 * they are missing or not those of the lock file, and hands over to the TypeScript entry in the same process.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { runQuietly, step, stopCommands } from "./progress.mjs";

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

/** Compares the lock file with npm's own record of what it installed, which npm writes when an install is complete. */
function isInstalled() {
  const installed = readPackages(path.join(root, "node_modules", ".package-lock.json"));
  if (!installed) return false;
  const wanted = readPackages(path.join(root, "package-lock.json"));
  if (Object.keys(installed).some((name) => !(name in wanted))) return false;
  return Object.entries(wanted).every(([name, { version, optional, devOptional, link }]) => {
    if (name === "" || link) return true;
    // What belongs to another platform is left out.
    if (!(name in installed)) return Boolean(optional || devOptional);
    return installed[name].version === version;
  });
}

async function install() {
  if (isInstalled()) return;
  // Types are needed for the build, also where NODE_ENV says production. No package needs its install script run.
  const args = ["ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const npm = process.env.npm_execpath ?? "";
  const [command, first] = /npm-cli\.c?js$/.test(npm) ? [process.execPath, [npm]] : ["npm", []];
  await step("Installing the dependencies (npm ci)", () => runQuietly(command, [...first, ...args], { cwd: root }));
}

let aborted = false;

function abort() {
  aborted = true;
  stopCommands().then(() => process.exit(130));
}

/**
 * Runs `script` (beside this file) once everything that it imports is there. `beforeInstall` may refuse early.
 * Whatever is thrown ends the process with its message and exit code 1.
 */
export async function bootstrap(script, beforeInstall = async () => undefined) {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
  try {
    assertNode();
    process.chdir(root);
    await beforeInstall();
    for (const signal of signals) process.on(signal, abort);
    await install();
    const { register } = await import("tsx/esm/api");
    register();
    for (const signal of signals) process.off(signal, abort);
    await import(pathToFileURL(path.join(root, "scripts", script)).href);
  } catch (thrown) {
    // What was cut short has failed, of course.
    if (aborted) return;
    process.stderr.write(`\n${thrown instanceof Error ? thrown.message : thrown}\n`);
    process.exit(1);
  }
}
