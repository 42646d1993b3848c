/**
 * The door to the pages. Static ones are served from memory, anonymous visitors are redirected to sign-in, and the
 * rest is rendered by Next, few at a time and after the API's requests.
 */
import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { signInPath } from "../../auth/sign-in/sign-in-path";
import { type ApiError, overloaded } from "../../core/errors";
import { defineProcessValue } from "../../core/process";
import { codingOf } from "../compress";
import { letApiGoFirst } from "./api-first";
import type { BuiltFile } from "./built-files";
import type { BuiltPage, BuiltPages } from "./built-pages";
import { openGate } from "./gate";
import type { PagesHandler } from "./pages-handler";
import { isPlainPath } from "./plain-path";
import { type DoorResponse, pageRefusal, textRefusal, writeResponse } from "./responses";
import { contentSecurityPolicy } from "./security-headers";
import { countFile, countVisit, ownerOf, type Visitor, visitorOf } from "./visitor";

const NONCE_BYTES = 16;
/** Next takes the nonce for a page's scripts from this request header. */
const POLICY_HEADER = "content-security-policy";

/** One at a time: rendering a page occupies the processor, and the API waits for one page at most. */
const RENDERS = { atOnce: 1, waiting: 40, waitingOfOwner: 20, waitMs: 5_000, holdMs: 10_000 };

const renders = defineProcessValue("door.renders", () => openGate(RENDERS, letApiGoFirst));
/** Paths of former versions, which people may have bookmarked, and their current paths. */
const MOVED: Readonly<Record<string, string>> = { "/security": "/settings/security", "/audit": "/settings/audit" };

/** A request for a page or one of its files, and the sources that may serve it. `path`: without the query. */
type PageRequest = {
  request: IncomingMessage;
  response: ServerResponse;
  path: string;
  built: { pages: BuiltPages; files: ReadonlyMap<string, BuiltFile> };
  toPages: PagesHandler;
};

const isFile = (path: string): boolean =>
  path.startsWith("/_next/static/") || path === "/icon.svg" || path === "/favicon.ico" || path === "/docs/reference.js";

/** Next's client requests pages in its own format, which only Next writes. */
const isForClient = ({ headers, url }: IncomingMessage): boolean =>
  headers.rsc !== undefined || headers["next-router-prefetch"] !== undefined || /[?&]_rsc=/.test(url ?? "");

/** A prefetch of a visible link. Opened pages go first, so that prefetches do not delay them. */
const isPrefetch = ({ headers }: IncomingMessage): boolean => headers["next-router-prefetch"] !== undefined;

/** The refusal of a prefetch: Next treats the link as not prefetched, and the browser logs no error. */
const NOT_AHEAD = { status: 204, headers: { "cache-control": "no-store" }, body: "" };

function sendBuilt(request: IncomingMessage, response: ServerResponse, page: BuiltPage, status: number): Promise<void> {
  response.setHeader(POLICY_HEADER, page.policy);
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-cache",
    vary: "accept-encoding, rsc, next-router-prefetch",
    ...(status === 200 ? { etag: page.etag } : {}),
  };
  if (status === 200 && request.headers["if-none-match"] === page.etag) {
    response.writeHead(304, headers).end();
    return Promise.resolve();
  }
  const takesGzip = /\bgzip\b/.test([request.headers["accept-encoding"]].flat().join());
  return writeResponse(request, response, {
    status,
    headers: takesGzip ? { ...headers, "content-encoding": "gzip" } : headers,
    body: takesGzip ? page.gzipped : page.html,
  });
}

/** Lets Next make a page, once there is room. */
async function render({ request, response, built, toPages }: PageRequest, visitor: Visitor): Promise<void> {
  const isAhead = isPrefetch(request);
  const leave = await renders()({ isAhead, owner: ownerOf(visitor) });
  if (!leave) return isAhead ? writeResponse(request, response, NOT_AHEAD) : refuse(request, response, overloaded());
  if (request.socket.destroyed) return leave();
  response.once("close", leave);
  const nonce = `'nonce-${randomBytes(NONCE_BYTES).toString("base64")}'`;
  const policy = contentSecurityPolicy([nonce, ...built.pages.commonScripts]);
  request.headers[POLICY_HEADER] = policy;
  response.setHeader(POLICY_HEADER, policy);
  await toPages(request, response).finally(leave);
}

const moveTo = (request: IncomingMessage, response: ServerResponse, location: string, status: 307 | 308) =>
  writeResponse(request, response, { status, headers: { location, "cache-control": "no-store" }, body: "" });

const refuse = (request: IncomingMessage, response: ServerResponse, error: ApiError): Promise<void> =>
  writeResponse(request, response, pageRefusal(error));

/** The refusal of a method or a body that no page accepts; null: the request may pass. */
function refusalOf({ request, path, built }: PageRequest): DoorResponse | null {
  if (request.method !== "GET" && request.method !== "HEAD") {
    return built.pages.isPage(path)
      ? textRefusal(405, "This address takes GET.", { allow: "GET, HEAD" })
      : textRefusal(404, "There is no such address.");
  }
  const hasBody =
    Number(request.headers["content-length"] ?? 0) > 0 || request.headers["transfer-encoding"] !== undefined;
  return hasBody ? textRefusal(413, "A GET has no body here.", { connection: "close" }) : null;
}

function serveFile({ request, response, path, built, toPages }: PageRequest): Promise<void> {
  const tooOften = countFile(request);
  if (tooOften) return refuse(request, response, tooOften);
  const file = built.files.get(path);
  const isTaken = file && codingOf(String(request.headers["accept-encoding"] ?? "")) === "br" && !request.headers.range;
  return isTaken ? writeResponse(request, response, { status: 200, ...file }) : toPages(request, response);
}

async function servePage(page: PageRequest): Promise<void> {
  const { request, response, path, built } = page;
  const { pages } = built;
  const visitor = await visitorOf(request);
  const tooOften = countVisit(request, visitor, "Views", 1);
  if (tooOften) return refuse(request, response, tooOften);
  const ready = pages.pageAt(path);
  if (ready && !isForClient(request)) return sendBuilt(request, response, ready, 200);
  if (path.endsWith("/") && pages.isPage(path.slice(0, -1))) return moveTo(request, response, path.slice(0, -1), 308);
  const moved = MOVED[path];
  if (moved !== undefined) return moveTo(request, response, moved, 308);
  if (!pages.isPage(path)) return sendBuilt(request, response, pages.notFound, 404);
  const mustSignIn = visitor.sessionId === null && !ready;
  return mustSignIn ? moveTo(request, response, signInPath(request.url ?? "/"), 307) : render(page, visitor);
}

/** Responds to a request for a page or for one of its files. */
export async function handlePage(page: PageRequest): Promise<void> {
  const { request, response, path, built } = page;
  const refusal = refusalOf(page);
  if (refusal) return writeResponse(request, response, refusal);
  if (!isPlainPath(path)) return sendBuilt(request, response, built.pages.notFound, 404);
  return isFile(path) ? serveFile(page) : servePage(page);
}
