import { HOUR_MS, MINUTE_MS, now } from "../core/clock";
import { pool, transaction } from "../core/db";
import { addJob, type JobPayload } from "../core/jobs";
import { errorFields, log } from "../core/log";
import { inLane } from "../providers/lane";
import type { Outcome } from "../providers/port";
import { adapterOf } from "../providers/registry";
import { type Attempt, claimFirstAttempts, recordOutcome } from "./attempts";
import { applyReceipts, joinLocked, rejoinReceipts } from "./receipts";
import { applyChanges, lockMessages, type Step } from "./transitions";

/** A hand-over whose end nobody knows is given up, and refunded, after this time. */
const UNRESOLVED_AFTER_MS = 15 * MINUTE_MS;
/** A taken message without a final receipt counts as undelivered after this time. */
const VALIDITY_MS = 72 * HOUR_MS;
/** A message that was accepted this long ago and never tried has lost its job. */
const ORPHANED_AFTER_MS = 10 * MINUTE_MS;
const SWEEP_MAX = 2_000;
const INSIST_DELAYS_MS = [100, 300, 1_000, 2_000, 5_000, 10_000, 20_000, 20_000];

/** Hands the messages to their providers and sees each through to an outcome. Safe to run twice. */
export async function dispatchMessages({ messageIds }: JobPayload<"dispatch_messages">): Promise<void> {
  const attempts = await claimFirstAttempts(messageIds);
  const results = await Promise.allSettled(attempts.map(seeThrough));
  const lost = results.find((result) => result.status === "rejected");
  // What could not be recorded stays an open attempt, which the sweep resolves; running the job again changes nothing.
  if (lost) throw lost.reason;
}

/** Follows one message along its chain of providers until one takes it or the chain ends. */
async function seeThrough(first: Attempt): Promise<void> {
  for (let attempt: Attempt | null = first; attempt; ) {
    const startedAt = performance.now();
    const outcome = await handOver(attempt);
    const latencyMs = performance.now() - startedAt;
    const ended: Attempt = attempt;
    attempt = await insist(() => recordOutcome(ended, outcome, latencyMs));
  }
}

/**
 * What a provider answered is known to us alone: while the database is away it is held and written again, for a minute.
 * After that the attempt stays open, as after a crash.
 */
async function insist<Result>(write: () => Promise<Result>): Promise<Result> {
  for (const delayMs of INSIST_DELAYS_MS) {
    try {
      return await write();
    } catch (thrown) {
      log("warn", "attempt.outcome_not_written_yet", errorFields(thrown));
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
  return write();
}

async function handOver({ provider, message }: Attempt): Promise<Outcome> {
  const adapter = adapterOf(provider);
  if (!adapter) {
    return { kind: "retryable", code: "provider_not_configured", detail: `${provider} has no credentials here.` };
  }
  try {
    return await inLane(adapter, () => adapter.send(message));
  } catch (thrown) {
    // A bug of ours, perhaps after the request went out: it must not be sent again without knowing.
    log("error", "provider.adapter_threw", { provider, message_id: message.id, ...errorFields(thrown) });
    return { kind: "unknown", code: "adapter_error", detail: "The hand-over ended in an internal error." };
  }
}

/** Takes in what a provider reported. */
export const takeReceipts = ({ provider, receipts }: JobPayload<"apply_receipts">): Promise<void> =>
  applyReceipts(provider, receipts);

/** Joins receipts that came before the answer of their send. */
export const rejoin = ({ provider, providerMessageIds }: JobPayload<"join_receipts">): Promise<void> =>
  rejoinReceipts(provider, providerMessageIds);

/** Every minute: what time decides, and what a crash may have left behind. */
export async function sweepMessages(): Promise<void> {
  await failUnresolved(new Date(now().getTime() - UNRESOLVED_AFTER_MS));
  await expireUnconfirmed(new Date(now().getTime() - VALIDITY_MS));
  await requeueOrphans(new Date(now().getTime() - ORPHANED_AFTER_MS));
  await joinLeftReceipts();
}

/** Fails, and refunds, pending messages whose last hand-over began before `before` and never came to an end. */
export async function failUnresolved(before: Date): Promise<void> {
  const { rows } = await pool().query<{ id: string; seq: number; provider: string }>({
    text: `SELECT a.message_id AS id, a.seq, a.provider FROM message_attempts a JOIN messages m ON m.id = a.message_id
           WHERE (a.outcome IS NULL OR a.outcome = 'unknown') AND a.started_at < $1 AND m.status = 'pending'
             AND NOT EXISTS (SELECT 1 FROM message_attempts b WHERE b.message_id = a.message_id AND b.seq > a.seq)
           LIMIT $2`,
    values: [before, SWEEP_MAX],
  });
  await moveAll(rows, (row) => ({
    to: "failed",
    at: now(),
    provider: row.provider,
    error: {
      code: "provider_outcome_unknown",
      message: "The provider never told whether it took the message. The cost was refunded.",
    },
  }));
}

/** Ends messages that a provider took before `before` and on which no final receipt came. They stay billed. */
export async function expireUnconfirmed(before: Date): Promise<void> {
  const { rows } = await pool().query<{ id: string; seq: number }>({
    text: `SELECT id, attempts AS seq FROM messages WHERE status = 'sent' AND sent_at < $1 ORDER BY sent_at LIMIT $2`,
    values: [before, SWEEP_MAX],
  });
  await moveAll(rows, () => ({
    to: "undelivered",
    at: now(),
    error: { code: "no_final_receipt", message: "No final delivery receipt came within 72 hours." },
  }));
}

async function moveAll<Row extends { id: string; seq: number }>(
  rows: Row[],
  stepOf: (row: Row) => Step,
): Promise<void> {
  if (rows.length === 0) return;
  await transaction(async (tx) => {
    const messages = await lockMessages(
      tx,
      rows.map((row) => row.id),
    );
    await applyChanges(
      tx,
      rows.flatMap((row) => {
        const message = messages.get(row.id);
        return message ? [{ message, attempts: row.seq, steps: [stepOf(row)] }] : [];
      }),
    );
  });
}

/** Adds a dispatch job for pending messages accepted before `before` that no worker ever claimed. */
export async function requeueOrphans(before: Date): Promise<void> {
  const { rows } = await pool().query<{ id: string }>({
    text: `SELECT m.id FROM messages m WHERE m.status = 'pending' AND m.created_at < $1
             AND NOT EXISTS (SELECT 1 FROM message_attempts a WHERE a.message_id = m.id)
           ORDER BY m.created_at LIMIT $2`,
    values: [before, SWEEP_MAX],
  });
  if (rows.length === 0) return;
  // One key: while an earlier one still waits, it is replaced and the queue does not fill with the same ids.
  await addJob(pool(), "dispatch_messages", { messageIds: rows.map((row) => row.id) }, { key: "dispatch_orphans" });
  log("warn", "messages.orphans_requeued", { count: rows.length });
}

/** Joins parked receipts whose message has become known without anyone noticing. */
async function joinLeftReceipts(): Promise<void> {
  await transaction(async (tx) => {
    const { rows } = await tx.query<{ provider: string; providerMessageId: string; messageId: string }>({
      text: `SELECT DISTINCT r.provider, r.provider_message_id AS "providerMessageId", a.message_id AS "messageId"
             FROM receipts r JOIN message_attempts a
               ON a.provider = r.provider AND a.provider_message_id = r.provider_message_id
             WHERE r.message_id IS NULL LIMIT $1`,
      values: [SWEEP_MAX],
    });
    await joinLocked(tx, rows);
  });
}

/** Forgets the answers to Idempotency-Keys after their 24 hours. */
export async function forgetIdempotencyKeys(): Promise<void> {
  await pool().query("DELETE FROM idempotency_keys WHERE created_at < now() - interval '25 hours'");
}
