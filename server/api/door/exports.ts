/**
 * The door for lists as CSV files, on node:http. Rows are sent while further ones are read, so that a list of any length takes
 * little memory.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { sessionHasEnded } from "../../auth/sessions/ended";
import { findSignedIn, isSessionOpen } from "../../auth/sessions/sessions";
import { SHOWN_ACCOUNT_HEADER } from "../../auth/sessions/shown-account";
import { inTestMode, type SessionActor } from "../../core/actor";
import {
  invalidRequest,
  isApiError,
  notFound,
  overloaded,
  rateLimited,
  toApiError,
  tooLarge,
  unauthorized,
} from "../../core/errors";
import { errorFields, log } from "../../core/log";
import { defineProcessValue } from "../../core/process";
import { ExportInput } from "../../exports/schema";
import { exportList } from "../../exports/service";
import { parseBody } from "../input/rest-input";
import { admitPerson } from "../require-rate";
import { requireShown } from "../shown-account";
import { TEST_MODE_HEADER } from "../test-mode";
import { letApiGoFirst } from "./api-first";
import { readBody } from "./body";
import { requireOwnPage } from "./calls";
import { writeExport } from "./export-response";
import { openGate } from "./gate";
import { trpcRefusal, writeResponse } from "./responses";
import { countVisit, visitorOf } from "./visitor";

export const EXPORTS = "/api/exports";

const BODY_MAX = 8_192;
/** Calls of the console that an export counts as. */
const COST = 10;
/** Few at once: each keeps a connection of the read pool busy about half of the time. */
const GATE = { atOnce: 2, waiting: 10, waitMs: 10_000, holdMs: 900_000 };

const gate = defineProcessValue("door.exports", () => openGate(GATE, letApiGoFirst));
/** Accounts with an export in progress, at most one each, so that one account cannot use all places of the gate. */
const busyAccounts = defineProcessValue("door.exporting", () => new Set<string>());

/** The signed-in person, for the account and the mode that the page shows. @throws 401, 409, 429 */
async function signedInPerson(request: IncomingMessage): Promise<SessionActor & { sessionId: string }> {
  const visitor = await visitorOf(request);
  const tooOften = countVisit(request, visitor, "Calls", COST);
  if (tooOften) throw tooOften;
  const person = visitor.sessionId === null ? null : await findSignedIn(visitor.sessionId, "");
  if (!person) throw unauthorized("Sign in first.", { reason: "no_session" });
  const { userId, accountId, isOperator, role, sessionId } = person;
  const header = (name: string): string | null => [request.headers[name]].flat()[0] ?? null;
  requireShown(header(SHOWN_ACCOUNT_HEADER), accountId);
  await admitPerson(person);
  const actor = { kind: "session" as const, userId, accountId, isOperator, role, sessionId };
  return header(TEST_MODE_HEADER) === "true" ? inTestMode(actor) : actor;
}

/** @throws 400, 404, 413, 415 */
async function readInput(request: IncomingMessage, response: ServerResponse, owner: string): Promise<ExportInput> {
  const body = await readBody(request, response, {
    kind: "known",
    owner,
    maxBytes: BODY_MAX,
    tooLarge: () => tooLarge(`The body is larger than ${BODY_MAX} bytes.`, { reason: "body_too_large" }),
  });
  const parsed = ExportInput.safeParse(parseBody(request.headers["content-type"], body));
  if (parsed.success) return parsed.data;
  throw invalidRequest("The list or its filters are not known.", { param: parsed.error.issues[0]?.path.join(".") });
}

/** Responds to a request for a list as a file. */
export async function handleExport(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let account: string | null = null;
  let leave: (() => void) | null = null;
  try {
    if (request.method !== "POST") throw notFound("This address takes POST.", { reason: "method_not_allowed" });
    requireOwnPage(request);
    const person = await signedInPerson(request);
    const input = await readInput(request, response, person.userId);
    // A body may take half a minute.
    if (!(await isSessionOpen(person))) throw sessionHasEnded();
    if (busyAccounts().has(person.accountId)) {
      const text = "Another file of this account is under way. Wait until it is complete.";
      throw rateLimited(text, { reason: "export_under_way", retryAfterS: 10 });
    }
    account = person.accountId;
    busyAccounts().add(account);
    leave = await gate()();
    if (!leave) throw overloaded();
    await writeExport(response, exportList(person, input));
  } catch (thrown) {
    const error = toApiError(thrown);
    if (!isApiError(thrown) && error.status >= 500) log("error", "export.failed", errorFields(thrown));
    if (response.headersSent) log("warn", "export.cut_off", errorFields(thrown));
    else await writeResponse(request, response, trpcRefusal(error));
  } finally {
    if (account !== null) busyAccounts().delete(account);
    leave?.();
  }
}
