/** How people sign in to the console: next-auth with e-mail and password, the session in an encrypted cookie. */
import type { AuthOptions } from "next-auth";
import type { CredentialsConfig } from "next-auth/providers/credentials";
import { z } from "zod";
import { env, exportSettings, publicUrl } from "../core/env";
import { toApiError } from "../core/errors";
import { errorFields, log } from "../core/log";
import { EmailAddress } from "../core/wire";
import { callerAddress } from "./caller-address";
import { redirectTarget } from "./redirect-target";
import { type SignedIn, signIn } from "./service";

declare module "next-auth" {
  interface User {
    id: string;
    accountId: string;
    isOperator: boolean;
  }
  interface Session {
    userId: string;
    accountId: string;
    isOperator: boolean;
  }
}
declare module "next-auth/jwt" {
  interface JWT {
    userId: string;
    accountId: string;
    isOperator: boolean;
  }
}

const SESSION_MAX_AGE_S = 7 * 24 * 60 * 60;

/** What cannot be anybody's credentials is refused without being looked up. */
const Credentials = z.object({ email: EmailAddress, password: z.string().min(1).max(200) });

type Headers = Record<string, string | string[] | undefined>;

/**
 * next-auth shows the message of what is thrown here to the browser (`error` of its answer): only messages of ours may
 * get that far. No user, an unknown e-mail or a wrong password, is its code `CredentialsSignin`.
 */
async function authorize(credentials: unknown, request: { headers?: Headers }): Promise<SignedIn | null> {
  const parsed = Credentials.safeParse(credentials);
  if (!parsed.success) return null;
  const address = callerAddress((name) => String(request.headers?.[name] ?? ""), env().TRUSTED_PROXIES);
  try {
    return await signIn(parsed.data, address);
  } catch (thrown) {
    const shown = toApiError(thrown);
    if (shown.status >= 500) log("error", "auth.sign_in_failed", errorFields(thrown));
    throw shown;
  }
}

// Not made by next-auth's own function: its default export is another thing to a bundler than to Node.
const passwordProvider = (): CredentialsConfig => ({
  id: "credentials",
  name: "E-mail and password",
  type: "credentials",
  credentials: {},
  authorize: async (credentials, request) => {
    const user = await authorize(credentials, request);
    return user && { ...user, id: user.userId };
  },
});

/** Errors only, and of those only real ones: anybody may post words to next-auth's `_log`, which end up here. */
const logError = (code: string, about: unknown): void => {
  const thrown = about instanceof Error ? about : (about as { error?: unknown } | null)?.error;
  // A cookie that cannot be read (expired, forged, made with another SECRET_KEY) is no fault of the service.
  if (thrown instanceof Error)
    log(code === "JWT_SESSION_ERROR" ? "debug" : "error", `auth.${code}`, errorFields(thrown));
};

/**
 * The one configuration of next-auth, for its route and for reading sessions. The session cookie lives seven days, is
 * httpOnly and SameSite=Lax, and Secure when the service is reached over https.
 */
export function authOptions(): AuthOptions {
  exportSettings();
  return {
    secret: env().SECRET_KEY,
    useSecureCookies: publicUrl().startsWith("https://"),
    session: { strategy: "jwt", maxAge: SESSION_MAX_AGE_S },
    // The token's own lifetime, which would be 30 days at sign-in.
    jwt: { maxAge: SESSION_MAX_AGE_S },
    pages: { signIn: "/sign-in", error: "/sign-in" },
    providers: [passwordProvider()],
    callbacks: {
      redirect: ({ url, baseUrl }) => redirectTarget(url, baseUrl),
      jwt: ({ token, user, trigger }) =>
        trigger === "signIn" && user
          ? { ...token, userId: user.id, accountId: user.accountId, isOperator: user.isOperator }
          : token,
      session: ({ session, token }) => ({
        ...session,
        userId: token.userId,
        accountId: token.accountId,
        isOperator: token.isOperator,
      }),
    },
    logger: { error: logError, warn: () => undefined, debug: () => undefined },
  };
}
