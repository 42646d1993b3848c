/** Processes of the service as children of a command: their logs go to files, and they end when the command does. */
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";

/** Longest response time of a provider, plus time to record the outcome. */
const STOP_WITHIN_MS = 30_000;
const READY_WITHIN_MS = 60_000;
const TAIL_LINES = 30;
const LOOK_EVERY_MS = 50;

type Service = {
  name: string;
  logFile: string;
  /** Resolves with the reason once the process has ended. */
  ended: Promise<string>;
  hasEnded: () => boolean;
  stop: () => Promise<void>;
};

/** The web process and the worker, started and stopped together. */
export type Services = {
  /** Resolves when both are ready. @throws Error with the end of the log of the one that is not. */
  start: () => Promise<void>;
  /** Stops both gracefully, and kills those still running after 30 s. */
  stop: () => Promise<void>;
};

/** Starts `node <args>` with this process's environment. Its log file is replaced. */
function startService(name: string, args: string[], logDir: string): Service {
  const logFile = path.join(logDir, `${name}.log`);
  // Readable by its owner only, because logs name customers' ids and addresses. An existing file would keep its mode.
  rmSync(logFile, { force: true });
  const log = openSync(logFile, "w", 0o600);
  // In its own process group, so that Ctrl-C reaches it only through us, and once. The channel closes when we are gone, and then it
  // stops by itself.
  const child = spawn(process.execPath, args, { detached: true, stdio: ["ignore", log, log, "ipc"] });
  closeSync(log);
  let hasEnded = false;
  const ended = new Promise<string>((resolve) => {
    child.once("error", (thrown) => resolve(thrown.message));
    child.once("exit", (code, signal) => resolve(signal ?? `code ${code}`));
  }).finally(() => {
    hasEnded = true;
  });
  const stop = async () => {
    if (hasEnded) return;
    child.kill("SIGTERM");
    const kill = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
    await ended;
    clearTimeout(kill);
  };
  return { name, logFile, ended, hasEnded: () => hasEnded, stop };
}

function logTail(service: Service): string {
  return readFileSync(service.logFile, "utf8").trimEnd().split("\n").slice(-TAIL_LINES).join("\n");
}

async function waitUntilReady(service: Service, isReady: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (!(await isReady())) {
    if (service.hasEnded()) throw new Error(`The ${service.name} process could not start:\n${logTail(service)}`);
    if (performance.now() > deadline)
      throw new Error(`The ${service.name} process was not ready in time:\n${logTail(service)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

/** Whether the web process at `url` reports itself and its database healthy. */
async function isHealthy(url: string): Promise<boolean> {
  const response = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(10_000) }).catch(() => null);
  // It may end in the middle of its response.
  const body = await response?.text().catch(() => null);
  return response?.status === 200 && body !== null;
}

/** Whether a service has logged the event; true when its log level omits such events. */
function hasLogged(service: Service, event: string): boolean {
  const level = process.env.LOG_LEVEL || "info";
  return !["info", "debug"].includes(level) || readFileSync(service.logFile, "utf8").includes(`"${event}"`);
}

/**
 * The processes of one installation; nothing is started yet.
 * @param commands arguments of `node` for each process.
 * @param url address of the web process.
 * @param onFailure called when one of them ends without having been stopped.
 */
export function makeServices(
  commands: { web: string[]; worker: string[] },
  logDir: string,
  url: string,
  onFailure: (message: string) => void,
): Services {
  let current: Service[] = [];
  const start = async () => {
    const web = startService("web", commands.web, logDir);
    const worker = startService("worker", commands.worker, logDir);
    current = [web, worker];
    await Promise.all([
      waitUntilReady(web, () => isHealthy(url)),
      waitUntilReady(worker, () => hasLogged(worker, "worker.ready")),
    ]);
    for (const service of current) {
      void service.ended.then((how) => {
        if (current.includes(service))
          onFailure(`The ${service.name} process ended unexpectedly (${how}):\n${logTail(service)}`);
      });
    }
  };
  const stop = async () => {
    const stopping = current;
    current = [];
    await Promise.all(stopping.map((service) => service.stop()));
  };
  return { start, stop };
}
