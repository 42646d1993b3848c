import { z } from "zod";
import { EmailAddress } from "../core/wire";
import { ROLES } from "../members/roles";
import { Passkey, PasskeyAssertion } from "./passkey-schema";

const PASSWORD_MIN = 10;
const PASSWORD_MAX = 200;

/** A new password. Its strength is judged by the service. */
const NewPassword = z.string().min(PASSWORD_MIN, `must have at least ${PASSWORD_MIN} characters`).max(PASSWORD_MAX);

export const SignUpInput = z.object({
  email: EmailAddress,
  password: NewPassword,
  name: z.string().trim().min(1).max(100),
  company_name: z.string().trim().max(100).default(""),
});
export type SignUpInput = z.output<typeof SignUpInput>;

/** The same whether or not the email already had an account. */
export const SignedUp = z.object({ accepted: z.literal(true) });

export const ChangePasswordInput = z.object({
  current_password: z.string().min(1, "must be given").max(PASSWORD_MAX),
  new_password: NewPassword,
});
export type ChangePasswordInput = z.output<typeof ChangePasswordInput>;

export const ConfirmPasswordInput = z.object({ password: z.string().min(1, "must be given").max(PASSWORD_MAX) });
export type ConfirmPasswordInput = z.output<typeof ConfirmPasswordInput>;

export const Confirmed = z.object({ confirmed: z.literal(true) });
export type Confirmed = z.output<typeof Confirmed>;

export const ResetPasswordInput = z.object({ token: z.string().min(1).max(100), password: NewPassword });
export type ResetPasswordInput = z.output<typeof ResetPasswordInput>;

export const RequestResetInput = z.object({ email: EmailAddress });
export type RequestResetInput = z.output<typeof RequestResetInput>;

/** The same whether or not a user has the email. */
export const ResetRequested = z.object({ accepted: z.literal(true) });
export type ResetRequested = z.output<typeof ResetRequested>;

const CODE_MAX = 40;
const Code = z.string().trim().min(1, "must be given").max(CODE_MAX);

/** Console: what is required after the password to sign in. */
export const SecondFactor = z.object({
  /** Whether the person has an authenticator app. */
  enabled: z.boolean(),
  /** How many passkeys they have. */
  passkeys: z.number().int(),
  recovery_codes_left: z.number().int(),
  /**
   * When these codes were made. It shows a person, or a page that got no response, that earlier ones have become invalid.
   */
  recovery_codes_made_at: z.string().nullable(),
});
export type SecondFactor = z.output<typeof SecondFactor>;

/** Console: what an app needs, as text, as an address and as the dark modules of a QR code (an SVG path). */
export const SecondFactorEnrollment = z.object({
  secret: z.string(),
  uri: z.string(),
  qr: z.object({ size: z.number().int(), path: z.string() }),
});
export type SecondFactorEnrollment = z.output<typeof SecondFactorEnrollment>;

export const ConfirmSecondFactorInput = z.object({ code: Code });
export type ConfirmSecondFactorInput = z.output<typeof ConfirmSecondFactorInput>;

/** `recovery_codes_made_at`: as in {@link SecondFactor}. Once it differs there, these codes no longer work. */
export const SecondFactorRecovery = z.object({
  recovery_codes: z.array(z.string()),
  recovery_codes_made_at: z.string(),
});
export type SecondFactorRecovery = z.output<typeof SecondFactorRecovery>;

/** Proof for a change of the second factors: the password, and a code of the app, a recovery code or a passkey. */
export const SecondFactorProof = z.object({
  password: z.string().min(1, "must be given").max(PASSWORD_MAX),
  code: Code.optional(),
  passkey: PasskeyAssertion.optional(),
});
export type SecondFactorProof = z.output<typeof SecondFactorProof>;

/** `recovery`: the recovery codes that come with a person's first second factor; null: they had one. */
export const PasskeyAdded = z.object({ passkey: Passkey, recovery: SecondFactorRecovery.nullable() });
export type PasskeyAdded = z.output<typeof PasskeyAdded>;

export const RemovePasskeyInput = SecondFactorProof.extend({ id: z.string().max(64) });
export type RemovePasskeyInput = z.output<typeof RemovePasskeyInput>;

/** Console: the person's name, the same in all their accounts. */
export const RenameInput = z.object({ name: z.string().trim().min(1, "must not be empty").max(100) });
export type RenameInput = z.output<typeof RenameInput>;

/** Console: who is signed in, and what this installation lets them do. */
export const Viewer = z.object({
  name: z.string(),
  email: z.string(),
  is_operator: z.boolean(),
  /** In the account that the session acts in. */
  role: z.enum(ROLES),
  /** Whether the role lets them change what belongs to that account. */
  may_change: z.boolean(),
});
export type Viewer = z.output<typeof Viewer>;

/** Console: an open session. `address` is null if unknown. */
export const Session = z.object({
  id: z.string(),
  object: z.literal("session"),
  device: z.string(),
  address: z.string().nullable(),
  is_current: z.boolean(),
  created_at: z.string(),
  last_seen_at: z.string(),
  expires_at: z.string(),
});
export type Session = z.output<typeof Session>;

export const SessionPath = z.object({ id: z.string().max(64) });
export type SessionPath = z.output<typeof SessionPath>;

/** Number of sessions ended. */
export const SessionsRevoked = z.object({ revoked: z.number().int() });
export type SessionsRevoked = z.output<typeof SessionsRevoked>;

/** Console, before sign-in. */
export const SignUpState = z.object({
  open: z.boolean(),
  /** Whether a forgotten password is reset by email; otherwise the operator makes a link. */
  reset_by_mail: z.boolean(),
  /** The only origin at which browsers use passkeys of this installation; null: at none. */
  passkey_origin: z.string().nullable(),
});
