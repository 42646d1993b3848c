/**
 * Messages on whose parts the provider reports one by one: delivered when all parts are, failed when one is. Each part's
 * own receipt is stored as it came; what it means for the message is told here.
 */
import type { Tx } from "../../core/db";
import type { ReceiptReport } from "../../core/jobs";
import type { Attempt } from "../dispatch/claims";

/** Providers that report on every part of a message under an id of its own. */
const PART_REPORTERS = new Set(["vonage", "smpp"]);

/** Whether a receipt that names its attempt only by our reference may be about a part of it. */
export const isPartReporter = (provider: string): boolean => PART_REPORTERS.has(provider);

/** `isInParts`: each id stands for a part of the message, on which the provider reports by itself. */
export type AcceptedIds = { attempt: Attempt; providerMessageIds: readonly string[]; isInParts: boolean };

/** Writes down the ids of messages that were taken in parts. */
export async function registerParts(tx: Tx, taken: readonly AcceptedIds[]): Promise<void> {
  const parts = taken
    .filter((entry) => entry.isInParts)
    .flatMap(({ attempt, providerMessageIds }) => providerMessageIds.map((id) => ({ attempt, id })));
  if (parts.length === 0) return;
  await tx.query({
    name: "parts.register",
    text: `INSERT INTO attempt_parts (provider, provider_message_id, message_id, seq)
           SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int2[]) ORDER BY 1, 2 ON CONFLICT DO NOTHING`,
    values: [
      parts.map(({ attempt }) => attempt.provider),
      parts.map(({ id }) => id),
      parts.map(({ attempt }) => attempt.message.id),
      parts.map(({ attempt }) => attempt.seq),
    ],
  });
}

/**
 * Takes ids away from messages that are over: a message centre may begin to count anew, and what it then reports is about
 * the message that has the id now. The old messages keep what they show; ids of messages that are not over stay theirs.
 */
export async function takeOverIds(tx: Tx, taken: readonly Omit<AcceptedIds, "isInParts">[]): Promise<void> {
  const ids = taken.flatMap(({ attempt, providerMessageIds }) => providerMessageIds.map((id) => ({ attempt, id })));
  if (ids.length === 0) return;
  const values = [
    ids.map(({ attempt }) => attempt.provider),
    ids.map(({ id }) => id),
    ids.map(({ attempt }) => attempt.message.id),
  ];
  await Promise.all([
    tx.query({
      name: "parts.take_over_attempts",
      text: `UPDATE message_attempts a SET provider_message_id = NULL
             FROM unnest($1::text[], $2::text[], $3::text[]) AS t (provider, id, message_id), messages m
             WHERE a.provider = t.provider AND a.provider_message_id = t.id AND a.message_id <> t.message_id
               AND m.id = a.message_id AND m.status IN ('delivered', 'failed', 'undelivered')`,
      values,
    }),
    tx.query({
      name: "parts.take_over_parts",
      text: `DELETE FROM attempt_parts p
             USING unnest($1::text[], $2::text[], $3::text[]) AS t (provider, id, message_id), messages m
             WHERE p.provider = t.provider AND p.provider_message_id = t.id AND p.message_id <> t.message_id
               AND m.id = p.message_id AND m.status IN ('delivered', 'failed', 'undelivered')`,
      values,
    }),
  ]);
}

type PartReceipt = { provider: string; messageId: string; seq: number; isPart: boolean; report: ReceiptReport };

type Part = { messageId: string; seq: number; status: ReceiptReport["status"] | null; isComplete: boolean };

const slot = (messageId: string, seq: number) => `${messageId} ${seq}`;

/**
 * One receipt per part, as an upsert may not meet the same row twice: the first that is final, else the last. Receipts come in
 * any order, and a `sent` behind a `delivered` takes nothing back.
 */
function foldByPart<Receipt extends PartReceipt>(receipts: readonly Receipt[]): Map<string, Receipt> {
  const folded = new Map<string, Receipt>();
  for (const receipt of receipts) {
    const part = `${receipt.provider} ${receipt.report.providerMessageId}`;
    const known = folded.get(part);
    if (!known || known.report.status === "sent") folded.set(part, receipt);
  }
  return folded;
}

/**
 * Notes what is reported of parts. The messages must be locked.
 * @returns the receipts with the status that they have for their messages: a delivered part counts as sent until all are.
 */
export async function foldParts<Receipt extends PartReceipt>(tx: Tx, receipts: readonly Receipt[]): Promise<Receipt[]> {
  const ofParts = receipts.filter((receipt) => receipt.isPart);
  if (ofParts.length === 0) return [...receipts];
  const noted = [...foldByPart(ofParts).values()];
  const [, { rows }] = await Promise.all([
    tx.query({
      name: "parts.note",
      text: `INSERT INTO attempt_parts AS p (provider, provider_message_id, message_id, seq, status)
             SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::int2[], $5::text[]) ORDER BY 1, 2
             ON CONFLICT (provider, provider_message_id) DO UPDATE SET status = excluded.status
             WHERE p.status IS NULL OR p.status = 'sent'`,
      values: [
        noted.map((receipt) => receipt.provider),
        noted.map((receipt) => receipt.report.providerMessageId),
        noted.map((receipt) => receipt.messageId),
        noted.map((receipt) => receipt.seq),
        noted.map((receipt) => receipt.report.status),
      ],
    }),
    // An attempt whose answer never came has no id of its own, and its parts are known only as they are reported.
    tx.query<Part>({
      name: "parts.of_messages",
      text: `SELECT p.message_id AS "messageId", p.seq, p.status,
               a.provider_message_id IS NOT NULL
                 OR count(*) OVER (PARTITION BY p.message_id, p.seq) >= m.segments AS "isComplete"
             FROM attempt_parts p
             JOIN messages m ON m.id = p.message_id
             JOIN message_attempts a ON a.message_id = p.message_id AND a.seq = p.seq
             WHERE p.message_id = ANY($1::text[])`,
      values: [noted.map((receipt) => receipt.messageId)],
    }),
  ]);
  const parts = new Map<string, Part[]>();
  for (const row of rows) {
    const id = slot(row.messageId, row.seq);
    parts.set(id, [...(parts.get(id) ?? []), row]);
  }
  const isDelivered = ({ messageId, seq }: PartReceipt): boolean =>
    parts.get(slot(messageId, seq))?.every((part) => part.isComplete && part.status === "delivered") ?? false;
  return receipts.map((receipt) => {
    if (!receipt.isPart || receipt.report.status !== "delivered" || isDelivered(receipt)) return receipt;
    return { ...receipt, report: { ...receipt.report, status: "sent" } };
  });
}
