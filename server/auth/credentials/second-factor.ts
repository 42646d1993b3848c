/** Second factor: enrols, checks and disables codes of an authenticator app, which are required after the password. */
import { createHash, randomBytes } from "node:crypto";
import encodeQr from "qr";
import { recordAudit } from "../../audit/store";
import { type Actor, requireConfirmed, requireOperator, type SessionActor } from "../../core/actor";
import { pool, prisma, type Tx, transaction } from "../../core/db";
import { env, secretKeys } from "../../core/env";
import { invalidRequest, notFound } from "../../core/errors";
import { log } from "../../core/log";
import { seal, unseal } from "../../core/seal";
import { refusedInput } from "../../core/wire";
import type {
  ConfirmSecondFactorInput,
  SecondFactor,
  SecondFactorEnrolment,
  SecondFactorProof,
  SecondFactorRecovery,
} from "../schema";
import { normalEmail } from "../sign-in/normal-email";
import { requirePassword } from "./require-password";
import { base32, newTotpSecret, stepOfCode, totpUri } from "./totp";

const PURPOSE = "second factor";
const ISSUER = "Messaging Service";
const RECOVERY_CODES = 10;
/** 80 bits: too many to be found by brute force from their hashes. */
const RECOVERY_BYTES = 10;

/** A code as entered: apps and people put spaces and dashes into it. */
const normalCode = (code: string): string => code.replace(/[\s-]/g, "").toUpperCase();

const hashCode = (code: string): string => createHash("sha256").update(normalCode(code)).digest("hex");

const newRecoveryCode = (): string =>
  (base32(randomBytes(RECOVERY_BYTES)).match(/.{4}/g) ?? []).join("-").toLowerCase();

const newRecoveryCodes = (): string[] => Array.from({ length: RECOVERY_CODES }, newRecoveryCode);

const storeRecoveryCodes = (tx: Tx, userId: string, codes: readonly string[]) =>
  tx.query("INSERT INTO recovery_codes (user_id, code_hash) SELECT $1, unnest($2::text[])", [
    userId,
    codes.map(hashCode),
  ]);

const dropRecoveryCodes = (tx: Tx, userId: string) =>
  tx.query("DELETE FROM recovery_codes WHERE user_id = $1", [userId]);

/** Records that the codes were made. @returns when, for `recovery_codes_made_at`. */
async function markMade(tx: Tx, userId: string, column: "confirmed_at" | "recovery_codes_at"): Promise<string> {
  const { rows } = await tx.query<{ madeAt: Date }>(
    `UPDATE second_factors SET ${column} = clock_timestamp() WHERE user_id = $1 RETURNING ${column} AS "madeAt"`,
    [userId],
  );
  const [made] = rows;
  if (!made) throw new Error("The second factor is locked, and gone.");
  return made.madeAt.toISOString();
}

/** `epochS`: the database's time, so that all processes agree on the step. */
type Factor = { secretSealed: string; isConfirmed: boolean; lastStep: number; epochS: number };

async function lockFactor(tx: Tx, userId: string): Promise<Factor | null> {
  const { rows } = await tx.query<Factor>(
    `SELECT secret_sealed AS "secretSealed", confirmed_at IS NOT NULL AS "isConfirmed", last_step AS "lastStep",
       extract(epoch FROM clock_timestamp())::float8 AS "epochS"
     FROM second_factors WHERE user_id = $1 FOR UPDATE`,
    [userId],
  );
  return rows[0] ?? null;
}

/**
 * Uses up a code of the app, or a recovery code: neither works twice.
 * @returns which kind it was; null if it is wrong.
 */
async function spendCode(tx: Tx, userId: string, factor: Factor, code: string): Promise<"app" | "recovery" | null> {
  const step = stepOfCode(unseal(secretKeys(), PURPOSE, factor.secretSealed), normalCode(code), factor.epochS);
  if (step !== null && step > factor.lastStep) {
    await tx.query("UPDATE second_factors SET last_step = $2 WHERE user_id = $1", [userId, step]);
    return "app";
  }
  const { rowCount } = await tx.query("DELETE FROM recovery_codes WHERE user_id = $1 AND code_hash = $2", [
    userId,
    hashCode(code),
  ]);
  return rowCount === 1 ? "recovery" : null;
}

/** Uses up a code at the sign-in. @returns whether it was right; true if the person no longer has a second factor. */
export async function passSecondFactor(tx: Tx, userId: string, code: string): Promise<boolean> {
  const factor = await lockFactor(tx, userId);
  return !factor?.isConfirmed || (await spendCode(tx, userId, factor, code)) !== null;
}

/** Whether the person has a second factor, how many recovery codes are left, and when they were made. */
export async function getSecondFactor(actor: SessionActor): Promise<SecondFactor> {
  const { rows } = await pool().query<{ left: number; madeAt: Date }>(
    `SELECT (SELECT count(*)::int FROM recovery_codes WHERE user_id = $1) AS left,
       coalesce(recovery_codes_at, confirmed_at) AS "madeAt"
     FROM second_factors WHERE user_id = $1 AND confirmed_at IS NOT NULL`,
    [actor.userId],
  );
  const [factor] = rows;
  return {
    enabled: factor !== undefined,
    recovery_codes_left: factor?.left ?? 0,
    recovery_codes_made_at: factor?.madeAt.toISOString() ?? null,
  };
}

const alreadyEnabled = () =>
  invalidRequest("A second factor is enabled already. Disable it first.", { reason: "second_factor_enabled" });

/** The dark modules of a QR code as an SVG path, in a square of `size`. */
function qrOf(text: string): { size: number; path: string } {
  const rows = encodeQr(text, "raw", { border: 2 });
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join("");
  return { size: rows.length, path };
}

/**
 * Makes a secret for the person's app. It becomes active with its first correct code; until then it can be replaced.
 * @throws 403 `confirmation_required`, 400 `second_factor_enabled`.
 */
export async function beginSecondFactor(actor: SessionActor): Promise<SecondFactorEnrolment> {
  requireConfirmed(actor);
  const user = await prisma().user.findUniqueOrThrow({ where: { id: actor.userId } });
  const secret = newTotpSecret();
  const { rowCount } = await pool().query(
    `INSERT INTO second_factors AS f (user_id, secret_sealed) VALUES ($1, $2)
     ON CONFLICT (user_id) DO UPDATE SET secret_sealed = excluded.secret_sealed WHERE f.confirmed_at IS NULL`,
    [user.id, seal(env().SECRET_KEY, PURPOSE, secret)],
  );
  if (rowCount === 0) throw alreadyEnabled();
  const uri = totpUri(secret, user.email, ISSUER);
  return { secret, uri, qr: qrOf(uri) };
}

/**
 * Enables the second factor that was begun, if the code is right.
 * @returns recovery codes, only in this response.
 * @throws 403 `confirmation_required`, 400 at `code`, or `second_factor_enabled`.
 */
export async function confirmSecondFactor(
  actor: SessionActor,
  input: ConfirmSecondFactorInput,
): Promise<SecondFactorRecovery> {
  requireConfirmed(actor);
  const { userId, accountId } = actor;
  const codes = newRecoveryCodes();
  const madeAt = await transaction(async (tx) => {
    const factor = await lockFactor(tx, userId);
    if (factor?.isConfirmed) throw alreadyEnabled();
    if (!factor || (await spendCode(tx, userId, factor, input.code)) !== "app") throw wrongCode();
    const made = await markMade(tx, userId, "confirmed_at");
    await storeRecoveryCodes(tx, userId, codes);
    await recordAudit(tx, actor, { action: "second_factor.enabled", accountId, subjectId: userId });
    return made;
  });
  log("info", "auth.second_factor_enabled", { user_id: userId });
  return { recovery_codes: codes, recovery_codes_made_at: madeAt };
}

const wrongCode = () => refusedInput("code", "this code is wrong, or was used already");

const drop = async (tx: Tx, userId: string): Promise<boolean> => {
  await dropRecoveryCodes(tx, userId);
  const { rowCount } = await tx.query("DELETE FROM second_factors WHERE user_id = $1", [userId]);
  return rowCount === 1;
};

/**
 * Disables the second factor. Requires the password and a code of the app or a recovery code; wrong ones count as attempts to
 * sign in.
 * @param address of the caller, for throttling.
 * @throws 400 at `password` or `code`, 429 `sign_in_throttled` after too many wrong ones.
 */
export async function disableSecondFactor(
  actor: SessionActor,
  input: SecondFactorProof,
  address: string,
): Promise<SecondFactor> {
  const { userId, accountId } = actor;
  await requirePassword(actor, { param: "password", password: input.password, address }, () =>
    transaction(async (tx) => {
      if (!(await passSecondFactor(tx, userId, input.code))) throw wrongCode();
      if (!(await drop(tx, userId))) return;
      await recordAudit(tx, actor, { action: "second_factor.disabled", accountId, subjectId: userId });
    }),
  );
  log("info", "auth.second_factor_disabled", { user_id: userId });
  return getSecondFactor(actor);
}

const notEnabled = () =>
  invalidRequest("You have no second factor. Enable one: its recovery codes come with it.", {
    reason: "second_factor_not_enabled",
  });

/**
 * Replaces the recovery codes: the old ones stop working in the transaction that stores the new ones. Requires the same proof
 * as {@link disableSecondFactor}. Other sessions stay open, as when a second factor is enabled or disabled: recovery codes open
 * sessions but do not keep them open. The person ends a stranger's session on the same page, or by changing the password.
 *
 * The code of the proof is used up with it, so a repetition of the same request (a double click, or a retry after a lost
 * response) is refused at `code` and replaces nothing: the codes of the first request stay valid. Each call with a new code
 * replaces the earlier recovery codes, so only those of the last response work. `recovery_codes_made_at` reveals codes whose
 * response was lost.
 * @param address of the caller, for throttling.
 * @returns the recovery codes, in this response only.
 * @throws 400 at `password` or `code`, or `second_factor_not_enabled`; 429 `sign_in_throttled` after too many wrong ones.
 */
export async function regenerateRecoveryCodes(
  actor: SessionActor,
  input: SecondFactorProof,
  address: string,
): Promise<SecondFactorRecovery> {
  const { userId, accountId } = actor;
  const codes = newRecoveryCodes();
  let madeAt = "";
  await requirePassword(actor, { param: "password", password: input.password, address }, () =>
    transaction(async (tx) => {
      // The row's lock makes concurrent calls and sign-ins wait for each other.
      const factor = await lockFactor(tx, userId);
      if (!factor?.isConfirmed) throw notEnabled();
      if ((await spendCode(tx, userId, factor, input.code)) === null) throw wrongCode();
      await dropRecoveryCodes(tx, userId);
      await storeRecoveryCodes(tx, userId, codes);
      madeAt = await markMade(tx, userId, "recovery_codes_at");
      await recordAudit(tx, actor, {
        action: "second_factor.recovery_codes_regenerated",
        accountId,
        subjectId: userId,
      });
    }),
  );
  log("info", "auth.recovery_codes_regenerated", { user_id: userId });
  return { recovery_codes: codes, recovery_codes_made_at: madeAt };
}

/** Removes the second factor of a person who has lost it. @throws 403 for non-operators, 404 when they have none. */
export async function clearSecondFactor(actor: Actor, email: string): Promise<{ userId: string }> {
  requireOperator(actor);
  const user = await prisma().user.findUnique({ where: { email: normalEmail(email) } });
  if (!user) throw notFound("Nobody signs in with this email.", { param: "email" });
  await transaction(async (tx) => {
    if (!(await drop(tx, user.id))) throw notFound("This person has no second factor.", { param: "email" });
    await recordAudit(tx, actor, {
      action: "second_factor.cleared",
      accountId: user.accountId,
      subjectId: user.id,
    });
  });
  log("info", "auth.second_factor_cleared", { user_id: user.id });
  return { userId: user.id };
}
