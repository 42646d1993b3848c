/** Sessions without a browser. */
import { setTimeout as pause } from "node:timers/promises";

/** Cookies set by a response, by name. */
const cookiesOf = (answer: Response): string[] =>
  answer.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");

type Credentials = { email: string; password: string };

const OVERLOADED_PAUSE_MS = 1_000;

/**
 * Signs in as the form does, again while the service has too much other work.
 * @returns the session's cookies, each as `name=value`.
 * @throws Error with the response if the sign-in opens no session.
 */
export async function openSession(url: string, { email, password }: Credentials): Promise<string[]> {
  const start = await fetch(`${url}/api/auth/csrf`);
  const { csrfToken } = (await start.json()) as { csrfToken: string };
  const signedIn = await fetch(`${url}/api/auth/callback/credentials`, {
    method: "POST",
    headers: { cookie: cookiesOf(start).join("; ") },
    body: new URLSearchParams({ email, password, csrfToken, json: "true" }),
    redirect: "manual",
  });
  if (signedIn.status === 503) {
    await pause(OVERLOADED_PAUSE_MS);
    return openSession(url, { email, password });
  }
  const cookies = cookiesOf(signedIn);
  if (cookies.some((cookie) => cookie.includes("session-token="))) return cookies;
  throw new Error(`The sign-in of ${email} was answered ${signedIn.status}: ${await signedIn.text()}`);
}
