/** Invitations: links that make the owner of an email a member, once and for a week. */
import { requireUnsuspended } from "../accounts/unsuspended";
import { recordAudit } from "../audit/store";
import { keepAuthority } from "../auth/authority";
import { hashLinkToken, newLinkToken } from "../auth/credentials/link-token";
import { normalEmail } from "../auth/normal-email";
import { countInvitation } from "../auth/sign-in/throttle";
import { requireConfirmed, type SessionActor } from "../core/actor";
import { pool, type Tx, transaction } from "../core/db";
import { publicUrl } from "../core/env";
import { invalidRequest, notFound, rateLimitedFor } from "../core/errors";
import { newId } from "../core/ids";
import { log } from "../core/log";
import type { Letter } from "../mail/compose";
import { isMailSet, queueMail, secondsUntilMail } from "../mail/store";
import { accountName, type InvitationRow, presentInvitation } from "./present";
import type { CreatedInvitation, Invitation, InviteInput, MemberPath } from "./schema";
import { lockMembers, requireStillOwner } from "./store";

const VALID_DAYS = 7;
/** Members and open invitations of an account. */
const PEOPLE_MAX = 200;

const COLUMNS = `id, email, role, created_at AS "createdAt", expires_at AS "expiresAt"`;

/** Invitations of the actor's account that can still be accepted, newest first. */
export async function listInvitations(actor: SessionActor): Promise<Invitation[]> {
  const { rows } = await pool().query<InvitationRow>(
    `SELECT ${COLUMNS} FROM invitations WHERE account_id = $1 AND expires_at > now() ORDER BY id DESC`,
    [actor.accountId],
  );
  return rows.map(presentInvitation);
}

/** @returns the name of the account. */
async function requireFreePlace(tx: Tx, accountId: string, members: number): Promise<string> {
  const { rows } = await tx.query<{ status: string; name: string; companyName: string; open: number }>(
    `SELECT a.status, a.name, a.company_name AS "companyName", (SELECT count(*)::int FROM invitations i WHERE i.account_id = a.id AND i.expires_at > now()) AS open
     FROM accounts a WHERE a.id = $1`,
    [accountId],
  );
  const account = requireUnsuspended(rows[0]);
  if (members + account.open < PEOPLE_MAX) return accountName(account);
  throw invalidRequest(`An account has at most ${PEOPLE_MAX} members and open invitations.`, {
    reason: "member_limit",
  });
}

async function requireNewPerson(tx: Tx, accountId: string, email: string): Promise<void> {
  const { rowCount } = await tx.query(
    "SELECT 1 FROM account_members m JOIN users u ON u.id = m.user_id WHERE m.account_id = $1 AND u.email = $2",
    [accountId, email],
  );
  if (rowCount === 0) return;
  throw invalidRequest("This person is a member already.", { param: "email", reason: "already_member" });
}

const letterOf = (name: string, role: string, url: string): Letter => ({
  subject: `Join ${name}`,
  paragraphs: [
    `You were invited to ${name} as ${role === "owner" ? "an" : "a"} ${role}.`,
    `The link works once and for ${VALID_DAYS} days. If you did not expect it, do nothing.`,
  ],
  link: { label: "Accept the invitation", url },
});

/**
 * Emails the link, where a mail server is set. The link must then reach only the mailbox: it reveals whether a user has the email
 * and, if none has, lets its holder sign up with it.
 * @returns whether it is on its way.
 * @throws 429 `invitation_throttled` when the address has got too many invitations within the last hour.
 */
async function mailLink(tx: Tx, accountId: string, address: string, letter: Letter): Promise<boolean> {
  if (!isMailSet()) return false;
  const mail = { address, kind: "invitation", accountId, letter, validS: VALID_DAYS * 24 * 60 * 60 } as const;
  if (await queueMail(tx, mail)) return true;
  throw rateLimitedFor(
    await secondsUntilMail(tx, address, "invitation"),
    "This address has got too many invitations.",
    { param: "email", reason: "invitation_throttled" },
  );
}

/** `accountName`: as the email says it; `by`: who invites. */
type NewInvitation = InviteInput & { accountId: string; accountName: string; by: SessionActor };

/**
 * Makes an invitation in the transaction of `tx`, with its audit entry, and emails the link; an earlier invitation of the same email to the
 * account is replaced. The caller checks who may invite whom.
 * @throws 429 `invitation_throttled`, as {@link mailLink}.
 */
export async function makeInvitation(
  tx: Tx,
  { accountId, accountName: name, email, role, by }: NewInvitation,
): Promise<CreatedInvitation> {
  const token = newLinkToken();
  const link = `${publicUrl()}/invitation?token=${token}`;
  const { rows } = await tx.query<InvitationRow>(
    `INSERT INTO invitations (id, account_id, email, role, token_hash, invited_by, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(days => $7))
     ON CONFLICT (account_id, email) DO UPDATE SET id = excluded.id, role = excluded.role,
       token_hash = excluded.token_hash, invited_by = excluded.invited_by, created_at = now(),
       expires_at = excluded.expires_at
     RETURNING ${COLUMNS}`,
    [newId("invitation"), accountId, email, role, hashLinkToken(token), by.userId, VALID_DAYS],
  );
  const [made] = rows as [InvitationRow];
  const change = { action: "member.invited", accountId, subjectId: made.id } as const;
  await recordAudit(tx, by, { ...change, after: { email, role } });
  const isMailed = await mailLink(tx, accountId, email, letterOf(name, role, link));
  return { ...presentInvitation(made), link: isMailed ? null : link };
}

/**
 * Invites the owner of an email; an earlier invitation of theirs is replaced. The link is emailed; where no mail server is
 * set, it is in the response only.
 * @throws 403 `confirmation_required`, `role_too_low` or `account_not_active`; 400 `already_member` or `member_limit`; 429
 *   `invitation_throttled` when the account, or all together to this address, have made too many: nothing is changed.
 */
export async function invite(actor: SessionActor, input: InviteInput): Promise<CreatedInvitation> {
  requireConfirmed(actor);
  const { accountId } = actor;
  const email = normalEmail(input.email);
  const made = await transaction(async (tx) => {
    const members = await lockMembers(tx, accountId);
    requireStillOwner(members, actor);
    await keepAuthority(tx, actor);
    await countInvitation(tx, accountId);
    const name = await requireFreePlace(tx, accountId, members.length);
    await requireNewPerson(tx, accountId, email);
    return makeInvitation(tx, { accountId, accountName: name, email, role: input.role, by: actor });
  });
  log("info", "members.invited", { account_id: accountId, invitation: made.id, by: actor.userId });
  return made;
}

/** Withdraws an invitation: its link becomes invalid. @throws 404, 403 `role_too_low`. */
export async function withdrawInvitation(
  actor: SessionActor,
  { id }: MemberPath,
): Promise<{ id: string; deleted: true }> {
  const { accountId } = actor;
  await transaction(async (tx) => {
    const members = await lockMembers(tx, accountId);
    const { rows } = await tx.query<{ email: string; role: string }>(
      "DELETE FROM invitations WHERE id = $1 AND account_id = $2 RETURNING email, role",
      [id, accountId],
    );
    const [gone] = rows;
    if (!gone) throw notFound("There is no such invitation, or it was accepted.", { param: "id" });
    requireStillOwner(members, actor);
    await keepAuthority(tx, actor);
    await recordAudit(tx, actor, { action: "member.invitation_withdrawn", accountId, subjectId: id, before: gone });
  });
  return { id, deleted: true };
}
