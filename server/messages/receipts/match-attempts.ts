/** Matches receipts to attempts, and records on an attempt what its receipt proves. */
import type { Tx } from "../../core/db";
import type { ReceiptReport } from "../../core/jobs";
import { unnest } from "../../core/unnest";
import { readReference } from "../../providers/reference";
import { findUnderWay, isStrange } from "./early-receipts";
import { isPartReporter, ownPartId } from "./parts";
import { tellApart } from "./shared-ids";

/** A receipt as it was taken in; `id` is ours. */
export type IncomingReceipt = { id: string; provider: string; report: ReceiptReport };

/** `knownMessageId`: the message that a receipt was matched to before. */
type SoughtReceipt = IncomingReceipt & { knownMessageId?: string };

/**
 * The attempt that a receipt is about. `isByReference`: matched by our reference, the provider's id being new to us.
 * `isConfirmed`: it is known to be accepted. `partId`: the id of ours that its part has; null: it has the provider's.
 * `isReused`: the provider's id is another message's, as far as is known until now.
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
  /** Number that the message went to which has the id; read only for receipts that come from a number, and name no attempt. */
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

/**
 * Finds attempts by the provider's id, else by our own reference, which is known before the provider has responded. The reference
 * decides where the id is another message's: the provider has given it out again. Without one the receipt's number may (early-receipts.ts).
 * @param isAgain what is under way to the receipts' numbers was looked at before.
 * @returns attempts by receipt id; receipts without a known attempt are left out.
 */
export async function findAttempts(
  tx: Tx,
  receipts: readonly SoughtReceipt[],
  { isAgain } = { isAgain: false },
): Promise<Map<string, MatchedAttempt>> {
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
  const found = rows.flatMap((row) => {
    const receipt = sought.get(row.id);
    return receipt ? [{ receipt, ...row }] : [];
  });
  const shared = await tellApart(
    tx,
    found
      .filter(({ isShared }) => isShared)
      .map(({ receipt, referredId }) => ({ ...receipt, messageId: receipt.knownMessageId ?? referredId })),
  );
  const strange = isAgain
    ? []
    : found.flatMap(({ receipt, holderTo, isShared }) => {
        const { id, provider, report } = receipt;
        // Of an id that several messages have, to other numbers, no one is the holder.
        const to = isShared && !report.reference ? "" : holderTo;
        const number = numberOf(receipt);
        if (to === null || shared.has(id) || !isStrange(number, to)) return [];
        return [{ id, provider, number, isVerified: report.recipient === undefined }];
      });
  const underWay = await findUnderWay(tx, strange);
  const matched = new Map<string, MatchedAttempt>();
  for (const { receipt, ...known } of found) {
    const one = shared.get(known.id);
    const early = underWay.get(known.id);
    if (early === null) continue;
    // As if it had our reference.
    const row = early ? { ...known, referredId: early.messageId, referredSeq: early.seq } : known;
    const attempt = one ? ofSharedId(one) : (byReference(receipt, row) ?? (row.isShared ? null : byId(row)));
    if (attempt) matched.set(row.id, attempt);
  }
  // The one under way may have ended between the two looks: it has its id by now.
  const ended = strange.flatMap(({ id }) => (underWay.has(id) ? [] : (sought.get(id) ?? [])));
  if (ended.length === 0) return matched;
  for (const { id } of ended) matched.delete(id);
  return new Map([...matched, ...(await findAttempts(tx, ended, { isAgain: true }))]);
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

const isNegative = ({ report }: MatchedReceipt): boolean =>
  report.status === "failed" || report.status === "undelivered";

const RECEIPT_ATTEMPTS = unnest<MatchedReceipt>({
  id: ["text", ({ id }) => id],
  message_id: ["text", ({ messageId }) => messageId],
  seq: ["int2", ({ seq }) => seq],
});

/**
 * While its worker is alive, a begun attempt without an outcome is left to it for this long: after an outage of the database
 * the worker still has to write the provider's response.
 */
const LEFT_TO_WORKER = "interval '1 hour'";

/**
 * SQL: whether the outcome of an attempt is expected no longer: it started before `before` and is still unknown, or still open
 * and no worker can know it. It is never null, so that it can be negated. `alias`: of `message_attempts` in the statement.
 */
export const isGivenUp = (alias: string, before: string): string => `(${alias}.started_at < ${before}
  AND (COALESCE(${alias}.outcome, '') = 'unknown' OR ${alias}.outcome IS NULL AND (${alias}.started_at < now() - ${LEFT_TO_WORKER}
    OR NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = ${alias}.worker_id))))`;

/** An attempt that is later than that of the receipt `r`, and may have taken the message. */
const SUPERSEDING = `SELECT 1 FROM message_attempts a WHERE a.message_id = r.message_id AND a.seq > r.seq
  AND (a.outcome IS NULL OR a.outcome IN ('unknown', 'accepted'))`;

/**
 * Finds failure receipts of attempts after which another one may have taken the message: its result is decided by the
 * later attempt.
 * @param givenUpAfterMs minimum age of a later attempt that does not count because its outcome is missing; null: all count.
 * @returns the ids of these receipts.
 */
export async function findSuperseded(
  tx: Tx,
  receipts: readonly MatchedReceipt[],
  givenUpAfterMs: number | null,
): Promise<Set<string>> {
  const negative = receipts.filter(isNegative);
  if (negative.length === 0) return new Set();
  const attempts = RECEIPT_ATTEMPTS.values(negative);
  const { rows } = await tx.query<{ id: string }>(
    givenUpAfterMs === null
      ? {
          name: "receipts.superseded",
          text: `SELECT r.id FROM ${RECEIPT_ATTEMPTS.as("r")} WHERE EXISTS (${SUPERSEDING})`,
          values: attempts,
        }
      : {
          name: "receipts.still_superseded",
          text: `SELECT r.id FROM ${RECEIPT_ATTEMPTS.as("r")}
                 WHERE EXISTS (${SUPERSEDING} AND NOT ${isGivenUp("a", "now() - $4::float8 * interval '1 millisecond'")})`,
          values: [...attempts, givenUpAfterMs],
        },
  );
  return new Set(rows.map((row) => row.id));
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
 * Marks the attempts of receipts as accepted. One that was matched by our reference gets the provider's id as well, unless another
 * attempt has it: a provider that gives two messages one id would otherwise fail all receipts of the batch.
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
