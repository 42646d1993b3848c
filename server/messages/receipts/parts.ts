/**
 * Messages whose provider reports on each part separately: delivered when all parts are, failed when one is. The receipt
 * of a part is stored as it came in; here its meaning for the whole message is derived.
 */
import type { Tx } from "../../core/db";
import { groupBy } from "../../core/group-by";
import type { ReceiptReport } from "../../core/jobs";
import { unnest } from "../../core/unnest";
import { FINAL_STATUSES_SQL } from "../status";

/** Providers that report on every part of a message under an id of its own. */
const PART_REPORTERS = new Set(["vonage", "smpp"]);

/** Whether a receipt that was matched by our reference alone may be about a part. */
export const isPartReporter = (provider: string): boolean => PART_REPORTERS.has(provider);

type TakenAttempt = { provider: string; seq: number; message: { id: string } };

/** The ids under which a provider took a message. */
export type TakenIds = { attempt: TakenAttempt; providerMessageIds: readonly string[] };

/**
 * `isInParts`: each id belongs to one part of the message, on which the provider reports separately. `sharedIds`: ids that other
 * messages have too; each belongs to one part, even if it is the only one.
 */
export type AcceptedIds = TakenIds & { isInParts: boolean; sharedIds: ReadonlySet<string> };

export type TakenId = { attempt: TakenAttempt; providerMessageId: string };

/** Each of the ids with its attempt. */
export const eachId = (taken: readonly TakenIds[]): TakenId[] =>
  taken.flatMap(({ attempt, providerMessageIds }) =>
    providerMessageIds.map((providerMessageId) => ({ attempt, providerMessageId })),
  );

/** The id of ours under which a message's part is stored when its provider's id does not identify it. */
export const ownPartId = (providerMessageId: string, messageId: string): string => `${providerMessageId}~${messageId}`;

type NewPart = TakenId & { isShared: boolean };

const NEW_PARTS = unnest<NewPart>({
  provider: ["text", ({ attempt }) => attempt.provider],
  provider_message_id: [
    "text",
    ({ attempt, providerMessageId, isShared }) =>
      isShared ? ownPartId(providerMessageId, attempt.message.id) : providerMessageId,
  ],
  message_id: ["text", ({ attempt }) => attempt.message.id],
  seq: ["int2", ({ attempt }) => attempt.seq],
  shared_id: ["text", ({ providerMessageId, isShared }) => (isShared ? providerMessageId : null)],
});

/**
 * Stores the ids of messages that were taken in parts. An id that another message has is left there: `refuseSharedIds` finds it.
 */
export async function registerParts(tx: Tx, accepted: readonly AcceptedIds[]): Promise<void> {
  const parts = accepted.flatMap(({ isInParts, sharedIds, ...taken }) =>
    eachId([taken])
      .map((id): NewPart => ({ isShared: sharedIds.has(id.providerMessageId), ...id }))
      .filter(({ isShared }) => isInParts || isShared),
  );
  if (parts.length === 0) return;
  await tx.query({
    name: "parts.register",
    text: `INSERT INTO attempt_parts AS p (provider, provider_message_id, message_id, seq, shared_id)
           SELECT DISTINCT ON (1, 2) * FROM ${NEW_PARTS.sql} ORDER BY 1, 2
           ON CONFLICT (provider, provider_message_id) DO UPDATE SET shared_id = excluded.shared_id
           WHERE p.message_id = excluded.message_id AND p.shared_id IS DISTINCT FROM excluded.shared_id`,
    values: NEW_PARTS.values(parts),
  });
}

const REUSED_IDS = unnest<TakenId>({
  provider: ["text", ({ attempt }) => attempt.provider],
  id: ["text", ({ providerMessageId }) => providerMessageId],
  message_id: ["text", ({ attempt }) => attempt.message.id],
});

/**
 * Detaches reused ids from finished messages: a message centre may restart its numbering, and its next receipts are about
 * the message that has the id now. Finished messages keep the id that they show; with unfinished ones it is shared (shared-ids.ts).
 */
export async function freeReusedIds(tx: Tx, taken: readonly TakenIds[]): Promise<void> {
  const ids = eachId(taken);
  if (ids.length === 0) return;
  const values = REUSED_IDS.values(ids);
  await Promise.all([
    tx.query({
      name: "parts.take_over_attempts",
      text: `UPDATE message_attempts a SET provider_message_id = NULL
             FROM ${REUSED_IDS.as("t")}, messages m
             WHERE a.provider = t.provider AND a.provider_message_id = t.id AND a.message_id <> t.message_id
               AND m.id = a.message_id AND m.status IN ${FINAL_STATUSES_SQL}`,
      values,
    }),
    tx.query({
      name: "parts.take_over_parts",
      text: `DELETE FROM attempt_parts p
             USING ${REUSED_IDS.as("t")}, messages m
             WHERE p.provider = t.provider AND p.provider_message_id = t.id AND p.message_id <> t.message_id
               AND m.id = p.message_id AND m.status IN ${FINAL_STATUSES_SQL}`,
      values,
    }),
  ]);
}

/** `partId`: the id of ours under which the part is stored; null: it has that of the provider. */
type PartReceipt = {
  provider: string;
  messageId: string;
  seq: number;
  isPart: boolean;
  partId: string | null;
  report: ReceiptReport;
};

const partIdOf = ({ partId, report }: PartReceipt): string => partId ?? report.providerMessageId;

type Part = {
  provider: string;
  providerMessageId: string;
  messageId: string;
  seq: number;
  status: ReceiptReport["status"] | null;
  isComplete: boolean;
};

const partKey = (provider: string, providerMessageId: string): string => `${provider} ${providerMessageId}`;

/**
 * Keeps one receipt per part, since an upsert must not meet a row twice: the first final one, else the last. Receipts come
 * in any order, and a `sent` after a `delivered` reverts nothing.
 */
function foldByPart<Receipt extends PartReceipt>(receipts: readonly Receipt[]): Receipt[] {
  const folded = new Map<string, Receipt>();
  for (const receipt of receipts) {
    const part = partKey(receipt.provider, partIdOf(receipt));
    const known = folded.get(part);
    if (!known || known.report.status === "sent") folded.set(part, receipt);
  }
  return [...folded.values()];
}

const PART_STATUSES = unnest<PartReceipt>({
  provider: ["text", ({ provider }) => provider],
  provider_message_id: ["text", partIdOf],
  message_id: ["text", ({ messageId }) => messageId],
  seq: ["int2", ({ seq }) => seq],
  status: ["text", ({ report }) => report.status],
});

async function storePartStatuses(tx: Tx, receipts: readonly PartReceipt[]): Promise<void> {
  await tx.query({
    name: "parts.note",
    text: `INSERT INTO attempt_parts AS p (provider, provider_message_id, message_id, seq, status)
           SELECT * FROM ${PART_STATUSES.sql} ORDER BY 1, 2
           ON CONFLICT (provider, provider_message_id) DO UPDATE SET status = excluded.status
           WHERE p.message_id = excluded.message_id AND (p.status IS NULL OR p.status = 'sent')`,
    values: PART_STATUSES.values(receipts),
  });
}

async function readParts(tx: Tx, messageIds: readonly string[]): Promise<Part[]> {
  // An attempt without a response has no id of its own: its parts become known only as they are reported.
  const { rows } = await tx.query<Part>({
    name: "parts.of_messages",
    text: `SELECT p.provider, p.provider_message_id AS "providerMessageId", p.message_id AS "messageId", p.seq, p.status,
             a.provider_message_id IS NOT NULL
               OR count(*) OVER (PARTITION BY p.message_id, p.seq) >= m.segments AS "isComplete"
           FROM attempt_parts p
           CROSS JOIN LATERAL (SELECT segments FROM messages WHERE id = p.message_id OFFSET 0) m
           CROSS JOIN LATERAL (
             SELECT provider_message_id FROM message_attempts WHERE message_id = p.message_id AND seq = p.seq OFFSET 0) a
           WHERE p.message_id = ANY($1::text[])`,
    values: [messageIds],
  });
  return rows;
}

const attemptKey = ({ messageId, seq }: { messageId: string; seq: number }): string => `${messageId} ${seq}`;

/** Whether these are all parts of an attempt, and delivered. */
const areDelivered = (parts: readonly Part[]): boolean =>
  parts.length > 0 && parts.every((part) => part.isComplete && part.status === "delivered");

/** The messages whose parts are all delivered, including those that the response named. The messages must be locked. */
export async function findDelivered(tx: Tx, taken: readonly TakenIds[]): Promise<Set<string>> {
  const parts = await readParts(
    tx,
    taken.map(({ attempt }) => attempt.message.id),
  );
  const partsByAttempt = groupBy(parts, attemptKey);
  const delivered = taken.filter(({ attempt: { seq, message }, providerMessageIds }) => {
    const own = partsByAttempt.get(attemptKey({ messageId: message.id, seq })) ?? [];
    const ids = new Set(own.map(({ providerMessageId }) => providerMessageId));
    return areDelivered(own) && providerMessageIds.every((id) => ids.has(id) || ids.has(ownPartId(id, message.id)));
  });
  return new Set(delivered.map(({ attempt }) => attempt.message.id));
}

/**
 * Stores the statuses of parts. The messages must be locked.
 * @returns the receipts with their status for the whole message: a delivered part counts as sent until all parts are
 *   delivered, and so does a receipt that contradicts the final one that its part had first.
 */
export async function foldParts<Receipt extends PartReceipt>(tx: Tx, receipts: readonly Receipt[]): Promise<Receipt[]> {
  const ofParts = foldByPart(receipts.filter((receipt) => receipt.isPart));
  if (ofParts.length === 0) return [...receipts];
  const messageIds = ofParts.map((receipt) => receipt.messageId);
  // Pipelined: the parts are read after their statuses were stored.
  const [, parts] = await Promise.all([storePartStatuses(tx, ofParts), readParts(tx, messageIds)]);
  const partsByAttempt = groupBy(parts, attemptKey);
  const statuses = new Map(parts.map((part) => [partKey(part.provider, part.providerMessageId), part.status]));
  const isDelivered = (receipt: PartReceipt): boolean => areDelivered(partsByAttempt.get(attemptKey(receipt)) ?? []);
  const isContradiction = (receipt: PartReceipt): boolean =>
    statuses.get(partKey(receipt.provider, partIdOf(receipt))) === "delivered" && receipt.report.status !== "delivered";
  return receipts.map((receipt) => {
    const isOfWhole =
      !receipt.isPart || (receipt.report.status === "delivered" ? isDelivered(receipt) : !isContradiction(receipt));
    return isOfWhole ? receipt : { ...receipt, report: { ...receipt.report, status: "sent" } };
  });
}
