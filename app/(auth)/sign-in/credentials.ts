const WRONG = "The email address or the password is wrong.";
const UNREACHABLE = "The service could not be reached. Check your connection and try again.";

/** What next-auth answers when the credentials were simply refused; anything else is the service's own sentence. */
const REFUSED = "CredentialsSignin";

/** Opens a session. Returns null when it stands, else the reason in words. `code`: of an authenticator app, once it was asked for. */
export async function openSession(email: string, password: string, code?: string): Promise<string | null> {
  try {
    const { signIn } = await import("next-auth/react");
    const answer = await signIn("credentials", { email, password, ...(code && { code }), redirect: false });
    if (answer?.ok && !answer.error) return null;
    return answer?.error && answer.error !== REFUSED ? answer.error : WRONG;
  } catch {
    return UNREACHABLE;
  }
}
