import { appTexts } from "@/app/_texts/app";
import { credentialsTexts } from "@/app/_texts/auth/credentials";

/** Response of next-auth to credentials that are wrong; any other text is a sentence of the service. */
const REFUSED = "CredentialsSignin";

/** Opens a session. Returns null when it stands, else the reason in words. `code`: of an authenticator app, once it was asked for. */
export async function openSession(email: string, password: string, code?: string): Promise<string | null> {
  try {
    const { signIn } = await import("next-auth/react");
    const result = await signIn("credentials", { email, password, ...(code && { code }), redirect: false });
    if (result?.ok && !result.error) return null;
    return result?.error && result.error !== REFUSED ? result.error : credentialsTexts.wrong;
  } catch {
    return appTexts.unreachable;
  }
}
