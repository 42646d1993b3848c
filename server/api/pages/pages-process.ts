/**
 * The pages process: a child of the web process that renders the pages, so that React never keeps the API waiting. It is started
 * again when it dies or hangs; until then pages are 503. It ends with its parent.
 */
import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent } from "node:http";
import os from "node:os";
import path from "node:path";
import { MINUTE_MS, SECOND_MS } from "../../core/clock";
import { environmentWith } from "../../core/env";
import { messageOf } from "../../core/errors";
import { log } from "../../core/log";
import { onShutdown } from "../../core/process";
import { pagesProcess } from "../../observability/pages-state";
import { type PagesHandler, refuseWithoutPages } from "../door/pages-handler";
import { forward, NoPages } from "./forward";
import { isReport, REPORT_EVERY_MS } from "./report";

const RESTART_AFTER_MS = { first: SECOND_MS / 4, most: 15 * SECOND_MS };
/** After the pages process has served for this long, the restart delay is reset. */
const PROVEN_AFTER_MS = MINUTE_MS;
/** Reports that may be missing before the process counts as hanging: at its start, and later. */
const MISSING_MAX = { starting: (2 * MINUTE_MS) / REPORT_EVERY_MS, serving: (30 * SECOND_MS) / REPORT_EVERY_MS };
const STOP_WITHIN_MS = 5 * SECOND_MS;
/**
 * Database connections of the pages process: it looks up sessions and signs people in, at most sixteen at once. API calls of the
 * pages are made by the browser and answered by the web process.
 */
const POOL_SIZE = "5";

/** One child from start to end. */
type Life = { child: ChildProcess; socketPath: string; servesSince: number | null; missing: number };

/** The pages process over all its lives. `life`: the present one. `isOver`: this process stops, so no other follows. */
type Pages = {
  file: string;
  folder: string;
  life: Life | null;
  starts: number;
  pauseMs: number;
  restart: NodeJS.Timeout | undefined;
  isOver: boolean;
};

/**
 * Starts the pages process and keeps it running until this process stops.
 * @param file the script of the pages process; it is given the path of the socket to listen on.
 * @returns when the process serves: a handler that hands requests to it.
 * @throws Error when the first process ends before it serves.
 */
export async function startPagesProcess(file: string): Promise<PagesHandler> {
  // Only we may enter this folder, so nobody else can connect to the socket. Linux accepts 108 bytes for its path.
  const folder = mkdtempSync(path.join(os.tmpdir(), "messaging-pages-"));
  const agent = new Agent({ keepAlive: true });
  const pages: Pages = {
    file,
    folder,
    life: null,
    starts: 0,
    pauseMs: RESTART_AFTER_MS.first,
    restart: undefined,
    isOver: false,
  };
  pagesProcess().isUp = false;
  // After a stall the timer fires once before the reports that arrived meanwhile are read, so missed reports are counted, not timed.
  const watch = setInterval(() => killIfHanging(pages.life), REPORT_EVERY_MS);
  onShutdown(async () => {
    pages.isOver = true;
    clearInterval(watch);
    clearTimeout(pages.restart);
    if (pages.life) await end(pages.life.child);
    agent.destroy();
    rmSync(folder, { recursive: true, force: true });
  });
  await start(pages);
  return async (request, response, body) => {
    const at = pages.life?.servesSince ? pages.life.socketPath : null;
    if (at === null) return refuseWithoutPages(request, response);
    try {
      await forward({ socketPath: at, agent }, request, response, body);
    } catch (thrown) {
      if (!(thrown instanceof NoPages)) throw thrown;
      await refuseWithoutPages(request, response);
    }
  };
}

/** Begins a life. @returns when it serves; never, if this process stops before. */
async function start(pages: Pages): Promise<void> {
  pages.starts += 1;
  pagesProcess().restarts = pages.starts - 1;
  const socketPath = path.join(pages.folder, String(pages.starts));
  let child: ChildProcess;
  try {
    child = forkPages(pages.file, socketPath);
  } catch (thrown) {
    // The system had no memory for it: Node throws that; it emits all other failures to start a process.
    if (pages.starts > 1) startLater(pages, undefined, messageOf(thrown));
    throw thrown;
  }
  const life: Life = { child, socketPath, servesSince: null, missing: 0 };
  pages.life = life;
  child.on("message", (message) => takeReport(life, message));
  return new Promise((resolve, reject) => {
    child.once("message", () => {
      life.servesSince = performance.now();
      pagesProcess().isUp = true;
      log("info", "pages.ready", { pid: child.pid, restarts: pagesProcess().restarts });
      resolve();
    });
    const ended = (how: string) => {
      if (pages.life !== life) return;
      forget(pages, life);
      if (pages.isOver) return;
      reject(new Error(`The pages process could not start (${how}).`));
      followWithAnother(pages, life, how);
    };
    child.once("exit", (code, signal) => ended(signal ?? `code ${code}`));
    // The system started no process.
    child.on("error", (thrown) => {
      if (child.pid === undefined) ended(thrown.message);
    });
  });
}

function forkPages(file: string, socketPath: string): ChildProcess {
  const env = environmentWith({ DATABASE_POOL_SIZE: POOL_SIZE });
  // The young generation of a web process is sized for its API.
  const execArgv = process.execArgv.filter((option) => !option.startsWith("--max-semi-space-size"));
  return fork(file, [socketPath], { env, execArgv, stdio: ["ignore", "inherit", "inherit", "ipc"] });
}

function takeReport(life: Life, message: unknown): void {
  if (!isReport(message)) return;
  life.missing = 0;
  pagesProcess().metrics = message.metrics;
}

function killIfHanging(life: Life | null): void {
  if (!life) return;
  life.missing += 1;
  if (life.missing <= (life.servesSince === null ? MISSING_MAX.starting : MISSING_MAX.serving)) return;
  log("error", "pages.hanging", { pid: life.child.pid });
  life.child.kill("SIGKILL");
}

function forget(pages: Pages, { socketPath }: Life): void {
  rmSync(socketPath, { force: true });
  const seen = pagesProcess();
  seen.isUp = false;
  seen.metrics = null;
  pages.life = null;
}

/** Starts again after a life has ended, later each time that it ends soon. */
function followWithAnother(pages: Pages, { child, servesSince }: Life, how: string): void {
  // A first start that fails needs an operator.
  if (pages.starts === 1 && servesSince === null) return;
  const isProven = servesSince !== null && performance.now() - servesSince > PROVEN_AFTER_MS;
  if (isProven) pages.pauseMs = RESTART_AFTER_MS.first;
  startLater(pages, child.pid, how);
}

function startLater(pages: Pages, pid: number | undefined, how: string): void {
  log("error", "pages.ended", { pid, how, restart_after_ms: pages.pauseMs });
  pages.restart = setTimeout(() => void start(pages).catch(() => undefined), pages.pauseMs);
  pages.pauseMs = Math.min(pages.pauseMs * 2, RESTART_AFTER_MS.most);
}

/** Closing the channel is the request to stop; a process that does not stop is killed. */
async function end(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  if (child.connected) child.disconnect();
  const kill = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
  await ended;
  clearTimeout(kill);
}
