/** The server of the web process, with time limits for the other end of each connection. */
import { createServer, type Server } from "node:http";

/** Longer than the usual 60 s of a load balancer, so that the load balancer, not we, closes an idle connection. */
const KEEP_ALIVE_MS = 65_000;

/** No caller needs longer for the headers, or for a whole request; a check every 2 s ends overdue requests. */
const REQUEST_LIMITS = { headersTimeout: 15_000, requestTimeout: 30_000, connectionsCheckingInterval: 2_000 };

/**
 * A connection without any traffic for this time is closed: its caller does not read the response, which would be kept for ever. Slow
 * readers take some bytes, pages that follow changes get a ping every 15 s, and no operation takes this long.
 */
const STILL_MS = 180_000;

/** Makes the server. It must not get a `timeout` listener: Node would then leave idle connections open. */
export function createWebServer({ stillMs = STILL_MS } = {}): Server {
  // Node would refuse a request without Host with an empty answer; see http-refusals.
  const server = createServer({ ...REQUEST_LIMITS, requireHostHeader: false });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.timeout = stillMs;
  return server;
}
