import type { z } from "zod";
import { createAccountWithOwner } from "../accounts/service";
import { recordAudit } from "../audit/store";
import { CHANGING_ROLE, isAtLeast, type Origin, type SessionActor } from "../core/actor";
import { prisma, type Queryable, transaction } from "../core/db";
import { env, publicUrl } from "../core/env";
import { forbidden, isApiError, unauthorized } from "../core/errors";
import { log } from "../core/log";
import { isMailSet } from "../mail/store";
import { keepAuthority } from "./authority";
import { secondFactorsOf } from "./credentials/has-second-factor";
import { hashPassword, isPassword, lockPassword } from "./credentials/password-hash";
import { requireStrong } from "./credentials/password-strength";
import { passSecondFactor } from "./credentials/second-factor-proof";
import { normalEmail } from "./normal-email";
import type { PasskeyAssertion } from "./passkey-schema";
import { receivePasskey } from "./passkeys/accept-passkey";
import { passkeySite } from "./passkeys/site";
import type { RenameInput, SignedUp, SignUpInput, SignUpState, Viewer } from "./schema";
import { type SignedIn, startSession } from "./sessions/sessions";
import { actorOf, noteRefusal, roleOf } from "./sign-in/claimed-person";
import { type Attempt, countSignUp, giveBack, reserveAttempt } from "./sign-in/throttle";
import { SECOND_FACTOR_REQUIRED, type WantedFactor } from "./sign-in/wanted-factor";

/** Whether sign-up is open, how a forgotten password is reset, and where passkeys are used. */
export async function getSignUpState(): Promise<z.output<typeof SignUpState>> {
  const site = passkeySite(publicUrl());
  return { open: env().SIGN_UP_OPEN, reset_by_mail: isMailSet(), passkey_origin: site?.origin ?? null };
}

const isTaken = (thrown: unknown): boolean => isApiError(thrown) && thrown.wire.details.reason === "email_taken";

/**
 * Creates an account and its owner, who can sign in at once. For an email that has an account already it does nothing,
 * with the same response after the same work: the response does not reveal who has an account.
 * @param address of the caller, for throttling.
 * @throws 403 `sign_up_closed`, 429 `sign_up_throttled`, 400 at `password`.
 */
export async function signUp(input: SignUpInput, address: string, userAgent = ""): Promise<z.output<typeof SignedUp>> {
  if (!env().SIGN_UP_OPEN) {
    throw forbidden("Sign-up is closed here; ask the operator for an account.", { reason: "sign_up_closed" });
  }
  await countSignUp(address);
  await requireStrong("password", input.password, [input.name, input.company_name, input.email]);
  const { email, password, name, company_name: companyName } = input;
  const passwordHash = await hashPassword(password);
  try {
    await createAccountWithOwner({ email, passwordHash, name, companyName, signUpFrom: { address, userAgent } });
  } catch (thrown) {
    if (!isTaken(thrown)) throw thrown;
    log("info", "auth.sign_up_refused", { cause: "email_taken", address });
  }
  return { accepted: true };
}

/** The response of an authenticator, and the token of the browser that asked for it. */
type GivenPasskey = { assertion: PasskeyAssertion; csrfToken: string };

/** The second factors that a person has; null: none. */
async function wantedFactor(userId: string, db?: Queryable): Promise<WantedFactor | null> {
  const { hasApp, hasPasskey } = await secondFactorsOf(userId, db);
  if (hasApp) return hasPasskey ? "either" : "app";
  return hasPasskey ? "passkey" : null;
}

/** Asks for a second factor. Neither a failure nor a success: otherwise an attacker with the password could guess codes without limit. */
async function askFor(wanted: WantedFactor, attempt: Attempt): Promise<never> {
  await giveBack(attempt, { isSuccess: false });
  throw unauthorized(SECOND_FACTOR_REQUIRED[wanted], { reason: "second_factor_required" });
}

/**
 * Checks an email and its password, and opens a session. The same response, after the same work, for a wrong password and an
 * unknown email.
 * @param from where the caller is; an address that is not known is empty, a device that is not known null.
 * @returns null when they do not match, or the password was changed meanwhile.
 * @throws 401 `second_factor_required` when the person has a second factor and gave neither `code` nor `passkey`, and
 *   `second_factor_wrong`; 429 `sign_in_throttled` after too many attempts.
 */
export async function signIn(
  input: { email: string; password: string; code?: string; passkey?: GivenPasskey },
  from: Origin & { deviceId: string | null },
): Promise<SignedIn | null> {
  const attempt = { email: normalEmail(input.email), address: from.address, deviceId: from.deviceId };
  await reserveAttempt(attempt);
  const user = await prisma().user.findUnique({ where: { email: attempt.email } });
  const matches = await isPassword(user?.passwordHash ?? null, input.password);
  if (!user || !matches) {
    noteRefusal(user, from, "wrong_password");
    return null;
  }
  const { code, passkey } = input;
  const wanted = await wantedFactor(user.id);
  if (wanted !== null && !code && !passkey) return askFor(wanted, attempt);
  const received =
    wanted === null ? undefined : passkey && (await receivePasskey(passkey.assertion, "sign_in", passkey));
  const { id: userId, accountId, isOperator, name, email } = user;
  const role = await roleOf(userId, accountId);
  const opened = await transaction(async (tx) => {
    if (!(await lockPassword(tx, userId, user.passwordHash))) return { refused: "wrong_password" } as const;
    // One that was added since it was looked for counts already.
    const added = wanted === null ? await wantedFactor(userId, tx) : null;
    if (added !== null) return { added };
    if (wanted !== null && !(await passSecondFactor(tx, userId, { code, passkey: received })))
      return { refused: received ? "wrong_passkey" : "wrong_code" } as const;
    const sessionId = await startSession(userId, from, tx);
    await recordAudit(tx, actorOf(user, from), { action: "session.started", accountId, subjectId: sessionId });
    return { sessionId };
  });
  if (opened.added) return askFor(opened.added, attempt);
  if (opened.refused) {
    noteRefusal(user, from, opened.refused);
    if (opened.refused === "wrong_password") return null;
    const text = received
      ? "This passkey was not accepted. Try again, or enter a code."
      : "This code is wrong, or was used already.";
    throw unauthorized(text, { reason: "second_factor_wrong" });
  }
  await giveBack(attempt);
  return { sessionId: opened.sessionId, userId, accountId, isOperator, isConfirmed: true, name, email, role };
}

/** The signed-in person. @throws 401 when the person was removed meanwhile. */
export async function getViewer(actor: SessionActor): Promise<Viewer> {
  const user = await prisma().user.findUnique({ where: { id: actor.userId } });
  if (!user) throw unauthorized("Sign in first.", { reason: "no_session" });
  const role = actor.role ?? "owner";
  const mayChange = isAtLeast(role, CHANGING_ROLE);
  return { name: user.name, email: user.email, is_operator: user.isOperator, role, may_change: mayChange };
}

/** Changes the person's own name. @throws 401 when the person was removed meanwhile. */
export async function rename(actor: SessionActor, { name }: RenameInput): Promise<Viewer> {
  await transaction(async (tx) => {
    const { rows } = await tx.query<{ name: string }>("SELECT name FROM users WHERE id = $1 FOR NO KEY UPDATE", [
      actor.userId,
    ]);
    const [before] = rows;
    await keepAuthority(tx, actor);
    if (!before || before.name === name) return;
    await tx.query("UPDATE users SET name = $2 WHERE id = $1", [actor.userId, name]);
    const change = { action: "person.renamed", accountId: actor.accountId, subjectId: actor.userId } as const;
    await recordAudit(tx, actor, { ...change, before: { name: before.name }, after: { name } });
  });
  return getViewer(actor);
}
