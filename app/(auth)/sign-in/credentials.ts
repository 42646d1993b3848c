import { appTexts } from "@/app/_texts/app";
import { credentialsTexts } from "@/app/_texts/auth/credentials";
import { apiErrorOf } from "@/app/_ui/forms/api-error";

/** Response of next-auth to credentials that are wrong; any other text is a sentence of the service. */
const REFUSED = "CredentialsSignin";

type Reply = { isOk: boolean; csrfToken?: string; error: string | null };

/**
 * Calls next-auth. Its own client leads the browser to a page of errors when it does not reach the service, and what was entered on
 * the page is lost.
 */
async function ask(path: string, init?: RequestInit): Promise<Reply> {
  const response = await fetch(`/api/auth/${path}`, init);
  const { csrfToken, url } = (await response.json()) as { csrfToken?: string; url?: string };
  return { isOk: response.ok, csrfToken, error: url ? new URL(url).searchParams.get("error") : null };
}

/**
 * Opens a session. Returns null when it is open, else the reason in words. `code`: of an authenticator app, once it was asked
 * for.
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
