/** Requests that browsers pass on to authenticators. */
import { pool } from "../../core/db";
import { publicUrl } from "../../core/env";
import { forbidden } from "../../core/errors";
import type { PasskeyRequest } from "../passkey-schema";
import { CHALLENGE_VALID_MS, type ChallengeHolder, newChallenge } from "./challenges";
import { type PasskeySite, passkeySite } from "./site";

/** @throws 403 `passkeys_unavailable` where browsers allow none at the service's address. */
export function requireSite(): PasskeySite {
  const site = passkeySite(publicUrl());
  if (site) return site;
  throw forbidden("Passkeys require a service with a host name and https.", { reason: "passkeys_unavailable" });
}

/** A passkey as requests name it. */
export type Credential = { id: string; transports: string[] };

/** The person's passkeys that work at the service's present address. */
export async function credentialsOf(userId: string, { rpId }: PasskeySite): Promise<Credential[]> {
  const { rows } = await pool().query<Credential>(
    "SELECT credential_id AS id, transports FROM passkeys WHERE user_id = $1 AND rp_id = $2 ORDER BY id",
    [userId, rpId],
  );
  return rows;
}

/** @param allowed the passkeys that may respond; empty: any that the person chooses. */
export async function requestPasskey(
  purpose: "sign_in" | "prove",
  holder: ChallengeHolder,
  allowed: Credential[] = [],
): Promise<PasskeyRequest> {
  const { rpId } = requireSite();
  // Without the library: loading it keeps a web process busy for 0.2 s, and strangers ask for this.
  return {
    challenge: await newChallenge(purpose, holder),
    ...{ rpId, timeout: CHALLENGE_VALID_MS, userVerification: "required" },
    allowCredentials: allowed.map((credential) => ({ ...credential, type: "public-key" })),
  };
}
