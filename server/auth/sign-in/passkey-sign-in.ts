/** Signs people in with a passkey alone: it names the person, and its authenticator has verified them. */
import { recordAudit } from "../../audit/store";
import type { Origin } from "../../core/actor";
import { transaction } from "../../core/db";
import { unauthorized } from "../../core/errors";
import type { BeginPasskeySignInInput, PasskeyAssertion, PasskeyRequest } from "../passkey-schema";
import { acceptPasskey, receivePasskey } from "../passkeys/accept-passkey";
import { requestPasskey, requireSite } from "../passkeys/requests";
import { type SignedIn, startSession } from "../sessions/sessions";
import { actorOf, type Claimed, noteRefusal, roleOf } from "./claimed-person";
import { countChallenge, giveBack, reserveAttempt } from "./throttle";

/**
 * Makes the request to sign in with a passkey, of whichever person: it is the same for everybody.
 * @param address of the caller, for throttling.
 * @throws 403 `passkeys_unavailable`, 429 `sign_in_throttled`.
 */
export async function beginPasskeySignIn(input: BeginPasskeySignInInput, address: string): Promise<PasskeyRequest> {
  requireSite();
  await countChallenge(address);
  return requestPasskey("sign_in", { csrfToken: input.csrf_token });
}

type Person = Claimed & { name: string; email: string };

/** The same whether the passkey is unknown, its signature wrong or its challenge over. */
const refused = () =>
  unauthorized("This passkey was not accepted. Try again, or sign in with your password.", {
    reason: "passkey_refused",
  });

/**
 * Checks the response of an authenticator, and opens a session for the passkey's owner.
 * @param input `email`: the only person who may sign in, where a page goes on with theirs.
 * @param from the caller; `device`: a known device, with the email that it has signed in with.
 * @throws 401 `passkey_refused`, 403 `no_account`, 429 `sign_in_throttled` after too many attempts.
 */
export async function signInWithPasskey(
  input: { assertion: PasskeyAssertion; csrfToken: string; email?: string },
  from: Origin & { device: { deviceId: string; email: string } | null },
): Promise<SignedIn> {
  const attempt = { email: null, address: from.address, deviceId: from.device?.deviceId ?? null };
  await reserveAttempt(attempt);
  const received = await receivePasskey(input.assertion, "sign_in", { csrfToken: input.csrfToken });
  const opened = await transaction(async (tx) => {
    const used = await acceptPasskey(tx, received, null);
    if (!used) return null;
    const { rows } = await tx.query<Person>(
      `SELECT id, account_id AS "accountId", is_operator AS "isOperator", name, email FROM users WHERE id = $1`,
      [used.userId],
    );
    const [person] = rows;
    if (!person || (input.email !== undefined && input.email !== person.email)) return null;
    const role = await roleOf(person.id, person.accountId, tx);
    const sessionId = await startSession(person.id, from, tx);
    const change = { action: "session.started", accountId: person.accountId, subjectId: sessionId } as const;
    await recordAudit(tx, actorOf(person, from), { ...change, after: { passkey: used.id } });
    return { person, role, sessionId };
  });
  if (!opened) {
    noteRefusal(null, from, "wrong_passkey");
    throw refused();
  }
  const { person, role, sessionId } = opened;
  const { id: userId, accountId, isOperator, name, email } = person;
  // The device's limit is that of its own person: nobody else's passkey resets it.
  await giveBack(attempt, { isSuccess: from.device?.email === email });
  return { sessionId, userId, accountId, isOperator, isConfirmed: true, name, email, role };
}
