import { appTexts } from "@/app/_texts/app";
import { credentialsTexts } from "@/app/_texts/auth/credentials";
import { apiErrorOf } from "@/app/_ui/forms/api-error";

/** Response of next-auth to credentials that are wrong; any other text is a sentence of the service. */
const REFUSED = "CredentialsSignin";

type Reply = { isOk: boolean; csrfToken?: string; error: string | null };

/**
 * Calls next-auth without its own client, which navigates to an error page when the service cannot be reached, so that the
 * entries on this page would be lost.
 */
async function ask(path: string, init?: RequestInit): Promise<Reply> {
  const response = await fetch(`/api/auth/${path}`, init);
  const { csrfToken, url } = (await response.json()) as { csrfToken?: string; url?: string };
  return { isOk: response.ok, csrfToken, error: url ? new URL(url).searchParams.get("error") : null };
}

/**
 * Opens a session. Returns null when it is open, else the reason in words.
 * @param code from an authenticator app, once the service has asked for it.
 */
export async function openSession(email: string, password: string, code?: string): Promise<string | null> {
  try {
    const start = await ask("csrf");
    if (!start.csrfToken) return start.error ?? appTexts.unavailable;
    const { csrfToken } = start;
    const callbackUrl = window.location.href;
    const body = new URLSearchParams({ email, password, ...(code && { code }), csrfToken, callbackUrl, json: "true" });
    const { isOk, error } = await ask("callback/credentials", { method: "POST", body });
    if (isOk && error === null) return null;
    return error !== null && error !== REFUSED ? error : credentialsTexts.wrong;
  } catch (error) {
    return apiErrorOf(error).message;
  }
}
