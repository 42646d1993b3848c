import type { z } from "zod";
import { createAccountWithOwner } from "../accounts/service";
import type { SessionActor } from "../core/actor";
import { prisma } from "../core/db";
import { env } from "../core/env";
import { forbidden, unauthorized } from "../core/errors";
import { isPassword } from "./password";
import type { SignedUp, SignUpInput, SignUpState, Viewer } from "./schema";
import { type SignedIn, startSession } from "./sessions";
import { countSignUp, refuseThrottled, settleFailure, settleSuccess } from "./throttle";

/** Whether anybody may create an account here. */
export async function getSignUpState(): Promise<z.output<typeof SignUpState>> {
  return { open: env().SIGN_UP_OPEN };
}

/**
 * Creates an account and its owner, who can sign in at once.
 * @param address of the caller, for throttling.
 * @throws 403 `sign_up_closed`, 429 `sign_up_throttled`, 409 `email_taken`.
 */
export async function signUp(input: SignUpInput, address: string): Promise<z.output<typeof SignedUp>> {
  if (!env().SIGN_UP_OPEN) {
    throw forbidden("Sign-up is closed here; ask the operator for an account.", { reason: "sign_up_closed" });
  }
  await countSignUp(address);
  const { accountId } = await createAccountWithOwner({
    email: input.email,
    password: input.password,
    name: input.name,
    companyName: input.company_name,
  });
  return { account_id: accountId };
}

/**
 * Checks an e-mail and its password, and opens a session. The same answer, after the same work, for a wrong password and an unknown e-mail.
 * @param from where the caller is; an address that is not known is empty.
 * @returns null when they do not belong together.
 * @throws 429 `sign_in_throttled` after too many failures of the e-mail or the address.
 */
export async function signIn(
  input: { email: string; password: string },
  from: { address: string; userAgent: string },
): Promise<SignedIn | null> {
  const attempt = { email: input.email.trim().toLowerCase(), address: from.address };
  await refuseThrottled(attempt);
  const user = await prisma().user.findUnique({ where: { email: attempt.email } });
  const matches = await isPassword(user?.passwordHash ?? null, input.password);
  if (!user || !matches) {
    await settleFailure(attempt);
    return null;
  }
  await settleSuccess(attempt);
  const { id: userId, accountId, isOperator, name, email } = user;
  return { sessionId: await startSession(userId, from), userId, accountId, isOperator, name, email };
}

/** Who is signed in. @throws 401 when the person was removed meanwhile. */
export async function getViewer(actor: SessionActor): Promise<Viewer> {
  const user = await prisma().user.findFirst({ where: { id: actor.userId, accountId: actor.accountId } });
  if (!user) throw unauthorized("Sign in first.", { reason: "no_session" });
  return { name: user.name, email: user.email, is_operator: user.isOperator };
}
