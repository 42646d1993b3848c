/**
 * Delivery receipts. Every one is stored; it moves its message forward or not at all. A receipt may come before the
 * answer of its own send: it is parked and joined as soon as the provider's id is known.
 */
import { createBatcher } from "../../core/batcher";
import { now, SECOND_MS } from "../../core/clock";
import { type Tx, transaction } from "../../core/db";
import { newId } from "../../core/ids";
import { addJob, type ReceiptReport } from "../../core/jobs";
import { perProcess } from "../../core/process";
import { storableText } from "../../core/wire";
import { isFinal } from "../status";
import { applyChanges, type Change, lockMessages } from "../transitions";
import {
  type AttemptOf,
  confirmAttempts,
  countAttempts,
  findAttempts,
  findSuperseded,
  type Known,
} from "./match-attempts";
import { foldParts } from "./parts";
import { lastApplied, stepsOf } from "./receipt-steps";

/** What a provider's id stands for: an attempt, or (`isPart`) one of the parts that it was taken in. */
type ReceiptTarget = { provider: string; providerMessageId: string; messageId: string; seq: number; isPart: boolean };

/** A parked receipt is looked at again after this time, when the transaction that names its message has ended. */
const REJOIN_AFTER_MS = 2 * SECOND_MS;
const DETAIL_MAX = 500;
const CODE_MAX = 100;

type ReceivedReports = { provider: string; reports: readonly ReceiptReport[]; receivedAt: Date };

/** Receipts per transaction. */
const RECEIPTS_MAX = 500;

/**
 * Stores receipts of one provider and moves their messages; safe to repeat, at the cost of a repeated row. One
 * transaction at a time per process: many would queue for the same accounts, in the way of those who send.
 */
export function applyReceipts(provider: string, reports: readonly ReceiptReport[]): Promise<void> {
  const queue = perProcess("receipts.apply", () =>
    createBatcher<ReceivedReports, void>(
      (batch) =>
        transaction(async (tx) => {
          await takeIn(tx, batch);
          return batch.map(() => ({ ok: true, value: undefined }));
        }),
      { maxWeight: RECEIPTS_MAX, weigh: (item) => item.reports.length },
    ),
  );
  // The time is taken before anything is moved, so that no effect of a receipt is older than the receipt.
  return queue({ provider, reports, receivedAt: now() });
}

async function takeIn(tx: Tx, batch: ReceivedReports[]): Promise<void> {
  const receipts = batch.flatMap(({ provider, reports, receivedAt }) =>
    reports.map((report) => ({ id: newId("receipt"), provider, report, receivedAt })),
  );
  const found = await findAttempts(tx, receipts);
  const placed = receipts.map((receipt, at): Placed => ({ ...receipt, attempt: found[at] ?? null }));
  const applied = await moveByReceipts(
    tx,
    placed.flatMap(({ attempt, ...receipt }) => (attempt === null ? [] : [{ ...receipt, ...attempt }])),
  );
  await insertReceipts(tx, placed, applied);
  const parked = placed.filter((receipt) => receipt.attempt === null);
  const runAt = new Date(now().getTime() + REJOIN_AFTER_MS);
  for (const provider of new Set(parked.map((receipt) => receipt.provider))) {
    const own = parked.filter((receipt) => receipt.provider === provider);
    const providerMessageIds = own.map((receipt) => receipt.report.providerMessageId);
    await addJob(tx, "join_receipts", { provider, providerMessageIds }, { runAt });
  }
}

/** Joins receipts that were parked for these ids, now that their messages may be known. */
export async function rejoinReceipts(provider: string, providerMessageIds: readonly string[]): Promise<void> {
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
    await joinLocked(tx, rows);
  });
}

/** As {@link joinReceipts}, for who has not locked the messages yet. */
async function joinLocked(tx: Tx, targets: readonly ReceiptTarget[]): Promise<void> {
  await lockMessages(
    tx,
    targets.map((target) => target.messageId),
  );
  await joinReceipts(tx, targets);
}

/** Applies the receipts that came before their send's own answer. The messages must be locked. */
export async function joinReceipts(tx: Tx, targets: readonly ReceiptTarget[]): Promise<void> {
  if (targets.length === 0) return;
  const { rows } = await tx.query<Omit<Known, "report" | "isNamed"> & ReceiptReport>({
    name: "receipts.parked",
    text: `SELECT r.id, s.message_id AS "messageId", s.seq, s.is_part AS "isPart", r.provider, r.provider_message_id AS "providerMessageId", r.status,
             r.code, r.detail, to_json(r.occurred_at)#>>'{}' AS "occurredAt"
           FROM receipts r
           JOIN unnest($1::text[], $2::text[], $3::text[], $4::int2[], $5::bool[])
               AS s (provider, provider_message_id, message_id, seq, is_part)
             ON r.provider = s.provider AND r.provider_message_id = s.provider_message_id
           WHERE r.message_id IS NULL ORDER BY r.id FOR UPDATE OF r`,
    values: [
      targets.map((target) => target.provider),
      targets.map((target) => target.providerMessageId),
      targets.map((target) => target.messageId),
      targets.map((target) => target.seq),
      targets.map((target) => target.isPart),
    ],
  });
  if (rows.length === 0) return;
  const applied = await moveByReceipts(
    tx,
    rows.map(({ id, messageId, seq, isPart, provider, ...report }) => {
      return { id, messageId, seq, isPart, isNamed: false, provider, report };
    }),
  );
  await tx.query({
    name: "receipts.join",
    text: `UPDATE receipts r SET message_id = u.message_id, applied = u.applied
           FROM unnest($1::text[], $2::text[], $3::bool[]) AS u (id, message_id, applied) WHERE r.id = u.id`,
    values: [rows.map((row) => row.id), rows.map((row) => row.messageId), rows.map((row) => applied.has(row.id))],
  });
}

/** Moves messages by their receipts, earliest first. @returns the ids of the receipts that moved something. */
async function moveByReceipts(tx: Tx, receipts: readonly Known[]): Promise<Set<string>> {
  if (receipts.length === 0) return new Set();
  const messages = await lockMessages(
    tx,
    receipts.map((receipt) => receipt.messageId),
  );
  const folded = await foldParts(tx, receipts);
  const pending = [...messages.values()].filter((message) => message.status === "pending");
  const [superseded, counts] = await Promise.all([findSuperseded(tx, folded), countAttempts(tx, pending)]);
  const ordered = folded.sort((a, b) => Date.parse(a.report.occurredAt) - Date.parse(b.report.occurredAt));
  const changes = new Map<string, { change: Change; sources: string[] }>();
  for (const { id, provider, messageId, report } of ordered) {
    const message = messages.get(messageId);
    if (!message || isFinal(message.status) || superseded.has(id)) continue;
    const entry = changes.get(messageId) ?? {
      change: { message, attempts: counts.get(messageId) ?? 0, steps: [] },
      sources: [],
    };
    changes.set(messageId, entry);
    for (const step of stepsOf(provider, report, now())) {
      entry.change.steps.push(step);
      entry.sources.push(id);
    }
  }
  const entries = [...changes.values()];
  const [moves] = await Promise.all([
    applyChanges(
      tx,
      entries.map((entry) => entry.change),
    ),
    confirmAttempts(tx, ordered),
  ]);
  // Steps are taken in order until a final state, and the receipts that come after it are the ones that moved nothing.
  return new Set(
    entries.flatMap((entry, at) => (moves[at] ? entry.sources.slice(0, lastApplied(entry.change.steps) + 1) : [])),
  );
}

type Placed = Pick<Known, "id" | "provider" | "report"> & { attempt: AttemptOf | null; receivedAt: Date };

async function insertReceipts(tx: Tx, receipts: Placed[], applied: Set<string>): Promise<void> {
  await tx.query({
    name: "receipts.insert",
    text: `INSERT INTO receipts (id, provider, provider_message_id, message_id, status, code, detail, applied,
             occurred_at, received_at, reference)
           SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
             $8::bool[], $9::timestamptz[], $10::timestamptz[], $11::text[])`,
    values: [
      receipts.map((receipt) => receipt.id),
      receipts.map((receipt) => receipt.provider),
      receipts.map((receipt) => receipt.report.providerMessageId),
      receipts.map((receipt) => receipt.attempt?.messageId ?? null),
      receipts.map((receipt) => receipt.report.status),
      receipts.map(({ report }) => report.code && storableText(report.code, CODE_MAX)),
      receipts.map(({ report }) => report.detail && storableText(report.detail, DETAIL_MAX)),
      receipts.map((receipt) => applied.has(receipt.id)),
      receipts.map((receipt) => receipt.report.occurredAt),
      receipts.map((receipt) => receipt.receivedAt.toISOString()),
      receipts.map(({ report }) => report.reference && storableText(report.reference, CODE_MAX)),
    ],
  });
}
