/** Matches receipts to attempts, and records on an attempt what its receipt proves. */
import type { Tx } from "../../core/db";
import type { ReceiptReport } from "../../core/jobs";
import { unnest } from "../../core/unnest";
import { readReference } from "../../providers/reference";
import { findUnderWay, isStrange } from "./early-receipts";
import { isPartReporter, ownPartId } from "./parts";
import { tellApart } from "./shared-ids";

/** A receipt as it was received; `id` is ours. */
export type IncomingReceipt = { id: string; provider: string; report: ReceiptReport };

/** `knownMessageId`: the message that a receipt was matched to before. */
type SoughtReceipt = IncomingReceipt & { knownMessageId?: string };

/**
 * The attempt that a receipt belongs to. `isByReference`: matched by our reference, the provider's id being new to us.
 * `isConfirmed`: the attempt is known to be accepted. `partId`: the id of ours that its part has; null: it has the provider's.
 * `isReused`: as far as we know yet, another message has the provider's id.
 */
export type MatchedAttempt = {
  messageId: string;
  seq: number;
  isPart: boolean;
  partId: string | null;
  isByReference: boolean;
  isConfirmed: boolean;
  isReused: boolean;
};

/** A receipt whose attempt is known. */
export type MatchedReceipt = IncomingReceipt & MatchedAttempt;

export const matchedReceipt = (
  { id, provider, report }: IncomingReceipt,
  { messageId, seq, isPart, partId, isByReference, isConfirmed, isReused }: MatchedAttempt,
): MatchedReceipt => ({ id, provider, report, messageId, seq, isPart, partId, isByReference, isConfirmed, isReused });

/** The attempts that a receipt's id and its reference name; null: none. */
type Found = {
  id: string;
  messageId: string | null;
  seq: number | null;
  isPart: boolean;
  isConfirmed: boolean;
  referredId: string | null;
  referredSeq: number | null;
  isShared: boolean;
  /**
   * The recipient's number of the message that has the id; read only for receipts that come from a number and name no attempt.
   */
  holderTo: string | null;
};

type ReceiptKeys = IncomingReceipt & { reference: ReturnType<typeof readReference> };

const numberOf = ({ report }: IncomingReceipt): string => report.recipient ?? report.source ?? "";

const RECEIPT_KEYS = unnest<ReceiptKeys>({
  id: ["text", ({ id }) => id],
  provider: ["text", ({ provider }) => provider],
  provider_message_id: ["text", ({ report }) => report.providerMessageId],
  message_id: ["text", ({ reference }) => reference?.messageId ?? null],
  seq: ["int2", ({ reference }) => reference?.seq ?? null],
  has_number: ["bool", ({ reference, ...receipt }) => reference === null && numberOf(receipt) !== ""],
});

/** A receipt, and what the database knows of its id and its reference. */
type Sighting = Found & { receipt: SoughtReceipt };

async function lookUp(tx: Tx, receipts: readonly SoughtReceipt[]): Promise<Sighting[]> {
  const { rows } = await tx.query<Found>({
    name: "receipts.find_attempts",
    text: `SELECT r.id, COALESCE(p.message_id, a.message_id) AS "messageId", COALESCE(p.seq, a.seq) AS seq,
             p.message_id IS NOT NULL AS "isPart",
             p.message_id IS NULL AND COALESCE(a.outcome = 'accepted', false) AS "isConfirmed",
             n.message_id AS "referredId", n.seq AS "referredSeq",
             (SELECT true FROM attempt_parts s
               WHERE s.provider = r.provider AND s.shared_id = r.provider_message_id LIMIT 1) IS NOT NULL
               OR COALESCE(p.message_id <> a.message_id, false) AS "isShared",
             CASE WHEN r.has_number THEN (SELECT m.to_number FROM messages m WHERE m.id = COALESCE(p.message_id, a.message_id)) END
               AS "holderTo"
           FROM ${RECEIPT_KEYS.as("r")}
           LEFT JOIN attempt_parts p ON p.provider = r.provider AND p.provider_message_id = r.provider_message_id
           LEFT JOIN message_attempts a ON a.provider = r.provider AND a.provider_message_id = r.provider_message_id
           LEFT JOIN message_attempts n ON n.message_id = r.message_id AND n.seq = r.seq AND n.provider = r.provider`,
    values: RECEIPT_KEYS.values(
      receipts.map((receipt) => {
        const { reference } = receipt.report;
        return { reference: reference ? readReference(reference) : null, ...receipt };
      }),
    ),
  });
  const sought = new Map(receipts.map((receipt) => [receipt.id, receipt]));
  return rows.flatMap((row) => {
    const receipt = sought.get(row.id);
    return receipt ? [{ receipt, ...row }] : [];
  });
}

/** Receipts with the id of a message that went to another number than the receipts come from. */
const strangeOf = (found: readonly Sighting[], shared: ReadonlyMap<string, unknown>) =>
  found.flatMap(({ receipt, holderTo, isShared }) => {
    const { id, provider, report } = receipt;
    // An id that several messages have, all to other numbers, has no holder.
    const to = isShared && !report.reference ? "" : holderTo;
    const number = numberOf(receipt);
    if (to === null || shared.has(id) || !isStrange(number, to)) return [];
    return [{ id, provider, number, isVerified: report.recipient === undefined, receipt }];
  });

/**
 * Finds attempts by the provider's id, else by our own reference, which is known before the provider has responded. The reference
 * decides where the provider has given another message's id out again. Without a reference the receipt's number may decide
 * (early-receipts.ts).
 * @param isAgain whether attempts under way to the receipts' numbers have been looked for before.
 * @returns attempts by receipt id; receipts without a known attempt are left out.
 */
export async function findAttempts(
  tx: Tx,
  receipts: readonly SoughtReceipt[],
  { isAgain } = { isAgain: false },
): Promise<Map<string, MatchedAttempt>> {
  const found = await lookUp(tx, receipts);
  const shared = await tellApart(
    tx,
    found
      .filter(({ isShared }) => isShared)
      .map(({ receipt, referredId }) => ({ ...receipt, messageId: receipt.knownMessageId ?? referredId })),
  );
  const strange = isAgain ? [] : strangeOf(found, shared);
  const underWay = await findUnderWay(tx, strange);
  const matched = new Map<string, MatchedAttempt>();
  for (const sighting of found) {
    const attempt = attemptOf(sighting, shared.get(sighting.id), underWay.get(sighting.id));
    if (attempt) matched.set(sighting.id, attempt);
  }
  // An attempt under way may have ended between the two look-ups: by now it has its id.
  const ended = strange.flatMap(({ id, receipt }) => (underWay.has(id) ? [] : [receipt]));
  if (ended.length === 0) return matched;
  for (const { id } of ended) matched.delete(id);
  return new Map([...matched, ...(await findAttempts(tx, ended, { isAgain: true }))]);
}

/**
 * @param holder the message that the receipt belongs to, if several have its id.
 * @param early the attempt under way that it belongs to; null: not known yet, so the receipt has to wait.
 */
function attemptOf(
  sighting: Sighting,
  holder: Parameters<typeof ofSharedId>[0] | undefined,
  early: { messageId: string; seq: number } | null | undefined,
): MatchedAttempt | null {
  if (early === null) return null;
  if (holder) return ofSharedId(holder);
  // As if the receipt had our reference.
  const found = early ? { ...sighting, referredId: early.messageId, referredSeq: early.seq } : sighting;
  return byReference(sighting.receipt, found) ?? (found.isShared ? null : byId(found));
}

const ofSharedId = ({
  messageId,
  seq,
  isPart,
  partId,
}: Pick<MatchedAttempt, "messageId" | "seq" | "isPart" | "partId">): MatchedAttempt => {
  return { messageId, seq, isPart, partId, isByReference: false, isConfirmed: false, isReused: false };
};

/** The attempt that the reference names; null when the provider's id is known as that message's, or there is no reference. */
function byReference({ provider, report }: IncomingReceipt, found: Found): MatchedAttempt | null {
  const { messageId, isShared, referredId, referredSeq: seq } = found;
  if (referredId === null || seq === null || (messageId === referredId && !isShared)) return null;
  const isPart = isPartReporter(provider) && !report.isOfWhole;
  // The id is not stored as that of the attempt while another message has it.
  const isNew = messageId === null && !isShared;
  const partId = isNew ? null : ownPartId(report.providerMessageId, referredId);
  return { messageId: referredId, seq, isPart, partId, isByReference: isNew, isConfirmed: false, isReused: !isNew };
}

function byId({ messageId, seq, isPart, isConfirmed }: Found): MatchedAttempt | null {
  if (messageId === null || seq === null) return null;
  return { messageId, seq, isPart, partId: null, isByReference: false, isConfirmed, isReused: false };
}

/** Counts the attempts of messages that a receipt may settle before the provider's response does, by message id. */
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

const CONFIRMED_ATTEMPTS = unnest<MatchedReceipt>({
  message_id: ["text", ({ messageId }) => messageId],
  seq: ["int2", ({ seq }) => seq],
  provider: ["text", ({ provider }) => provider],
  provider_message_id: [
    "text",
    ({ isByReference, isPart, partId, report }) => {
      if (isByReference && !isPart) return report.providerMessageId;
      return report.isOfWhole ? partId : null;
    },
  ],
});

/**
 * Marks the attempts of receipts as accepted. An attempt that was matched by our reference gets the provider's id as well, unless
 * another attempt has it: otherwise a provider that gives one id to two messages would make all receipts of the batch fail.
 */
export async function confirmAttempts(tx: Tx, receipts: readonly MatchedReceipt[]): Promise<void> {
  const unconfirmed = receipts.filter(({ isConfirmed }) => !isConfirmed);
  if (unconfirmed.length === 0) return;
  await tx.query({
    name: "receipts.confirm_attempts",
    text: `UPDATE message_attempts a SET outcome = 'accepted', finished_at = COALESCE(a.finished_at, now()),
             provider_message_id = COALESCE(a.provider_message_id, r.provider_message_id)
           FROM (SELECT c.message_id, c.seq,
                   CASE WHEN c.nth = 1 AND o.is_taken IS NULL THEN c.provider_message_id END AS provider_message_id
                 FROM (SELECT *, row_number() OVER (PARTITION BY provider, provider_message_id ORDER BY message_id, seq) AS nth
                       FROM (SELECT DISTINCT ON (message_id, seq) * FROM ${CONFIRMED_ATTEMPTS.as("u")} ORDER BY message_id, seq) d) c
                 LEFT JOIN LATERAL (SELECT true AS is_taken FROM message_attempts t
                   WHERE t.provider = c.provider AND t.provider_message_id = c.provider_message_id LIMIT 1) o ON true) r
           WHERE a.message_id = r.message_id AND a.seq = r.seq AND a.outcome IS DISTINCT FROM 'accepted'`,
    values: CONFIRMED_ATTEMPTS.values(unconfirmed),
  });
}
