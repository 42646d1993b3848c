/** Verifies the signature of a passkey, at the sign-in and as proof in a session. */
import type { Tx } from "../../core/db";
import { publicUrl } from "../../core/env";
import { log } from "../../core/log";
import type { PasskeyAssertion } from "../passkey-schema";
import { type ChallengeHolder, spendChallenge } from "./challenges";
import { clientDataOf } from "./client-data";
import { loadWebauthn } from "./library";
import { passkeySite } from "./site";

/** A response of an authenticator. Its challenge has been used up; null: it did not count. */
export type ReceivedPasskey = { assertion: PasskeyAssertion; challenge: string | null };

/** Uses up the challenge of a response, outside of a transaction: it stays used when the response is refused. */
export async function receivePasskey(
  assertion: PasskeyAssertion,
  purpose: "sign_in" | "prove",
  holder: ChallengeHolder,
): Promise<ReceivedPasskey> {
  const challenge = clientDataOf(assertion.response.clientDataJSON)?.challenge;
  const counts = challenge !== undefined && (await spendChallenge(challenge, purpose, holder));
  // Before a transaction waits for it.
  await loadWebauthn();
  return { assertion, challenge: counts ? challenge : null };
}

type StoredPasskey = {
  id: string;
  userId: string;
  credentialId: string;
  publicKey: Buffer;
  counter: bigint;
  transports: string[];
  rpId: string;
};

const textOf = (base64url: string): string => Buffer.from(base64url, "base64url").toString("utf8");

/** Whether a response belongs to the passkey's owner: authenticators return the user id that the passkey was made with. */
const isOwners = ({ response }: PasskeyAssertion, { userId }: StoredPasskey): boolean =>
  response.userHandle === undefined || textOf(response.userHandle) === userId;

/**
 * Verifies a response, and records the use of the passkey.
 * @param userId the only person whose passkeys count; null: anybody's, whom the passkey alone then names.
 * @returns the passkey and its owner; null if it is refused, for whatever reason.
 */
export async function acceptPasskey(
  tx: Tx,
  { assertion, challenge }: ReceivedPasskey,
  userId: string | null,
): Promise<{ id: string; userId: string } | null> {
  const site = passkeySite(publicUrl());
  if (challenge === null || site === null) return null;
  const { rows } = await tx.query<StoredPasskey>(
    `SELECT id, user_id AS "userId", credential_id AS "credentialId", public_key AS "publicKey", counter, transports, rp_id AS "rpId"
     FROM passkeys WHERE credential_id = $1 AND ($2::text IS NULL OR user_id = $2) FOR UPDATE`,
    [assertion.id, userId],
  );
  const [stored] = rows;
  if (!stored || !isOwners(assertion, stored)) return null;
  // Without a user handle nothing in the response names the person.
  if (userId === null && assertion.response.userHandle === undefined) return null;
  const used = await verify(assertion, stored, challenge, site);
  if (!used) return null;
  await tx.query("UPDATE passkeys SET counter = $2, is_synced = $3, last_used_at = clock_timestamp() WHERE id = $1", [
    stored.id,
    used.newCounter,
    used.credentialBackedUp,
  ]);
  return { id: stored.id, userId: stored.userId };
}

/** @returns what the library reads from a valid response; null for one that is not. */
async function verify(
  assertion: PasskeyAssertion,
  stored: StoredPasskey,
  expectedChallenge: string,
  { rpId, origin }: { rpId: string; origin: string },
) {
  const { verifyAuthenticationResponse } = await loadWebauthn();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: assertion,
      expectedChallenge,
      expectedOrigin: origin,
      expectedRPID: rpId,
      requireUserVerification: true,
      credential: {
        id: stored.credentialId,
        publicKey: new Uint8Array(stored.publicKey),
        counter: Number(stored.counter),
        transports: stored.transports,
      },
    });
    return verified ? authenticationInfo : null;
  } catch {
    // The library's messages repeat the input, which is not logged.
    const isElsewhere = clientDataOf(assertion.response.clientDataJSON)?.origin !== origin;
    log("warn", "auth.passkey_invalid", { passkey_id: stored.id, user_id: stored.userId, other_origin: isElsewhere });
    return null;
  }
}
