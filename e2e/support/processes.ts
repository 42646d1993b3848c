/** Processes of the built product that a test starts, kills and stops, in addition to those of the running service. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { freePort } from "@/scripts/free-port";
import { databaseUrlOf } from "./books";
import { ownLog } from "./logs";
import { pastPooler, type Service, secretKeyOf } from "./service";

/** Generous, because a slow machine must not fail a test. */
const READY_WITHIN_MS = 180_000;
const LOOK_EVERY_MS = 25;
const OUTPUT_MAX = 100_000;

export type OwnProcess = {
  /** Kills it, as a crash or a lost machine would. */
  kill: () => Promise<void>;
  /** Stops it gracefully and waits until it has ended. */
  stop: () => Promise<void>;
  /** Its output so far, as {@link Spawned}. */
  output: () => string;
};

/** A web process; callers of its API need only its `url`. */
export type OwnWeb = OwnProcess & Service;

type Settings = Record<string, string>;

/** Settings shared by the processes of one installation, independent of the tests' environment. */
function settingsOf(service: Service, databaseUrl: string, settings: Settings): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    NODE_ENV: "production",
    DATABASE_URL: databaseUrl,
    SECRET_KEY: secretKeyOf(service),
    SANDBOX: "true",
    WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8",
    LOG_LEVEL: "debug",
    ...pastPooler(databaseUrl),
    ...settings,
  };
}

/** A process of the built product, ready or not. */
export type Spawned = {
  pid: number;
  /** Its output so far; the middle of a long output is cut. */
  output: () => string;
  hasEnded: () => boolean;
  /** Its exit code, or the signal that ended it; resolves when it has ended. */
  ended: Promise<number | NodeJS.Signals>;
  signal: (name: NodeJS.Signals) => void;
};

/**
 * Starts `dist/<file>` without waiting for it.
 * @param hear is called with its output as it arrives.
 * @param folder of the version to start: this one by default.
 */
export function spawnProcess(
  file: string,
  env: NodeJS.ProcessEnv,
  hear: (chunk: Buffer, pid: number) => void = () => undefined,
  folder = ".",
): Spawned {
  // This channel lets it notice our end, so that it never outlives a test run.
  const child: ChildProcess = spawn(process.execPath, [path.join("dist", file)], {
    env,
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let first = "";
  let last = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (chunk: Buffer) => {
      hear(chunk, child.pid ?? 0);
      if (first.length < OUTPUT_MAX) first += chunk;
      else last = (last + chunk).slice(-OUTPUT_MAX);
    });
  }
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ?? code ?? 0));
    child.once("error", () => resolve(1));
  });
  return {
    pid: child.pid ?? 0,
    output: () => first + last,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    ended,
    signal: (name) => {
      child.kill(name);
    },
  };
}

async function startProcess(
  service: Service,
  file: string,
  env: NodeJS.ProcessEnv,
  isReady: (output: string) => boolean | Promise<boolean>,
) {
  const { output, hasEnded, ended, signal } = spawnProcess(file, env, (chunk, pid) =>
    appendFileSync(ownLog(service, pid), chunk),
  );
  const end = async (name: NodeJS.Signals) => {
    if (hasEnded()) return;
    signal(name);
    await ended;
  };
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!(await isReady(output()))) {
    if (hasEnded() || Date.now() > deadline) {
      await end("SIGKILL");
      throw new Error(`${file} was not ready:\n${output()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return { kill: () => end("SIGKILL"), stop: () => end("SIGTERM"), output };
}

/** Starts a web process on a free port. `databaseUrl` is that of the service by default. */
export async function startWeb(
  service: Service,
  { databaseUrl = databaseUrlOf(service), ...settings }: Settings = {},
): Promise<OwnWeb> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = settingsOf(service, databaseUrl, { PORT: String(port), ...settings });
  const isReady = async () => (await fetch(`${url}/api/health`).catch(() => null))?.status === 200;
  return { ...service, ...(await startProcess(service, "web.mjs", env, isReady)), url };
}

/** Starts a web process without the console, because the pages process takes longer to start than everything else. */
export const startApi = (service: Service, settings: Settings = {}): Promise<OwnWeb> =>
  startWeb(service, { CONSOLE: "false", ...settings });

/** Starts a worker on that database. */
export const startWorker = (service: Service, databaseUrl: string, settings: Settings = {}): Promise<OwnProcess> =>
  startProcess(service, "worker.mjs", settingsOf(service, databaseUrl, settings), (output) =>
    output.includes("worker.ready"),
  );

/** Runs a command of the product on that database. @returns its output. */
export const runCommand = (file: string, databaseUrl: string, ...args: string[]): Promise<string> =>
  runCommandOf(".", file, databaseUrl, ...args);

/** Runs a command of the version that was built in `folder`. @returns its output. */
export async function runCommandOf(
  folder: string,
  file: string,
  databaseUrl: string,
  ...args: string[]
): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    NODE_ENV: "production" as const,
    DATABASE_URL: databaseUrl,
    ...pastPooler(databaseUrl),
  };
  const command = [path.join("dist", file), ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, { env, cwd: folder });
  return stdout;
}
