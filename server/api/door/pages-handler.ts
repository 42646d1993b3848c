/** Hands requests to the pages process, which serves pages and sign-in. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { overloaded } from "../../core/errors";
import { authRefusal, pageRefusal, writeResponse } from "./responses";

/** Lets the pages process serve a request. `body`: as read by the door; none by default. */
export type PagesHandler = (request: IncomingMessage, response: ServerResponse, body?: Buffer) => Promise<void>;

export const AUTH = "/api/auth/";

/** While there is no pages process: 503 with Retry-After, in the form that the caller expects. */
export function refuseWithoutPages(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const refusal = (request.url ?? "").startsWith(AUTH) ? authRefusal(overloaded(), request) : pageRefusal(overloaded());
  return writeResponse(request, response, refusal);
}
