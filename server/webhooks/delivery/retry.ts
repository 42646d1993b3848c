/** The retry policy of webhook deliveries. */

/**
 * Seconds to wait before each try, from the end of the previous one: immediately, 30 s, 5 min, 30 min, 2 h, 12 h. After the last
 * try the delivery is abandoned.
 */
export const RETRY_DELAYS_S: readonly number[] = [0, 30, 300, 1800, 7200, 43200];

/** Seconds after which the schedule begins again when the egress proxy was unavailable for the last try. */
export const NEXT_ROUND_AFTER_S = 1_800;

/**
 * Consecutive failed tries, over all its deliveries, after which an endpoint is disabled; any 2xx resets the count.
 */
export const DISABLE_AFTER_FAILURES = 25;

/** The status of an endpoint that is gone for good (RFC 9110 section 15.5.11): it is disabled at once. */
export const GONE = 410;

/** Statuses whose `Retry-After` says how long the endpoint is overloaded or out of service (RFC 9110, RFC 6585). */
const ASKING_TO_WAIT: ReadonlySet<number | null> = new Set([429, 503]);

const TOO_MANY_REQUESTS = 429;

/** A proxy responds with these beyond its limit of requests (`nginx`: 503), or if its server restarts, is down or does not respond. */
const GATEWAY_STATUSES: ReadonlySet<number> = new Set([502, 503, 504]);

/** A longer `Retry-After` counts as this many seconds, one day. */
export const RETRY_AFTER_MAX_S = 86_400;

/** Time limit of a whole exchange with an endpoint, in milliseconds. */
export const WEBHOOK_TIMEOUT_MS = 10_000;

/** A job's last request ends within this many milliseconds after the job has read which deliveries are due. */
export const REQUESTS_END_WITHIN_MS = 30_000;

/**
 * Seconds until the next try, from the end of the previous one, or `null` when all tries are used up.
 *
 * @param triesMade tries that count so far, a whole number from 0; 0 gives the delay of the first try.
 * @throws RangeError for any other number: treated as "used up" it would silently lose an event.
 */
export function nextTryDelayS(triesMade: number): number | null {
  if (!Number.isInteger(triesMade) || triesMade < 0) {
    throw new RangeError("The number of tries made must be a whole number from 0.");
  }
  return RETRY_DELAYS_S[triesMade] ?? null;
}

/** `statusCode`: null without a response; `retryAfterS`: null without a valid `Retry-After`. */
type LastResponse = { statusCode: number | null; retryAfterS: number | null };

/**
 * Seconds until the next try after a response, or `null` when all tries are used up. An overloaded endpoint may ask for more
 * time, up to the following step of the schedule, but never for less.
 * @param response of the last try.
 */
export function delayAfter(triesMade: number, response: LastResponse): number | null {
  const scheduledS = nextTryDelayS(triesMade);
  if (scheduledS === null || !ASKING_TO_WAIT.has(response.statusCode)) return scheduledS;
  const longestS = nextTryDelayS(triesMade + 1) ?? scheduledS;
  return Math.min(Math.max(scheduledS, response.retryAfterS ?? 0), longestS);
}

/**
 * Whether a failed try shows that the endpoint gets more requests than it can take now: 429, or 503 with a `Retry-After`. No response, and
 * the statuses of a gateway, show it only of an endpoint that has just acknowledged other events; otherwise it is down.
 */
export const isOverloaded = ({ statusCode, retryAfterS }: LastResponse, hasJustAcknowledged: boolean): boolean =>
  statusCode === TOO_MANY_REQUESTS ||
  (ASKING_TO_WAIT.has(statusCode) && retryAfterS !== null) ||
  (hasJustAcknowledged && (statusCode === null || GATEWAY_STATUSES.has(statusCode)));

/**
 * The delay of a `Retry-After` header (RFC 9110 section 10.2.3), given in seconds or as a date, in whole seconds.
 * At most {@link RETRY_AFTER_MAX_S}; 0 for a date in the past; null when the header is missing or malformed.
 *
 * @param nowMs current time, Unix milliseconds.
 */
export function retryAfterS(header: string | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? "";
  const seconds = /^\d+$/.test(text) ? Number(text) : secondsUntil(text, nowMs);
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), RETRY_AFTER_MAX_S);
}

/** One of the three forms of an HTTP date (RFC 9110 section 5.6.7) names no time zone; all are GMT. */
function secondsUntil(text: string, nowMs: number): number {
  if (!/^(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?,? /.test(text)) return Number.NaN;
  return Math.ceil((Date.parse(text.endsWith("GMT") ? text : `${text} GMT`) - nowMs) / 1_000);
}

/**
 * Whether an HTTP status (RFC 9110 section 15) acknowledges a delivery: 200 to 299 only. Redirects are not followed, so
 * they do not; nor does any other 3xx.
 */
export function isAcknowledged(statusCode: number): boolean {
  return statusCode >= 200 && statusCode <= 299;
}
