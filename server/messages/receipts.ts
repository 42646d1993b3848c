/**
 * Delivery receipts. Every one is stored; it moves its message forward or not at all. A receipt may come before the
 * answer of its own send: it is parked and joined as soon as the provider's id is known.
 */
import { now, SECOND_MS } from "../core/clock";
import { type Tx, transaction } from "../core/db";
import { newId } from "../core/ids";
import { addJob, type ReceiptReport } from "../core/jobs";
import { isFinal } from "./status";
import { applyChanges, type Change, lockMessages, type Step } from "./transitions";

type Sending = { provider: string; providerMessageId: string; messageId: string };

/** A parked receipt is looked at again after this time, when the transaction that names its message has ended. */
const REJOIN_AFTER_MS = 2 * SECOND_MS;
const DETAIL_MAX = 500;

/** Stores receipts of one provider and moves their messages; safe to repeat, at the cost of a repeated row. */
export async function applyReceipts(provider: string, reports: readonly ReceiptReport[]): Promise<void> {
  // Before anything is moved, so that no effect of a receipt is older than the receipt.
  const receivedAt = now();
  await transaction(async (tx) => {
    const { rows } = await tx.query<{ providerMessageId: string; messageId: string }>({
      name: "receipts.find_messages",
      text: `SELECT provider_message_id AS "providerMessageId", message_id AS "messageId" FROM message_attempts
             WHERE provider = $1 AND provider_message_id = ANY($2::text[])`,
      values: [provider, reports.map((report) => report.providerMessageId)],
    });
    const messageIds = new Map(rows.map((row) => [row.providerMessageId, row.messageId]));
    const receipts = reports.map((report) => ({
      id: newId("receipt"),
      messageId: messageIds.get(report.providerMessageId) ?? null,
      report,
    }));
    const applied = await moveByReceipts(
      tx,
      provider,
      receipts.flatMap(({ id, messageId, report }) => (messageId === null ? [] : [{ id, messageId, report }])),
    );
    await insertReceipts(tx, provider, receipts, applied, receivedAt);
    const parked = receipts.filter((receipt) => receipt.messageId === null);
    if (parked.length > 0) {
      const providerMessageIds = parked.map((receipt) => receipt.report.providerMessageId);
      const runAt = new Date(now().getTime() + REJOIN_AFTER_MS);
      await addJob(tx, "join_receipts", { provider, providerMessageIds }, { runAt });
    }
  });
}

/** Joins receipts that were parked for these ids, now that their messages may be known. */
export async function rejoinReceipts(provider: string, providerMessageIds: readonly string[]): Promise<void> {
  await transaction(async (tx) => {
    const { rows } = await tx.query<Sending>({
      name: "receipts.find_sendings",
      text: `SELECT provider, provider_message_id AS "providerMessageId", message_id AS "messageId"
             FROM message_attempts WHERE provider = $1 AND provider_message_id = ANY($2::text[])`,
      values: [provider, providerMessageIds],
    });
    await joinReceipts(tx, rows);
  });
}

/** Applies the receipts that came before their send's own answer. */
export async function joinReceipts(tx: Tx, sendings: readonly Sending[]): Promise<void> {
  if (sendings.length === 0) return;
  const { rows } = await tx.query<{ id: string; messageId: string; provider: string } & ReceiptReport>({
    name: "receipts.parked",
    text: `SELECT r.id, s.message_id AS "messageId", r.provider, r.provider_message_id AS "providerMessageId", r.status,
             r.code, r.detail, to_json(r.occurred_at)#>>'{}' AS "occurredAt"
           FROM receipts r
           JOIN unnest($1::text[], $2::text[], $3::text[]) AS s (provider, provider_message_id, message_id)
             ON r.provider = s.provider AND r.provider_message_id = s.provider_message_id
           WHERE r.message_id IS NULL ORDER BY r.id FOR UPDATE OF r`,
    values: [
      sendings.map((sending) => sending.provider),
      sendings.map((sending) => sending.providerMessageId),
      sendings.map((sending) => sending.messageId),
    ],
  });
  for (const provider of new Set(rows.map((row) => row.provider))) {
    const found = rows.filter((row) => row.provider === provider);
    const applied = await moveByReceipts(
      tx,
      provider,
      found.map(({ id, messageId, ...report }) => ({ id, messageId, report })),
    );
    await tx.query({
      name: "receipts.join",
      text: `UPDATE receipts r SET message_id = u.message_id, applied = u.applied
             FROM unnest($1::text[], $2::text[], $3::bool[]) AS u (id, message_id, applied) WHERE r.id = u.id`,
      values: [found.map((row) => row.id), found.map((row) => row.messageId), found.map((row) => applied.has(row.id))],
    });
  }
}

type Known = { id: string; messageId: string; report: ReceiptReport };

/** Moves messages by their receipts, earliest first. @returns the ids of the receipts that moved something. */
async function moveByReceipts(tx: Tx, provider: string, receipts: readonly Known[]): Promise<Set<string>> {
  if (receipts.length === 0) return new Set();
  const messages = await lockMessages(
    tx,
    receipts.map((receipt) => receipt.messageId),
  );
  const ordered = [...receipts].sort((a, b) => Date.parse(a.report.occurredAt) - Date.parse(b.report.occurredAt));
  const changes = new Map<string, { change: Change; sources: string[] }>();
  for (const { id, messageId, report } of ordered) {
    const message = messages.get(messageId);
    if (!message || isFinal(message.status)) continue;
    const entry = changes.get(messageId) ?? { change: { message, attempts: 0, steps: [] }, sources: [] };
    changes.set(messageId, entry);
    for (const step of stepsOf(provider, report)) {
      entry.change.steps.push(step);
      entry.sources.push(id);
    }
  }
  const entries = [...changes.values()];
  const [counts] = await Promise.all([
    applyChanges(
      tx,
      entries.map((entry) => entry.change),
    ),
    confirmAttempts(tx, provider, ordered),
  ]);
  // Steps are taken in order until a final state, and the receipts that come after it are the ones that moved nothing.
  return new Set(
    entries.flatMap((entry, at) => (counts[at] ? entry.sources.slice(0, lastApplied(entry.change) + 1) : [])),
  );
}

/** Index of the last step that can have been applied: the first final one, or the last of all. */
function lastApplied(change: Change): number {
  const final = change.steps.findIndex((step) => isFinal(step.to));
  return final === -1 ? change.steps.length - 1 : final;
}

/** A receipt proves that the provider took the message, so a pending one becomes sent before anything else. */
function stepsOf(provider: string, report: ReceiptReport): Step[] {
  const at = now();
  const sent: Step = { to: "sent", at, provider, providerMessageId: report.providerMessageId };
  if (report.status === "sent") return [sent];
  if (report.status === "delivered") return [sent, { to: "delivered", at }];
  const code = report.code ?? report.status;
  return [
    sent,
    { to: report.status, at, error: { code, message: report.detail ?? `The carrier reported ${report.status}.` } },
  ];
}

/** An attempt whose outcome was unknown is known once its receipt is here. */
async function confirmAttempts(tx: Tx, provider: string, receipts: readonly Known[]): Promise<void> {
  await tx.query({
    name: "receipts.confirm_attempts",
    text: `UPDATE message_attempts SET outcome = 'accepted', finished_at = COALESCE(finished_at, now())
           WHERE provider = $1 AND provider_message_id = ANY($2::text[]) AND (outcome IS NULL OR outcome = 'unknown')`,
    values: [provider, receipts.map((receipt) => receipt.report.providerMessageId)],
  });
}

async function insertReceipts(
  tx: Tx,
  provider: string,
  receipts: { id: string; messageId: string | null; report: ReceiptReport }[],
  applied: Set<string>,
  receivedAt: Date,
): Promise<void> {
  await tx.query({
    name: "receipts.insert",
    text: `INSERT INTO receipts (id, provider, provider_message_id, message_id, status, code, detail, applied,
             occurred_at, received_at)
           SELECT id, $9, provider_message_id, message_id, status, code, detail, applied, occurred_at, $10
           FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bool[], $8::timestamptz[])
             AS r (id, provider_message_id, message_id, status, code, detail, applied, occurred_at)`,
    values: [
      receipts.map((receipt) => receipt.id),
      receipts.map((receipt) => receipt.report.providerMessageId),
      receipts.map((receipt) => receipt.messageId),
      receipts.map((receipt) => receipt.report.status),
      receipts.map((receipt) => receipt.report.code),
      receipts.map((receipt) => receipt.report.detail?.slice(0, DETAIL_MAX) ?? null),
      receipts.map((receipt) => applied.has(receipt.id)),
      receipts.map((receipt) => receipt.report.occurredAt),
      provider,
      receivedAt.toISOString(),
    ],
  });
}
