import type { SessionActor } from "../../core/actor";
import { prisma } from "../../core/db";
import { unauthorized } from "../../core/errors";
import { log } from "../../core/log";
import { refusedInput } from "../../core/wire";
import { giveBack, reserveAttempt } from "../sign-in/throttle";
import { hasSecondFactor } from "./has-second-factor";
import { isPassword } from "./password-hash";

/** Columns of the acting person. */
type Owner = { id: string; name: string; email: string; passwordHash: string };

/** A given password, the parameter that contained it, and the caller's address. */
type GivenPassword = { param: string; password: string; address: string };

/**
 * The acting person, after their password was checked.
 * @param proceed checks the code of a person with a second factor; when it throws, the attempt counts as failed.
 * @throws 400 at `param`, 429 after too many wrong ones.
 */
export async function requirePassword(
  actor: SessionActor,
  { param, password, address }: GivenPassword,
  proceed?: () => Promise<void>,
): Promise<Owner> {
  const user = await prisma().user.findUnique({ where: { id: actor.userId } });
  if (!user) throw unauthorized("Sign in first.", { reason: "no_session" });
  // A session counts as a known device: its guesses count for it alone.
  const attempt = { email: user.email, address, deviceId: actor.sessionId ?? null };
  await reserveAttempt(attempt);
  if (!(await isPassword(user.passwordHash, password))) {
    log("warn", "auth.password_refused", { user_id: user.id, address });
    throw refusedInput(param, "this is not your password");
  }
  await proceed?.();
  // The password alone lifts no limit of codes: an attacker who knows it could guess them without end.
  const isSuccess = proceed !== undefined || !(await hasSecondFactor(user.id));
  await giveBack(attempt, { isSuccess });
  return user;
}
