/**
 * The one catalogue of failures. Domain code throws what these constructors make; nothing else carries a status.
 * `reason` is the finer machine-readable cause (docs/errors.md lists each with what to do).
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

/** `retryAfterS`: seconds after which the same request may pass; null when no time helps by itself. */
export type ApiError = Error & {
  readonly status: number;
  readonly wire: WireError;
  readonly retryAfterS: number | null;
};

type Extra = { param?: string | null; reason?: string; details?: Record<string, unknown>; retryAfterS?: number };

// A symbol of the global registry, because two bundles of this code live in the web process and `instanceof` would lie.
const BRAND = Symbol.for("messaging-service.api-error");

/** A message is one line, whatever names of the caller's it quotes. */
const oneLine = (text: string): string => text.replace(/\p{Cc}+/gu, " ");

function apiError(status: number, type: ErrorType, code: string, text: string, extra: Extra = {}): ApiError {
  const message = oneLine(text);
  const { reason, retryAfterS } = extra;
  const details = {
    ...(reason ? { reason } : {}),
    ...extra.details,
    ...(retryAfterS === undefined ? {} : { retry_after: retryAfterS }),
  };
  const wire: WireError = { type, code, message, param: extra.param ?? null, details };
  return Object.assign(new Error(message), {
    name: "ApiError",
    status,
    wire,
    retryAfterS: retryAfterS ?? null,
    [BRAND]: true,
  });
}

/** 400: the caller's input is at fault. `param` names it as the caller wrote it (`to`, `recipients[3]`). */
export const invalidRequest = (message: string, extra?: Extra) =>
  apiError(400, "invalid_request_error", "invalid_request", message, extra);
/** 401: no key, or one that is unknown, revoked or expired. */
export const unauthorized = (message: string, extra?: Extra) =>
  apiError(401, "authentication_error", "unauthorized", message, extra);
/** 402: the balance does not cover the cost. */
export const insufficientBalance = (message: string, extra?: Extra) =>
  apiError(402, "balance_error", "insufficient_balance", message, extra);
/** 403: a valid caller who may not do this. */
export const forbidden = (message: string, extra?: Extra) =>
  apiError(403, "authorization_error", "forbidden", message, extra);
/** 404: nothing there that this caller may see; another account's id looks the same. */
export const notFound = (message: string, extra?: Extra) =>
  apiError(404, "invalid_request_error", "not_found", message, extra);
/** 409: a name that is taken. */
export const conflict = (message: string, extra?: Extra) =>
  apiError(409, "invalid_request_error", "conflict", message, extra);
/** 429: more requests, messages or money than the key or the account allows for a while. */
export const rateLimited = (message: string, extra?: Extra) =>
  apiError(429, "rate_limit_error", "rate_limit_exceeded", message, extra);

/** The database may have committed although its acknowledgement never came, so nothing is claimed about the deed. */
const internalError = () =>
  apiError(
    500,
    "api_error",
    "internal_error",
    "Something went wrong on our side. The request may not have been carried out: repeat it with the same Idempotency-Key.",
  );

export const isApiError = (thrown: unknown): thrown is ApiError =>
  typeof thrown === "object" && thrown !== null && BRAND in thrown;

/** A body with a thousand bad recipients need not be answered with a thousand reasons. */
const ISSUES_MAX = 20;

type Issue = { path: PropertyKey[]; message: string; code?: string };

const issuesOf = (thrown: unknown): Issue[] | null =>
  typeof thrown === "object" && thrown !== null && "issues" in thrown && Array.isArray(thrown.issues)
    ? (thrown.issues as Issue[])
    : null;

/** `["recipients", 3]` -> `recipients[3]`, as the caller would write it. */
const paramOf = (path: PropertyKey[]): string | null =>
  path.length === 0
    ? null
    : path.map((part, at) => (typeof part === "number" ? `[${part}]` : `${at > 0 ? "." : ""}${String(part)}`)).join("");

const fieldOf = (thrown: unknown, name: "cause" | "code"): unknown =>
  typeof thrown === "object" && thrown !== null && name in thrown
    ? (thrown as Record<string, unknown>)[name]
    : undefined;

/** What tRPC itself refuses, before any procedure of ours is reached. */
function transportError(code: unknown): ApiError | null {
  if (code === "NOT_FOUND" || code === "METHOD_NOT_SUPPORTED") return notFound("There is no such operation.");
  if (code === "BAD_REQUEST" || code === "PARSE_ERROR") return invalidRequest("The request could not be read.");
  return null;
}

/**
 * Maps anything thrown to the error that may be shown. The only such map: every door uses it.
 * What is neither ours nor a refused input becomes a 500 whose message says nothing of the exception; so does an answer
 * of ours that fails its own schema.
 */
export function toApiError(thrown: unknown): ApiError {
  for (let at: unknown = thrown, depth = 0; at !== undefined && depth < 4; at = fieldOf(at, "cause"), depth += 1) {
    if (isApiError(at)) return at;
  }
  const code = fieldOf(thrown, "code");
  const [issue, ...more] = code === "BAD_REQUEST" ? (issuesOf(fieldOf(thrown, "cause")) ?? []) : [];
  if (!issue) return transportError(code) ?? internalError();
  const param = paramOf(issue.path);
  return invalidRequest(param ? `${param}: ${issue.message}` : issue.message, {
    param,
    details: {
      issues: [issue, ...more].slice(0, ISSUES_MAX).map(({ path, message }) => ({ param: paramOf(path), message })),
    },
  });
}
