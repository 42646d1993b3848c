/**
 * Where messages wait that their provider or sender takes only at a certain pace, or that found the provider's lane
 * full. The room is in the database: any worker serves it, nothing is claimed before its turn, and between accounts it is
 * fair, because an account's next message is tagged behind its own ones only (start-time fair queueing).
 */

import { cachedRead } from "../../core/cached-read";
import { now, SECOND_MS } from "../../core/clock";
import { pool, type Queryable, type Tx, transaction } from "../../core/db";
import { addJob } from "../../core/jobs";
import { providerTable } from "../../providers/registry";
import { findSuppressed } from "../../suppressions/store";
import { type Attempt, claim, disownClaims, forgetClaims, sendingOf } from "./claims";
import { attemptOf } from "./next-attempt";
import { nextInQueue, queuedSenders, senderBucket, type Waiting } from "./throttle-queue-order";
import { allowance, type Bucket, refill } from "./token-bucket";

/** Rates in segments per second; null: none. */
export type ThroughputLimits = {
  ofProvider: (provider: string) => number | null;
  ofSender: (accountId: string, sender: string) => number | null;
  /** Whether an attempt must wait for its turn. */
  isThrottled: (attempt: Pick<Attempt, "provider" | "accountId" | "message">) => boolean;
};

const RATES_FRESH_MS = SECOND_MS;

const senderRates = cachedRead("waiting.sender_rates", RATES_FRESH_MS, async () => {
  const { rows } = await pool().query<{ accountId: string; sender: string; rate: number }>({
    name: "waiting.sender_rates",
    text: `SELECT account_id AS "accountId", sender_id AS sender, max_segments_per_second AS rate FROM senders
           WHERE max_segments_per_second IS NOT NULL`,
  });
  return new Map(rows.map((row) => [senderBucket(row.accountId, row.sender), row]));
});

const providerBucket = (provider: string): string => `provider:${provider}`;

/** The rates in force, at most a second old. */
export async function loadThroughputLimits(): Promise<ThroughputLimits> {
  const [table, rates] = await Promise.all([providerTable(), senderRates.get()]);
  const ofProvider = (provider: string) => table.stateOf(provider)?.maxSegmentsPerSecond ?? null;
  const ofSender = (accountId: string, sender: string) => rates.get(senderBucket(accountId, sender))?.rate ?? null;
  return {
    ofProvider,
    ofSender,
    isThrottled: ({ provider, accountId, message }) =>
      ofProvider(provider) !== null || ofSender(accountId, message.from) !== null,
  };
}

/** Puts attempts into the room; one that is there already keeps its place. */
export async function enqueueThrottled(tx: Queryable, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length === 0) return;
  await tx.query({
    name: "waiting.enter",
    text: `INSERT INTO waiting_messages (message_id, provider, account_id, sender, segments, seq, tag, created_at)
           SELECT e.message_id, e.provider, e.account_id, e.sender, e.segments, e.seq,
             GREATEST(COALESCE(b.virtual_time, 0), COALESCE(l.tag, 0))
               + sum(e.segments) OVER (PARTITION BY e.provider, e.account_id ORDER BY e.message_id), clock_timestamp()
           FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int2[], $6::int2[])
             AS e (message_id, provider, account_id, sender, segments, seq)
           LEFT JOIN pace_buckets b ON b.id = 'provider:' || e.provider
           LEFT JOIN LATERAL (SELECT max(w.tag) AS tag FROM waiting_messages w
             WHERE w.provider = e.provider AND w.account_id = e.account_id) l ON true
           ON CONFLICT (message_id) DO NOTHING`,
    values: [
      attempts.map((attempt) => attempt.message.id),
      attempts.map((attempt) => attempt.provider),
      attempts.map((attempt) => attempt.accountId),
      attempts.map((attempt) => attempt.message.from),
      attempts.map((attempt) => attempt.message.segments),
      attempts.map((attempt) => attempt.seq),
    ],
  });
}

/** Charges attempts that are made past the room to their provider's and sender's throughput, which may overdraw these. */
export async function chargeThroughput(tx: Queryable, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length === 0) return;
  const charges = attempts.flatMap(({ provider, accountId, message }) =>
    [providerBucket(provider), senderBucket(accountId, message.from)].map((id) => ({ id, segments: message.segments })),
  );
  await tx.query({
    name: "waiting.charge",
    text: `UPDATE pace_buckets b SET tokens = b.tokens - (SELECT sum(c.segments)
             FROM unnest($1::text[], $2::int4[]) AS c (id, segments) WHERE c.id = b.id)
           FROM (SELECT id FROM pace_buckets WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE) l WHERE b.id = l.id`,
    values: [charges.map((charge) => charge.id), charges.map((charge) => charge.segments)],
  });
}

/** Which of these providers have messages waiting. */
export async function providersWithQueue<Id extends string>(providers: readonly Id[]): Promise<Id[]> {
  const { rows } = await pool().query<{ id: Id }>({
    name: "waiting.providers",
    text: `SELECT p.id FROM unnest($1::text[]) AS p (id)
           WHERE EXISTS (SELECT 1 FROM waiting_messages w WHERE w.provider = p.id)`,
    values: [providers],
  });
  return rows.map((row) => row.id);
}

/** Messages looked at in one turn, beyond those that the provider's pace allows: some may wait for their sender. */
const BESIDE = 200;
const TURN_MAX = 500;

/**
 * Claims the attempts whose turn it is at `provider`, up to `limit`, and takes their messages out of the room, all in one
 * transaction. @param begins whether they are begun with their claim.
 */
export async function claimFromThrottleQueue(provider: string, limit: number, begins = false): Promise<Attempt[]> {
  const [throughput, rates] = await Promise.all([loadThroughputLimits(), senderRates.get()]);
  let claimed: Attempt[] = [];
  try {
    await transaction(async (tx) => {
      // An earlier run of this was rolled back.
      forgetClaims(claimed);
      claimed = await claimTurns(tx, { provider, limit, begins, throughput, rates });
    });
  } catch (thrown) {
    disownClaims(claimed);
    throw thrown;
  }
  return claimed;
}

type Turn = {
  provider: string;
  limit: number;
  begins: boolean;
  throughput: ThroughputLimits;
  rates: ReadonlyMap<string, { accountId: string; sender: string; rate: number }>;
};

async function claimTurns(tx: Tx, { provider, limit: most, begins, throughput, rates }: Turn): Promise<Attempt[]> {
  const senders = await queuedSenders(tx, provider, [...rates.values()]);
  const buckets = await lockBuckets(tx, [providerBucket(provider), ...senders]);
  const own = buckets.get(providerBucket(provider));
  if (!own) return [];
  refill(own, throughput.ofProvider(provider));
  for (const id of senders) {
    const bucket = buckets.get(id);
    if (bucket) refill(bucket, rates.get(id)?.rate ?? null);
  }
  const blocked = senders.filter((id) => allowance(buckets.get(id)) < 1);
  const beside = senders.length > 0 ? BESIDE : 0;
  const limit = Math.min(most, TURN_MAX, Math.floor(allowance(own)) + beside);
  if (limit <= 0 || allowance(own) < 1) return [];
  const waiting = await nextInQueue(tx, provider, blocked, limit);
  const isSuppressed = await findSuppressed(tx, waiting.map(sendingOf));
  const isStopped = (entry: Waiting) => entry.revoked !== null || isSuppressed(sendingOf(entry));
  const stopped = waiting.filter(isStopped).map((entry) => entry.message.id);
  const turns = waiting.filter((entry) => {
    const { accountId, message } = entry;
    if (isStopped(entry)) return false;
    const id = senderBucket(accountId, message.from);
    const sender = buckets.get(id);
    // It came after the buckets were locked: it has its turn the next time.
    if (!sender && rates.has(id)) return false;
    if (allowance(own) < 1 || allowance(sender) < 1) return false;
    // A message goes whole: its segments may overdraw the bucket, which then waits the longer.
    for (const bucket of sender ? [own, sender] : [own]) bucket.tokens -= message.segments;
    return true;
  });
  if (turns.length + stopped.length === 0) return [];
  own.virtualTime = Math.max(own.virtualTime, ...turns.map((turn) => turn.tag));
  const claimedAt = now();
  const [claimed] = await Promise.all([
    claim(
      tx,
      turns.map((turn) => ({ ...attemptOf(turn, provider, claimedAt), seq: turn.seq })),
      () => begins,
    ),
    dequeue(tx, [...turns.map((turn) => turn.message.id), ...stopped]),
    // Dispatch fails them.
    stopped.length > 0 && addJob(tx, "dispatch_messages", { messageIds: stopped }),
    writeBuckets(tx, [...buckets.values()]),
  ]);
  return claimed;
}

/** Sends up to `count` messages that wait for `provider` through dispatch again, which finds them another way. */
export async function drainThrottleQueue(provider: string, count: number): Promise<number> {
  return transaction(async (tx) => {
    const { rows } = await tx.query<{ id: string }>({
      name: "waiting.empty",
      // Materialized: a batch that is chosen again while its rows go would be longer than its limit.
      text: `WITH batch AS MATERIALIZED (
               SELECT message_id FROM waiting_messages WHERE provider = $1 ORDER BY tag, message_id LIMIT $2
               FOR UPDATE SKIP LOCKED)
             DELETE FROM waiting_messages w USING batch WHERE w.message_id = batch.message_id RETURNING w.message_id AS id`,
      values: [provider, count],
    });
    const messageIds = rows.map((row) => row.id);
    if (messageIds.length > 0) await addJob(tx, "dispatch_messages", { messageIds });
    return messageIds.length;
  });
}

/** Locked in the order of their ids. Those of senders exist from their first message on. */
async function lockBuckets(tx: Tx, ids: string[]): Promise<Map<string, Bucket>> {
  const [, { rows }] = await Promise.all([
    tx.query({
      name: "waiting.make_buckets",
      text: `INSERT INTO pace_buckets (id, tokens, refilled_at)
             SELECT id, 1, clock_timestamp() FROM unnest($1::text[]) AS b (id) ORDER BY id ON CONFLICT DO NOTHING`,
      values: [ids],
    }),
    tx.query<Bucket>({
      name: "waiting.lock_buckets",
      text: `SELECT b.id, b.tokens, b.virtual_time AS "virtualTime",
               extract(epoch FROM clock_timestamp() - b.refilled_at)::float8 AS "elapsedS"
             FROM pace_buckets b WHERE b.id = ANY($1::text[]) ORDER BY b.id FOR UPDATE`,
      values: [ids],
    }),
  ]);
  return new Map(rows.map((row) => [row.id, row]));
}

const dequeue = (tx: Tx, messageIds: string[]) =>
  tx.query({
    name: "waiting.leave",
    text: "DELETE FROM waiting_messages WHERE message_id = ANY($1::text[])",
    values: [messageIds],
  });

const writeBuckets = (tx: Tx, buckets: Bucket[]) =>
  tx.query({
    name: "waiting.write_buckets",
    text: `UPDATE pace_buckets b SET tokens = u.tokens, virtual_time = u.virtual_time, refilled_at = clock_timestamp()
           FROM unnest($1::text[], $2::float8[], $3::float8[]) AS u (id, tokens, virtual_time) WHERE b.id = u.id`,
    values: [
      buckets.map((bucket) => bucket.id),
      buckets.map((bucket) => bucket.tokens),
      buckets.map((bucket) => bucket.virtualTime),
    ],
  });
