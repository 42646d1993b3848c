/**
 * The pages process, a child of the web process: Next with the pages and next-auth, behind a Unix socket that only the web
 * process can open. It does not judge callers: the web process has, and names their addresses.
 */
import { rmSync } from "node:fs";
import path from "node:path";
import { createPagesServer } from "./api/http-server";
import { logConsole } from "./api/pages/console-lines";
import { lowerPriority } from "./api/pages/low-priority";
import { startNext } from "./api/pages/next-handler";
import { REPORT_EVERY_MS, type Report } from "./api/pages/report";
import { believePeerHeader } from "./auth/sign-in/caller-address";
import { pool } from "./core/db";
import { env, exportSettings } from "./core/env";
import { nameProcess } from "./core/log";
import { onShutdown, runUntilParentEnds } from "./core/process";
import { collectMetrics, metricsOfPages } from "./observability/exporter";

async function start(): Promise<void> {
  const [, , socketPath] = process.argv;
  if (!socketPath || !process.send) throw new Error("It is started by the web process.");
  nameProcess("pages");
  logConsole();
  exportSettings();
  // Made before the server, so that it is closed after it.
  pool();
  believePeerHeader();
  const isScraped = env().METRICS_PORT !== undefined;
  if (isScraped) collectMetrics("pages");
  const handle = await startNext();
  const server = createPagesServer();
  server.on("request", (request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socketPath, resolve);
  });
  // Not earlier: while it starts, its web process waits for it.
  lowerPriority(env().PAGES_NICENESS);
  const report = async () => {
    const message: Report = { metrics: isScraped ? await metricsOfPages() : null };
    // The web process may be gone meanwhile; without a callback the failed write would be an uncaught exception.
    if (process.connected) process.send?.(message, () => undefined);
  };
  await report();
  const timer = setInterval(() => void report(), REPORT_EVERY_MS);
  onShutdown(async () => {
    clearInterval(timer);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    // Its parent does so, too, unless it was killed.
    rmSync(path.dirname(socketPath), { recursive: true, force: true });
  });
}

await runUntilParentEnds("pages", start);
