import type { JobPayload } from "../core/jobs";
import { deleteInSteps } from "../retention/steps";
import { mailReset } from "./credentials/reset-by-mail";

/** Mails a link to somebody who has forgotten their password, if anybody signs in with the e-mail. */
export const mailPasswordReset = (job: JobPayload<"request_password_reset">): Promise<void> => mailReset(job);

/** Expired rows by table, and the time after which they are deleted. */
const OVER = {
  sessions: "expires_at",
  invitations: "expires_at",
  password_resets: "expires_at",
  sign_in_limits: "busy_until",
} as const;

/** Deletes sessions, invitations and links that are over, and limits that are unused. */
export async function forgetSignIns(signal?: AbortSignal): Promise<void> {
  for (const [table, until] of Object.entries(OVER)) await deleteInSteps(table, `${until} <= now()`, { signal });
}
