/** Forgotten passwords, by email. */

import { addJob } from "../../core/add-jobs";
import { pool, transaction } from "../../core/db";
import { publicUrl } from "../../core/env";
import { forbidden } from "../../core/errors";
import { newId } from "../../core/ids";
import { isMailSet, queueMail } from "../../mail/store";
import { normalEmail } from "../normal-email";
import type { RequestResetInput, ResetRequested } from "../schema";
import { countResetRequest } from "../sign-in/throttle";
import { newLinkToken } from "./link-token";
import { issueLink, LINK_VALID_S } from "./reset-links";

/**
 * Requests a link to choose another password. The response is the same, after the same work, whether or not a user has
 * the email: a job looks it up.
 * @param address of the caller, for throttling.
 * @throws 403 `reset_by_operator` when no mail server is set, 429 `reset_throttled`.
 */
export async function requestReset({ email }: RequestResetInput, address: string): Promise<ResetRequested> {
  if (!isMailSet()) {
    throw forbidden("Ask the operator of this installation for a password reset link.", {
      reason: "reset_by_operator",
    });
  }
  await countResetRequest(address);
  await addJob(pool(), "request_password_reset", { email: normalEmail(email), mailId: newId("mail") });
  return { accepted: true };
}

/** Mails a link to the person of an email, if there is one; a second run of the same job does nothing. */
export async function mailReset({ email, mailId }: { email: string; mailId: string }): Promise<void> {
  await transaction(async (tx) => {
    const { rows } = await tx.query<{ id: string; accountId: string }>(
      // Locked before anything is written to the address, as everywhere.
      `SELECT id, account_id AS "accountId" FROM users WHERE email = $1 FOR NO KEY UPDATE`,
      [email],
    );
    const [user] = rows;
    if (!user) return;
    const token = newLinkToken();
    const letter = {
      subject: "Choose a new password",
      paragraphs: [
        "Somebody, probably you, has asked for a link to choose another password.",
        "It works once and for an hour. If it was not you, do nothing: your password stays as it is.",
      ],
      link: { label: "Choose a new password", url: `${publicUrl()}/reset-password?token=${token}` },
    };
    const mail = { id: mailId, address: email, kind: "password_reset", accountId: null, letter } as const;
    // An earlier link stays valid when no further email may be sent.
    if (await queueMail(tx, { ...mail, validS: LINK_VALID_S })) await issueLink(tx, user.id, token);
  });
}
