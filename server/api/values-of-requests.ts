/** The values of a web process that are closed at a stop and that requests need until their end. */
import { pool, readPool } from "../core/db";
import { prepareProviders } from "../providers/tasks";
import { openRequestLog } from "../request-log/log-request";
import { openTrafficCounts } from "../traffic/count";

/**
 * Makes them. What is made first is closed last: call it before the server is made, because a value that a request makes is closed
 * before the server, under the requests that are still under way.
 */
export function makeValuesOfRequests(): void {
  pool();
  readPool();
  openRequestLog();
  openTrafficCounts();
  prepareProviders();
}
