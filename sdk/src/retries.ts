import { retryAfterOf } from "./errors.js";
import { withTimeLimit } from "./time-limit.js";

/** `retries`: further tries after the first. `backoffMs`: the wait before the first of them; it doubles each time. */
export type RetryOptions = {
  fetch: (request: Request) => Promise<Response>;
  retries: number;
  backoffMs: number;
  timeoutMs: number;
  /** Whether sending the request a second time does no more than sending it once. */
  isRepeatable: boolean;
};

const BACKOFF_MAX_MS = 8_000;
/** A wait longer than this is the caller's decision. */
const RETRY_AFTER_MAX_S = 60;

/** A proxy gives it when a request did not arrive in time; the service itself has no such status. */
const REQUEST_TIMEOUT = 408;

/** Whether a response says that the same request may succeed a moment later, and not whether it was carried out. */
export const isPassing = (status: number): boolean => status === REQUEST_TIMEOUT || status >= 500;

/** Statuses whose responses have no body, not even an empty one. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/** Up to half of the wait is random, so that callers that failed together do not retry together. */
function backoff(attempt: number, baseMs: number): number {
  const fullMs = Math.min(BACKOFF_MAX_MS, baseMs * 2 ** attempt);
  return fullMs / 2 + (Math.random() * fullMs) / 2;
}

/**
 * Milliseconds to wait before the request is sent again; null: its response stands. A 429 was not carried out, so any
 * request may be repeated after it; a daily or monthly limit means a longer wait, which is left to the caller.
 */
function waitAfter(
  response: Response,
  attempt: number,
  { backoffMs: baseMs, isRepeatable }: RetryOptions,
): number | null {
  const retryAfterS = retryAfterOf(response);
  if (retryAfterS !== null && retryAfterS > RETRY_AFTER_MAX_S) return null;
  if (response.status === 429) return retryAfterS === null ? null : retryAfterS * 1_000 + backoff(0, baseMs);
  if (!isPassing(response.status) || !isRepeatable) return null;
  return Math.max((retryAfterS ?? 0) * 1_000, backoff(attempt, baseMs));
}

/** The response with its whole body. @throws when the connection is lost or the time is up before its end. */
async function readWhole(response: Response): Promise<Response> {
  // A redirect that the platform hides: it has status 0, which cannot be copied, and no body.
  if (response.type === "opaqueredirect") return response;
  const { status, statusText, headers } = response;
  const body = await response.arrayBuffer();
  return new Response(WITHOUT_BODY.has(status) ? null : body, { status, statusText, headers });
}

/** Resolves after `ms`. @throws the signal's reason as soon as it is aborted. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
  });
}

/**
 * Sends a request once. @returns milliseconds to wait before it is sent again, or the whole response.
 * @throws when the time is up, the caller aborts, or the connection is lost.
 */
function sendOnce(request: Request, attempt: number, options: RetryOptions): Promise<number | Response> {
  const { fetch, retries, timeoutMs } = options;
  return withTimeLimit(request.signal, timeoutMs, async (signal) => {
    // Each try needs the body, and sending consumes it.
    const sent = new Request(request.clone(), { signal });
    try {
      const response = await fetch(sent);
      const waitMs = attempt >= retries ? null : waitAfter(response, attempt, options);
      if (waitMs === null) return await readWhole(response);
      await response.body?.cancel();
      return waitMs;
    } finally {
      // Referenced until here: a request that is garbage no longer follows its signal, and its connection stays open.
      sent.signal.throwIfAborted();
    }
  });
}

/**
 * Sends a request, and sends it again where that can help and does no harm: after a failure of the network, also one that
 * cuts the response's body, a timeout, a 408, a 5xx or a 429. Every try carries the same headers, so the same Idempotency-Key.
 * @throws what the last try threw, or the reason why the caller aborted.
 */
export async function fetchWithRetries(request: Request, options: RetryOptions): Promise<Response> {
  const { retries, backoffMs, isRepeatable } = options;
  for (let attempt = 0; ; attempt += 1) {
    let waitMs: number;
    try {
      const sent = await sendOnce(request, attempt, options);
      if (typeof sent !== "number") return sent;
      waitMs = sent;
    } catch (thrown) {
      if (attempt >= retries || request.signal.aborted || !isRepeatable) throw thrown;
      waitMs = backoff(attempt, backoffMs);
    }
    await pause(waitMs, request.signal);
  }
}
