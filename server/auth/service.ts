import type { z } from "zod";
import { createAccountWithOwner } from "../accounts/service";
import { recordAudit } from "../audit/store";
import { CHANGING_ROLE, isAtLeast, type MemberRole, type Origin, type SessionActor } from "../core/actor";
import { pool, prisma, transaction } from "../core/db";
import { env } from "../core/env";
import { forbidden, isApiError, unauthorized } from "../core/errors";
import { errorFields, log } from "../core/log";
import { isMailSet } from "../mail/store";
import { hasSecondFactor } from "./credentials/has-second-factor";
import { hashPassword, isPassword, lockPassword } from "./credentials/password-hash";
import { requireStrong } from "./credentials/password-strength";
import { passSecondFactor } from "./credentials/second-factor";
import type { RenameInput, SignedUp, SignUpInput, SignUpState, Viewer } from "./schema";
import { type SignedIn, startSession } from "./sessions/sessions";
import { SECOND_FACTOR_REQUIRED } from "./sign-in/code-wanted";
import { normalEmail } from "./sign-in/normal-email";
import { countSignUp, giveBack, reserveAttempt } from "./sign-in/throttle";

/** Whether sign-up is open, and how a forgotten password is reset. */
export async function getSignUpState(): Promise<z.output<typeof SignUpState>> {
  return { open: env().SIGN_UP_OPEN, reset_by_mail: isMailSet() };
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

type Claimed = { id: string; accountId: string; isOperator: boolean };

/** The person that a sign-in attempt claims to be, not verified yet. */
const actorOf = (user: Claimed, origin: Origin): SessionActor => ({
  kind: "session",
  accountId: user.accountId,
  userId: user.id,
  isOperator: user.isOperator,
  sessionId: "",
  origin,
});

/**
 * Checks an email and its password, and opens a session. The same response, after the same work, for a wrong password and an
 * unknown email.
 * @param from where the caller is; an address that is not known is empty, a device that is not known null.
 * @returns null when they do not match, or the password was changed meanwhile.
 * @throws 401 `second_factor_required` when the person has an authenticator app and gave no `code`, and
 *   `second_factor_wrong`; 429 `sign_in_throttled` after too many attempts.
 */
export async function signIn(
  input: { email: string; password: string; code?: string },
  from: { address: string; userAgent: string; deviceId: string | null },
): Promise<SignedIn | null> {
  const attempt = { email: normalEmail(input.email), address: from.address, deviceId: from.deviceId };
  await reserveAttempt(attempt);
  const user = await prisma().user.findUnique({ where: { email: attempt.email } });
  const matches = await isPassword(user?.passwordHash ?? null, input.password);
  if (!user || !matches) {
    noteRefusal(user, from, "wrong_password");
    return null;
  }
  const hasFactor = await hasSecondFactor(user.id);
  if (hasFactor && !input.code) {
    // Neither a failure nor a success: otherwise an attacker with the password could guess codes without limit.
    await giveBack(attempt, { isSuccess: false });
    throw unauthorized(SECOND_FACTOR_REQUIRED, { reason: "second_factor_required" });
  }
  const { id: userId, accountId, isOperator, name, email } = user;
  const role = await roleOf(userId, accountId);
  const opened = await transaction(async (tx) => {
    if (!(await lockPassword(tx, userId, user.passwordHash))) return { refused: "wrong_password" } as const;
    if (hasFactor && !(await passSecondFactor(tx, userId, input.code ?? ""))) return { refused: "wrong_code" } as const;
    const sessionId = await startSession(userId, from, tx);
    await recordAudit(tx, actorOf(user, from), { action: "session.started", accountId, subjectId: sessionId });
    return { sessionId };
  });
  if (opened.refused) {
    noteRefusal(user, from, opened.refused);
    if (opened.refused === "wrong_password") return null;
    throw unauthorized("This code is wrong, or was used already.", { reason: "second_factor_wrong" });
  }
  await giveBack(attempt);
  return { sessionId: opened.sessionId, userId, accountId, isOperator, isConfirmed: true, name, email, role };
}

/**
 * Logs a refused sign-in, and audits it if the person is known. The response does not wait for the audit entry: its time would
 * reveal who has an account.
 */
function noteRefusal(user: Claimed | null, from: Origin, cause: "wrong_password" | "wrong_code"): void {
  const { address } = from;
  const logged = cause === "wrong_password" ? "wrong_credentials" : cause;
  log("warn", "auth.sign_in_refused", { cause: logged, user_id: user?.id ?? null, address });
  if (!user) return;
  const change = { action: "sign_in.refused", accountId: user.accountId, subjectId: user.id } as const;
  recordAudit(pool(), actorOf(user, from), { ...change, after: { cause } }).catch((thrown) =>
    log("error", "auth.refusal_not_recorded", { user_id: user.id, cause, ...errorFields(thrown) }),
  );
}

/** @throws 403 `no_account` when the person is no longer a member of any account. */
async function roleOf(userId: string, accountId: string): Promise<MemberRole> {
  const { rows } = await pool().query<{ role: MemberRole }>(
    "SELECT role FROM account_members WHERE user_id = $1 AND account_id = $2",
    [userId, accountId],
  );
  if (rows[0]) return rows[0].role;
  throw forbidden("You are no longer a member of any account. Ask an owner of one for an invitation.", {
    reason: "no_account",
  });
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
    if (!before || before.name === name) return;
    await tx.query("UPDATE users SET name = $2 WHERE id = $1", [actor.userId, name]);
    const change = { action: "person.renamed", accountId: actor.accountId, subjectId: actor.userId } as const;
    await recordAudit(tx, actor, { ...change, before: { name: before.name }, after: { name } });
  });
  return getViewer(actor);
}
