/** Requests to a web process whose database lacks migrations: refused in the form that each caller expects. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiError } from "../core/errors";
import { isMigrated, refusalUntilMigrated } from "../observability/migrated";
import { observeRequest } from "../observability/requests";
import { TRPC } from "./door/calls";
import { EXPORTS } from "./door/exports";
import { AUTH } from "./door/pages-handler";
import { authRefusal, type DoorResponse, pageRefusal, trpcRefusal, writeResponse } from "./door/responses";
import { isRestPath } from "./node-door";
import { isReceiptPath } from "./receipts";
import { refusalResponse } from "./rest";

/** The refusal of a request; null: it is served without the database, or reports on it, as health checks do. */
export function refusalOf(request: IncomingMessage, error: ApiError): DoorResponse | null {
  const path = (request.url ?? "/").split("?", 1)[0] ?? "/";
  if (isRestPath(path)) return refusalResponse(error);
  if (isReceiptPath(path))
    return { status: error.status, headers: { "retry-after": `${error.retryAfterS}` }, body: "" };
  if (path.startsWith(TRPC) || path === EXPORTS) return trpcRefusal(error);
  if (path.startsWith(AUTH)) return authRefusal(error, request);
  // Files of the pages, and texts for programs, have an extension; pages have none.
  const isPage = !path.startsWith("/api/") && !/\.\w+$/.test(path);
  return isPage ? pageRefusal(error) : null;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

/** Handles requests by `handle` once the migrations have run; until then each first looks whether they have. */
export const onceMigrated =
  (handle: Handler): Handler =>
  (request, response) =>
    isMigrated() ? handle(request, response) : handleUntilMigrated(request, response, handle);

async function handleUntilMigrated(request: IncomingMessage, response: ServerResponse, handle: Handler): Promise<void> {
  const error = await refusalUntilMigrated();
  const refusal = error && refusalOf(request, error);
  if (!refusal) {
    await handle(request, response);
    return;
  }
  await measureRefusal(request, refusal);
  await writeResponse(request, response, refusal);
}

/** Counts a refusal like a response of those that are served, so that alerts on server errors see it: of the API, and to providers. */
async function measureRefusal(request: IncomingMessage, { status, headers, body }: DoorResponse): Promise<void> {
  const path = request.url ?? "";
  if (!isRestPath(path) && !isReceiptPath(path)) return;
  const outcome = { response: { status, headers, body: String(body) }, facts: null };
  const asked = { method: request.method ?? "GET" };
  await observeRequest(asked, async () => outcome, isReceiptPath(path) ? "receipts" : "none");
}
