/** Accounts that an operator makes for others: the owner is invited, and chooses their own password. */
import { createOnceFor, OPERATORS } from "../accounts/idempotency/create-once";
import { type IdempotentRequest, isReplayed, plainRequest } from "../accounts/idempotency/request";
import { isAccountIdTaken } from "../accounts/service";
import { requireUnsuspended } from "../accounts/unsuspended";
import { recordAudit } from "../audit/store";
import { keepAuthority } from "../auth/authority";
import { normalEmail } from "../auth/normal-email";
import { countInvitation } from "../auth/sign-in/throttle";
import { requireConfirmed, requireOperator, type SessionActor } from "../core/actor";
import { now } from "../core/clock";
import { prisma, type Tx, transaction } from "../core/db";
import { invalidRequest, notFound } from "../core/errors";
import { isTestAccount, newId } from "../core/ids";
import { log } from "../core/log";
import { makeInvitation } from "../members/invitations";
import { accountName } from "../members/present";
import type { CreatedInvitation } from "../members/schema";
import { lockMembers } from "../members/store";
import { presentOperatedAccount } from "./present";
import type { InviteOwnerInput, MadeAccount, NewAccountInput } from "./schema";

/**
 * Creates an account without people, and invites the owner of an email to own it. It makes no difference whether a user has
 * that email: by the link a user joins with their own password, and anybody else signs up.
 * @throws 403 for non-operators and `confirmation_required`; 429 `invitation_throttled` like other invitations, counted for the
 * operator.
 */
export async function makeAccount(
  actor: SessionActor,
  input: NewAccountInput,
  request: IdempotentRequest = plainRequest(),
): Promise<MadeAccount> {
  requireOperator(actor);
  requireConfirmed(actor);
  const email = normalEmail(input.email);
  const carryOut = async (tx: Tx): Promise<{ id: string; invitation: CreatedInvitation }> => {
    const id = newId("account");
    await countInvitation(tx, actor.userId);
    await tx.query("INSERT INTO accounts (id, email, name, company_name, created_at) VALUES ($1, $2, '', $3, $4)", [
      id,
      email,
      input.company_name,
      now(),
    ]);
    const change = { action: "account.created", accountId: id, subjectId: id } as const;
    await recordAudit(tx, actor, { ...change, after: { email, company_name: input.company_name } });
    return { id, invitation: await inviteTo(tx, actor, { accountId: id, accountName: input.company_name, email }) };
  };
  const owner = { ...OPERATORS, caller: actor.userId, actor };
  const create = () => createOnceFor(owner, request, { showsSecret: true, whileSuspended: true, carryOut });
  const made = await create().catch((thrown) => {
    if (isAccountIdTaken(thrown)) return create();
    throw thrown;
  });
  if (!isReplayed(request)) log("info", "account.created", { account_id: made.id, by: actor.userId });
  const row = await prisma().account.findUniqueOrThrow({ where: { id: made.id } });
  return { account: presentOperatedAccount(row), invitation: made.invitation };
}

type Invited = { accountId: string; accountName: string; email: string };

const inviteTo = (tx: Tx, actor: SessionActor, invited: Invited): Promise<CreatedInvitation> =>
  makeInvitation(tx, { ...invited, role: "owner", by: actor });

/**
 * Invites the owner of an account that nobody owns yet, again or by another email, which becomes the account's email.
 * Earlier links become invalid.
 * @throws 403 for non-operators, `confirmation_required` and `account_not_active`; 404; 400 `account_has_members`, whose owners invite
 *   others; 429 `invitation_throttled`.
 */
export async function inviteOwner(
  actor: SessionActor,
  { account_id: accountId, email: address }: InviteOwnerInput,
): Promise<CreatedInvitation> {
  requireOperator(actor);
  requireConfirmed(actor);
  const email = normalEmail(address);
  const made = await transaction(async (tx) => {
    const { rows } = await tx.query<{ status: string; name: string; companyName: string }>(
      `SELECT status, name, company_name AS "companyName" FROM accounts WHERE id = $1 FOR NO KEY UPDATE`,
      [accountId],
    );
    if (!rows[0] || isTestAccount(accountId)) throw notFound("There is no such account.", { param: "account_id" });
    const account = requireUnsuspended(rows[0]);
    await keepAuthority(tx, actor);
    await countInvitation(tx, actor.userId);
    // Waits for a person who is accepting an invitation, who is then a member below.
    await tx.query("DELETE FROM invitations WHERE account_id = $1", [accountId]);
    if ((await lockMembers(tx, accountId)).length > 0) {
      throw invalidRequest("This account has members. Its owners invite further people.", {
        param: "account_id",
        reason: "account_has_members",
      });
    }
    await tx.query("UPDATE accounts SET email = $2 WHERE id = $1", [accountId, email]);
    return inviteTo(tx, actor, { accountId, accountName: accountName(account), email });
  });
  log("info", "members.invited", { account_id: accountId, invitation: made.id, by: actor.userId });
  return made;
}
