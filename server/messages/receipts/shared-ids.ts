/**
 * Shared ids: provider ids that several unfinished messages have, because a message centre has restarted its numbering, or its
 * counter is small. The id alone does not say which of the messages a receipt belongs to. Each message then has the id on a part,
 * whose row has an id of ours, and a receipt counts for the message that its reference or its number identifies.
 */
import type { Tx } from "../../core/db";
import { log } from "../../core/log";
import { unnest } from "../../core/unnest";
import { isRecipient } from "../phone";
import { FINAL_STATUSES_SQL, isFinal, type MessageStatus } from "../status";
import { eachId, freeReusedIds, type TakenId, type TakenIds } from "./parts";

/** Another message that has an id, as the whole or a part of it. */
type Holder = { provider: string; providerMessageId: string; messageId: string };

const TAKEN_IDS = unnest<TakenId>({
  provider: ["text", ({ attempt }) => attempt.provider],
  id: ["text", ({ providerMessageId }) => providerMessageId],
  message_id: ["text", ({ attempt }) => attempt.message.id],
});

/** The other messages that have one of these ids. */
async function findHolders(tx: Tx, taken: readonly TakenIds[]): Promise<Holder[]> {
  const ids = eachId(taken);
  if (ids.length === 0) return [];
  const { rows } = await tx.query<Holder>({
    name: "shared_ids.holders",
    text: `SELECT t.provider, t.id AS "providerMessageId", h.message_id AS "messageId" FROM ${TAKEN_IDS.as("t")}
           CROSS JOIN LATERAL (
             SELECT p.message_id FROM attempt_parts p WHERE p.provider = t.provider AND p.provider_message_id = t.id
             UNION ALL SELECT s.message_id FROM attempt_parts s WHERE s.provider = t.provider AND s.shared_id = t.id
             UNION ALL SELECT a.message_id FROM message_attempts a
               WHERE a.provider = t.provider AND a.provider_message_id = t.id) h
           WHERE h.message_id <> t.message_id`,
    values: TAKEN_IDS.values(ids),
  });
  return rows;
}

/** A provider's id turned out to belong to another message too, which the transaction did not expect. */
class SharedIdError extends Error {
  /** The code of a violated unique key: the results are then recorded in smaller batches, finally one by one. */
  readonly code = "23505";
  readonly constraint = "attempt_parts_pkey";
}

/**
 * Aborts the transaction when another message has one of these ids.
 * @throws {SharedIdError}, as a violated key of `attempt_parts`.
 */
export async function refuseSharedIds(tx: Tx, taken: readonly TakenIds[]): Promise<void> {
  const holders = await findHolders(tx, taken);
  if (holders.length > 0) throw new SharedIdError("Another message has the provider's id.");
}

/**
 * Another message got a provider's id during the transaction, which may not have seen the parts of that message, or may have
 * stored its own. The transaction runs again.
 */
class MovedIdError extends Error {
  /** The code of a serialization failure. */
  readonly code = "40001";
}

/** Number of locks of ids. Ids share them by hash, because PostgreSQL's lock table holds only a few thousand. */
const ID_LOCKS = 1_024;

/**
 * Locks ids that are about to be shared, before any message is locked, so transactions that share one id take turns.
 * @returns the ids of the other messages that have them now, which have to be locked as well.
 */
export async function lockIds(tx: Tx, taken: readonly TakenIds[]): Promise<string[]> {
  const ids = eachId(taken);
  if (ids.length === 0) return [];
  const [, holders] = await Promise.all([
    tx.query({
      name: "shared_ids.lock",
      text: `SELECT pg_advisory_xact_lock(hashtext('attempts.provider_ids'), n) FROM (
               SELECT DISTINCT hashtext(id) & ${ID_LOCKS - 1} AS n FROM unnest($1::text[]) AS i (id) ORDER BY n) l`,
      values: [ids.map(({ attempt, providerMessageId }) => `${attempt.provider} ${providerMessageId}`)],
    }),
    // A separate statement sees what the previous holder of the lock has committed.
    findHolders(tx, taken),
  ]);
  return holders.map(({ messageId }) => messageId);
}

/**
 * Makes the transaction run again when a message that is not among `known` also has one of these ids, which are stored by now.
 * @throws {MovedIdError}
 */
export async function refuseMovedIds(
  tx: Tx,
  taken: readonly TakenIds[],
  known: ReadonlySet<string> = new Set(),
): Promise<void> {
  const holders = await findHolders(tx, taken);
  if (holders.some(({ messageId }) => !known.has(messageId))) throw new MovedIdError("Another message got the id.");
}

/** By attempt, the ids that its message shares with others. */
export type SharedIds = ReadonlyMap<TakenIds["attempt"], ReadonlySet<string>>;

/**
 * Replaces these ids by ids of ours on the other unfinished messages that have them; finished messages lose theirs. If no other
 * message has an id, the part gets the provider's id back. All messages must be locked. @returns the ids that are shared.
 */
export async function shareIds(tx: Tx, taken: readonly TakenIds[]): Promise<SharedIds> {
  const ids = eachId(taken);
  if (ids.length === 0) return new Map();
  const values = TAKEN_IDS.values(ids);
  const [, , found] = await Promise.all([
    freeReusedIds(tx, taken),
    tx.query({
      name: "shared_ids.free",
      text: `DELETE FROM attempt_parts p USING ${TAKEN_IDS.as("t")}, messages m
             WHERE p.provider = t.provider AND p.shared_id = t.id AND p.message_id <> t.message_id
               AND m.id = p.message_id AND m.status IN ${FINAL_STATUSES_SQL}`,
      values,
    }),
    findHolders(tx, taken),
    shareParts(tx, ids, "others"),
    tx.query({
      name: "shared_ids.share_wholes",
      text: `WITH shared AS (
               UPDATE message_attempts a SET provider_message_id = ${ownIdOf("a.message_id")} FROM ${TAKEN_IDS.as("t")}
               WHERE a.provider = t.provider AND a.provider_message_id = t.id AND a.message_id <> t.message_id
               RETURNING a.provider, a.provider_message_id, a.message_id, a.seq, t.id)
             INSERT INTO attempt_parts (provider, provider_message_id, message_id, seq, shared_id)
             SELECT * FROM shared ON CONFLICT DO NOTHING`,
      values,
    }),
    // After the others, which leave the plain id to no other message.
    haveAlone(tx, taken),
  ]);
  const sharedIds = sharedAmong(ids, found);
  // A receipt may have stored the part under the plain id.
  await shareParts(tx, sharedIds, "own");
  const shared = new Map<TakenIds["attempt"], Set<string>>();
  for (const { attempt, providerMessageId } of sharedIds) {
    shared.set(attempt, (shared.get(attempt) ?? new Set()).add(providerMessageId));
  }
  return shared;
}

/** The ids that other messages have too: stored messages, or ones of the same transaction, which get the id together. */
function sharedAmong(ids: readonly TakenId[], stored: readonly Holder[]): TakenId[] {
  const holders = [...stored, ...ids.map(holderOf)];
  return ids.filter((id) => {
    const own = holderOf(id);
    const { provider, messageId } = own;
    const others = holders.filter(
      (holder) =>
        holder.provider === provider &&
        holder.providerMessageId === own.providerMessageId &&
        holder.messageId !== messageId,
    ).length;
    if (others > 0) log("warn", "attempt.provider_id_shared", { provider, message_id: messageId, others });
    return others > 0;
  });
}

const holderOf = ({ attempt, providerMessageId }: TakenId): Holder => ({
  provider: attempt.provider,
  providerMessageId,
  messageId: attempt.message.id,
});

/** Gives parts that have the plain id one of ours: those of the messages themselves, or of all others. */
async function shareParts(tx: Tx, ids: readonly TakenId[], whose: "own" | "others"): Promise<void> {
  if (ids.length === 0) return;
  await tx.query({
    name: `shared_ids.share_${whose}_parts`,
    text: `UPDATE attempt_parts p SET shared_id = t.id, provider_message_id = ${ownIdOf("p.message_id")}
           FROM ${TAKEN_IDS.as("t")}
           WHERE p.provider = t.provider AND p.provider_message_id = t.id
             AND p.message_id ${whose === "own" ? "=" : "<>"} t.message_id
             AND NOT EXISTS (SELECT 1 FROM attempt_parts o
               WHERE o.provider = p.provider AND o.provider_message_id = ${ownIdOf("p.message_id")})`,
    values: TAKEN_IDS.values(ids),
  });
}

/**
 * Gives messages their plain id back, instead of the id of ours that they got by a receipt's reference, if no other message has
 * the plain id any longer. The messages must be locked.
 */
export async function haveAlone(tx: Tx, taken: readonly TakenIds[]): Promise<void> {
  const ids = eachId(taken);
  if (ids.length === 0) return;
  await tx.query({
    name: "shared_ids.have_alone",
    text: `UPDATE attempt_parts p SET shared_id = NULL, provider_message_id = t.id FROM ${TAKEN_IDS.as("t")}
           WHERE p.provider = t.provider AND p.shared_id = t.id AND p.message_id = t.message_id
             AND NOT EXISTS (SELECT 1 FROM attempt_parts o
               WHERE o.provider = t.provider AND o.shared_id = t.id AND o.message_id <> t.message_id)
             AND NOT EXISTS (SELECT 1 FROM attempt_parts o WHERE o.provider = t.provider AND o.provider_message_id = t.id)`,
    values: TAKEN_IDS.values(ids),
  });
}

/** SQL: `ownPartId` of the id `t.id`. */
const ownIdOf = (messageId: string): string => `t.id || '~' || ${messageId}`;

/** A receipt with an id that several messages have. `messageId`: the message that it is known to belong to; null: not known. */
type SharedReceipt = {
  id: string;
  provider: string;
  report: { providerMessageId: string; recipient?: string | undefined; source?: string | undefined };
  messageId: string | null;
};

/** A message that has the id of a receipt. `partId`: the id of ours under which it has it; null: it has the provider's. */
type Candidate = {
  receiptId: string;
  messageId: string;
  seq: number;
  isPart: boolean;
  partId: string | null;
  to: string;
  status: MessageStatus;
};

const SHARED_RECEIPTS = unnest<SharedReceipt>({
  id: ["text", ({ id }) => id],
  provider: ["text", ({ provider }) => provider],
  provider_message_id: ["text", ({ report }) => report.providerMessageId],
});

/**
 * Finds the messages that receipts with shared ids belong to: the known one, else the only one that went to the receipt's number,
 * else the only unfinished one of these. @returns the messages by receipt id; the other receipts cannot be assigned.
 */
export async function tellApart(tx: Tx, receipts: readonly SharedReceipt[]): Promise<Map<string, Candidate>> {
  if (receipts.length === 0) return new Map();
  const { rows } = await tx.query<Candidate>({
    name: "shared_ids.candidates",
    text: `SELECT r.id AS "receiptId", h.message_id AS "messageId", h.seq, h.is_part AS "isPart", h.part_id AS "partId",
             m.to_number AS "to", m.status
           FROM ${SHARED_RECEIPTS.as("r")}
           CROSS JOIN LATERAL (
             SELECT s.message_id, s.seq, true AS is_part, s.provider_message_id AS part_id FROM attempt_parts s
               WHERE s.provider = r.provider AND s.shared_id = r.provider_message_id
             UNION ALL SELECT p.message_id, p.seq, true, NULL FROM attempt_parts p
               WHERE p.provider = r.provider AND p.provider_message_id = r.provider_message_id
             UNION ALL SELECT a.message_id, a.seq, false, NULL FROM message_attempts a
               WHERE a.provider = r.provider AND a.provider_message_id = r.provider_message_id AND NOT EXISTS (
                 SELECT 1 FROM attempt_parts o WHERE o.message_id = a.message_id AND o.seq = a.seq
                   AND r.provider_message_id IN (o.provider_message_id, o.shared_id) OFFSET 0)) h
           JOIN messages m ON m.id = h.message_id`,
    values: SHARED_RECEIPTS.values(receipts),
  });
  const found = new Map<string, Candidate>();
  for (const { id, messageId, report } of receipts) {
    const number = report.recipient ?? report.source ?? "";
    const own = rows.filter(({ receiptId }) => receiptId === id);
    const meant = own.filter((one) => (messageId === null ? isRecipient(one.to, number) : one.messageId === messageId));
    const only = onlyOne(meant) ?? onlyOne(meant.filter(({ status }) => !isFinal(status)));
    if (only) found.set(id, only);
  }
  const untold = receipts.length - found.size;
  if (untold > 0) log("warn", "receipts.id_shared", { count: untold });
  return found;
}

/** The candidate, unless other messages have candidates too. If a message has the id twice, its first candidate counts. */
const onlyOne = ([first, ...others]: readonly Candidate[]): Candidate | undefined =>
  others.every(({ messageId }) => messageId === first?.messageId) ? first : undefined;

/** A receipt about a part of a message; `partId`: the id of ours that the part has, as far as is known. */
type PartReceipt = Omit<SharedReceipt, "messageId"> & { messageId: string; isPart: boolean; partId: string | null };

const PART_RECEIPTS = unnest<PartReceipt>({
  id: ["text", ({ id }) => id],
  provider: ["text", ({ provider }) => provider],
  provider_message_id: ["text", ({ report }) => report.providerMessageId],
  message_id: ["text", ({ messageId }) => messageId],
});

/**
 * @returns the receipts with the current ids of their parts: since the match, a part may have got an id of ours, or have lost it.
 *   Under the old id the receipt would be stored as an additional part, which is never reported on. The messages must be locked.
 */
export async function withOwnParts<Receipt extends PartReceipt>(
  tx: Tx,
  receipts: readonly Receipt[],
): Promise<Receipt[]> {
  const ofParts = receipts.filter(({ isPart }) => isPart);
  if (ofParts.length === 0) return [...receipts];
  const { rows } = await tx.query<{ id: string; partId: string | null }>({
    name: "shared_ids.own_parts",
    // OFFSET 0: parts are looked up by their messages, whatever the statistics say.
    text: `SELECT r.id, CASE WHEN p.shared_id IS NOT NULL THEN p.provider_message_id END AS "partId" FROM ${PART_RECEIPTS.as("r")}
           CROSS JOIN LATERAL (SELECT o.provider_message_id, o.shared_id FROM attempt_parts o
             WHERE o.message_id = r.message_id AND o.provider = r.provider
               AND r.provider_message_id IN (o.provider_message_id, o.shared_id) OFFSET 0) p`,
    values: PART_RECEIPTS.values(ofParts),
  });
  const known = new Map(rows.map(({ id, partId }) => [id, partId]));
  return receipts.map((receipt) => {
    const partId = known.get(receipt.id);
    return partId === undefined ? receipt : { ...receipt, partId };
  });
}
