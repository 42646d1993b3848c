/** The doors on node:http for every request that is neither for the API nor a receipt. */
import type { IncomingMessage, ServerResponse } from "node:http";
import path from "node:path";
import { PEER_ADDRESS_HEADER } from "../../auth/sign-in/caller-address";
import { PAGE_HEADER } from "../../auth/sign-in/sign-in-path";
import { now } from "../../core/clock";
import { env, publicUrl } from "../../core/env";
import { defineProcessValue } from "../../core/process";
import { checkReadiness } from "../../observability/readiness";
import { checkHealth } from "../health";
import { readBuiltFiles } from "./built-files";
import { readBuiltPages } from "./built-pages";
import { isCallPath } from "./calls";
import { answerDocsFile, readDocsFiles } from "./docs-files";
import { EXPORTS, handleExport } from "./exports";
import { handlePage } from "./pages";
import type { PagesHandler } from "./pages-handler";
import { textRefusal, writeResponse } from "./responses";
import { contentSecurityPolicy } from "./security-headers";
import { SECURITY_TXT, securityText } from "./security-txt";
import { traceCall } from "./trace-call";

const HEALTH = "/api/health";
const READY = "/api/health/ready";

const healthCheck = defineProcessValue("door.health", (): { last: ReturnType<typeof checkHealth> | null } => ({
  last: null,
}));

/** Reads the database one query at a time, however many callers there are. */
async function answerHealth(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const look = healthCheck();
  look.last ??= checkHealth().finally(() => {
    look.last = null;
  });
  const health = await look.last;
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  await writeResponse(request, response, { status: health.ok ? 200 : 503, headers, body: JSON.stringify(health) });
}

/** Reads the database at most once a second, however many callers there are. */
async function answerReadiness(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const readiness = await checkReadiness();
  const headers = { "content-type": "application/json", "cache-control": "no-store" };
  await writeResponse(request, response, {
    ...{ status: readiness.ok ? 200 : 503, headers },
    body: JSON.stringify(readiness),
  });
}

/** 404 without a contact. */
function answerSecurityTxt(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { SECURITY_CONTACT } = env();
  if (!SECURITY_CONTACT) return writeResponse(request, response, textRefusal(404, "There is no such address."));
  const headers = { "content-type": "text/plain; charset=utf-8", "cache-control": "public, max-age=3600" };
  return writeResponse(request, response, {
    status: 200,
    headers,
    body: securityText(SECURITY_CONTACT, publicUrl(), now()),
  });
}

/** Served by every web process, with the console or without it. */
const PUBLIC: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => Promise<void>>> = {
  [HEALTH]: answerHealth,
  [READY]: answerReadiness,
  [SECURITY_TXT]: answerSecurityTxt,
};

const isRead = ({ method }: IncomingMessage): boolean => method === "GET" || method === "HEAD";

const pathOf = ({ url = "/" }: IncomingMessage): string => url.split("?", 1)[0] ?? "/";

/** Makes the door of a web process without the console. */
export function openPublicDoor(): PagesHandler {
  return (request, response) => {
    const answer = isRead(request) ? PUBLIC[pathOf(request)] : undefined;
    const refusal = textRefusal(404, "There is no such address here: this process serves the API only.");
    return answer ? answer(request, response) : writeResponse(request, response, refusal);
  };
}

/**
 * Makes the console's door before Next.
 * @param next handles the requests that pass.
 */
export function openConsoleDoor(next: PagesHandler): PagesHandler {
  const isDevelopment = env().NODE_ENV === "development";
  const folder = path.join(process.cwd(), ".next");
  const built = isDevelopment ? null : { pages: readBuiltPages(folder), files: readBuiltFiles(folder) };
  const docsFiles = readDocsFiles(path.join(process.cwd(), "docs"));
  const toPages: PagesHandler = (request, response, body) => {
    // Page code knows the caller's address only from this header; it overwrites one that the caller sent.
    request.headers[PEER_ADDRESS_HEADER] = request.socket.remoteAddress ?? "";
    // Next does not tell layouts for which page they are rendered.
    request.headers[PAGE_HEADER] = request.url ?? "/";
    return next(request, response, body);
  };
  return (request, response) => {
    const asked = pathOf(request);
    if (asked === EXPORTS) return handleExport(request, response);
    if (isCallPath(asked)) return traceCall(request, response, asked, toPages);
    const answer = isRead(request) ? PUBLIC[asked] : undefined;
    if (answer) return answer(request, response);
    const docsFile = docsFiles.get(asked);
    if (docsFile && isRead(request)) return answerDocsFile(request, response, docsFile);
    if (asked.startsWith("/api/") || (asked.startsWith("/docs/") && asked.endsWith(".md")))
      return writeResponse(request, response, textRefusal(404, "There is no such address."));
    if (built) return handlePage({ request, response, path: asked, built, toPages });
    response.setHeader("content-security-policy", contentSecurityPolicy([]));
    return toPages(request, response);
  };
}
