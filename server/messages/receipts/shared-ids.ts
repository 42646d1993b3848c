/**
 * Ids of a provider that several unfinished messages have: a message centre has begun to count anew, or counts to a small number.
 * By the id alone nobody can say which of the messages a receipt is about. Each of them then has the id as that of a part, whose
 * row has an id of ours, and a receipt counts for the one that its reference or its number names.
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

/** A provider's id turned out to be another message's too, which the transaction did not reckon with. */
class SharedIdError extends Error {
  /** As of a violated unique key: the results of a batch are then recorded in smaller ones, in the end alone. */
  readonly code = "23505";
  readonly constraint = "attempt_parts_pkey";
}

/**
 * Ends the transaction when another message has one of these ids.
 * @throws {SharedIdError}, as a violated key of `attempt_parts`.
 */
export async function refuseSharedIds(tx: Tx, taken: readonly TakenIds[]): Promise<void> {
  const holders = await findHolders(tx, taken);
  if (holders.length > 0) throw new SharedIdError("Another message has the provider's id.");
}

/**
 * Another message got a provider's id while the transaction was under way, which may not have seen that one's parts, or stored its own.
 * The transaction runs again.
 */
class MovedIdError extends Error {
  /** As of a serialization failure. */
  readonly code = "40001";
}

/** Number of locks of ids. Ids share them by hash, because PostgreSQL's lock table holds only a few thousand. */
const ID_LOCKS = 1_024;

/**
 * Locks ids that are about to be shared, before any message is locked: transactions that share one id do so in turn.
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
 * Has the transaction run again when one of these ids, which are stored by now, is also that of a message that is not among `known`.
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
 * Gives the id of ours to the other unfinished messages that have one of these ids; finished ones lose theirs. Without any other the
 * provider's id is that of the part again. All of them must be locked. @returns the ids that are shared.
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
    // Behind the others, which leave no other message the plain id.
    haveAlone(tx, taken),
  ]);
  const sharedIds = sharedAmong(ids, found);
  // A receipt may have stored it under the plain id.
  await shareParts(tx, sharedIds, "own");
  const shared = new Map<TakenIds["attempt"], Set<string>>();
  for (const { attempt, providerMessageId } of sharedIds) {
    shared.set(attempt, (shared.get(attempt) ?? new Set()).add(providerMessageId));
  }
  return shared;
}

/** Those of the ids that other messages have too: stored ones, or ones of the same transaction, which get it together. */
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
 * Gives messages the plain id back that they have under an id of ours, as a receipt's reference gave it to them, and that no other has any
 * more. They must be locked.
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

/** A receipt by an id that several messages have. `messageId`: the message that it is known to be about; null: not known. */
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
 * Finds the messages that receipts with shared ids are about: the known one, else the only one that went to the receipt's number, or the
 * only unfinished one of these. @returns them by receipt id; of the others nobody can say.
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

/** The candidate, unless there are others of other messages. A message may have the id twice: there the first one counts. */
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
 * @returns the receipts with the ids that their parts have by now: since they were matched, one may have got an id of ours, or have lost it.
 *   Under the former one it would be stored as one part more, of which nobody ever reports. The messages must be locked.
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
