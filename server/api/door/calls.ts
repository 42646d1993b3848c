/** The door for calls of the console's pages: tRPC, and next-auth for sign-in. Cheap checks come first. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { publicUrl } from "../../core/env";
import {
  type ApiError,
  forbidden,
  invalidRequest,
  isApiError,
  notFound,
  overloaded,
  tooLarge,
  wrongContentType,
} from "../../core/errors";
import { defineProcessValue } from "../../core/process";
import { BATCH_MAX } from "../batch-size";
import { requireFewValues, requireShallow, VALUES_MAX } from "../input/rest-input";
import { readBody } from "./body";
import { openGate } from "./gate";
import { AUTH, type PagesHandler } from "./pages-handler";
import { authRefusal, type DoorResponse, textRefusal, trpcRefusal, writeResponse } from "./responses";
import { isCrossSite } from "./same-site";
import { answerTrpc } from "./trpc-door";
import { countVisit, ownerOf, type Visitor, visitorOf } from "./visitor";

/** The stream of changes: a GET that stays open. It carries no texts or phone numbers, and takes no place in the gate for calls. */
export const LIVE = `/api/trpc/live.changes`;

export const TRPC = "/api/trpc/";
/** Paths in the notation of our pages; in any other, Next might see another path than the one checked here. */
const TRPC_PATH = /^\/api\/trpc\/(?:[a-z0-9.,]|%2c)+$/i;
const AUTH_PATH = /^\/api\/auth\/([a-z]+)(?:\/[a-z]+)?$/;

/** Bytes of a body. */
const AUTH_BODY_MAX = 8_192;
const STRANGER_BODY_MAX = 16_384;
const PERSON_BODY_MAX = 1_048_576;
const STRANGER_VALUES_MAX = 500;

/** Paths of next-auth that are open; not `_log`, which would let strangers write to the log. */
const AUTH_ACTIONS = new Set(["csrf", "session", "providers", "signin", "signout", "callback", "error"]);

/** Calls mostly wait for the database; anonymous ones are limited to a few at once, so that they do not starve the others. */
const GATES = {
  stranger: { atOnce: 4, waiting: 60, waitMs: 5_000, holdMs: 30_000 },
  person: { atOnce: 16, waiting: 200, waitingOfOwner: 100, waitMs: 10_000, holdMs: 30_000 },
};

const gates = defineProcessValue("door.calls", () => ({
  stranger: openGate(GATES.stranger),
  person: openGate(GATES.person),
}));

const enter = (visitor: Visitor) =>
  visitor.sessionId === null ? gates().stranger() : gates().person({ owner: ownerOf(visitor) });

export const isCallPath = (path: string): boolean => path.startsWith(TRPC) || path.startsWith(AUTH);

/** The number of calls in a path; tRPC reads an encoded comma as a separator, too. */
const callsIn = (path: string): number => path.split(/,|%2c/i).length;

/** @throws 403 `cross_site` */
export function requireOwnPage({ headers }: IncomingMessage): void {
  const isForeign = isCrossSite({
    fetchSite: [headers["sec-fetch-site"]].flat().join(", ") || undefined,
    origin: headers.origin,
    host: headers.host,
    publicOrigin: new URL(publicUrl()).origin,
  });
  if (isForeign) throw forbidden("A page of another site may not do this.", { reason: "cross_site" });
}

/** Refusals decided without reading the body or the session. @throws the refusal. */
function requireForm(request: IncomingMessage, path: string): void {
  const isKnown = AUTH_ACTIONS.has(AUTH_PATH.exec(path)?.[1] ?? "") || TRPC_PATH.test(path);
  if (!isKnown) throw notFound("There is no such address.");
  if (path.startsWith(TRPC) && callsIn(path) > BATCH_MAX) {
    throw invalidRequest(`A batch has at most ${BATCH_MAX} calls.`, { reason: "batch_too_large" });
  }
  if (request.method === "GET" && path === LIVE) requireOwnPage(request);
  if (request.method !== "POST") return;
  requireOwnPage(request);
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (path.startsWith(TRPC) && type !== "application/json") throw wrongContentType();
}

/** Reads the body. @throws the refusal. */
async function readCall(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  visitor: Visitor,
): Promise<Buffer> {
  const { sessionId } = visitor;
  const callerMaxBytes = sessionId === null ? STRANGER_BODY_MAX : PERSON_BODY_MAX;
  const maxBytes = request.method !== "POST" ? 0 : path.startsWith(AUTH) ? AUTH_BODY_MAX : callerMaxBytes;
  const refusal = () => tooLarge(`The body is larger than ${maxBytes} bytes.`, { reason: "body_too_large" });
  const body = await readBody(request, response, {
    kind: sessionId === null ? "stranger" : "known",
    owner: ownerOf(visitor),
    maxBytes,
    tooLarge: refusal,
  });
  requireFewValues(body, sessionId === null ? STRANGER_VALUES_MAX : VALUES_MAX);
  if (path.startsWith(TRPC)) requireShallow(body);
  return body;
}

/** Refuses a call, or answers it after all checks: calls of tRPC here, those of next-auth in the pages process. */
export async function handleCall(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  toPages: PagesHandler,
): Promise<void> {
  const refuse = (error: ApiError, connection: Record<string, string> = {}): Promise<void> => {
    const refusal: DoorResponse = path.startsWith(TRPC) ? trpcRefusal(error) : authRefusal(error, request);
    return writeResponse(request, response, { ...refusal, headers: { ...refusal.headers, ...connection } });
  };
  if (!["GET", "HEAD", "POST"].includes(request.method ?? "")) {
    return writeResponse(
      request,
      response,
      textRefusal(405, "This address takes GET and POST.", { allow: "GET, POST" }),
    );
  }
  // Without a length, nobody knows in advance whether the body fits into memory; browsers always send one.
  if (request.headers["transfer-encoding"] !== undefined) {
    return writeResponse(request, response, textRefusal(411, "Say how long the body is.", { connection: "close" }));
  }
  let leave: (() => void) | null;
  let body: Buffer;
  try {
    requireForm(request, path);
    const visitor = await visitorOf(request);
    const cost = path.startsWith(TRPC) ? callsIn(path) : 1;
    const tooOften = countVisit(request, visitor, "Calls", cost);
    if (tooOften) throw tooOften;
    body = await readCall(request, response, path, visitor);
    const staysOpen = path === LIVE && visitor.sessionId !== null;
    leave = staysOpen ? () => undefined : await enter(visitor);
    if (!leave) throw overloaded();
  } catch (thrown) {
    if (!isApiError(thrown)) throw thrown;
    return refuse(thrown, request.complete ? {} : { connection: "close" });
  }
  if (request.socket.destroyed) return leave();
  response.once("close", leave);
  const answering = path.startsWith(TRPC) ? answerTrpc(request, response, body) : toPages(request, response, body);
  await answering.finally(leave);
}
