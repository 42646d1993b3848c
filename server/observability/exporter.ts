/** The process's monitoring port: /metrics, and the health of a process without another port. */
import { createHash, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { collectDefaultMetrics } from "prom-client";
import { SECOND_MS } from "../core/clock";
import { env } from "../core/env";
import { errorFields, log } from "../core/log";
import { metrics } from "../core/metrics";
import { defineProcessValue, onShutdown, plainError } from "../core/process";
import { updateGauges } from "./gauges";
import { mergeMetrics } from "./merge-metrics";
import { pagesProcess } from "./pages-state";
import { checkReadiness } from "./readiness";

const TRY_PORT_EVERY_MS = 2 * SECOND_MS;
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|localhost)$/;

type Kind = "web" | "worker";

/** Metrics that apply to the pages process, which handles no messages, requests or jobs. */
const OF_PAGES = /^(process_|nodejs_|messaging_db_pool_|messaging_build_info)/;

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

function mayScrape(request: IncomingMessage): boolean {
  const { METRICS_TOKEN } = env();
  if (METRICS_TOKEN === undefined) return true;
  return timingSafeEqual(digest(request.headers.authorization ?? ""), digest(`Bearer ${METRICS_TOKEN}`));
}

/** Concurrent scrapes share one text. */
const rendering = defineProcessValue("observability.rendering", (): { text: Promise<string> | null } => ({
  text: null,
}));

function render(kind: Kind): Promise<string> {
  const own = rendering();
  own.text ??= updateGauges(kind === "worker")
    .then(() => metrics().registry.metrics())
    .then((text) => mergeMetrics(text, pagesProcess().metrics ?? ""))
    .finally(() => {
      own.text = null;
    });
  return own.text;
}

const respond = (response: ServerResponse, status: number, type: string, body: string): void =>
  void response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(body);

const respondWithJson = (response: ServerResponse, ok: boolean, body: unknown): void =>
  respond(response, ok ? 200 : 503, "application/json", JSON.stringify(body));

async function handle(kind: Kind, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path] = (request.url ?? "").split("?", 1);
  // A process whose event loop runs is alive. Without its database it waits, and a restart would not help.
  if (path === "/health") return respondWithJson(response, true, { ok: true });
  if (path === "/health/ready") {
    const readiness = await checkReadiness();
    return respondWithJson(response, readiness.ok, readiness);
  }
  if (path !== "/metrics") return respond(response, 404, "text/plain", "There is no such address.\n");
  if (!mayScrape(request)) return respond(response, 401, "text/plain", "The bearer token is missing or wrong.\n");
  respond(response, 200, metrics().registry.contentType, await render(kind));
}

/** Starts measuring this process itself: processor, memory, event loop. */
export function collectMetrics(kind: Kind | "pages"): void {
  const { registry, build } = metrics();
  collectDefaultMetrics({ register: registry });
  const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  build.set({ version, process: kind }, 1);
  if (kind === "pages") registry.setDefaultLabels({ process: kind });
}

/** The metrics of the pages process, for the /metrics of its web process. */
export async function metricsOfPages(): Promise<string> {
  await updateGauges(false);
  const { registry } = metrics();
  const names = registry.getMetricsAsArray().flatMap(({ name }) => (OF_PAGES.test(name) ? [name] : []));
  return (await Promise.all(names.map((name) => registry.getSingleMetricAsString(name)))).join("\n");
}

/**
 * Serves /metrics, /health and /health/ready on METRICS_PORT until the process stops; without that setting it does nothing. If
 * the port is in use, it is tried again until it is free: monitoring is not worth stopping the process for.
 * @throws Error when the port would be open to others without METRICS_TOKEN.
 */
export async function serveMetrics(kind: Kind): Promise<void> {
  const { METRICS_PORT: port, METRICS_HOST: host, METRICS_TOKEN } = env();
  if (port === undefined) return;
  if (METRICS_TOKEN === undefined && !LOOPBACK.test(host)) {
    throw plainError("METRICS_TOKEN is missing: METRICS_HOST is not loopback, and anybody could read the metrics.");
  }
  collectMetrics(kind);
  const server = createServer((request, response) => {
    handle(kind, request, response).catch((thrown: unknown) => {
      log("error", "metrics.request_failed", errorFields(thrown));
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  let timer: NodeJS.Timeout | undefined;
  const listen = () => server.listen(port, host);
  await new Promise<void>((resolve) => {
    server.on("error", (thrown) => {
      log("error", "metrics.port_not_open", { host, port, ...errorFields(thrown) });
      timer = setTimeout(listen, TRY_PORT_EVERY_MS).unref();
      resolve();
    });
    server.once("listening", () => {
      log("info", "metrics.ready", { host, port });
      resolve();
    });
    listen();
  });
  onShutdown(async () => {
    clearTimeout(timer);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
}
