/**
 * The time by the server's clock. A browser's clock may be an hour off; statements about times, such as whether a key has
 * expired or a message is due, must not depend on it.
 */

/** Milliseconds that the server's clock is ahead of the browser's, as far as responses have shown; null: none has yet. */
let aheadMs: number | null = null;

/** The `Date` header names whole seconds, and servers and proxies renew it about once in one. */
const HEADER_SLACK_MS = 2_000;

/** A stretch of time by the browser's clock, during which the server named its own time. */
export type Stretch = { from: number; to: number };

/**
 * The difference between the clocks that agrees with a time of the server: the former difference if it still agrees, since a
 * response may take long, else the nearest one that does. A clock that is right is therefore never corrected.
 * @param slackMs by how much the time that the server named may lag behind its clock.
 */
export function agreeing(formerMs: number, server: number, slackMs: number, { from, to }: Stretch): number {
  return Math.min(Math.max(formerMs, server - to), server + slackMs - from);
}

/** Reads the time of a response to a call. @param from when the call was sent. */
function noteResponse(response: Response, from: number): void {
  const server = Date.parse(response.headers.get("date") ?? "");
  if (!Number.isNaN(server)) aheadMs = agreeing(aheadMs ?? 0, server, HEADER_SLACK_MS, { from, to: Date.now() });
}

/** `fetch`, which notes the server's time on the way. */
export const timedFetch: typeof fetch = async (input, init) => {
  const from = Date.now();
  const response = await fetch(input, init);
  noteResponse(response, from);
  return response;
};

/** Notes when the server made the page that the browser has loaded, unless a call has shown the time already. */
export function notePage(madeAt: number): void {
  if (typeof window === "undefined" || aheadMs !== null) return;
  aheadMs = agreeing(0, madeAt, 0, { from: performance.timeOrigin, to: Date.now() });
}

/** Milliseconds since 1970 by the server's clock. */
export const serverNow = (): number => Date.now() + (aheadMs ?? 0);

/** A time of the server by the browser's clock, in milliseconds since 1970. */
export const toBrowserTime = (server: number): number => server - (aheadMs ?? 0);
