/** Sweeps: time-outs of messages, and what a crash may have left behind. The database's clock measures ages. */

import { addJob } from "../../core/add-jobs";
import { HOUR_MS, MINUTE_MS, now } from "../../core/clock";
import { pool, type Tx, transaction } from "../../core/db";
import { log } from "../../core/log";
import { idsWithin } from "../lists/created-range";
import { reapplySuperseded, rejoinReceipts } from "../receipts/apply-receipts";
import { isGivenUp } from "../receipts/match-attempts";
import type { Step } from "../steps";
import { applyChanges, lockMessages, withSuperseded } from "../transitions";
import { failExpired } from "./expire";
import { findForgottenWorkers, isBegun, recoverAttempts } from "./recover";
import { UNRESOLVED_AFTER_MS } from "./run-attempt";

/** A sent message without a final receipt becomes undelivered after this time. */
const VALIDITY_MS = 72 * HOUR_MS;
/** A pending message that is due and idle for this long, and not in the throttle queue, has lost its dispatch job. */
const ORPHANED_AFTER_MS = 10 * MINUTE_MS;
/** A parked receipt can be joined by this time, if ever: attempts end within a quarter of an hour. */
const JOINED_WITHIN_MS = HOUR_MS;
const SWEEP_MAX = 2_000;

// `created_at` of pending_messages is the time at which a message was due, so messages scheduled for later are never read.

/** Runs all sweeps, every minute. One that fails does not stop the others. */
export async function sweepMessages(): Promise<void> {
  const results = await Promise.allSettled([
    failUnresolved(UNRESOLVED_AFTER_MS),
    failStranded(UNRESOLVED_AFTER_MS),
    applyLeftReceipts(UNRESOLVED_AFTER_MS),
    expireUnconfirmed(VALIDITY_MS),
    requeueOrphans(ORPHANED_AFTER_MS),
    failExpired(),
    joinLeftReceipts(JOINED_WITHIN_MS),
    findForgottenWorkers().then(recoverAttempts),
  ]);
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

type Swept = { id: string; seq: number; provider: string };

/** SQL: the time `$1` milliseconds ago, by the database's clock, which all processes share. */
const BEFORE = "now() - $1::float8 * interval '1 millisecond'";

/**
 * SQL: a time that no attempt of a pending message is older than, to skip those that timed out before. The two hours cover
 * processes whose clocks differ: theirs say when a message was accepted.
 */
const PENDING_SINCE = "(SELECT min(created_at) FROM pending_messages) - interval '2 hours'";

/**
 * Pending messages that some provider may have taken, while no newer attempt is under way. `$1`: minimum age in
 * milliseconds; `$2`: ids to choose from, null for all; `$3`: limit.
 */
const UNRESOLVED = `SELECT DISTINCT ON (a.message_id) a.message_id AS id, a.provider,
    (SELECT max(b.seq) FROM message_attempts b WHERE b.message_id = a.message_id) AS seq
  FROM message_attempts a
  JOIN messages m ON m.id = a.message_id
  WHERE (a.outcome IS NULL OR a.outcome = 'unknown') AND ${isBegun("a")} AND ${isGivenUp("a", BEFORE)} AND m.status = 'pending'
    AND a.started_at >= ${PENDING_SINCE}
    AND ($2::text[] IS NULL OR a.message_id = ANY($2))
    AND NOT EXISTS (SELECT 1 FROM message_attempts b WHERE b.message_id = a.message_id AND b.seq > a.seq
                    AND b.started_at >= ${BEFORE})
    AND NOT EXISTS (SELECT 1 FROM waiting_messages w WHERE w.message_id = a.message_id)
  ORDER BY a.message_id, a.seq DESC LIMIT $3`;

/**
 * Pending messages whose chain ended long ago without being failed: all providers were tried, or one refused it while
 * another attempt was claimed that was never made. Parameters as above.
 */
const STRANDED = `SELECT m.id, a.seq, a.provider FROM pending_messages p
  JOIN messages m ON m.id = p.message_id
  JOIN LATERAL (SELECT l.seq, l.provider, l.started_at FROM message_attempts l
    WHERE l.message_id = m.id ORDER BY l.seq DESC LIMIT 1) a ON a.started_at < ${BEFORE}
  WHERE m.status = 'pending' AND p.created_at < ${BEFORE} AND ($2::text[] IS NULL OR m.id = ANY($2))
    AND NOT EXISTS (SELECT 1 FROM message_attempts b WHERE b.message_id = m.id
                    AND (b.outcome IS NULL OR b.outcome = 'unknown'))
    AND ((SELECT count(*) FROM message_attempts b WHERE b.message_id = m.id) >= cardinality(m.chain)
      OR EXISTS (SELECT 1 FROM message_attempts b WHERE b.message_id = m.id AND b.outcome = 'refused'))
    AND NOT EXISTS (SELECT 1 FROM waiting_messages w WHERE w.message_id = m.id)
  ORDER BY p.created_at LIMIT $3`;

/**
 * Sent messages without a final receipt. Parameters as above; `$4`: the first id that is too young, which leaves most of the
 * list unread.
 */
const UNCONFIRMED = `SELECT m.id, m.attempts AS seq, m.provider FROM messages m
  WHERE m.status = 'sent' AND m.sent_at < ${BEFORE}
    AND m.id = ANY(COALESCE($2::text[], ARRAY(SELECT s.message_id FROM accounts o CROSS JOIN LATERAL (
      SELECT message_id FROM sent_messages WHERE account_id = o.id AND message_id < $4 AND sent_at < ${BEFORE}
      ORDER BY message_id LIMIT $3) s LIMIT $3)))`;

/** Fails and refunds pending messages whose last attempt is older than `ageMs` and has no known outcome. */
export const failUnresolved = (ageMs: number): Promise<void> =>
  sweep(UNRESOLVED, ageMs, (row) => ({
    to: "failed",
    at: now(),
    provider: row.provider,
    error: {
      code: "provider_outcome_unknown",
      message: "The provider never reported whether it took the message. The cost was refunded.",
    },
  }));

/** Fails and refunds pending messages that no provider can have, and whose last attempt is older than `ageMs`. */
export const failStranded = (ageMs: number): Promise<void> =>
  sweep(STRANDED, ageMs, (row) => ({
    to: "failed",
    at: now(),
    provider: row.provider,
    error: { code: "no_provider_available", message: "No provider took the message. The cost was refunded." },
  }));

/** Ends messages that were sent more than `ageMs` ago and have no final receipt but superseded ones. They stay billed. */
export const expireUnconfirmed = (ageMs: number): Promise<void> =>
  sweep(
    UNCONFIRMED,
    ageMs,
    () => ({
      to: "undelivered",
      at: now(),
      error: { code: "no_final_receipt", message: "No final delivery receipt came within 72 hours." },
    }),
    [idsWithin({ from: null, to: now().getTime() - ageMs }).end],
    (tx, ids) => reapplySuperseded(tx, ids, ageMs),
  );

/** Attempts of {@link applyLeftReceipts}, in the order of an index: those after `$2` and `$3`. `$1`: minimum age; `$4`: limit. */
const GIVEN_UP = `WITH given_up AS MATERIALIZED (
    SELECT a.message_id AS id, a.started_at FROM message_attempts a
    WHERE (a.outcome IS NULL OR a.outcome = 'unknown') AND a.seq > 1 AND ${isGivenUp("a", BEFORE)}
      AND a.started_at >= GREATEST($2::timestamptz, now() - interval '${VALIDITY_MS} milliseconds')
      AND (a.started_at, a.message_id) > ($2, $3)
    ORDER BY a.started_at, a.message_id LIMIT $4)
  SELECT g.id, g.started_at AS "startedAt", EXISTS (SELECT 1 FROM messages m JOIN receipts r ON r.message_id = m.id
      WHERE m.id = g.id AND m.status = 'sent' AND NOT r.applied AND r.status IN ('failed', 'undelivered')) AS "isLeft"
  FROM given_up g ORDER BY g.started_at, g.id`;

/**
 * Applies failure receipts of sent messages that were superseded by a later attempt, when nothing was heard of that for `ageMs`.
 * The receipt is the only news that there will be, and without it the message would stay `sent` for 72 hours.
 */
export async function applyLeftReceipts(ageMs: number): Promise<void> {
  let last = { startedAt: new Date(0), id: "" };
  for (let found = SWEEP_MAX; found === SWEEP_MAX; ) {
    const { rows } = await pool().query<typeof last & { isLeft: boolean }>(GIVEN_UP, [
      ageMs,
      last.startedAt,
      last.id,
      SWEEP_MAX,
    ]);
    found = rows.length;
    last = rows.at(-1) ?? last;
    const ids = [...new Set(rows.filter(({ isLeft }) => isLeft).map(({ id }) => id))];
    if (ids.length === 0) continue;
    await transaction(async (tx) => {
      const messages = [...(await lockMessages(tx, ids)).values()];
      const sent = messages.filter(({ status }) => status === "sent").map(({ id }) => id);
      await reapplySuperseded(tx, sent, ageMs);
    });
  }
}

/**
 * Moves all messages that `choose` finds, in batches. It runs again under the messages' locks, and that result counts.
 * @param before what else may move the locked messages comes first.
 */
async function sweep(
  choose: string,
  ageMs: number,
  stepOf: (row: Swept) => Step,
  more: readonly unknown[] = [],
  before: (tx: Tx, ids: readonly string[]) => Promise<void> = async () => {},
): Promise<void> {
  for (let found = SWEEP_MAX; found === SWEEP_MAX; ) {
    const { rows: chosen } = await pool().query<Swept>(choose, [ageMs, null, SWEEP_MAX, ...more]);
    found = chosen.length;
    if (found === 0) return;
    const ids = chosen.map((row) => row.id);
    await transaction(async (tx) => {
      const messages = await lockMessages(tx, ids);
      await before(tx, ids);
      const { rows } = await tx.query<Swept>(choose, [ageMs, ids, SWEEP_MAX, ...more]);
      const changes = rows.flatMap((row) => {
        const message = messages.get(row.id);
        return message ? [{ message, attempts: row.seq, steps: [stepOf(row)] }] : [];
      });
      await applyChanges(tx, await withSuperseded(tx, changes));
    });
  }
}

/**
 * SQL: when the oldest dispatch job of a backlog was due. Jobs are run in this order, so a message accepted later may still
 * be in one of them; no row: there is no backlog.
 */
const BACKLOG_SINCE = `SELECT min(j.run_at) FROM graphile_worker._private_jobs j
  JOIN graphile_worker._private_tasks t ON t.id = j.task_id
  WHERE t.identifier = 'dispatch_messages' AND (j.locked_at IS NOT NULL OR j.attempts < j.max_attempts)
    AND j.run_at < now() - interval '1 minute'`;

/**
 * Adds dispatch jobs for pending messages that have a provider left to try, no attempt younger than `ageMs`, and no place in
 * a backlog of jobs: five million waiting messages would otherwise be queued anew every minute.
 */
export async function requeueOrphans(ageMs: number): Promise<void> {
  let last = { createdAt: new Date(0), id: "" };
  for (let batch = 0, found = SWEEP_MAX; found === SWEEP_MAX; batch += 1) {
    const { rows } = await pool().query<typeof last>({
      text: `SELECT m.id, p.created_at AS "createdAt" FROM pending_messages p JOIN messages m ON m.id = p.message_id
             WHERE m.status = 'pending' AND p.created_at >= $2 AND (p.created_at, p.message_id) > ($2, $4)
               AND p.created_at < LEAST(${BEFORE}, (${BACKLOG_SINCE}))
               AND NOT EXISTS (SELECT 1 FROM message_attempts a WHERE a.message_id = m.id
                               AND (a.outcome IS NULL OR a.outcome IN ('unknown', 'refused') OR a.started_at >= ${BEFORE}))
               AND (SELECT count(*) FROM message_attempts a WHERE a.message_id = m.id) < cardinality(m.chain)
               AND NOT EXISTS (SELECT 1 FROM waiting_messages w WHERE w.message_id = m.id)
             ORDER BY p.created_at, p.message_id LIMIT $3`,
      values: [ageMs, last.createdAt, SWEEP_MAX, last.id],
    });
    found = rows.length;
    last = rows.at(-1) ?? last;
    if (found === 0) return;
    // One key per batch: a job that still waits is replaced, so the same ids do not fill the queue.
    const messageIds = rows.map((row) => row.id);
    await addJob(pool(), "dispatch_messages", { messageIds }, { key: `dispatch_orphans_${batch}` });
    log("warn", "messages.orphans_requeued", { count: found });
  }
}

/** Joins receipts that were parked within the last `withinMs` and whose message is known although their job is lost. */
export async function joinLeftReceipts(withinMs: number): Promise<void> {
  const { rows } = await pool().query<{ provider: string; providerMessageId: string }>({
    text: `SELECT DISTINCT r.provider, r.provider_message_id AS "providerMessageId" FROM receipts r
           WHERE r.message_id IS NULL AND r.received_at > ${BEFORE}
             AND (EXISTS (SELECT 1 FROM message_attempts a
                          WHERE a.provider = r.provider AND a.provider_message_id = r.provider_message_id)
               OR EXISTS (SELECT 1 FROM attempt_parts p
                          WHERE p.provider = r.provider AND p.provider_message_id = r.provider_message_id)) LIMIT $2`,
    values: [withinMs, SWEEP_MAX],
  });
  for (const provider of new Set(rows.map((row) => row.provider))) {
    const own = rows.filter((row) => row.provider === provider);
    await rejoinReceipts(
      provider,
      own.map((row) => row.providerMessageId),
    );
  }
}
