/** The servers of the web process, with time limits for the other end of each connection, and of the pages process. */
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

/**
 * Node drops the header fields beyond a thousand without a word, among them those that a proxy or our doors add at the end: the address
 * of the caller, an Idempotency-Key. Their bytes are limited, and that is enough.
 */
const ALL_FIELDS = 0;

/** Makes the server of the web process. It must not get a `timeout` listener: Node would then leave idle connections open. */
export function createWebServer({ stillMs = STILL_MS } = {}): Server {
  // Node would refuse a request without Host with an empty answer; see http-refusals.
  const server = createServer({ ...REQUEST_LIMITS, requireHostHeader: false });
  server.maxHeadersCount = ALL_FIELDS;
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.timeout = stillMs;
  return server;
}

/** Each limit of the web process, and room for what it adds to the headers. */
const PAGES_HEADERS_MAX_BYTES = 32_768;

/** Makes the server of the pages process. Its only caller keeps connections open, and has limited time and size of the requests. */
export function createPagesServer(): Server {
  const server = createServer({
    maxHeaderSize: PAGES_HEADERS_MAX_BYTES,
    requireHostHeader: false,
    keepAliveTimeout: 0,
  });
  server.maxHeadersCount = ALL_FIELDS;
  server.headersTimeout = 0;
  server.requestTimeout = 0;
  return server;
}
