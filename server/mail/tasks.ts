import { pool } from "../core/db";
import { secretKeys } from "../core/env";
import { log } from "../core/log";
import { unseal } from "../core/seal";
import { deleteInSteps } from "../retention/steps";
import type { Composed } from "./compose";
import { MAIL_PURPOSE } from "./store";
import { deliverMail } from "./transport";

const ERROR_MAX = 255;

type Row = { address: string; contentSealed: string; isLate: boolean; kind: string };

/** The end of an email, whose text is deleted. */
async function finish(id: string, status: "sent" | "refused" | "late", error: string | null): Promise<void> {
  await pool().query(
    `UPDATE mails SET status = $2, error = $3, content_sealed = NULL, finished_at = now()
     WHERE id = $1 AND status = 'pending'`,
    [id, status, error?.slice(0, ERROR_MAX) ?? null],
  );
}

/**
 * Sends an email of the outbox; one that was sent or is given up is left alone.
 * @throws Error when the mail server could not be reached or refuses for now: the job is tried again.
 */
export async function sendMail({ mailId }: { mailId: string }): Promise<void> {
  const { rows } = await pool().query<Row>(
    `SELECT address, kind, content_sealed AS "contentSealed", valid_until <= now() AS "isLate"
     FROM mails WHERE id = $1 AND status = 'pending'`,
    [mailId],
  );
  const [mail] = rows;
  if (!mail) return;
  if (mail.isLate) {
    log("error", "mail.late", { mail_id: mailId, kind: mail.kind });
    return finish(mailId, "late", null);
  }
  const content = JSON.parse(unseal(secretKeys(), MAIL_PURPOSE, mail.contentSealed)) as Composed;
  const refusal = await deliverMail(mailId, mail.address, content);
  if (refusal !== null) log("warn", "mail.refused", { mail_id: mailId, kind: mail.kind, refusal });
  await finish(mailId, refusal === null ? "sent" : "refused", refusal);
}

/** Deletes emails of more than a month ago. */
export async function forgetMails(signal?: AbortSignal): Promise<void> {
  await deleteInSteps("mails", "created_at < now() - interval '30 days'", { signal });
}
