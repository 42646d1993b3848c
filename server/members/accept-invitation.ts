/** Accepts an invitation: an existing user joins with their password, a new person signs up. */
import { recordAudit } from "../audit/store";
import { hasSecondFactor } from "../auth/credentials/has-second-factor";
import { hashLinkToken } from "../auth/credentials/link-token";
import { hashPassword, isPassword, lockPassword } from "../auth/credentials/password-hash";
import { requireStrong } from "../auth/credentials/password-strength";
import { giveBack, reserveAttempt } from "../auth/sign-in/throttle";
import type { MemberRole, Origin, SessionActor } from "../core/actor";
import { pool, type Tx, transaction } from "../core/db";
import { constraintOf, invalidRequest } from "../core/errors";
import { newId } from "../core/ids";
import { log } from "../core/log";
import { refusedInput } from "../core/wire";
import { accountName } from "./present";
import type { AcceptedInvitation, AcceptInvitationInput, InvitationToken, OpenInvitation } from "./schema";

const invitationIsOver = () =>
  invalidRequest("This invitation was accepted, withdrawn, replaced by another, or is older than a week.", {
    reason: "invitation_over",
  });

type Found = {
  accountId: string;
  name: string;
  companyName: string;
  email: string;
  role: MemberRole;
  userId: string | null;
  passwordHash: string | null;
};

async function findInvitation(token: string): Promise<Found> {
  const { rows } = await pool().query<Found>(
    `SELECT i.account_id AS "accountId", a.name, a.company_name AS "companyName", i.email, i.role, u.id AS "userId",
       u.password_hash AS "passwordHash"
     FROM invitations i JOIN accounts a ON a.id = i.account_id LEFT JOIN users u ON u.email = i.email
     WHERE i.token_hash = $1 AND i.expires_at > now()`,
    [hashLinkToken(token)],
  );
  if (!rows[0]) throw invitationIsOver();
  return rows[0];
}

/** The invitation behind a link. @throws 400 `invitation_over` */
export async function getInvitation({ token }: InvitationToken): Promise<OpenInvitation> {
  const found = await findInvitation(token);
  return {
    account_id: found.accountId,
    account_name: accountName(found),
    email: found.email,
    role: found.role,
    has_password: found.userId !== null,
  };
}

type Invited = { accountId: string; role: MemberRole };

/** Uses up the invitation: only one of two simultaneous calls succeeds. */
async function useUp(tx: Tx, token: string): Promise<Invited> {
  const { rows } = await tx.query<Invited>(
    `DELETE FROM invitations WHERE token_hash = $1 AND expires_at > now() RETURNING account_id AS "accountId", role`,
    [hashLinkToken(token)],
  );
  if (!rows[0]) throw invitationIsOver();
  return rows[0];
}

/** `isNew`: the person has just been inserted. A trigger has made the first person of an account a member then. */
async function addMember(
  tx: Tx,
  { accountId, role }: Invited,
  { userId, isNew, origin }: { userId: string; isNew: boolean; origin: Origin },
): Promise<void> {
  const { rowCount } = await tx.query(
    `INSERT INTO account_members (account_id, user_id, role) VALUES ($1, $2, $3)
     ON CONFLICT (account_id, user_id) DO UPDATE SET role = excluded.role WHERE $4`,
    [accountId, userId, role, isNew],
  );
  // Already a member, invited again while an earlier invitation was being accepted: the role stays, and nobody has
  // joined.
  if (rowCount === 0) return;
  // A person without another account has no other one to sign in to.
  await tx.query(
    `UPDATE users u SET account_id = $1 WHERE u.id = $2 AND NOT EXISTS (
       SELECT 1 FROM account_members m WHERE m.user_id = u.id AND m.account_id = u.account_id)`,
    [accountId, userId],
  );
  // An operator who makes an account knows the company, not the person.
  await tx.query("UPDATE accounts a SET name = u.name FROM users u WHERE a.id = $1 AND a.name = '' AND u.id = $2", [
    accountId,
    userId,
  ]);
  const person: SessionActor = { kind: "session", accountId, userId, isOperator: false, sessionId: "", origin };
  await recordAudit(tx, person, { action: "member.joined", accountId, subjectId: userId, after: { role } });
}

async function signUpAsMember(input: AcceptInvitationInput, email: string, origin: Origin): Promise<string> {
  if (input.name === "") throw refusedInput("name", "must be given");
  await requireStrong("password", input.password, [input.name, email]);
  const passwordHash = await hashPassword(input.password);
  const userId = newId("user");
  try {
    return await transaction(async (tx) => {
      const invited = await useUp(tx, input.token);
      await tx.query("INSERT INTO users (id, account_id, email, name, password_hash) VALUES ($1, $2, $3, $4, $5)", [
        userId,
        invited.accountId,
        email,
        input.name,
        passwordHash,
      ]);
      await addMember(tx, invited, { userId, isNew: true, origin });
      return userId;
    });
  } catch (thrown) {
    if (constraintOf(thrown) !== "users_email_key") throw thrown;
    throw refusedInput("password", "an account with your email has just been created: enter its password");
  }
}

/** Wrong passwords count as attempts to sign in. */
async function joinWithPassword(
  input: AcceptInvitationInput,
  { userId, passwordHash, email }: Found & { userId: string },
  origin: Origin,
): Promise<string> {
  const attempt = { email, address: origin.address, deviceId: null };
  await reserveAttempt(attempt);
  const refuse = () => {
    log("warn", "auth.password_refused", { user_id: userId, address: origin.address });
    return refusedInput("password", "this is not your password");
  };
  if (!(await isPassword(passwordHash, input.password))) throw refuse();
  // As at the sign-in, the password alone does not reset the limit of codes.
  await giveBack(attempt, { isSuccess: !(await hasSecondFactor(userId)) });
  await transaction(async (tx) => {
    if (!(await lockPassword(tx, userId, passwordHash))) throw refuse();
    await addMember(tx, await useUp(tx, input.token), { userId, isNew: false, origin });
  });
  return userId;
}

/**
 * Makes the invited person a member, with the role of the invitation.
 * @param origin of the caller, for throttling and the audit log.
 * @throws 400 `invitation_over`, or at `name` or `password`; 429 `sign_in_throttled`.
 */
export async function acceptInvitation(input: AcceptInvitationInput, origin: Origin): Promise<AcceptedInvitation> {
  const found = await findInvitation(input.token);
  const { userId: knownId, accountId, email } = found;
  const userId =
    knownId === null
      ? await signUpAsMember(input, email, origin)
      : await joinWithPassword(input, { ...found, userId: knownId }, origin);
  log("info", "members.joined", { account_id: accountId, user_id: userId });
  return { account_id: accountId, email };
}
