/**
 * Unverified receipts: any handset could have sent them, because only their text marks them as receipts. Ids of
 * message centres can be guessed, so such a receipt counts only for a message that went to the number it came from.
 */

import { addJob } from "../../core/add-jobs";
import { now, SECOND_MS } from "../../core/clock";
import type { Tx } from "../../core/db";
import { log } from "../../core/log";
import { isRecipient } from "../phone";
import type { IncomingReceipt, MatchedAttempt } from "./match-attempts";

/** The response to the send may arrive after its receipt; a report of unknown origin is kept only for this long. */
const AGAIN_AFTER_MS = 2 * SECOND_MS;

/**
 * Removes the unverified receipts of messages to another number than they came from, and those of unknown messages; the latter
 * are checked once more. @returns the receipts that count.
 */
export async function withoutForeign<Receipt extends IncomingReceipt>(
  tx: Tx,
  receipts: readonly Receipt[],
  attempts: ReadonlyMap<string, MatchedAttempt>,
): Promise<Receipt[]> {
  const unverified = receipts.filter(({ report }) => report.recipient !== undefined);
  if (unverified.length === 0) return [...receipts];
  const unknown = unverified.filter(({ id }) => !attempts.has(id));
  const [recipients] = await Promise.all([readRecipients(tx, unverified, attempts), lookAgain(tx, unknown)]);
  const isForeign = ({ id, report }: Receipt): boolean => {
    if (report.recipient === undefined) return false;
    const to = recipients.get(attempts.get(id)?.messageId ?? "");
    return to === undefined || !isRecipient(to, report.recipient);
  };
  const foreign = unverified.filter((receipt) => attempts.has(receipt.id) && isForeign(receipt)).length;
  if (foreign > 0) log("warn", "receipts.foreign", { dropped: foreign });
  return receipts.filter((receipt) => !isForeign(receipt));
}

async function readRecipients(
  tx: Tx,
  receipts: readonly IncomingReceipt[],
  attempts: ReadonlyMap<string, MatchedAttempt>,
): Promise<Map<string, string>> {
  const { rows } = await tx.query<{ id: string; to: string }>({
    name: "receipts.recipients",
    text: `SELECT id, to_number AS "to" FROM messages WHERE id = ANY($1::text[])`,
    values: [receipts.flatMap(({ id }) => attempts.get(id)?.messageId ?? [])],
  });
  return new Map(rows.map(({ id, to }) => [id, to]));
}

async function lookAgain(tx: Tx, unknown: readonly IncomingReceipt[]): Promise<void> {
  const first = unknown.filter(({ report }) => !report.isLastTry);
  const runAt = new Date(now().getTime() + AGAIN_AFTER_MS);
  for (const provider of new Set(first.map((receipt) => receipt.provider))) {
    const receipts = first
      .filter((receipt) => receipt.provider === provider)
      .map(({ report }) => ({ ...report, isLastTry: true }));
    await addJob(tx, "apply_receipts", { provider, receipts }, { runAt });
  }
}
