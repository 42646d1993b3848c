/**
 * How people sign in to the console: next-auth with email and password, or with a passkey. Its encrypted cookie holds only the id of a
 * session in the database.
 */
import type { AuthOptions } from "next-auth";
import type { CredentialsConfig } from "next-auth/providers/credentials";
import { z } from "zod";
import type { Origin } from "../core/actor";
import { env, exportSettings, publicUrl } from "../core/env";
import { toApiError } from "../core/errors";
import { errorFields, log } from "../core/log";
import { EmailAddress } from "../core/wire";
import { decodeSession } from "./key-ring";
import { normalEmail } from "./normal-email";
import { PasskeyAssertion } from "./passkey-schema";
import { signIn } from "./service";
import { type KnownDevice, knownDevice, knownDeviceCookie } from "./sessions/known-device";
import { endSession, SESSION_LIFETIME_S, type SignedIn } from "./sessions/sessions";
import { callerAddress } from "./sign-in/caller-address";
import { signInWithPasskey } from "./sign-in/passkey-sign-in";
import { redirectTarget } from "./sign-in/redirect-target";
import { warnOfUndeclaredProxy } from "./sign-in/undeclared-proxy";

declare module "next-auth" {
  interface User {
    id: string;
    sessionId: string;
  }
  interface Session {
    sessionId: string | undefined;
  }
}
declare module "next-auth/jwt" {
  interface JWT {
    /** Absent in cookies of versions without stored sessions, which are not valid. */
    sessionId?: string;
  }
}

/** JSON, because a form has texts only. */
const PasskeyField = z
  .string()
  .max(8_192)
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.addIssue("must be JSON");
      return z.NEVER;
    }
  })
  .pipe(PasskeyAssertion);

/** Malformed credentials are refused without a look-up. next-auth has compared the token with the browser's cookie. */
const WithPassword = z.object({
  email: EmailAddress,
  password: z.string().min(1).max(200),
  code: z.string().max(40).optional(),
  passkey: PasskeyField.optional(),
  csrfToken: z.string().max(200).default(""),
});
const WithPasskey = z.object({
  email: EmailAddress.optional(),
  password: z.undefined().optional(),
  passkey: PasskeyField,
  csrfToken: z.string().min(1).max(200),
});
const Credentials = z.union([WithPassword, WithPasskey]);
type Credentials = z.output<typeof Credentials>;

/** Takes a `Set-Cookie` line for the response. */
type SetCookie = (line: string) => void;

type Headers = Record<string, string | string[] | undefined>;

/** The device's id, if it has signed in with this email before. */
const deviceIdOf = (device: KnownDevice | null, email: string): string | null =>
  device?.email === email ? device.deviceId : null;

function enter(given: Credentials, from: Origin & { device: KnownDevice | null }): Promise<SignedIn | null> {
  const { csrfToken, passkey: assertion } = given;
  if (given.password === undefined) {
    const email = given.email && normalEmail(given.email);
    return signInWithPasskey({ assertion: given.passkey, csrfToken, email }, from);
  }
  const passkey = assertion && { assertion, csrfToken };
  const { address, userAgent, device } = from;
  const deviceId = deviceIdOf(device, normalEmail(given.email));
  return signIn({ ...given, passkey }, { address, userAgent, deviceId });
}

/**
 * next-auth sends the message of errors thrown here to the browser (`error` of its response), so only our own messages may be
 * thrown. Returning no user, for an unknown email or a wrong password, gives its code `CredentialsSignin`.
 */
async function authorize(
  credentials: unknown,
  request: { headers?: Headers },
  setCookie: SetCookie,
): Promise<SignedIn | null> {
  const parsed = Credentials.safeParse(credentials);
  if (!parsed.success) return null;
  const header = (name: string) => String(request.headers?.[name] ?? "");
  warnOfUndeclaredProxy(header);
  const address = callerAddress(header, env().TRUSTED_PROXIES);
  const device = knownDevice(header("cookie"));
  try {
    const signedIn = await enter(parsed.data, { address, userAgent: header("user-agent"), device });
    if (signedIn) setCookie(knownDeviceCookie(signedIn.email, deviceIdOf(device, signedIn.email)));
    return signedIn;
  } catch (thrown) {
    const shown = toApiError(thrown);
    if (shown.status === 429) log("warn", "auth.sign_in_refused", { cause: shown.wire.details.reason, address });
    if (shown.status >= 500) log("error", "auth.sign_in_failed", errorFields(thrown));
    throw shown;
  }
}

// Built by hand: the default export of next-auth's factory differs between a bundler and Node.
const passwordProvider = (setCookie: SetCookie): CredentialsConfig => ({
  id: "credentials",
  name: "Email and password, or a passkey",
  type: "credentials",
  credentials: {},
  authorize: async (credentials, request) => {
    const user = await authorize(credentials, request, setCookie);
    return user && { id: user.userId, sessionId: user.sessionId };
  },
});

/** Genuine errors only: anyone can post text to next-auth's `_log`, which arrives here. */
const logError = (code: string, about: unknown): void => {
  const thrown = about instanceof Error ? about : (about as { error?: unknown } | null)?.error;
  // An unreadable cookie (expired, forged, made with another SECRET_KEY) is no fault of the service.
  if (thrown instanceof Error)
    log(code === "JWT_SESSION_ERROR" ? "debug" : "error", `auth.${code}`, errorFields(thrown));
};

/**
 * The configuration of next-auth, for its route and for reading sessions. The session cookie is httpOnly and SameSite=Lax, and
 * Secure when the service is reached over https. It lives as long as a session can; an earlier end of the session is in the
 * database.
 * @param setCookie takes a `Set-Cookie` line for the response, which next-auth would not let through by itself.
 */
export function authOptions(setCookie: SetCookie = () => undefined): AuthOptions {
  exportSettings();
  return {
    secret: env().SECRET_KEY,
    useSecureCookies: publicUrl().startsWith("https://"),
    session: { strategy: "jwt", maxAge: SESSION_LIFETIME_S },
    jwt: { maxAge: SESSION_LIFETIME_S, decode: decodeSession },
    pages: { signIn: "/sign-in", error: "/sign-in" },
    providers: [passwordProvider(setCookie)],
    callbacks: {
      redirect: ({ url, baseUrl }) => redirectTarget(url, baseUrl),
      // Without personal data: a copied cookie must not reveal any from `/api/auth/session` after the session has ended.
      jwt: ({ token, user, trigger }) => (trigger === "signIn" && user ? { sessionId: user.sessionId } : token),
      session: ({ session, token }) => ({ expires: session.expires, sessionId: token.sessionId }),
    },
    events: {
      signOut: async ({ token }) => {
        if (token?.sessionId) await endSession(token.sessionId);
      },
    },
    logger: { error: logError, warn: () => undefined, debug: () => undefined },
  };
}
