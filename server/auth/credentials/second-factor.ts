/** Authenticator apps, whose codes are required after the password, and the recovery codes of the person. */
import encodeQr from "qr";
import { recordAudit } from "../../audit/store";
import { type Actor, requireConfirmed, requireOperator, type SessionActor } from "../../core/actor";
import { pool, prisma, transaction } from "../../core/db";
import { env } from "../../core/env";
import { invalidRequest, notFound } from "../../core/errors";
import { log } from "../../core/log";
import { seal } from "../../core/seal";
import { refusedInput } from "../../core/wire";
import { keepAuthority } from "../authority";
import { lockPersons } from "../lock-persons";
import { normalEmail } from "../normal-email";
import type {
  ConfirmSecondFactorInput,
  SecondFactor,
  SecondFactorEnrollment,
  SecondFactorProof,
  SecondFactorRecovery,
} from "../schema";
import { hasSecondFactor } from "./has-second-factor";
import { dropRecoveryCodes, replaceRecoveryCodes } from "./recovery-codes";
import { lockApp, requireProof, SECOND_FACTOR_PURPOSE, spendAppCode } from "./second-factor-proof";
import { tellPerson } from "./security-mail";
import { newTotpSecret, totpUri } from "./totp";

const ISSUER = "Messaging Service";

/** The person's second factors, how many recovery codes are left, and when they were made. */
export async function getSecondFactor(actor: SessionActor): Promise<SecondFactor> {
  const { rows } = await pool().query<{ hasApp: boolean; passkeys: number; left: number; madeAt: Date | null }>(
    `SELECT f.user_id IS NOT NULL AS "hasApp",
       (SELECT count(*)::int FROM passkeys WHERE user_id = u.id) AS passkeys,
       (SELECT count(*)::int FROM recovery_codes WHERE user_id = u.id) AS left,
       greatest(u.recovery_codes_at, f.recovery_codes_at, f.confirmed_at) AS "madeAt"
     FROM users u LEFT JOIN second_factors f ON f.user_id = u.id AND f.confirmed_at IS NOT NULL WHERE u.id = $1`,
    [actor.userId],
  );
  const [{ hasApp, passkeys, left, madeAt } = { hasApp: false, passkeys: 0, left: 0, madeAt: null }] = rows;
  const hasAny = hasApp || passkeys > 0;
  return {
    enabled: hasApp,
    passkeys,
    recovery_codes_left: hasAny ? left : 0,
    recovery_codes_made_at: (hasAny && madeAt?.toISOString()) || null,
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
export async function beginSecondFactor(actor: SessionActor): Promise<SecondFactorEnrollment> {
  requireConfirmed(actor);
  const user = await prisma().user.findUniqueOrThrow({ where: { id: actor.userId } });
  const secret = newTotpSecret();
  const { rowCount } = await pool().query(
    `INSERT INTO second_factors AS f (user_id, secret_sealed) VALUES ($1, $2)
     ON CONFLICT (user_id) DO UPDATE SET secret_sealed = excluded.secret_sealed WHERE f.confirmed_at IS NULL`,
    [user.id, seal(env().SECRET_KEY, SECOND_FACTOR_PURPOSE, secret)],
  );
  if (rowCount === 0) throw alreadyEnabled();
  const uri = totpUri(secret, user.email, ISSUER);
  return { secret, uri, qr: qrOf(uri) };
}

/**
 * Enables the second factor that was begun, if the code is right.
 * @returns recovery codes, only in this response.
 * @throws 403 `confirmation_required`, 400 at `code`, or `second_factor_enabled`; 401 when the session has ended meanwhile.
 */
export async function confirmSecondFactor(
  actor: SessionActor,
  input: ConfirmSecondFactorInput,
): Promise<SecondFactorRecovery> {
  requireConfirmed(actor);
  const { userId, accountId } = actor;
  const recovery = await transaction(async (tx) => {
    await lockPersons(tx, userId);
    await keepAuthority(tx, actor);
    const app = await lockApp(tx, userId);
    if (app?.isConfirmed) throw alreadyEnabled();
    if (!app || !(await spendAppCode(tx, userId, app, input.code)))
      throw refusedInput("code", "this code is wrong, or was used already");
    // Before the codes, which count from the later of the two times.
    await tx.query("UPDATE second_factors SET confirmed_at = clock_timestamp() WHERE user_id = $1", [userId]);
    const made = await replaceRecoveryCodes(tx, userId);
    await recordAudit(tx, actor, { action: "second_factor.enabled", accountId, subjectId: userId });
    await tellPerson(tx, userId, { kind: "app_enabled" }, actor.origin);
    return made;
  });
  log("info", "auth.second_factor_enabled", { user_id: userId });
  return recovery;
}

/**
 * Disables the app. Requires the password and a second factor; wrong ones count as attempts to sign in. Without a passkey, the
 * recovery codes go with it.
 * @param address of the caller, for throttling.
 * @throws 400 at `password`, `code` or `passkey`, 429 `sign_in_throttled` after too many wrong ones.
 */
export async function disableSecondFactor(
  actor: SessionActor,
  input: SecondFactorProof,
  address: string,
): Promise<SecondFactor> {
  const { userId, accountId } = actor;
  await requireProof(actor, input, address, async (tx) => {
    const { rowCount } = await tx.query("DELETE FROM second_factors WHERE user_id = $1", [userId]);
    if (!(await hasSecondFactor(userId, tx))) await dropRecoveryCodes(tx, userId);
    if (rowCount === 0) return;
    await recordAudit(tx, actor, { action: "second_factor.disabled", accountId, subjectId: userId });
    await tellPerson(tx, userId, { kind: "app_disabled" }, actor.origin);
  });
  log("info", "auth.second_factor_disabled", { user_id: userId });
  return getSecondFactor(actor);
}

const notEnabled = () =>
  invalidRequest("You have no second factor. Add one: its recovery codes come with it.", {
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
  const made: SecondFactorRecovery[] = [];
  await requireProof(actor, input, address, async (tx) => {
    if (!(await hasSecondFactor(userId, tx))) throw notEnabled();
    made.push(await replaceRecoveryCodes(tx, userId));
    const change = { action: "second_factor.recovery_codes_regenerated", accountId, subjectId: userId } as const;
    await recordAudit(tx, actor, change);
    await tellPerson(tx, userId, { kind: "recovery_codes_replaced" }, actor.origin);
  });
  log("info", "auth.recovery_codes_regenerated", { user_id: userId });
  const [recovery] = made;
  if (!recovery) throw new Error("The change was carried out without its result.");
  return recovery;
}

/**
 * Removes the authenticator app, the passkeys and the recovery codes of a person who has lost them: afterwards the password alone
 * signs them in. @returns `isTold`: whether an email to them was written.
 * @throws 403 for non-operators, 404 when they have none of these.
 */
export async function clearSecondFactor(
  actor: Actor,
  email: string,
): Promise<{ userId: string; passkeys: number; isTold: boolean }> {
  requireOperator(actor);
  const user = await prisma().user.findUnique({ where: { email: normalEmail(email) } });
  if (!user) throw notFound("Nobody signs in with this email.", { param: "email" });
  const done = await transaction(async (tx) => {
    await lockPersons(tx, user.id);
    await dropRecoveryCodes(tx, user.id);
    const { rowCount: apps } = await tx.query("DELETE FROM second_factors WHERE user_id = $1", [user.id]);
    const { rowCount: removed } = await tx.query("DELETE FROM passkeys WHERE user_id = $1", [user.id]);
    if (apps === 0 && removed === 0) throw notFound("This person has no second factor.", { param: "email" });
    const change = { action: "second_factor.cleared", accountId: user.accountId, subjectId: user.id } as const;
    await recordAudit(tx, actor, { ...change, before: { passkeys: removed } });
    return { passkeys: removed ?? 0, isTold: await tellPerson(tx, user.id, { kind: "second_factor_cleared" }) };
  });
  log("info", "auth.second_factor_cleared", { user_id: user.id, passkeys: done.passkeys });
  return { userId: user.id, ...done };
}
