import { appTexts } from "@/app/_texts/app";
import { credentialsTexts } from "@/app/_texts/auth/credentials";
import { apiErrorOf } from "@/app/_ui/forms/api-error";
import { askForPasskey, PasskeyNotUsed } from "@/app/_ui/passkeys";
import type { BeginPasskeySignInInput, PasskeyRequest } from "@/server/auth/passkey-schema";

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
 * @param fieldsOf makes the credentials, for the token that ties them to this browser.
 */
async function open(fieldsOf: (csrfToken: string) => Promise<Record<string, string>>): Promise<string | null> {
  try {
    const start = await ask("csrf");
    if (!start.csrfToken) return start.error ?? appTexts.unavailable;
    const { csrfToken } = start;
    const callbackUrl = window.location.href;
    const fields = await fieldsOf(csrfToken);
    const body = new URLSearchParams({ ...fields, csrfToken, callbackUrl, json: "true" });
    const { isOk, error } = await ask("callback/credentials", { method: "POST", body });
    if (isOk && error === null) return null;
    return error !== null && error !== REFUSED ? error : credentialsTexts.wrong;
  } catch (error) {
    return error instanceof PasskeyNotUsed ? error.message : apiErrorOf(error).message;
  }
}

/** Opens a session with a password. @param code of the second factor, once the service has asked for it. */
export const openSession = (email: string, password: string, code?: string): Promise<string | null> =>
  open(async () => ({ email, password, ...(code && { code }) }));

/**
 * Opens a session with a passkey.
 * @param begin has the service make the request for it.
 * @param given the email and the password that it follows; without the password it signs in alone.
 */
export const openSessionWithPasskey = (
  begin: (input: BeginPasskeySignInInput) => Promise<PasskeyRequest>,
  given: { email?: string; password?: string },
): Promise<string | null> =>
  open(async (csrfToken) => {
    const passkey = await askForPasskey(await begin({ csrf_token: csrfToken }));
    return { ...given, passkey: JSON.stringify(passkey) };
  });
