/**
 * The web process: one node:http server. The REST API and the providers' receipts are answered here, before Next is asked; Next serves the pages,
 * the console's tRPC and sign-in.
 */
import { createServer } from "node:http";
import type { Socket } from "node:net";
import next from "next";
import { openConsoleDoor } from "./api/door/console-door";
import { securityHeaders } from "./api/door/security-headers";
import { asApiRequest } from "./api/door/traffic";
import { handleHttpRefusals, refuseWithoutHost } from "./api/http-refusals";
import { handleReceiptNode, handleRestNode, isRestPath, pathOf } from "./api/node-door";
import { isReceiptPath } from "./api/receipts";
import { refusalResponse } from "./api/rest";
import { believePeerHeader } from "./auth/sign-in/caller-address";
import { pool } from "./core/db";
import { env, exportSettings } from "./core/env";
import { toApiError } from "./core/errors";
import { errorFields, log } from "./core/log";
import { onShutdown, runUntilStopped } from "./core/process";
import { serveMetrics } from "./observability/exporter";
import { refuseTooNew } from "./observability/start-check";
import { startTracing } from "./observability/tracing";

/** Longer than the usual 60 s of a load balancer, so that it and not we close an idle connection. */
const KEEP_ALIVE_MS = 65_000;
const STOP_WITHIN_MS = 10_000;

/** Nobody needs longer for the headers, or for all of a request; what is not here by then is looked for every few seconds. */
const TIME_LIMITS = { headersTimeout: 15_000, requestTimeout: 30_000, connectionsCheckingInterval: 2_000 };

async function start(): Promise<void> {
  const { HOST, PORT, NODE_ENV } = env();
  exportSettings();
  // Made before the server, so that it is closed after it: requests under way at a stop still need it.
  pool();
  await startTracing("web");
  await serveMetrics("web");
  await refuseTooNew();
  // Node would refuse a request without Host with an empty answer; see http-refusals.
  const server = createServer({ ...TIME_LIMITS, requireHostHeader: false });
  const app = next({
    dev: NODE_ENV === "development",
    dir: process.cwd(),
    hostname: HOST,
    port: PORT,
    // Next listens for upgrades here, and then Node answers no request that offers one, as Java's client does with h2c.
    // Only hot reload wants them.
    httpServer: NODE_ENV === "development" ? server : createServer(),
  });
  await app.prepare();
  const handlePage = app.getRequestHandler();
  const handleConsole = openConsoleDoor((request, response) => handlePage(request, response));
  believePeerHeader();

  server.keepAliveTimeout = KEEP_ALIVE_MS;
  // Connections opened ahead that never asked for anything: Node does not count them as idle, and would wait for them.
  const silent = new Set<Socket>();
  server.on("connection", (socket) => {
    silent.add(socket);
    socket.once("close", () => silent.delete(socket));
  });
  handleHttpRefusals(server);
  server.on("request", (request, response) => {
    silent.delete(request.socket);
    if (refuseWithoutHost(request, response)) return;
    request.url = pathOf(request.url ?? "");
    for (const [name, value] of securityHeaders()) response.setHeader(name, value);
    const handled = isRestPath(request.url)
      ? asApiRequest(handleRestNode(request, response))
      : isReceiptPath(request.url)
        ? asApiRequest(handleReceiptNode(request, response))
        : handleConsole(request, response);
    handled.catch((thrown: unknown) => {
      log("error", "web.request_failed", { path: request.url, ...errorFields(thrown) });
      if (!response.headersSent && isRestPath(request.url ?? "")) {
        const { status, headers, body } = refusalResponse(toApiError(thrown));
        response.writeHead(status, headers).end(body);
        return;
      }
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(PORT, HOST, resolve);
  });
  onShutdown(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    for (const socket of silent) socket.destroy();
    const force = setTimeout(() => server.closeAllConnections(), STOP_WITHIN_MS);
    await closed;
    clearTimeout(force);
  });
  log("info", "web.ready", { host: HOST, port: PORT });
}

await runUntilStopped("web", start);
