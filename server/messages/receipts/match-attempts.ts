/** Which attempt a receipt is about, and what it tells of that attempt. */
import type { Tx } from "../../core/db";
import type { ReceiptReport } from "../../core/jobs";
import { readReference } from "../../providers/reference";
import { isPartReporter } from "./parts";

/** The attempt that a receipt is about. `isNamed`: it was found by our reference, and its provider's id is new to us. */
export type AttemptOf = { messageId: string; seq: number; isPart: boolean; isNamed: boolean };

/** By the provider's id, else by our own reference, which stands before the send has been answered. Same order; null: none. */
export async function findAttempts(
  tx: Tx,
  receipts: readonly { provider: string; report: ReceiptReport }[],
): Promise<(AttemptOf | null)[]> {
  const references = receipts.map(({ report }) => (report.reference ? readReference(report.reference) : null));
  const { rows } = await tx.query<{ messageId: string | null; seq: number; isPart: boolean; isNamed: boolean }>({
    name: "receipts.find_attempts",
    text: `SELECT COALESCE(p.message_id, a.message_id, n.message_id) AS "messageId", COALESCE(p.seq, a.seq, n.seq) AS seq,
             p.message_id IS NOT NULL AS "isPart",
             p.message_id IS NULL AND a.message_id IS NULL AS "isNamed"
           FROM unnest($1::text[], $2::text[], $3::text[], $4::int2[])
             WITH ORDINALITY AS r (provider, provider_message_id, message_id, seq, at)
           LEFT JOIN attempt_parts p ON p.provider = r.provider AND p.provider_message_id = r.provider_message_id
           LEFT JOIN message_attempts a ON a.provider = r.provider AND a.provider_message_id = r.provider_message_id
           LEFT JOIN message_attempts n ON n.message_id = r.message_id AND n.seq = r.seq AND n.provider = r.provider
           ORDER BY r.at`,
    values: [
      receipts.map((receipt) => receipt.provider),
      receipts.map((receipt) => receipt.report.providerMessageId),
      references.map((reference) => reference?.messageId ?? null),
      references.map((reference) => reference?.seq ?? null),
    ],
  });
  return rows.map(({ messageId, seq, isPart, isNamed }, at) => {
    if (messageId === null) return null;
    return { messageId, seq, isNamed, isPart: isPart || (isNamed && isPartReporter(receipts[at]?.provider ?? "")) };
  });
}

/** A receipt of an attempt that is known. */
export type Known = AttemptOf & { id: string; provider: string; report: ReceiptReport };

const isNegative = ({ report }: Known): boolean => report.status === "failed" || report.status === "undelivered";

/**
 * Receipts that tell of the failure of an attempt after which another one may have taken the message: what became of it is
 * for the later one to say. @returns their ids.
 */
export async function findSuperseded(tx: Tx, receipts: readonly Known[]): Promise<Set<string>> {
  const negative = receipts.filter(isNegative);
  if (negative.length === 0) return new Set();
  const { rows } = await tx.query<{ id: string }>({
    name: "receipts.superseded",
    text: `SELECT r.id FROM unnest($1::text[], $2::text[], $3::int2[]) AS r (id, message_id, seq)
           WHERE EXISTS (SELECT 1 FROM message_attempts a WHERE a.message_id = r.message_id AND a.seq > r.seq
                         AND (a.outcome IS NULL OR a.outcome IN ('unknown', 'accepted')))`,
    values: [
      negative.map((receipt) => receipt.id),
      negative.map((receipt) => receipt.messageId),
      negative.map((receipt) => receipt.seq),
    ],
  });
  return new Set(rows.map((row) => row.id));
}

/** How many attempts there are of messages that a receipt may settle before any answer has: the answer counts no more. */
export async function countAttempts(tx: Tx, messages: readonly { id: string }[]): Promise<Map<string, number>> {
  if (messages.length === 0) return new Map();
  const { rows } = await tx.query<{ id: string; count: number }>({
    name: "receipts.count_attempts",
    text: `SELECT message_id AS id, max(seq) AS count FROM message_attempts
           WHERE message_id = ANY($1::text[]) GROUP BY message_id`,
    values: [messages.map((message) => message.id)],
  });
  return new Map(rows.map((row) => [row.id, row.count]));
}

/** An attempt whose outcome was unknown is known once its receipt is here; one found by our reference gets its id too. */
export async function confirmAttempts(tx: Tx, receipts: readonly Known[]): Promise<void> {
  await tx.query({
    name: "receipts.confirm_attempts",
    text: `UPDATE message_attempts a SET outcome = 'accepted', finished_at = COALESCE(a.finished_at, now()),
             provider_message_id = COALESCE(a.provider_message_id, r.provider_message_id)
           FROM (SELECT DISTINCT ON (message_id, seq) * FROM unnest($1::text[], $2::int2[], $3::text[])
             AS u (message_id, seq, provider_message_id) ORDER BY message_id, seq) r
           WHERE a.message_id = r.message_id AND a.seq = r.seq AND a.outcome IS DISTINCT FROM 'accepted'`,
    values: [
      receipts.map((receipt) => receipt.messageId),
      receipts.map((receipt) => receipt.seq),
      receipts.map(({ isNamed, isPart, report }) => (isNamed && !isPart ? report.providerMessageId : null)),
    ],
  });
}
