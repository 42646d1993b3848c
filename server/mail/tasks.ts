import { addJobs } from "../core/add-jobs";
import { pool, transaction } from "../core/db";
import { secretKeys } from "../core/env";
import { log } from "../core/log";
import { unseal } from "../core/seal";
import { deleteInSteps, inSteps, runParts } from "../retention/steps";
import type { Composed } from "./compose";
import { MAIL_PURPOSE } from "./store";
import { deliverMail } from "./transport";

const ERROR_MAX = 255;
/** A job that began to send an email while it was of use has ended by this time. */
const SENDING_MAX = "interval '10 minutes'";
/** Emails that one step ends or gives a new job. */
const MAILS_PER_STEP = 1_000;

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

/** Ends emails that are of no use any more: their jobs may have been given up before. */
const endLate = (signal?: AbortSignal) =>
  inSteps("late_mails", { size: MAILS_PER_STEP, signal }, async (tx, limit) => {
    const { rows } = await tx.query<{ id: string; kind: string }>(
      `UPDATE mails SET status = 'late', content_sealed = NULL, finished_at = now() WHERE id = ANY (ARRAY(
         SELECT id FROM mails WHERE status = 'pending' AND valid_until <= now() - ${SENDING_MAX}
         LIMIT $1 FOR UPDATE SKIP LOCKED))
       RETURNING id, kind`,
      [limit],
    );
    for (const { id, kind } of rows) log("error", "mail.late", { mail_id: id, kind });
    return { looked: rows.length, forgotten: rows.length };
  });

/** SQL: the jobs of emails. Their views omit payloads. */
const JOBS = `graphile_worker._private_jobs j
  WHERE j.task_id = (SELECT id FROM graphile_worker._private_tasks WHERE identifier = 'send_mail')`;

/**
 * Deletes jobs that were given up, which happens after some four days, and adds one for each email that is still of use and that
 * no waiting or running job carries.
 */
const queueAgain = () =>
  transaction(async (tx) => {
    await tx.query(`DELETE FROM ${JOBS} AND j.locked_at IS NULL AND j.attempts >= j.max_attempts`);
    const { rows } = await tx.query<{ id: string }>(
      `WITH carried AS MATERIALIZED (SELECT j.payload ->> 'mailId' AS id FROM ${JOBS})
       SELECT id FROM mails m WHERE status = 'pending' AND valid_until > now()
         AND NOT EXISTS (SELECT 1 FROM carried WHERE carried.id = m.id)
       ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED`,
      [MAILS_PER_STEP],
    );
    const jobs = rows.map(({ id }) => ({ payload: { mailId: id }, runAt: null }));
    await addJobs(tx, "send_mail", jobs);
    if (jobs.length > 0) log("warn", "mail.queued_again", { count: jobs.length });
  });

/**
 * Ends emails that are of no use any more, queues those again whose job was given up or lost, and deletes emails older than a
 * month.
 */
export const forgetMails = (signal?: AbortSignal): Promise<void> =>
  runParts([
    () => endLate(signal),
    queueAgain,
    () => deleteInSteps("mails", "created_at < now() - interval '30 days'", { signal }),
  ]);
