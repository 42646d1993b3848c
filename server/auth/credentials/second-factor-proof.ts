/** Proof of a second factor: a code of the app, a recovery code, or a passkey. */

import type { SessionActor } from "../../core/actor";
import { type Tx, transaction } from "../../core/db";
import { secretKeys } from "../../core/env";
import { unseal } from "../../core/seal";
import { refusedInput } from "../../core/wire";
import { keepAuthority } from "../authority";
import { lockPersons } from "../lock-persons";
import { acceptPasskey, type ReceivedPasskey, receivePasskey } from "../passkeys/accept-passkey";
import { holderOf } from "../passkeys/challenges";
import type { SecondFactorProof } from "../schema";
import { hasSecondFactor } from "./has-second-factor";
import { normalCode, spendRecoveryCode } from "./recovery-codes";
import { requirePassword } from "./require-password";
import { stepOfCode } from "./totp";

export const SECOND_FACTOR_PURPOSE = "second factor";

/** The authenticator app of a person. `epochS`: the database's time, so that all processes agree on the step. */
export type App = { secretSealed: string; isConfirmed: boolean; lastStep: number; epochS: number };

export async function lockApp(tx: Tx, userId: string): Promise<App | null> {
  const { rows } = await tx.query<App>(
    `SELECT secret_sealed AS "secretSealed", confirmed_at IS NOT NULL AS "isConfirmed", last_step AS "lastStep",
       extract(epoch FROM clock_timestamp())::float8 AS "epochS"
     FROM second_factors WHERE user_id = $1 FOR UPDATE`,
    [userId],
  );
  return rows[0] ?? null;
}

/** Uses up a code of the app: neither it nor an earlier one works again. @returns whether it was right. */
export async function spendAppCode(tx: Tx, userId: string, app: App, code: string): Promise<boolean> {
  const secret = unseal(secretKeys(), SECOND_FACTOR_PURPOSE, app.secretSealed);
  const step = stepOfCode(secret, normalCode(code), app.epochS);
  if (step === null || step <= app.lastStep) return false;
  await tx.query("UPDATE second_factors SET last_step = $2 WHERE user_id = $1", [userId, step]);
  return true;
}

/** A code as entered, or what an authenticator has responded. */
export type GivenProof = { code?: string; passkey?: ReceivedPasskey };

/**
 * Uses up the proof of a second factor. The person's row must be locked.
 * @returns whether it was right; true if the person no longer has a second factor.
 */
export async function passSecondFactor(tx: Tx, userId: string, { code = "", passkey }: GivenProof): Promise<boolean> {
  const app = await lockApp(tx, userId);
  if (!(await hasSecondFactor(userId, tx))) return true;
  if (passkey) return (await acceptPasskey(tx, passkey, userId)) !== null;
  if (app?.isConfirmed && (await spendAppCode(tx, userId, app, code))) return true;
  return spendRecoveryCode(tx, userId, code);
}

/**
 * Carries out a change that requires the password and a second factor, in the transaction that uses up the proof. Wrong ones count
 * as attempts to sign in.
 * @param address of the caller, for throttling.
 * @throws 400 at `password`, `code` or `passkey`, 429 `sign_in_throttled` after too many wrong ones.
 */
export async function requireProof(
  actor: SessionActor,
  { password, code, passkey }: SecondFactorProof,
  address: string,
  change: (tx: Tx) => Promise<void>,
): Promise<void> {
  const { userId } = actor;
  await requirePassword(actor, { param: "password", password, address }, async () => {
    const received = passkey && (await receivePasskey(passkey, "prove", holderOf(actor)));
    await transaction(async (tx) => {
      await lockPersons(tx, userId);
      await keepAuthority(tx, actor);
      if (await passSecondFactor(tx, userId, { code, passkey: received })) return change(tx);
      throw received
        ? refusedInput("passkey", "this passkey was not accepted: try again, or enter a code")
        : refusedInput("code", "this code is wrong, or was used already");
    });
  });
}
