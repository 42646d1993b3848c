import type { components } from "./schema.js";

type WireError = components["schemas"]["Error"];

/** Fields of an error response in addition to its message. */
export type ErrorFacts = WireError["error"] & { status: number; requestId: string | null; retryAfterS: number | null };

/**
 * A response of the service that is not a success. `reason` is the finer machine-readable cause: the service's guide to
 * errors lists every one, with what to do.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** HTTP status. */
  readonly status: number;
  readonly type: WireError["error"]["type"];
  /** Machine-readable code, one per status. */
  readonly code: string;
  readonly reason: string | null;
  /** The offending parameter as it was sent, such as `recipients[3]`. */
  readonly param: string | null;
  readonly details: WireError["error"]["details"];
  /** Quote it when you ask for help; null when the response did not come from the service itself. */
  readonly requestId: string | null;
  /** Seconds to wait before the request is worth repeating; null when the response did not say. */
  readonly retryAfterS: number | null;

  constructor(facts: ErrorFacts) {
    super(facts.message);
    this.status = facts.status;
    this.type = facts.type;
    this.code = facts.code;
    this.reason = facts.details.reason ?? null;
    this.param = facts.param;
    this.details = facts.details;
    this.requestId = facts.requestId;
    this.retryAfterS = facts.retryAfterS;
  }
}

/** Whether a part of a response is a JSON object. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Proxies give errors of a similar shape, so the fields that every error of the service has are checked. */
const isWireError = (body: unknown): body is WireError =>
  isObject(body) &&
  body.success === false &&
  isObject(body.error) &&
  typeof body.error.code === "string" &&
  typeof body.error.message === "string" &&
  isObject(body.error.details);

/** Every date of HTTP begins with its day of the week. The platform would also read a date in `-1` and `1.5`. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/** The seconds of a Retry-After header, which holds a number of them or a date; null without one. */
export function retryAfterOf(response: Response): number | null {
  const value = response.headers.get("retry-after");
  if (!value) return null;
  if (/^\d+$/.test(value)) return Number(value);
  const seconds = HTTP_DATE.test(value) ? (Date.parse(value) - Date.now()) / 1_000 : Number.NaN;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}

/** A redirect, which browsers show as one without a status. */
const isRedirect = ({ status, type }: Response): boolean =>
  type === "opaqueredirect" || (status >= 300 && status < 400 && status !== 304);

/** A response that is not of the service, in words. A wrong base URL leads to another server, or to a page of this one. */
function strangeMessage(response: Response): string {
  const { ok, status } = response;
  if (isRedirect(response))
    return `The response, status ${status}, is a redirect, which the client does not follow. Check the base URL.`;
  const advice = ok || status === 404 || status === 405 ? " Check the base URL." : "";
  return `The response, status ${status}, does not come from the service.${advice}`;
}

/** The error of a response, or of one from a proxy in between, whose body has another shape. */
export function apiErrorOf(response: Response, body: unknown): ApiError {
  const common = { status: response.status, retryAfterS: retryAfterOf(response) };
  if (isWireError(body)) return new ApiError({ ...body.error, ...common, requestId: body.meta?.request_id ?? null });
  return new ApiError({
    ...common,
    type: "api_error",
    code: "unexpected_answer",
    message: strangeMessage(response),
    param: null,
    details: {},
    requestId: null,
  });
}
