/**
 * Delivery receipts. Each one is stored, and moves its message forward or not at all. A receipt that arrives before the response
 * to its own send is parked, and joined as soon as the provider's id is known.
 */

import { addJob } from "../../core/add-jobs";
import { createBatcher } from "../../core/batcher";
import { now, SECOND_MS } from "../../core/clock";
import { filterIsNull, type Tx, transaction } from "../../core/db";
import { newId } from "../../core/ids";
import type { ReceiptReport } from "../../core/jobs";
import { errorFields, log } from "../../core/log";
import { defineProcessValue } from "../../core/process";
import { unnest } from "../../core/unnest";
import { isFinal } from "../status";
import type { Step } from "../steps";
import { storedCode, storedDetail } from "../stored-text";
import { applyChanges, type Change, lockMessages } from "../transitions";
import {
  confirmAttempts,
  countAttempts,
  findAttempts,
  type IncomingReceipt,
  type MatchedAttempt,
  type MatchedReceipt,
  matchedReceipt,
} from "./match-attempts";
import { noteParked } from "./parked";
import { foldParts } from "./parts";
import { stepsOf } from "./receipt-steps";
import { refuseSharedNews, shareReferred } from "./share-referred";
import { withOwnParts } from "./shared-ids";
import { findSuperseded, isLeftFailure } from "./superseded";
import { withoutForeign } from "./unverified-receipts";

/** The attempt that a provider's id identifies, or (`isPart`) one of whose parts it identifies. */
type ReceiptTarget = { provider: string; providerMessageId: string; messageId: string; seq: number; isPart: boolean };

/**
 * Delays after which a parked receipt is matched again. After the first, the transaction that stores its id has usually ended; the last
 * is for a slow response of the provider. Sweeps find ids that are stored even later.
 */
const REJOIN_AFTER_MS = { first: 0.3 * SECOND_MS, last: 2 * SECOND_MS };

/**
 * A receipt that arrived this long before its attempt was claimed belongs to an older message: its message centre has restarted
 * its numbering. A message may have been accepted weeks before. The two hours allow for processes whose clocks differ.
 */
const OLDER_MESSAGES = "interval '2 hours'";

type ReceivedReports = { provider: string; reports: readonly ReceiptReport[]; receivedAt: Date };

/** Receipts per transaction. */
const RECEIPTS_MAX = 500;

const receiptQueue = defineProcessValue("receipts.apply", () =>
  createBatcher<ReceivedReports, void>(
    async (batch) => {
      const parked = await transaction((tx) => storeAndApply(tx, batch));
      for (const [name, count] of parked) {
        // The receipts are stored, so a later check can drop the surplus.
        await noteParked(name, count).catch((thrown) => log("warn", "receipts.not_dropped", errorFields(thrown)));
      }
      return batch.map(() => ({ ok: true, value: undefined }));
    },
    {
      name: "receipts",
      maxWeight: RECEIPTS_MAX,
      weigh: (item) => item.reports.length,
      // One transaction at a time would fall behind the outcomes, which are recorded two at a time (docs/decisions/0047).
      parallelWhenFull: 2,
    },
  ),
);

/**
 * Stores receipts of one provider and moves their messages. Safe to repeat, at the cost of a repeated row. One transaction
 * at a time per process, two while more wait than one takes: many would queue for the same accounts and delay sends.
 */
export function applyReceipts(provider: string, reports: readonly ReceiptReport[]): Promise<void> {
  // Read before anything moves, so that no effect of a receipt is older than the receipt.
  return receiptQueue()({ provider, reports, receivedAt: now() });
}

/** @returns how many receipts of each provider were parked. */
async function storeAndApply(tx: Tx, batch: ReceivedReports[]): Promise<Map<string, number>> {
  const received = batch.flatMap(({ provider, reports, receivedAt }) =>
    reports.map((report) => ({ id: newId("receipt"), provider, report, receivedAt })),
  );
  const attempts = await findAttempts(tx, received);
  const receipts = await withoutForeign(tx, received, attempts);
  const matched = receipts.flatMap((receipt) => {
    const attempt = attempts.get(receipt.id);
    return attempt ? [matchedReceipt(receipt, attempt)] : [];
  });
  const meant = new Map((await shareReferred(tx, matched)).map((receipt) => [receipt.id, receipt]));
  // A receipt that anybody could have sent is never parked (unverified-receipts.ts), even if its id has just become shared.
  const kept = receipts.filter(({ id, report }) => meant.has(id) || report.recipient === undefined);
  const { applied, open } = await moveByReceipts(tx, [...meant.values()]);
  await Promise.all([
    insertReceipts(
      tx,
      kept.map((receipt) => {
        return { attempt: meant.get(receipt.id) ?? null, isApplied: applied.has(receipt.id), ...receipt };
      }),
    ),
    refuseSharedNews(tx, open),
  ]);
  return rejoinLater(
    tx,
    kept.filter(({ id }) => !meant.has(id)),
  );
}

/** Adds one job per provider that matches parked receipts again. @returns the number of receipts by provider. */
async function rejoinLater(tx: Tx, parked: readonly IncomingReceipt[]): Promise<Map<string, number>> {
  const runAt = new Date(now().getTime() + REJOIN_AFTER_MS.first);
  const counts = new Map<string, number>();
  for (const provider of new Set(parked.map((receipt) => receipt.provider))) {
    const own = parked.filter((receipt) => receipt.provider === provider);
    const providerMessageIds = own.map((receipt) => receipt.report.providerMessageId);
    await addJob(tx, "join_receipts", { provider, providerMessageIds }, { runAt });
    counts.set(provider, own.length);
  }
  return counts;
}

/**
 * Joins receipts that were parked under these provider ids with the messages that have become known since.
 * @param isLast false: another job follows for the ids that are still not known.
 */
export async function rejoinReceipts(
  provider: string,
  providerMessageIds: readonly string[],
  { isLast = true } = {},
): Promise<void> {
  await transaction(async (tx) => {
    const { rows } = await tx.query<ReceiptTarget>({
      name: "receipts.find_own_sendings",
      text: `SELECT provider, provider_message_id AS "providerMessageId", message_id AS "messageId", seq, true AS "isPart"
             FROM attempt_parts WHERE provider = $1 AND provider_message_id = ANY($2::text[])
             UNION ALL
             SELECT a.provider, a.provider_message_id, a.message_id, a.seq, false FROM message_attempts a
             WHERE a.provider = $1 AND a.provider_message_id = ANY($2::text[]) AND NOT EXISTS (
               SELECT 1 FROM attempt_parts p WHERE p.provider = a.provider AND p.provider_message_id = a.provider_message_id)`,
      values: [provider, providerMessageIds],
    });
    await lockMessages(
      tx,
      rows.map((target) => target.messageId),
    );
    await joinReceipts(tx, rows);
    const known = new Set(rows.map((target) => target.providerMessageId));
    const unknown = providerMessageIds.filter((id) => !known.has(id));
    if (isLast || unknown.length === 0) return;
    const runAt = new Date(now().getTime() + REJOIN_AFTER_MS.last);
    await addJob(tx, "join_receipts", { provider, providerMessageIds: unknown, isLast: true }, { runAt });
  });
}

const TARGETS = unnest<ReceiptTarget>({
  provider: ["text", ({ provider }) => provider],
  provider_message_id: ["text", ({ providerMessageId }) => providerMessageId],
  message_id: ["text", ({ messageId }) => messageId],
  seq: ["int2", ({ seq }) => seq],
  is_part: ["bool", ({ isPart }) => isPart],
});

/** The match of parked receipts, whose ids no other message has. */
const PARKED = { partId: null, isByReference: false, isConfirmed: false, isReused: false } as const;

type JoinedReceipt = { id: string; messageId: string; isApplied: boolean };

const JOINED = unnest<JoinedReceipt>({
  id: ["text", ({ id }) => id],
  message_id: ["text", ({ messageId }) => messageId],
  applied: ["bool", ({ isApplied }) => isApplied],
});

/**
 * Applies receipts that were parked before the response to their own send arrived. The messages must be locked. Each target is
 * looked up in the index of parked receipts whose condition is written exactly as here: with any other index the planner would
 * read all parked receipts.
 */
export async function joinReceipts(tx: Tx, targets: readonly ReceiptTarget[]): Promise<void> {
  if (targets.length === 0) return;
  const { rows } = await tx.query<Omit<MatchedReceipt, "report" | keyof typeof PARKED> & ReceiptReport>({
    name: "receipts.parked",
    text: `SELECT r.id, s.message_id AS "messageId", s.seq, s.is_part AS "isPart", s.provider,
             s.provider_message_id AS "providerMessageId", r.status, r.code, r.detail,
             to_json(r.occurred_at)#>>'{}' AS "occurredAt"
           FROM ${TARGETS.as("s")}
           CROSS JOIN LATERAL (SELECT p.id, p.status, p.code, p.detail, p.occurred_at FROM receipts p
             WHERE p.provider = s.provider AND p.provider_message_id = s.provider_message_id
               AND ${filterIsNull("p.message_id")}
               AND p.received_at > COALESCE(
                 (SELECT a.started_at FROM message_attempts a WHERE a.message_id = s.message_id AND a.seq = s.seq),
                 (SELECT m.created_at FROM messages m WHERE m.id = s.message_id)) - ${OLDER_MESSAGES}
             OFFSET 0 FOR UPDATE) r
           ORDER BY r.id`,
    values: TARGETS.values(targets),
  });
  if (rows.length === 0) return;
  const { applied } = await moveByReceipts(
    tx,
    rows.map(({ id, messageId, seq, isPart, provider, ...report }) => {
      return { id, messageId, seq, ...PARKED, isPart, provider, report };
    }),
  );
  await tx.query({
    name: "receipts.join",
    text: `UPDATE receipts r SET message_id = u.message_id, applied = u.applied
           FROM ${JOINED.as("u")} WHERE r.id = u.id`,
    values: JOINED.values(rows.map(({ id, messageId }) => ({ id, messageId, isApplied: applied.has(id) }))),
  });
}

/**
 * Applies superseded receipts of sent messages whose later attempts have failed since. The messages must be locked, and the
 * outcomes of their attempts stored. Messages without such a receipt are left alone.
 * @param givenUpAfterMs as of `findSuperseded`.
 */
export async function reapplySuperseded(
  tx: Tx,
  messageIds: readonly string[],
  givenUpAfterMs: number | null = null,
): Promise<void> {
  if (messageIds.length === 0) return;
  const { rows } = await tx.query<Omit<IncomingReceipt, "report"> & { knownMessageId: string } & ReceiptReport>({
    name: "receipts.left",
    text: `SELECT id, message_id AS "knownMessageId", provider, provider_message_id AS "providerMessageId", reference, status, code, detail,
             to_json(occurred_at)#>>'{}' AS "occurredAt"
           FROM receipts r WHERE message_id = ANY($1::text[]) AND ${isLeftFailure("r")}
           ORDER BY id`,
    values: [messageIds],
  });
  if (rows.length === 0) return;
  // It is not a new part of its message: it was stored as a part when it arrived, or covers the whole message.
  const receipts = rows.map(({ id, knownMessageId, provider, ...report }) => ({
    ...{ id, knownMessageId, provider },
    report: { isOfWhole: true as const, ...report },
  }));
  const attempts = await findAttempts(tx, receipts);
  const matched = receipts.flatMap((receipt) => {
    const attempt = attempts.get(receipt.id);
    return attempt ? [matchedReceipt(receipt, attempt)] : [];
  });
  const { applied } = await moveByReceipts(tx, matched, givenUpAfterMs);
  if (applied.size === 0) return;
  await tx.query({
    name: "receipts.mark_applied",
    text: "UPDATE receipts SET applied = true WHERE id = ANY($1::text[])",
    values: [[...applied]],
  });
}

/**
 * Moves messages by their receipts, in the order in which these occurred.
 * @param givenUpAfterMs as of `findSuperseded`.
 * @returns `applied`: the ids of the receipts that moved their message; `open`: those of messages that had not ended before.
 */
async function moveByReceipts(
  tx: Tx,
  receipts: readonly MatchedReceipt[],
  givenUpAfterMs: number | null = null,
): Promise<{ applied: Set<string>; open: readonly MatchedReceipt[] }> {
  if (receipts.length === 0) return { applied: new Set(), open: [] };
  const ids = receipts.map((receipt) => receipt.messageId);
  // Pipelined: their parts are read under the locks.
  const [messages, known] = await Promise.all([lockMessages(tx, ids), withOwnParts(tx, receipts)]);
  // The parts of a message that has ended no longer matter, and their ids may have been given to other messages.
  const hasEnded = ({ messageId }: MatchedReceipt) => isFinal(messages.get(messageId)?.status ?? "failed");
  const open = known.filter((receipt) => !hasEnded(receipt));
  const folded = await foldParts(tx, open);
  const pending = [...messages.values()].filter((message) => message.status === "pending");
  const [superseded, counts] = await Promise.all([
    findSuperseded(tx, folded, givenUpAfterMs),
    countAttempts(tx, pending),
  ]);
  const ordered = folded.sort((a, b) => Date.parse(a.report.occurredAt) - Date.parse(b.report.occurredAt));

  const changes = new Map<string, Change>();
  const receiptOfStep = new Map<Step, string>();
  for (const { id, provider, messageId, report } of ordered) {
    const message = messages.get(messageId);
    if (!message || superseded.has(id)) continue;
    const steps = stepsOf(provider, report, now());
    for (const step of steps) receiptOfStep.set(step, id);
    const change = changes.get(messageId) ?? { message, attempts: counts.get(messageId) ?? 0, steps: [] };
    change.steps.push(...steps);
    changes.set(messageId, change);
  }

  const [applied] = await Promise.all([applyChanges(tx, [...changes.values()]), confirmAttempts(tx, known)]);
  return { applied: new Set(applied.flatMap((step) => receiptOfStep.get(step) ?? [])), open };
}

type StoredReceipt = IncomingReceipt & { attempt: MatchedAttempt | null; receivedAt: Date; isApplied: boolean };

const STORED = unnest<StoredReceipt>({
  id: ["text", ({ id }) => id],
  provider: ["text", ({ provider }) => provider],
  provider_message_id: ["text", ({ report }) => report.providerMessageId],
  message_id: ["text", ({ attempt }) => attempt?.messageId ?? null],
  status: ["text", ({ report }) => report.status],
  code: ["text", ({ report }) => report.code && storedCode(report.code)],
  detail: ["text", ({ report }) => report.detail && storedDetail(report.detail)],
  applied: ["bool", ({ isApplied }) => isApplied],
  occurred_at: ["timestamptz", ({ report }) => report.occurredAt],
  received_at: ["timestamptz", ({ receivedAt }) => receivedAt.toISOString()],
  reference: ["text", ({ report }) => report.reference && storedCode(report.reference)],
});

async function insertReceipts(tx: Tx, receipts: readonly StoredReceipt[]): Promise<void> {
  await tx.query({
    name: "receipts.insert",
    text: `INSERT INTO receipts (id, provider, provider_message_id, message_id, status, code, detail, applied,
             occurred_at, received_at, reference)
           SELECT * FROM ${STORED.sql}`,
    values: STORED.values(receipts),
  });
}
