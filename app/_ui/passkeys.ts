import { appTexts } from "@/app/_texts/app";
import { passkeysTexts as texts } from "@/app/_texts/ui/passkeys";
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreation,
  PasskeyRequest,
} from "@/server/auth/passkey-schema";

/** The browser made or used no passkey. The message is for people. */
export class PasskeyNotUsed extends Error {}

/**
 * Whether this browser uses passkeys on this page. Only known in the browser.
 * @param origin at which the installation's passkeys work; null: at none; undefined: not known yet.
 */
export const canUsePasskeys = (origin: string | null | undefined): boolean =>
  origin === window.location.origin && "PublicKeyCredential" in window;

/** In words, the failure of a browser's call, which the library passes on by the name of its DOMException. */
export function reasonOf(failure: unknown): string {
  const name = failure instanceof Error ? failure.name : "";
  if (name === "NotAllowedError" || name === "AbortError") return texts.closed;
  if (name === "InvalidStateError") return texts.known;
  if (name === "SecurityError") return texts.elsewhere;
  return name === "ConstraintError" || name === "NotSupportedError" ? texts.unsupported : texts.failed;
}

type Library = typeof import("@simplewebauthn/browser");

/** The library is loaded when it is needed, so that pages keep their weight. @throws PasskeyNotUsed */
async function withLibrary<Result>(use: (library: Library) => Promise<Result>): Promise<Result> {
  const library = await import("@simplewebauthn/browser").catch(() => {
    throw new PasskeyNotUsed(appTexts.unreachable);
  });
  try {
    return await use(library);
  } catch (failure) {
    throw new PasskeyNotUsed(reasonOf(failure), { cause: failure });
  }
}

/** Has the browser ask its person for a passkey, and sign the challenge with it. @throws PasskeyNotUsed */
export const askForPasskey = (request: PasskeyRequest): Promise<PasskeyAssertion> =>
  withLibrary(async ({ startAuthentication }) => {
    const { id, rawId, response } = await startAuthentication({ optionsJSON: request });
    return { id, rawId, response, type: "public-key", clientExtensionResults: {} };
  });

/** Has the browser make a passkey. @throws PasskeyNotUsed */
export const makePasskey = (creation: PasskeyCreation): Promise<PasskeyAttestation> =>
  withLibrary(async ({ startRegistration }) => {
    const { id, rawId, response } = await startRegistration({ optionsJSON: creation });
    return { id, rawId, response, type: "public-key", clientExtensionResults: {} };
  });
