/**
 * One POST and the beginning of its response, by undici's dispatcher directly, which needs no stream for an empty body.
 */
import type { Dispatcher } from "undici";
import { startDeadline } from "../../core/deadline";

export type ExchangeOptions = {
  dispatcher: Dispatcher;
  headers: Record<string, string>;
  body: Buffer;
  /** For the whole exchange, from the name lookup to the end of the response body. */
  limitMs: number;
};

/** A response so far, kept even if the exchange fails. */
export type Seen = {
  /** Null: no response has begun. */
  statusCode: number | null;
  retryAfter: string | undefined;
  date: string | undefined;
  /** Whether the limit has passed. */
  isLate: boolean;
};

/** Statuses whose responses end with the headers, whatever their Content-Length says (RFC 9112, 6.3). */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304]);

/** Reading stops at this size, and the connection is closed. */
const BODY_LIMIT_BYTES = 16 * 1_024;

/**
 * Posts and reads the response, without following redirects.
 * @param seen is filled in as the response arrives.
 * @returns the first `keptBytes` of the response's body.
 * @throws the error of the connection, or a `TimeoutError` when the limit passes.
 */
export function exchange(
  { origin, pathname, search }: URL,
  { dispatcher, headers, body, limitMs }: ExchangeOptions,
  seen: Seen,
  keptBytes: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let started: Dispatcher.DispatchController | null = null;
    const kept: Buffer[] = [];
    let size = 0;
    const timeout = () => new DOMException("The operation timed out.", "TimeoutError");
    const deadline = startDeadline(limitMs, () => {
      seen.isLate = true;
      started?.abort(timeout());
    });
    const end = () => {
      deadline.clear();
      resolve(kept.length === 1 && kept[0] ? kept[0] : Buffer.concat(kept));
    };
    const fail = (error: Error) => {
      deadline.clear();
      reject(error);
    };
    try {
      dispatcher.dispatch(
        { origin, path: `${pathname}${search}`, method: "POST", headers, body },
        {
          onRequestStart: (controller) => {
            started = controller;
            // The limit passed while it was connecting.
            if (seen.isLate) controller.abort(timeout());
          },
          onResponseStart: (_, statusCode, responseHeaders) => {
            if (statusCode < 200) return;
            seen.statusCode = statusCode;
            seen.retryAfter = [responseHeaders["retry-after"]].flat()[0];
            seen.date = [responseHeaders.date].flat()[0];
            // undici expects no body for these, and fails when its length differs from the header.
            if (WITHOUT_BODY.has(statusCode)) end();
          },
          onResponseData: (controller, chunk) => {
            if (size < keptBytes) kept.push(Buffer.from(chunk.subarray(0, keptBytes - size)));
            size += chunk.length;
            if (size < BODY_LIMIT_BYTES) return;
            end();
            controller.abort(new Error("The rest of the response is not read."));
          },
          onResponseEnd: end,
          // Has no effect after `end`.
          onResponseError: (_, error) => fail(error),
        },
      );
    } catch (thrown) {
      fail(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  });
}
