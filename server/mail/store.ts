/** The outbox: emails are written with the change that causes them, and sent by a job afterwards. */

import { addJob } from "../core/add-jobs";
import type { Tx } from "../core/db";
import { env } from "../core/env";
import { newId } from "../core/ids";
import { log } from "../core/log";
import { seal } from "../core/seal";
import { type Composed, compose, type Letter } from "./compose";

/**
 * Emails of one kind to one address in an hour. Counted by kind, so that one kind cannot exhaust another, and a refused
 * invitation does not reveal that the address also gets emails for users.
 */
const PER_ADDRESS_AND_KIND_MAX = 10;

export const MAIL_PURPOSE = "mail";

/** Whether emails can be sent. */
export const isMailSet = (): boolean => env().SMTP_URL !== undefined;

type MailKind = "invitation" | "password_reset" | "alert" | "security";

type Outgoing = {
  /** A key for callers that may write the same email twice: the second is not written. */
  id?: string;
  address: string;
  kind: MailKind;
  accountId: string | null;
  letter: Letter;
  /** Later than this, in seconds, it is of no use any more. */
  validS: number;
};

/**
 * Writes an email and its job in the transaction of `tx`.
 * @returns false, without having written it, when no mail server is set, when it was written before, or when the address has
 *   got as many of its kind in the last hour as it may.
 */
export async function queueMail(tx: Tx, mail: Outgoing): Promise<boolean> {
  if (!isMailSet()) return false;
  // Of two emails to one address, the second is counted once the first is written.
  await tx.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`mail:${mail.address}`]);
  const content: Composed = compose(mail.letter);
  const { rows } = await tx.query<{ id: string }>(
    `INSERT INTO mails (id, account_id, address, kind, content_sealed, created_at, valid_until)
     SELECT $1, $2, $3, $4, $5, clock_timestamp(), clock_timestamp() + make_interval(secs => $6)
     WHERE (SELECT count(*) FROM mails
            WHERE address = $3 AND kind = $4 AND created_at > clock_timestamp() - interval '1 hour') < $7
     ON CONFLICT (id) DO NOTHING RETURNING id`,
    [
      mail.id ?? newId("mail"),
      mail.accountId,
      mail.address,
      mail.kind,
      seal(env().SECRET_KEY, MAIL_PURPOSE, JSON.stringify(content)),
      mail.validS,
      PER_ADDRESS_AND_KIND_MAX,
    ],
  );
  const [written] = rows;
  if (!written) {
    log("warn", "mail.not_written", { kind: mail.kind, account_id: mail.accountId });
    return false;
  }
  await addJob(tx, "send_mail", { mailId: written.id });
  return true;
}

/** Whole seconds until an address may get another email of a kind, at least 1. */
export async function secondsUntilMail(tx: Tx, address: string, kind: MailKind): Promise<number> {
  const { rows } = await tx.query<{ waitS: number }>(
    `SELECT ceil(extract(epoch FROM created_at + interval '1 hour' - clock_timestamp()))::int AS "waitS"
     FROM mails WHERE address = $1 AND kind = $2 ORDER BY created_at DESC OFFSET $3 LIMIT 1`,
    [address, kind, PER_ADDRESS_AND_KIND_MAX - 1],
  );
  return Math.max(1, rows[0]?.waitS ?? 1);
}
