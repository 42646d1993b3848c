import type { z } from "zod";
import type { User } from "@/prisma/generated/client";
import { createAccountWithOwner } from "../accounts/service";
import type { Actor } from "../core/actor";
import { prisma } from "../core/db";
import { env } from "../core/env";
import { forbidden, unauthorized } from "../core/errors";
import { isPassword } from "./password";
import type { SignedUp, SignUpInput, SignUpState, Viewer } from "./schema";
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

/** What a session is made of. */
export type SignedIn = { userId: string; accountId: string; isOperator: boolean; name: string; email: string };

/**
 * Checks an e-mail and its password. The same answer, after the same work, for a wrong password and an unknown e-mail.
 * @param address of the caller, for throttling; empty when it is not known.
 * @returns null when they do not belong together.
 * @throws 429 `sign_in_throttled` after too many failures of the e-mail or the address.
 */
export async function signIn(input: { email: string; password: string }, address: string): Promise<SignedIn | null> {
  const attempt = { email: input.email.trim().toLowerCase(), address };
  await refuseThrottled(attempt);
  const user = await prisma().user.findUnique({ where: { email: attempt.email } });
  const matches = await isPassword(user?.passwordHash ?? null, input.password);
  if (!user || !matches) {
    await settleFailure(attempt);
    return null;
  }
  await settleSuccess(attempt);
  return readSignedIn(user);
}

/** The person of a session as the database has them now; null once they are removed. */
export async function findSignedIn(userId: string): Promise<SignedIn | null> {
  const user = await prisma().user.findUnique({ where: { id: userId } });
  return user && readSignedIn(user);
}

const readSignedIn = ({ id, accountId, isOperator, name, email }: User): SignedIn => ({
  userId: id,
  accountId,
  isOperator,
  name,
  email,
});

/** Who is signed in. @throws 401 when the person was removed meanwhile. */
export async function getViewer(actor: Extract<Actor, { kind: "session" }>): Promise<Viewer> {
  const user = await prisma().user.findFirst({ where: { id: actor.userId, accountId: actor.accountId } });
  if (!user) throw unauthorized("Sign in first.", { reason: "no_session" });
  return { name: user.name, email: user.email, is_operator: user.isOperator };
}
