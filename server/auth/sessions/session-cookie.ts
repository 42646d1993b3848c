/** The person named by a session cookie, before the session is looked up. */
import { getToken } from "next-auth/jwt";
import { env, publicUrl } from "../../core/env";
import { decodeSession } from "../key-ring";

/** Cookies of a request by name; the first of several with one name counts, as in Next. */
function cookiesOf(header: string): Record<string, string> {
  const cookies: Record<string, string> = {};
  for (const pair of header.split(";")) {
    const at = pair.indexOf("=");
    if (at > 0) cookies[pair.slice(0, at).trim()] ??= pair.slice(at + 1).trim();
  }
  return cookies;
}

/**
 * The session that the cookie names: sealed by us and not expired; the session itself is not checked. It decides the limits of a
 * request, never its permissions.
 * @param header the request's `Cookie`.
 * @returns null without a valid cookie.
 */
export async function sessionOfCookies(header: string | undefined): Promise<string | null> {
  if (!header?.includes("next-auth.session-token")) return null;
  const token = await getToken({
    req: { cookies: cookiesOf(header), headers: {} } as Parameters<typeof getToken>[0]["req"],
    secret: env().SECRET_KEY,
    decode: decodeSession,
    secureCookie: publicUrl().startsWith("https://"),
  });
  return token?.sessionId ?? null;
}
