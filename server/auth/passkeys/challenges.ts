/**
 * Challenges that authenticators sign. Each counts once and for five minutes, for one purpose, and for the session or the browser that
 * asked for it.
 */
import { createHash, randomBytes } from "node:crypto";
import type { SessionActor } from "../../core/actor";
import { pool, transaction } from "../../core/db";

/** How long a challenge counts, and the browser waits for its person. */
export const CHALLENGE_VALID_MS = 5 * 60_000;
const CHALLENGE_BYTES = 32;

/** The session, or the browser that signs in and has no session yet. */
export type ChallengeHolder = { sessionId: string } | { csrfToken: string };

/** A command that acts in a person's name has no session. */
export const holderOf = ({ sessionId, userId }: SessionActor): ChallengeHolder => ({ sessionId: sessionId ?? userId });

/** `add`: to make a passkey; `sign_in`; `prove`: to prove possession in a session. */
type Purpose = "add" | "sign_in" | "prove";

const bindingOf = (holder: ChallengeHolder): string =>
  "sessionId" in holder ? holder.sessionId : createHash("sha256").update(holder.csrfToken).digest("hex");

/** Makes a challenge. A session has one of each purpose: a new one replaces it. @returns it in base64url. */
export async function newChallenge(purpose: Purpose, holder: ChallengeHolder): Promise<string> {
  const challenge = randomBytes(CHALLENGE_BYTES).toString("base64url");
  await transaction(async (tx) => {
    if ("sessionId" in holder) {
      await tx.query("DELETE FROM passkey_challenges WHERE binding = $1 AND purpose = $2", [holder.sessionId, purpose]);
    }
    await tx.query(
      `INSERT INTO passkey_challenges (challenge, purpose, binding, expires_at)
       VALUES ($1, $2, $3, now() + make_interval(secs => $4))`,
      [challenge, purpose, bindingOf(holder), CHALLENGE_VALID_MS / 1_000],
    );
  });
  return challenge;
}

/**
 * Uses up a challenge, whatever becomes of the response to it.
 * @returns whether it counted.
 */
export async function spendChallenge(challenge: string, purpose: Purpose, holder: ChallengeHolder): Promise<boolean> {
  const { rowCount } = await pool().query(
    "DELETE FROM passkey_challenges WHERE challenge = $1 AND purpose = $2 AND binding = $3 AND expires_at > now()",
    [challenge, purpose, bindingOf(holder)],
  );
  return rowCount === 1;
}
