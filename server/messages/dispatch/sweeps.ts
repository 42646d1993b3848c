/** Sweeps: they time out messages, and repair what a crash may have left behind. Ages are measured by the database's clock. */

import { addJob } from "../../core/add-jobs";
import { HOUR_MS, MINUTE_MS, now, SECOND_MS } from "../../core/clock";
import { filterEquals, pool, type Tx, transaction } from "../../core/db";
import { log } from "../../core/log";
import { isBegun } from "../attempts-so-far";
import { idsWithin } from "../lists/created-range";
import { reapplySuperseded } from "../receipts/apply-receipts";
import { isLeftFailure } from "../receipts/superseded";
import { FINAL_RECEIPT_WITHIN_S } from "../status";
import type { Step } from "../steps";
import { applyChanges, lockMessages, withSuperseded } from "../transitions";
import { failExpired } from "./expire";
import { BEFORE, forEachGivenUp, givenUpStatement, isGivenUp } from "./given-up";
import { joinLeftReceipts } from "./join-left-receipts";
import { findForgottenWorkers, recoverAttempts } from "./recover";
import { UNRESOLVED_AFTER_MS } from "./run-attempt";
import { continueRound, type RoundLimits } from "./sweep-rounds";

/** A pending message that is due and idle for this long, and not in the throttle queue, has lost its dispatch job. */
const ORPHANED_AFTER_MS = 10 * MINUTE_MS;
/** A parked receipt can be joined by this time, if ever: attempts end within a quarter of an hour. */
const JOINED_WITHIN_MS = HOUR_MS;
const SWEEP_MAX = 2_000;

// `created_at` of pending_messages is the time at which a message was due, so messages scheduled for later are never read.

/**
 * Runs all sweeps, every minute. One that fails does not stop the others. None begins another step once `signal` is aborted: the next
 * run, perhaps of another worker, continues.
 */
export async function sweepMessages(signal?: AbortSignal): Promise<void> {
  const results = await Promise.allSettled([
    failUnresolved(UNRESOLVED_AFTER_MS, signal),
    failStranded(UNRESOLVED_AFTER_MS, { signal }),
    applyLeftReceipts(UNRESOLVED_AFTER_MS, signal),
    expireUnconfirmed(FINAL_RECEIPT_WITHIN_S * SECOND_MS, signal),
    requeueOrphans(ORPHANED_AFTER_MS, { signal }),
    failExpired(undefined, signal),
    joinLeftReceipts(JOINED_WITHIN_MS, { signal }),
    findForgottenWorkers().then(recoverAttempts),
  ]);
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

type Swept = { id: string; seq: number; provider: string };

/**
 * SQL: a time before which no attempt of a pending message began, to skip attempts that timed out earlier. The two hours allow
 * for processes whose clocks differ, since their clocks say when a message was accepted. A message with a time in the future does
 * no harm.
 */
const PENDING_SINCE = "LEAST((SELECT min(created_at) FROM pending_messages), now()) - interval '2 hours'";

/** SQL: pending messages `m` of `$2`, in its order, each looked up by its id whatever the statistics say. */
const PENDING_OF_IDS = `unnest($2::text[]) WITH ORDINALITY c (id, place)
  CROSS JOIN LATERAL (SELECT o.id, o.chain FROM messages o
    WHERE o.id = c.id AND ${filterEquals("o.status", "pending")} OFFSET 0) m`;

/**
 * Pending messages that some provider may have taken, while no newer attempt is under way: young, or left to a living worker
 * that may have to write its outcome. `$1`: minimum age in milliseconds; `$2`: ids to choose from; `$3`: limit.
 */
const UNRESOLVED = `SELECT m.id, a.provider, a.seq FROM ${PENDING_OF_IDS}
  CROSS JOIN LATERAL (SELECT l.provider,
      (SELECT max(b.seq) FROM message_attempts b WHERE b.message_id = m.id) AS seq
    FROM message_attempts l
    WHERE l.message_id = m.id AND (l.outcome IS NULL OR l.outcome = 'unknown') AND ${isBegun("l")} AND ${isGivenUp("l", BEFORE)}
      AND NOT EXISTS (SELECT 1 FROM message_attempts b WHERE b.message_id = m.id AND b.seq > l.seq
                      AND (b.started_at >= ${BEFORE} OR b.outcome IS NULL AND NOT ${isGivenUp("b", BEFORE)}))
    ORDER BY l.seq DESC LIMIT 1) a
  WHERE (SELECT count(*) FROM waiting_messages w WHERE w.message_id = m.id) = 0
  ORDER BY c.place LIMIT $3`;

/**
 * Pending messages whose chain ended long ago without being failed: all providers were tried, or one refused it while
 * another attempt was claimed that was never made. Parameters as above.
 */
const STRANDED = `SELECT m.id, a.seq, a.provider FROM ${PENDING_OF_IDS}
  CROSS JOIN LATERAL (SELECT count(*) AS tried, max(l.seq) AS seq, (array_agg(l.provider ORDER BY l.seq DESC))[1] AS provider,
      (array_agg(l.started_at ORDER BY l.seq DESC))[1] AS started_at,
      bool_or(l.outcome IS NULL OR l.outcome = 'unknown') AS is_open, bool_or(l.outcome = 'refused') AS is_refused
    FROM message_attempts l WHERE l.message_id = m.id) a
  WHERE a.started_at < ${BEFORE} AND NOT a.is_open AND (a.tried >= cardinality(m.chain) OR a.is_refused)
    AND (SELECT count(*) FROM waiting_messages w WHERE w.message_id = m.id) = 0
  ORDER BY c.place LIMIT $3`;

/**
 * Pending messages with a provider left to try and no attempt younger than `$1` milliseconds. Parameters as above, without a
 * limit.
 */
const ORPHANS = `SELECT m.id FROM ${PENDING_OF_IDS}
  CROSS JOIN LATERAL (SELECT count(*) AS tried,
      bool_or(l.outcome IS NULL OR l.outcome IN ('unknown', 'refused') OR l.started_at >= ${BEFORE}) AS is_open
    FROM message_attempts l WHERE l.message_id = m.id) a
  WHERE a.tried < cardinality(m.chain) AND a.is_open IS NOT TRUE
  ORDER BY c.place`;

/**
 * SQL: the accounts that have sent messages, `id`. The list is read from one account to the next: most accounts have none at the
 * moment, and looking up each of them would be in vain.
 */
const WITH_SENT = `WITH RECURSIVE o AS (
    (SELECT account_id AS id FROM sent_messages ORDER BY account_id LIMIT 1)
    UNION ALL
    SELECT (SELECT s.account_id FROM sent_messages s WHERE s.account_id > o.id ORDER BY s.account_id LIMIT 1)
    FROM o WHERE o.id IS NOT NULL)`;

/**
 * Sent messages without a final receipt. Parameters as above, but `$2` may be null: all; `$4`: the first id that is too young,
 * which leaves most of the list unread.
 */
const UNCONFIRMED = `SELECT m.id, m.attempts AS seq, m.provider FROM messages m
  WHERE m.status = 'sent' AND m.sent_at < ${BEFORE}
    AND m.id = ANY(COALESCE($2::text[], ARRAY(${WITH_SENT} SELECT s.message_id FROM o CROSS JOIN LATERAL (
      SELECT message_id FROM sent_messages WHERE account_id = o.id AND message_id < $4 AND sent_at < ${BEFORE}
      ORDER BY message_id LIMIT $3) s LIMIT $3)))`;

/** Attempts of pending messages that were begun. */
const OF_PENDING = givenUpStatement(
  `${isBegun("a")} AND a.started_at >= ${PENDING_SINCE}`,
  `EXISTS (SELECT 1 FROM messages m WHERE m.id = g.id AND ${filterEquals("m.status", "pending")} OFFSET 0)`,
);

/** Fails and refunds pending messages whose last attempt is older than `ageMs` and has no known outcome. */
export const failUnresolved = (ageMs: number, signal?: AbortSignal): Promise<void> =>
  forEachGivenUp(
    OF_PENDING,
    ageMs,
    (ids) =>
      sweep(
        UNRESOLVED,
        ageMs,
        (row) => ({
          to: "failed",
          at: now(),
          provider: row.provider,
          error: {
            code: "provider_outcome_unknown",
            message: "The provider never reported whether it took the message. The cost was refunded.",
          },
        }),
        { ids },
      ),
    signal,
  );

/**
 * Fails and refunds pending messages that no provider can have, and whose last attempt is older than `ageMs`. Continues a round
 * through the messages that are due.
 */
export const failStranded = (ageMs: number, limits?: RoundLimits): Promise<void> =>
  continueRound("stranded", ageMs, async (ids) => ({ found: await sweep(STRANDED, ageMs, strand, { ids }) }), limits);

const strand = (row: Swept): Step => ({
  to: "failed",
  at: now(),
  provider: row.provider,
  error: { code: "no_provider_available", message: "No provider took the message. The cost was refunded." },
});

/** Ends messages that were sent more than `ageMs` ago and have no final receipt except superseded ones. They stay billed. */
export const expireUnconfirmed = (ageMs: number, signal?: AbortSignal): Promise<number> =>
  sweep(
    UNCONFIRMED,
    ageMs,
    () => ({
      to: "undelivered",
      at: now(),
      error: { code: "no_final_receipt", message: "No final delivery receipt came within 72 hours." },
    }),
    {
      more: [idsWithin({ from: null, to: now().getTime() - ageMs }).end],
      before: (tx, ids) => reapplySuperseded(tx, ids, ageMs),
      signal,
    },
  );

/**
 * Later attempts, at most {@link FINAL_RECEIPT_WITHIN_S} old, of sent messages with a failure receipt that was not applied. They have
 * a separate index, which no plan can confuse with the index of all unknown attempts.
 */
const LEFT_RECEIPTS = givenUpStatement(
  `a.seq > 1 AND a.started_at >= now() - interval '${FINAL_RECEIPT_WITHIN_S} seconds'`,
  `EXISTS (SELECT 1 FROM messages m JOIN receipts r ON r.message_id = m.id
     WHERE m.id = g.id AND m.status = 'sent' AND ${isLeftFailure("r")} OFFSET 0)`,
  filterEquals("a.outcome", "unknown"),
);

/**
 * Applies failure receipts of sent messages that were superseded by a later attempt, when that attempt has had no outcome for
 * `ageMs`. No other report will arrive, and without this one the message would stay `sent` for 72 hours.
 */
export const applyLeftReceipts = (ageMs: number, signal?: AbortSignal): Promise<void> =>
  forEachGivenUp(
    LEFT_RECEIPTS,
    ageMs,
    (ids) =>
      transaction(async (tx) => {
        const messages = [...(await lockMessages(tx, ids)).values()];
        const sent = messages.filter(({ status }) => status === "sent").map(({ id }) => id);
        await reapplySuperseded(tx, sent, ageMs);
      }),
    signal,
  );

type SweepOptions = {
  /** Ids of messages to choose from; null: all. */
  ids?: string[] | null;
  /** Further parameters of the statement. */
  more?: readonly unknown[];
  /** May move the locked messages first. */
  before?: (tx: Tx, ids: readonly string[]) => Promise<void>;
  /** No batch begins once it is aborted. */
  signal?: AbortSignal | undefined;
};

/**
 * Moves all messages that `choose` finds, in batches. It runs again under the messages' locks, and that result counts.
 * @returns how many it found.
 */
async function sweep(
  choose: string,
  ageMs: number,
  stepOf: (row: Swept) => Step,
  { ids: among = null, more = [], before = async () => {}, signal }: SweepOptions = {},
): Promise<number> {
  let count = 0;
  for (let found = SWEEP_MAX; found === SWEEP_MAX && !signal?.aborted; ) {
    const { rows: chosen } = await pool().query<Swept>(choose, [ageMs, among, SWEEP_MAX, ...more]);
    found = chosen.length;
    count += found;
    if (found === 0) break;
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
  return count;
}

/**
 * Adds dispatch jobs for pending messages that have a provider left to try, no attempt younger than `ageMs`, and no place in a
 * backlog of jobs: five million waiting messages would otherwise be queued again every minute. Continues a round through the
 * messages that are due.
 */
export const requeueOrphans = (ageMs: number, limits?: RoundLimits): Promise<void> =>
  continueRound(
    "orphans",
    ageMs,
    async (ids, jobs) => {
      const { rows } = await pool().query<{ id: string }>(ORPHANS, [ageMs, ids]);
      const orphans = rows.map((row) => row.id);
      const batches = Math.ceil(orphans.length / SWEEP_MAX);
      for (let batch = 0; batch < batches; batch += 1) {
        const messageIds = orphans.slice(batch * SWEEP_MAX, (batch + 1) * SWEEP_MAX);
        // One key per batch of a round: a job that still waits is replaced, so the same ids do not fill the queue.
        await addJob(pool(), "dispatch_messages", { messageIds }, { key: `dispatch_orphans_${jobs + batch}` });
      }
      if (orphans.length > 0) log("warn", "messages.orphans_requeued", { count: orphans.length });
      return { found: orphans.length, jobs: batches };
    },
    limits,
  );
