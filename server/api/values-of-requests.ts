/** The values of a web process that are closed at a stop, and that requests need until they end. */
import { pool, readPool } from "../core/db";
import { prepareProviders } from "../providers/tasks";
import { openRequestLog } from "../request-log/log-request";
import { openTrafficCounts } from "../traffic/count";

/**
 * Makes these values. Values made first are closed last, so call this before the server is made: a value that a request makes is
 * closed before the server, while other requests still need it.
 */
export function makeValuesOfRequests(): void {
  pool();
  readPool();
  openRequestLog();
  openTrafficCounts();
  prepareProviders();
}
