import { HOUR_MS, MINUTE_MS, now, SECOND_MS } from "../core/clock";
import { pool, transaction } from "../core/db";
import { addJob, type JobPayload } from "../core/jobs";
import { errorFields, log } from "../core/log";
import { keepDoing } from "../core/process";
import { PROVIDERS } from "../providers/schema";
import { claimAttempts } from "./dispatch";
import { beginHandOvers, stopHandOvers, UNRESOLVED_AFTER_MS } from "./hand-over";
import { lookUpUnknown } from "./look-up";
import { applyReceipts, rejoinReceipts } from "./receipts";
import { serveWaiting } from "./serve";
import { applyChanges, lockMessages, type Step } from "./transitions";

/** A taken message without a final receipt counts as undelivered after this time. */
const VALIDITY_MS = 72 * HOUR_MS;
/** A message that was accepted, or tried last, this long ago and is not waiting for its turn has lost its job. */
const ORPHANED_AFTER_MS = 10 * MINUTE_MS;
/** A parked receipt names its message by this time, if ever: hand-overs come to an end within a quarter of an hour. */
const JOINED_WITHIN_MS = HOUR_MS;
const SWEEP_MAX = 2_000;

/** Claims what is to be handed over now and begins to. Safe to run twice: what is claimed is not claimed again. */
export async function dispatchMessages({ messageIds }: JobPayload<"dispatch_messages">): Promise<void> {
  beginHandOvers(await claimAttempts(messageIds));
}

/** How often the waiting room is served: while somebody waits, and while nobody does. */
const SERVE_BUSY_MS = 100;
const SERVE_IDLE_MS = 500;

/** Serves the waiting room until the returned function is called, which waits for the turn under way. */
export const keepServing = (): (() => Promise<void>) =>
  keepDoing(async () => {
    const isBusy = await serveWaiting().catch((thrown) => {
      log("warn", "waiting.not_served", errorFields(thrown));
      return false;
    });
    return isBusy ? SERVE_BUSY_MS : SERVE_IDLE_MS;
  });

/** How often providers are asked what became of hand-overs: while there are some to ask about, and while there are none. */
const LOOK_UP_BUSY_MS = SECOND_MS;
const LOOK_UP_IDLE_MS = 5 * SECOND_MS;

/**
 * Looks up hand-overs whose end is not known until the returned function is called, which waits for the look-ups under
 * way. Each provider has a turn of its own: one that hangs keeps neither the others waiting nor any job.
 */
export function keepLookingUp(): () => Promise<void> {
  const stops = PROVIDERS.map((provider) =>
    keepDoing(async () => {
      const count = await lookUpUnknown(provider).catch((thrown) => {
        log("warn", "attempts.not_looked_up", { provider, ...errorFields(thrown) });
        return 0;
      });
      return count > 0 ? LOOK_UP_BUSY_MS : LOOK_UP_IDLE_MS;
    }),
  );
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

/** Lets hand-overs under way come to their end and leaves what was not begun to other workers. */
export const endHandOvers = (): Promise<void> => stopHandOvers();

/** Takes in what a provider reported. */
export const takeReceipts = ({ provider, receipts }: JobPayload<"apply_receipts">): Promise<void> =>
  applyReceipts(provider, receipts);

/** Joins receipts that came before the answer of their send. */
export const rejoin = ({ provider, providerMessageIds }: JobPayload<"join_receipts">): Promise<void> =>
  rejoinReceipts(provider, providerMessageIds);

/** Every minute: what time decides, and what a crash may have left behind. One that fails does not stop the others. */
export async function sweepMessages(): Promise<void> {
  const ago = (ms: number) => new Date(now().getTime() - ms);
  const results = await Promise.allSettled([
    failUnresolved(ago(UNRESOLVED_AFTER_MS)),
    failStranded(ago(UNRESOLVED_AFTER_MS)),
    expireUnconfirmed(ago(VALIDITY_MS)),
    requeueOrphans(ago(ORPHANED_AFTER_MS)),
    joinLeftReceipts(ago(JOINED_WITHIN_MS)),
  ]);
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

type Swept = { id: string; seq: number; provider: string };

/**
 * `$1`: how old, `$2`: among these messages or all (null), `$3`: how many. Pending messages of which some provider may have
 * taken one, while nothing newer is under way.
 */
const UNRESOLVED = `SELECT DISTINCT ON (a.message_id) a.message_id AS id, a.provider,
    (SELECT max(b.seq) FROM message_attempts b WHERE b.message_id = a.message_id) AS seq
  FROM message_attempts a
  JOIN messages m ON m.id = a.message_id
  WHERE (a.outcome IS NULL OR a.outcome = 'unknown') AND a.started_at < $1 AND m.status = 'pending'
    AND ($2::text[] IS NULL OR a.message_id = ANY($2))
    AND NOT EXISTS (SELECT 1 FROM message_attempts b WHERE b.message_id = a.message_id AND b.seq > a.seq
                    AND b.started_at >= $1)
    AND NOT EXISTS (SELECT 1 FROM waiting_messages w WHERE w.message_id = a.message_id)
  ORDER BY a.message_id, a.seq DESC LIMIT $3`;

/** As above. Pending messages whose chain has come to its end, and long ago, without anybody noting it. */
const STRANDED = `SELECT m.id, a.seq, a.provider FROM messages m
  JOIN LATERAL (SELECT l.seq, l.provider, l.started_at FROM message_attempts l
    WHERE l.message_id = m.id ORDER BY l.seq DESC LIMIT 1) a ON a.started_at < $1
  WHERE m.status = 'pending' AND m.created_at < $1 AND ($2::text[] IS NULL OR m.id = ANY($2))
    AND NOT EXISTS (SELECT 1 FROM message_attempts b WHERE b.message_id = m.id
                    AND (b.outcome IS NULL OR b.outcome = 'unknown'))
    AND (SELECT count(*) FROM message_attempts b WHERE b.message_id = m.id) >= cardinality(m.chain)
    AND NOT EXISTS (SELECT 1 FROM waiting_messages w WHERE w.message_id = m.id)
  ORDER BY m.id LIMIT $3`;

const UNCONFIRMED = `SELECT id, attempts AS seq, provider FROM messages
  WHERE status = 'sent' AND sent_at < $1 AND ($2::text[] IS NULL OR id = ANY($2)) ORDER BY sent_at LIMIT $3`;

/** Fails, and refunds, pending messages whose last hand-over began before `before` and never came to an end. */
export const failUnresolved = (before: Date): Promise<void> =>
  sweep(UNRESOLVED, before, (row) => ({
    to: "failed",
    at: now(),
    provider: row.provider,
    error: {
      code: "provider_outcome_unknown",
      message: "The provider never told whether it took the message. The cost was refunded.",
    },
  }));

/** Fails, and refunds, pending messages that all their providers refused before `before`, and that none may have. */
export const failStranded = (before: Date): Promise<void> =>
  sweep(STRANDED, before, (row) => ({
    to: "failed",
    at: now(),
    provider: row.provider,
    error: { code: "no_provider_available", message: "No provider took the message. The cost was refunded." },
  }));

/** Ends messages that a provider took before `before` and on which no final receipt came. They stay billed. */
export const expireUnconfirmed = (before: Date): Promise<void> =>
  sweep(UNCONFIRMED, before, () => ({
    to: "undelivered",
    at: now(),
    error: { code: "no_final_receipt", message: "No final delivery receipt came within 72 hours." },
  }));

/** Moves all that `choose` finds, lot by lot. It is asked again under the messages' locks, where its answer stands. */
async function sweep(choose: string, before: Date, stepOf: (row: Swept) => Step): Promise<void> {
  for (let found = SWEEP_MAX; found === SWEEP_MAX; ) {
    const { rows: chosen } = await pool().query<Swept>(choose, [before, null, SWEEP_MAX]);
    found = chosen.length;
    if (found === 0) return;
    const ids = chosen.map((row) => row.id);
    await transaction(async (tx) => {
      const [messages, { rows }] = await Promise.all([
        lockMessages(tx, ids),
        tx.query<Swept>(choose, [before, ids, SWEEP_MAX]),
      ]);
      await applyChanges(
        tx,
        rows.flatMap((row) => {
          const message = messages.get(row.id);
          return message ? [{ message, attempts: row.seq, steps: [stepOf(row)] }] : [];
        }),
      );
    });
  }
}

/** Adds dispatch jobs for pending messages that have a provider left to try, and that nobody has handed over since `before`. */
export async function requeueOrphans(before: Date): Promise<void> {
  for (let after = "", lot = 0, found = SWEEP_MAX; found === SWEEP_MAX; lot += 1) {
    const { rows } = await pool().query<{ id: string }>({
      text: `SELECT m.id FROM messages m WHERE m.status = 'pending' AND m.created_at < $1 AND m.id > $2
               AND NOT EXISTS (SELECT 1 FROM message_attempts a WHERE a.message_id = m.id
                               AND (a.outcome IS NULL OR a.outcome = 'unknown' OR a.started_at >= $1))
               AND (SELECT count(*) FROM message_attempts a WHERE a.message_id = m.id) < cardinality(m.chain)
               AND NOT EXISTS (SELECT 1 FROM waiting_messages w WHERE w.message_id = m.id)
             ORDER BY m.id LIMIT $3`,
      values: [before, after, SWEEP_MAX],
    });
    found = rows.length;
    after = rows.at(-1)?.id ?? "";
    if (found === 0) return;
    // One key per lot: while an earlier one still waits, it is replaced and the queue does not fill with the same ids.
    const messageIds = rows.map((row) => row.id);
    await addJob(pool(), "dispatch_messages", { messageIds }, { key: `dispatch_orphans_${lot}` });
    log("warn", "messages.orphans_requeued", { count: found });
  }
}

/**
 * Joins parked receipts, taken in after `since`, whose message has become known without anyone noticing. Older ones are
 * about nothing that could still become known.
 */
export async function joinLeftReceipts(since: Date): Promise<void> {
  const { rows } = await pool().query<{ provider: string; providerMessageId: string }>({
    text: `SELECT DISTINCT r.provider, r.provider_message_id AS "providerMessageId" FROM receipts r
           WHERE r.message_id IS NULL AND r.received_at > $2
             AND (EXISTS (SELECT 1 FROM message_attempts a
                          WHERE a.provider = r.provider AND a.provider_message_id = r.provider_message_id)
               OR EXISTS (SELECT 1 FROM attempt_parts p
                          WHERE p.provider = r.provider AND p.provider_message_id = r.provider_message_id)) LIMIT $1`,
    values: [SWEEP_MAX, since],
  });
  for (const provider of new Set(rows.map((row) => row.provider))) {
    const own = rows.filter((row) => row.provider === provider);
    await rejoinReceipts(
      provider,
      own.map((row) => row.providerMessageId),
    );
  }
}

/** Forgets the answers to Idempotency-Keys after their 24 hours. */
export async function forgetIdempotencyKeys(): Promise<void> {
  await pool().query("DELETE FROM idempotency_keys WHERE created_at < now() - interval '25 hours'");
}

/**
 * Forgets what made callbacks of providers unique, long after they would be refused as stale; old counters; and receipts
 * about messages that are not ours, when one that is would have expired.
 */
export async function forgetCallbacks(): Promise<void> {
  // Plivo signs no time: what was forgotten could be repeated at any age.
  await pool().query(
    `DELETE FROM receipt_nonces
     WHERE seen_at < now() - CASE provider WHEN 'plivo' THEN interval '31 days' ELSE interval '25 hours' END`,
  );
  await pool().query("DELETE FROM provider_minutes WHERE minute < now() - interval '31 days'");
  await pool().query("DELETE FROM receipts WHERE message_id IS NULL AND received_at < now() - interval '72 hours'");
}
