import type { JobPayload } from "../core/jobs";
import { deleteInSteps, runParts } from "../retention/steps";
import { mailReset } from "./credentials/reset-by-mail";

/** Mails a link to a person who has forgotten their password, if a user has the email. */
export const mailPasswordReset = (job: JobPayload<"request_password_reset">): Promise<void> => mailReset(job);

/** Expired rows by table, and the time after which they are deleted. */
const OVER = {
  sessions: "expires_at",
  invitations: "expires_at",
  password_resets: "expires_at",
  sign_in_limits: "busy_until",
} as const;

/** Deletes ended sessions, expired invitations and links, and unused limits. */
export const forgetSignIns = (signal?: AbortSignal): Promise<void> =>
  runParts(
    Object.entries(OVER).map(
      ([table, until]) =>
        () =>
          deleteInSteps(table, `${until} <= now()`, { signal }),
    ),
  );
