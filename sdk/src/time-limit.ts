/** The longest time that a timer takes: it would pass a longer one at once. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/**
 * Calls `work` with a signal that is aborted after `ms`, and with `outer`; then it also ends by itself, whether or not `work` heeds
 * the signal. Made by hand, because Node may collect the signals of `AbortSignal.any` and `AbortSignal.timeout` as garbage
 * while a request waits, which then never ends (nodejs/node#57736).
 * @throws the reason of `outer`; a `TimeoutError` when the time is up; what `work` throws.
 */
export function withTimeLimit<Result>(
  outer: AbortSignal,
  ms: number,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const inner = new AbortController();
    const end = (reason: unknown) => {
      inner.abort(reason);
      reject(reason);
    };
    const onAbort = () => end(outer.reason);
    const timer = setTimeout(
      () => end(new DOMException("The operation timed out.", "TimeoutError")),
      Math.min(ms, TIMER_MAX_MS),
    );
    outer.addEventListener("abort", onAbort, { once: true });
    if (outer.aborted) onAbort();
    work(inner.signal)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer);
        outer.removeEventListener("abort", onAbort);
      });
  });
}
