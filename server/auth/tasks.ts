import type { JobPayload } from "../core/jobs";
import { deleteInSteps, forgetEach } from "../retention/steps";
import { mailReset } from "./credentials/reset-by-mail";

/** Mails a link to a person who has forgotten their password, if a user has the email. */
export const mailPasswordReset = (job: JobPayload<"request_password_reset">): Promise<void> => mailReset(job);

/** SQL: rows of each table that nobody needs any more. */
const OVER = {
  sessions: "expires_at <= now()",
  invitations: "expires_at <= now()",
  password_resets: "expires_at <= now()",
  passkey_challenges: "expires_at <= now()",
  // No limit lasts longer than an hour. A longer one dates from before the database's clock was set back, and would
  // lock people out.
  sign_in_limits: "(busy_until <= now() OR busy_until > now() + interval '2 hours')",
} as const;

/** Deletes ended sessions, expired invitations, links and challenges, and unused limits. A table that fails does not stop the others. */
export function forgetSignIns(signal?: AbortSignal): Promise<void> {
  return forgetEach(
    Object.entries(OVER).map(([table, condition]) => [table, () => deleteInSteps(table, condition, { signal })]),
    signal,
  );
}
