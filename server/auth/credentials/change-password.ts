/** Changes of passwords: by their owner, or with an operator's link. */
import { recordAudit } from "../../audit/store";
import { type Actor, type Origin, requireOperator, type SessionActor } from "../../core/actor";
import { pool, prisma, transaction } from "../../core/db";
import { invalidRequest, notFound } from "../../core/errors";
import { log } from "../../core/log";
import { refusedInput } from "../../core/wire";
import { keepAuthority } from "../authority";
import { normalEmail } from "../normal-email";
import type {
  ChangePasswordInput,
  Confirmed,
  ConfirmPasswordInput,
  ResetPasswordInput,
  SessionsRevoked,
} from "../schema";
import { confirmSession, revokeSessionsOf } from "../sessions/sessions";
import { hashLinkToken, newLinkToken } from "./link-token";
import { hashPassword } from "./password-hash";
import { requireStrong } from "./password-strength";
import { requirePassword } from "./require-password";
import { dropLinks, issueLink } from "./reset-links";
import { tellPerson } from "./security-mail";

/**
 * Allows the session for ten minutes to carry out operations that require the password.
 * @param address of the caller, for throttling.
 * @throws 400 at `password`, 429 `sign_in_throttled` after too many wrong ones.
 */
export async function confirmPassword(
  actor: SessionActor,
  input: ConfirmPasswordInput,
  address: string,
): Promise<Confirmed> {
  await requirePassword(actor, { param: "password", password: input.password, address });
  if (actor.sessionId) await confirmSession(actor.sessionId);
  return { confirmed: true };
}

/**
 * Changes the person's password and ends all their other sessions.
 * @param address of the caller, for throttling.
 * @throws 400 at `current_password` or `new_password`, 429 `sign_in_throttled` after too many wrong ones.
 */
export async function changePassword(
  actor: SessionActor,
  input: ChangePasswordInput,
  address: string,
): Promise<SessionsRevoked> {
  const user = await requirePassword(actor, { param: "current_password", password: input.current_password, address });
  if (input.new_password === input.current_password)
    throw refusedInput("new_password", "this is the password that you have");
  await requireStrong("new_password", input.new_password, [user.name, user.email]);
  const passwordHash = await hashPassword(input.new_password);
  const revoked = await transaction(async (tx) => {
    // The second of two simultaneous changes finds that the given current password is no longer current.
    const { rowCount } = await tx.query("UPDATE users SET password_hash = $3 WHERE id = $1 AND password_hash = $2", [
      user.id,
      user.passwordHash,
      passwordHash,
    ]);
    if (rowCount !== 1) throw refusedInput("current_password", "this is not your password any more");
    await keepAuthority(tx, actor);
    await dropLinks(tx, user.id);
    const ended = await revokeSessionsOf(tx, user.id, actor.sessionId);
    const change = { action: "password.changed", accountId: actor.accountId, subjectId: user.id } as const;
    await recordAudit(tx, actor, { ...change, after: { sessions_ended: ended } });
    await tellPerson(tx, user.id, { kind: "password_changed" }, actor.origin);
    return ended;
  });
  log("info", "auth.password_changed", { user_id: user.id, revoked });
  return { revoked };
}

/**
 * Makes a token with which the owner of an email may set a new password, once and within an hour. Earlier tokens become
 * invalid.
 * @throws 404 when no user has this email.
 */
export async function issuePasswordReset(actor: Actor, email: string): Promise<{ userId: string; token: string }> {
  requireOperator(actor);
  const user = await prisma().user.findUnique({ where: { email: normalEmail(email) } });
  if (!user) throw notFound("Nobody signs in with this email.", { param: "email" });
  const token = newLinkToken();
  await transaction(async (tx) => {
    await issueLink(tx, user.id, token);
    await recordAudit(tx, actor, { action: "password.reset_issued", accountId: user.accountId, subjectId: user.id });
  });
  log("info", "auth.password_reset_issued", { user_id: user.id });
  return { userId: user.id, token };
}

const linkIsOver = () =>
  invalidRequest("This link was used, replaced by another, or is older than an hour. Ask for a new one.", {
    reason: "reset_link_over",
  });

type Linked = { userId: string; accountId: string; email: string; name: string };

async function findLinked(tokenHash: string): Promise<Linked> {
  const { rows } = await pool().query<Linked>(
    `SELECT u.id AS "userId", u.account_id AS "accountId", u.email, u.name FROM password_resets r JOIN users u ON u.id = r.user_id
     WHERE r.token_hash = $1 AND r.expires_at > now()`,
    [tokenHash],
  );
  if (!rows[0]) throw linkIsOver();
  return rows[0];
}

/**
 * Sets the password that a person chose with an operator's link: the link is used up, all their sessions end, and earlier
 * guesses by others do not lock them out.
 * @param origin of the caller, for the audit log.
 * @throws 400 `reset_link_over`, or at `password`.
 */
export async function resetPassword(input: ResetPasswordInput, origin?: Origin): Promise<SessionsRevoked> {
  const tokenHash = hashLinkToken(input.token);
  const { userId, accountId, email, name } = await findLinked(tokenHash);
  await requireStrong("password", input.password, [name, email]);
  const passwordHash = await hashPassword(input.password);
  const revoked = await transaction(async (tx) => {
    const used = await tx.query("DELETE FROM password_resets WHERE token_hash = $1 AND expires_at > now()", [
      tokenHash,
    ]);
    if (used.rowCount !== 1) throw linkIsOver();
    await tx.query("UPDATE users SET password_hash = $2 WHERE id = $1", [userId, passwordHash]);
    await tx.query("DELETE FROM sign_in_limits WHERE subject = $1", [`email:${email}`]);
    const ended = await revokeSessionsOf(tx, userId);
    const owner: Actor = { kind: "session", accountId, userId, isOperator: false, sessionId: "", origin };
    const change = { action: "password.reset", accountId, subjectId: userId } as const;
    await recordAudit(tx, owner, { ...change, after: { sessions_ended: ended } });
    await tellPerson(tx, userId, { kind: "password_reset" }, origin);
    return ended;
  });
  log("info", "auth.password_reset", { user_id: userId, revoked });
  return { revoked };
}
