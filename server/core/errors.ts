import { inputIssuesOf, oneLine } from "./input-issues";

/**
 * The one catalogue of failures. Domain code throws only errors made by these constructors; nothing else has a status.
 * `reason` is the more specific machine-readable cause (docs/errors.md lists each with its remedy).
 */
export type ErrorType =
  | "invalid_request_error"
  | "authentication_error"
  | "authorization_error"
  | "balance_error"
  | "rate_limit_error"
  | "provider_error"
  | "api_error";

type WireError = {
  type: ErrorType;
  code: string;
  message: string;
  param: string | null;
  details: Record<string, unknown>;
};

/** `retryAfterS`: seconds after which the same request may succeed; null when waiting does not help. */
export type ApiError = Error & {
  readonly status: number;
  readonly wire: WireError;
  readonly retryAfterS: number | null;
};

type Extra = {
  param?: string | null;
  reason?: string;
  details?: Record<string, unknown>;
  retryAfterS?: number;
  /** The internal cause; logged, never shown. */
  cause?: unknown;
};

// A symbol of the global registry: the pages process holds two copies of this code (process.ts), so `instanceof` is unreliable.
const BRAND = Symbol.for("messaging-service.api-error");

function apiError(status: number, type: ErrorType, code: string, text: string, extra: Extra = {}): ApiError {
  const message = oneLine(text);
  const { reason, retryAfterS } = extra;
  const details = {
    ...(reason ? { reason } : {}),
    ...extra.details,
    ...(retryAfterS === undefined ? {} : { retry_after: retryAfterS }),
  };
  const wire: WireError = { type, code, message, param: extra.param ?? null, details };
  return Object.assign(new Error(message, extra.cause === undefined ? {} : { cause: extra.cause }), {
    name: "ApiError",
    status,
    wire,
    retryAfterS: retryAfterS ?? null,
    [BRAND]: true,
  });
}

/** 400: the input is invalid. `param` names the field as the caller wrote it (`to`, `recipients[3]`). */
export const invalidRequest = (message: string, extra?: Extra) =>
  apiError(400, "invalid_request_error", "invalid_request", message, extra);
/** 400: the connection ended before the request was carried out. Nobody receives it; the request log shows it. */
export const clientClosedRequest = () =>
  invalidRequest("The connection ended before the request was carried out. Repeat it with the same Idempotency-Key.", {
    reason: "client_closed_request",
    details: { carried_out: false },
  });
/** 401: the key is missing, unknown, revoked or expired. */
export const unauthorized = (message: string, extra?: Extra) =>
  apiError(401, "authentication_error", "unauthorized", message, extra);
/** 402: the balance does not cover the cost. */
export const insufficientBalance = (message: string, extra?: Extra) =>
  apiError(402, "balance_error", "insufficient_balance", message, extra);
/** 403: the caller is known and lacks the permission. */
export const forbidden = (message: string, extra?: Extra) =>
  apiError(403, "authorization_error", "forbidden", message, extra);
/** 404: not found for this caller; another account's id gives the same response. */
export const notFound = (message: string, extra?: Extra) =>
  apiError(404, "invalid_request_error", "not_found", message, extra);
/** 409: the name is taken. */
export const conflict = (message: string, extra?: Extra) =>
  apiError(409, "invalid_request_error", "conflict", message, extra);
/** 413: a body larger than this door accepts. The REST API responds with 400 instead. */
export const tooLarge = (message: string, extra?: Extra) =>
  apiError(413, "invalid_request_error", "payload_too_large", message, extra);
/** 415: a body in a format that this door does not read. The REST API responds with 400 instead. */
const unsupportedType = (message: string, extra?: Extra) =>
  apiError(415, "invalid_request_error", "unsupported_media_type", message, extra);
/** 429: the key or the account has used up its requests, messages or money for now. */
export const rateLimited = (message: string, extra?: Extra) =>
  apiError(429, "rate_limit_error", "rate_limit_exceeded", message, extra);
/** 429 for a known time, which `message` is completed with. */
export const rateLimitedFor = (retryAfterS: number, message: string, extra: Omit<Extra, "retryAfterS">) =>
  rateLimited(`${message} Try again in ${retryAfterS} s.`, { ...extra, retryAfterS });

/** `Retry-After` of each 503, in seconds. */
const RETRY_AFTER_S = { overloaded: 1, databaseUnavailable: 2, outcomeUnknown: 1, migrationsPending: 5 };

/** 503: temporarily not possible; the same request may succeed after `retryAfterS`. */
export const serviceUnavailable = (message: string, extra: Extra & { retryAfterS: number }) =>
  apiError(503, "api_error", "service_unavailable", message, extra);

/** `details` of a failure after which it is certain that nothing was carried out. */
const NOTHING_DONE = { carried_out: false };

/** 503: the queue is longer than this process can serve in time. The request is refused before anything begins. */
export const overloaded = (cause?: unknown) =>
  serviceUnavailable("The service has more work than it can do in time. Nothing was carried out: repeat the request.", {
    reason: "overloaded",
    details: NOTHING_DONE,
    retryAfterS: RETRY_AFTER_S.overloaded,
    cause,
  });

/** 503: the migrations of this version have not run yet. The request is refused before anything begins. */
export const migrationsPending = () =>
  serviceUnavailable("The service is being installed or upgraded. Nothing was carried out: repeat the request.", {
    reason: "migrations_pending",
    details: NOTHING_DONE,
    retryAfterS: RETRY_AFTER_S.migrationsPending,
  });

const DATABASE_UNAVAILABLE = "database_unavailable";
const OUTCOME_UNKNOWN = "outcome_unknown";
/** SQLSTATEs of a statement that waited too long for a lock, took too long, lost against others too often, or found no memory. */
const DATABASE_BUSY = new Set<unknown>(["55P03", "57014", "40P01", "40001", "53200"]);

/** 503: the database was unreachable or too busy for as long as a caller waits. `nothingDone`: certainly nothing was carried out. */
export const databaseUnavailable = ({ nothingDone, cause }: { nothingDone: boolean; cause?: unknown }) =>
  serviceUnavailable(
    nothingDone
      ? "The database cannot be used at the moment. Nothing was carried out: repeat the request."
      : "The database cannot be used at the moment. Repeat the request with the same Idempotency-Key.",
    {
      reason: DATABASE_UNAVAILABLE,
      ...(nothingDone && { details: NOTHING_DONE }),
      retryAfterS: RETRY_AFTER_S.databaseUnavailable,
      cause,
    },
  );

/** 503: the connection to the database was lost before the response to COMMIT, so the change may be committed. */
export const outcomeUnknown = (cause?: unknown) =>
  serviceUnavailable(
    "The connection to the database was lost on the way. The request may or may not have been carried out: repeat it " +
      "with the same Idempotency-Key.",
    { reason: OUTCOME_UNKNOWN, retryAfterS: RETRY_AFTER_S.outcomeUnknown, cause },
  );

/** Whether it is {@link databaseUnavailable}. */
export const isDatabaseUnavailable = (thrown: unknown): thrown is ApiError =>
  isApiError(thrown) && thrown.wire.details.reason === DATABASE_UNAVAILABLE;
/** Whether it is {@link outcomeUnknown}. */
export const isOutcomeUnknown = (thrown: unknown): thrown is ApiError =>
  isApiError(thrown) && thrown.wire.details.reason === OUTCOME_UNKNOWN;

/** 500: a bug, in any step of the request; earlier steps may have been carried out. */
const internalError = () =>
  apiError(
    500,
    "api_error",
    "internal_error",
    "Something went wrong on our side. The request may not have been carried out: repeat it with the same Idempotency-Key.",
  );

export const isApiError = (thrown: unknown): thrown is ApiError =>
  typeof thrown === "object" && thrown !== null && BRAND in thrown;

const fieldOf = (thrown: unknown, name: string): unknown =>
  typeof thrown === "object" && thrown !== null ? (thrown as Record<string, unknown>)[name] : undefined;

/** Whether a statement failed as in {@link DATABASE_BUSY}, also where Prisma reports it. Nothing of its transaction was carried out. */
export const isDatabaseBusy = (thrown: unknown): boolean =>
  DATABASE_BUSY.has(
    ["meta", "driverAdapterError", "cause", "originalCode"].reduce(fieldOf, thrown) ?? fieldOf(thrown, "code"),
  );

/** The message of a failure of any kind, for logs and operators. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

/**
 * The `code` of a thrown error, as Node, PostgreSQL's driver and undici set it (`ECONNRESET`, `23505`); empty when
 * there is none.
 */
export function errorCodeOf(thrown: unknown): string {
  const code = fieldOf(thrown, "code");
  return code === undefined || code === null ? "" : String(code);
}

/** Citus adds the number of the shard to the names of its constraints. */
const SHARD = /_\d{6,}$/;

/** The name of the constraint that a statement violated; undefined when it failed in another way. */
export function constraintOf(thrown: unknown): string | undefined {
  const name = fieldOf(thrown, "constraint");
  return typeof name === "string" ? name.replace(SHARD, "") : undefined;
}

/** 415: the console's calls are JSON. */
export const wrongContentType = () =>
  unsupportedType("Send the body as JSON, with `Content-Type: application/json`.", { reason: "wrong_content_type" });

/** A refusal by tRPC itself, before any procedure of ours is reached. */
function transportError(code: unknown): ApiError | null {
  if (code === "NOT_FOUND" || code === "METHOD_NOT_SUPPORTED") return notFound("There is no such operation.");
  if (code === "BAD_REQUEST" || code === "PARSE_ERROR") return invalidRequest("The request could not be read.");
  if (code === "UNSUPPORTED_MEDIA_TYPE") return wrongContentType();
  return null;
}

/**
 * Maps anything thrown to the error that may be shown. Every door uses this one mapping.
 * Everything except our own errors and refused input becomes a 500 that reveals nothing of the exception; so does a
 * response that fails its own schema.
 */
export function toApiError(thrown: unknown): ApiError {
  for (let at: unknown = thrown, depth = 0; at !== undefined && depth < 4; at = fieldOf(at, "cause"), depth += 1) {
    if (isApiError(at)) return at;
    if (isDatabaseBusy(at)) return databaseUnavailable({ nothingDone: false, cause: at });
  }
  const code = fieldOf(thrown, "code");
  const issues = code === "BAD_REQUEST" ? inputIssuesOf(fieldOf(thrown, "cause")) : [];
  const [issue] = issues;
  if (!issue) return transportError(code) ?? internalError();
  const { param, message } = issue;
  return invalidRequest(param ? `${param}: ${message}` : message, { param, details: { issues } });
}
