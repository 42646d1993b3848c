/**
 * The web process: one node:http server. It answers the REST API, the providers' receipts and the console's tRPC itself. Next, with
 * the pages and sign-in, runs in a process of its own; in development within this one, because hot reload wants its server. With
 * CONSOLE=false it serves neither the pages nor the console's calls.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import { asApiRequest } from "./api/door/api-first";
import { withBody } from "./api/door/body";
import { openConsoleDoor, openPublicDoor } from "./api/door/console-door";
import type { PagesHandler } from "./api/door/pages-handler";
import { securityHeaders } from "./api/door/security-headers";
import { prepareStop } from "./api/door/stop-serving";
import { handleHttpRefusals, refuseAmbiguous } from "./api/http-refusals";
import { createWebServer } from "./api/http-server";
import { loggedPath } from "./api/logged-path";
import { handleReceiptNode, handleRestNode, isRestPath, pathOf } from "./api/node-door";
import { startNext } from "./api/pages/next-handler";
import { startPagesProcess } from "./api/pages/pages-process";
import { isReceiptPath } from "./api/receipts";
import { refusalResponse } from "./api/rest";
import { onceMigrated } from "./api/until-migrated";
import { makeValuesOfRequests } from "./api/values-of-requests";
import { believePeerHeader } from "./auth/sign-in/caller-address";
import { loadPrisma } from "./core/db";
import { env, exportSettings } from "./core/env";
import { toApiError } from "./core/errors";
import { errorFields, log } from "./core/log";
import { limitStop, onShutdown, plainError, runUntilStopped } from "./core/process";
import { keepClockChecked } from "./observability/clock-check";
import { serveMetrics } from "./observability/exporter";
import { pagesProcess } from "./observability/pages-state";
import { refuseUnfitPooler, warnOfUnheardChanges } from "./observability/pooler-check";
import { refuseOtherDatabase } from "./observability/same-database";
import {
  checkLater,
  checkMigrations,
  refuseUnfitDatabase,
  reportEgress,
  warnOfOtherKey,
  warnOfServer,
} from "./observability/start-check";
import { startTracing } from "./observability/tracing";

const STOP_WITHIN_MS = 10_000;
/**
 * How long the whole stop may take: requests under way, the pages process, and what is written at the end. A database that has fallen
 * silent would hold it up for as long as one statement may take, for each of these.
 */
const ENDED_WITHIN_MS = 20_000;

/** Starts the rendering of pages. */
async function startPages(server: Server): Promise<PagesHandler> {
  if (env().NODE_ENV !== "development") {
    return startPagesProcess(fileURLToPath(new URL("./pages.mjs", import.meta.url)));
  }
  const handle = await startNext(server);
  return (request, response, body) => handle(body ? withBody(request, body) : request, response);
}

/** Checks the surroundings of the process: some faults end it, now or when they are found later, others are only logged. */
async function checkSurroundings(): Promise<void> {
  for (const refuse of [refuseUnfitPooler, refuseOtherDatabase, refuseUnfitDatabase]) {
    if (!(await refuse())) onShutdown(checkLater(refuse));
  }
  if (env().CONSOLE) {
    void warnOfUnheardChanges().then((hears) => {
      pagesProcess().hearsChanges = hears;
    });
  }
  for (const look of [checkMigrations, warnOfServer, warnOfOtherKey]) if (!(await look())) onShutdown(checkLater(look));
  onShutdown(keepClockChecked());
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

/** Handles requests of the REST API, providers' receipts, and (`handleOther`) anything else. */
const requestHandler = (handleOther: Handler): Handler =>
  onceMigrated((request, response) => {
    const path = request.url ?? "";
    if (isRestPath(path)) return asApiRequest(handleRestNode(request, response));
    if (isReceiptPath(path)) return asApiRequest(handleReceiptNode(request, response));
    return handleOther(request, response);
  });

/** Responds to a request whose handler threw. */
function respondFailed(request: IncomingMessage, response: ServerResponse, thrown: unknown): void {
  const path = request.url ?? "";
  log("error", "web.request_failed", { path: loggedPath(path), ...errorFields(thrown) });
  if (!response.headersSent && isRestPath(path)) {
    const { status, headers, body } = refusalResponse(toApiError(thrown));
    response.writeHead(status, headers).end(body);
    return;
  }
  if (!response.headersSent) response.writeHead(500);
  response.end();
}

/** @throws Error with one line for people when the address cannot be opened. */
const listen = (server: Server, host: string, port: number) =>
  new Promise<void>((resolve, reject) => {
    server.once("error", (thrown) => {
      const remedy = "correct HOST or PORT, or end the program that uses the port";
      reject(plainError(`The address of HOST and PORT cannot be opened (${thrown.message}): ${remedy}.`));
    });
    server.listen(port, host, resolve);
  });

async function start(): Promise<void> {
  const { HOST, PORT } = env();
  exportSettings();
  limitStop(ENDED_WITHIN_MS, () => log("error", "web.not_stopped_in_time", { within_ms: ENDED_WITHIN_MS }));
  makeValuesOfRequests();
  reportEgress();
  await startTracing("web");
  await serveMetrics("web");
  await checkSurroundings();
  const server = createWebServer();
  const stopServing = prepareStop(server);
  const [handlePages] = await Promise.all([env().CONSOLE ? startPages(server) : null, loadPrisma()]);
  const handleOther = handlePages ? openConsoleDoor(handlePages) : openPublicDoor();
  believePeerHeader();

  const handle = requestHandler(handleOther);
  handleHttpRefusals(server);
  server.on("request", (request, response) => {
    if (refuseAmbiguous(request, response)) return;
    request.url = pathOf(request.url ?? "");
    for (const [name, value] of securityHeaders()) response.setHeader(name, value);
    handle(request, response).catch((thrown) => respondFailed(request, response, thrown));
  });
  await listen(server, HOST, PORT);
  onShutdown(() => stopServing(STOP_WITHIN_MS));
  log("info", "web.ready", { host: HOST, port: PORT });
}

await runUntilStopped("web", start);
