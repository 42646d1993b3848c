import { useState } from "react";
import type { BeginPasskeySignInInput, PasskeyRequest } from "@/server/auth/passkey-schema";
import { type WantedFactor, wantedFactorOf } from "@/server/auth/sign-in/wanted-factor";
import { openSession, openSessionWithPasskey } from "./credentials";

type Way = "password" | "passkey";

/** Has the service make the request for a passkey. */
export type BeginPasskey = (input: BeginPasskeySignInInput) => Promise<PasskeyRequest>;

/**
 * The state of a form to sign in: by password, then by the second factor that the service asks for; or by a passkey alone.
 * @param onSignedIn is called once a session is open; the form stays busy.
 */
export function useSignIn(begin: BeginPasskey, onSignedIn: () => void) {
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState<Way | null>(null);
  const [wanted, setWanted] = useState<WantedFactor | null>(null);

  async function enter(way: Way, open: () => Promise<string | null>) {
    setBusy(way);
    setProblem(null);
    const refusal = await open();
    if (!refusal) return onSignedIn();
    const factor = wantedFactorOf(refusal);
    if (factor !== null && wanted === null) setWanted(factor);
    else setProblem(refusal);
    setBusy(null);
  }

  return {
    problem,
    /** The way that is being tried. */
    busy,
    /** The second factor that the password has to be followed by; null: not asked for. */
    wanted,
    forgetProblem: () => setProblem(null),
    withPassword: ({ email, password, code }: { email: string; password: string; code: string }) =>
      enter("password", () => openSession(email, password, wanted === null ? undefined : code.trim())),
    withPasskey: (given: { email?: string; password?: string }) =>
      enter("passkey", () => openSessionWithPasskey(begin, given)),
  };
}
