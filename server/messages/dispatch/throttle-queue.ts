/**
 * The throttle queue: messages wait here for a throughput limit of their provider or sender, or for a slot. It is in the
 * database: any worker serves it, and nothing is claimed before its turn. Between accounts it is fair, because an account's
 * next message is tagged behind that account's own messages only (start-time fair queueing).
 */

import { addJob } from "../../core/add-jobs";
import { cachedRead } from "../../core/cached-read";
import { now, SECOND_MS } from "../../core/clock";
import { filterEquals, inOrderOfIndex, pool, type Queryable, type Tx, transaction } from "../../core/db";
import { unnest } from "../../core/unnest";
import { providerTable } from "../../providers/registry";
import { findSuppressed } from "../../suppressions/store";
import { type Attempt, abandonClaims, claim, dropClaims, sendingOf } from "./claims";
import { attemptOf } from "./next-attempt";
import { nextInQueue, queuedSenders, senderBucket, type Waiting } from "./throttle-queue-order";
import { allowance, type Bucket, refill } from "./token-bucket";

/** Throughput limits in segments per second; null: no limit. */
export type ThroughputLimits = {
  ofProvider: (provider: string) => number | null;
  ofSender: (accountId: string, sender: string) => number | null;
  /** Whether an attempt must go through the queue. */
  isThrottled: (attempt: Pick<Attempt, "provider" | "accountId" | "message">) => boolean;
};

const RATES_FRESH_MS = SECOND_MS;

/** Senders with a throughput limit, by the ids of their buckets. */
type SenderRates = ReadonlyMap<string, { accountId: string; sender: string; rate: number }>;

const senderRates = cachedRead("waiting.sender_rates", RATES_FRESH_MS, async (): Promise<SenderRates> => {
  const { rows } = await pool().query<{ accountId: string; sender: string; rate: number }>({
    name: "waiting.sender_rates",
    text: `SELECT account_id AS "accountId", sender_id AS sender, max_segments_per_second AS rate FROM senders
           WHERE max_segments_per_second IS NOT NULL`,
  });
  return new Map(rows.map((row) => [senderBucket(row.accountId, row.sender), row]));
});

const providerBucket = (provider: string): string => `provider:${provider}`;

/** The current throughput limits, at most a second old. */
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

const ENTRIES = unnest<Attempt>({
  message_id: ["text", ({ message }) => message.id],
  provider: ["text", ({ provider }) => provider],
  account_id: ["text", ({ accountId }) => accountId],
  sender: ["text", ({ message }) => message.from],
  segments: ["int2", ({ message }) => message.segments],
  seq: ["int2", ({ seq }) => seq],
});

/**
 * Enqueues attempts; one whose message is queued already keeps its place. An attempt that can no longer be claimed, because
 * another dispatch was faster, is left out: while it waited for its turn, no dispatch would touch its message.
 */
export async function enqueueThrottled(tx: Tx, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length === 0) return;
  await inOrderOfIndex(tx, () => tx.query({ name: "waiting.enter", text: ENTER, values: ENTRIES.values(attempts) }));
}

/**
 * The end of each account's queue is read once, as the last row of an index. An end before the virtual time does not count: for
 * an account with nothing queued, all rows that have left the queue since the oldest open transaction began would be read.
 */
const ENTER = `WITH entries AS MATERIALIZED (SELECT * FROM ${ENTRIES.as("e")}),
    ends AS MATERIALIZED (
      SELECT o.provider, o.account_id, (SELECT w.tag FROM waiting_messages w
          WHERE w.provider = o.provider AND w.account_id = o.account_id
            AND w.tag > COALESCE((SELECT virtual_time FROM pace_buckets WHERE id = 'provider:' || o.provider), 0)
          ORDER BY w.tag DESC LIMIT 1) AS tag
      FROM (SELECT provider, account_id FROM entries GROUP BY provider, account_id) o)
  INSERT INTO waiting_messages (message_id, provider, account_id, sender, segments, seq, tag, created_at)
  SELECT e.message_id, e.provider, e.account_id, e.sender, e.segments, e.seq,
    GREATEST(COALESCE(b.virtual_time, 0), COALESCE(l.tag, 0))
      + sum(e.segments) OVER (PARTITION BY e.provider, e.account_id ORDER BY e.message_id), clock_timestamp()
  FROM entries e
  JOIN messages m ON m.id = e.message_id AND ${filterEquals("m.status", "pending")}
  LEFT JOIN pace_buckets b ON b.id = 'provider:' || e.provider
  JOIN ends l ON l.provider = e.provider AND l.account_id = e.account_id
  WHERE NOT EXISTS (SELECT 1 FROM message_attempts a
    WHERE a.message_id = e.message_id AND (a.seq >= e.seq OR a.outcome = 'refused'))
  ON CONFLICT (message_id) DO NOTHING`;

type Charge = { id: string; segments: number };

const CHARGES = unnest<Charge>({ id: ["text", ({ id }) => id], segments: ["int4", ({ segments }) => segments] });

/** Charges attempts that bypass the queue to the buckets of their provider and sender, which may overdraw these. */
export async function chargeThroughput(tx: Queryable, attempts: readonly Attempt[]): Promise<void> {
  if (attempts.length === 0) return;
  const charges = attempts.flatMap(({ provider, accountId, message }) =>
    [providerBucket(provider), senderBucket(accountId, message.from)].map((id) => ({ id, segments: message.segments })),
  );
  await tx.query({
    name: "waiting.charge",
    text: `UPDATE pace_buckets b SET tokens = b.tokens - (SELECT sum(c.segments) FROM ${CHARGES.as("c")} WHERE c.id = b.id)
           FROM (SELECT id FROM pace_buckets WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE) l WHERE b.id = l.id`,
    values: CHARGES.values(charges),
  });
}

/** Finds which of these providers have messages queued. */
export async function providersWithQueue<Id extends string>(providers: readonly Id[]): Promise<Id[]> {
  const { rows } = await pool().query<{ id: Id }>({
    name: "waiting.providers",
    text: `SELECT p.id FROM unnest($1::text[]) AS p (id)
           WHERE EXISTS (SELECT 1 FROM waiting_messages w WHERE w.provider = p.id)`,
    values: [providers],
  });
  return rows.map((row) => row.id);
}

/** Messages read beyond the provider's allowance, since senders' limits may hold some back. */
const EXTRA_READ = 200;
const CLAIMED_MAX = 500;

/**
 * Claims the attempts that are next at `provider`, up to `limit`, and dequeues their messages, in one transaction.
 * `begins`: whether they begin with their claim.
 */
export async function claimFromThrottleQueue(
  provider: string,
  limit: number,
  { begins } = { begins: false },
): Promise<Attempt[]> {
  const [throughput, rates] = await Promise.all([loadThroughputLimits(), senderRates.get()]);
  const providerRate = throughput.ofProvider(provider);
  let claimed: Attempt[] = [];
  try {
    await transaction(async (tx) => {
      const readAtMs = performance.now();
      // Drops the claims of an earlier run, which was rolled back.
      dropClaims(claimed);
      claimed = await claimNextInQueue(tx, { provider, limit, begins, readAtMs, providerRate, rates });
    });
  } catch (thrown) {
    abandonClaims(claimed);
    throw thrown;
  }
  return claimed;
}

type ClaimRequest = {
  provider: string;
  limit: number;
  begins: boolean;
  readAtMs: number;
  providerRate: number | null;
  rates: SenderRates;
};

async function claimNextInQueue(tx: Tx, request: ClaimRequest): Promise<Attempt[]> {
  const { provider, begins, readAtMs } = request;
  const buckets = await lockRefilledBuckets(tx, request);
  if (!buckets || allowance(buckets.provider) < 1) return [];
  const blocked = [...buckets.senders.values()].filter((bucket) => allowance(bucket) < 1).map(({ id }) => id);
  const extra = buckets.senders.size > 0 ? EXTRA_READ : 0;
  const limit = Math.min(request.limit, CLAIMED_MAX, Math.floor(allowance(buckets.provider)) + extra);
  if (limit <= 0) return [];
  const heads = await nextInQueue(tx, provider, blocked, limit);
  const { sendable, stopped } = await splitStopped(tx, heads);
  const admitted = admit(sendable, buckets, request.rates);
  if (admitted.length + stopped.length === 0) return [];
  buckets.provider.virtualTime = Math.max(buckets.provider.virtualTime, ...admitted.map(({ tag }) => tag));
  const claimedAt = now();
  const attempts = admitted.map((entry) => ({ ...attemptOf(entry, provider, claimedAt), seq: entry.seq }));
  // Pipelined: they reach the database in this order.
  const [claimed] = await Promise.all([
    claim(tx, attempts, () => begins, readAtMs),
    dequeue(
      tx,
      [...admitted, ...stopped].map(({ message }) => message.id),
    ),
    // Dispatch fails them.
    dispatchAgain(tx, stopped),
    writeBuckets(tx, [buckets.provider, ...buckets.senders.values()]),
  ]);
  const isClaimed = new Set(claimed.map(({ message }) => message.id));
  // Their place was stale: another worker made the attempt, and a dispatch of the next one may have found the message queued.
  await dispatchAgain(
    tx,
    admitted.filter(({ message }) => !isClaimed.has(message.id)),
  );
  return claimed;
}

async function dispatchAgain(tx: Tx, dequeued: readonly Waiting[]): Promise<void> {
  const messageIds = dequeued.map(({ message }) => message.id);
  if (messageIds.length > 0) await addJob(tx, "dispatch_messages", { messageIds });
}

/** The provider's bucket, and those of its queued senders that have a limit, by their ids. */
type Buckets = { provider: Bucket; senders: ReadonlyMap<string, Bucket> };

async function lockRefilledBuckets(tx: Tx, { provider, providerRate, rates }: ClaimRequest): Promise<Buckets | null> {
  const senders = await queuedSenders(tx, provider, [...rates.values()]);
  const id = providerBucket(provider);
  const buckets = await lockBuckets(tx, [id, ...senders]);
  const own = buckets.get(id);
  if (!own) return null;
  buckets.delete(id);
  refill(own, providerRate);
  for (const bucket of buckets.values()) refill(bucket, rates.get(bucket.id)?.rate ?? null);
  return { provider: own, senders: buckets };
}

/** Separates messages that must no longer be sent: after a STOP, expired, or because their account or sender was revoked. */
async function splitStopped(tx: Tx, heads: readonly Waiting[]): Promise<{ sendable: Waiting[]; stopped: Waiting[] }> {
  const isSuppressed = await findSuppressed(tx, heads.map(sendingOf));
  const isStopped = (entry: Waiting) => entry.isExpired || entry.revoked !== null || isSuppressed(sendingOf(entry));
  return { sendable: heads.filter((entry) => !isStopped(entry)), stopped: heads.filter(isStopped) };
}

/** Takes messages in order while tokens last, and spends their tokens. */
function admit(heads: readonly Waiting[], { provider, senders }: Buckets, rates: SenderRates): Waiting[] {
  return heads.filter(({ accountId, message }) => {
    const id = senderBucket(accountId, message.from);
    const sender = senders.get(id);
    // It was enqueued after the buckets were locked: the next transaction takes it.
    if (!sender && rates.has(id)) return false;
    if (allowance(provider) < 1 || allowance(sender) < 1) return false;
    // A message is sent whole: its segments may overdraw the bucket, which then takes longer to refill.
    for (const bucket of sender ? [provider, sender] : [provider]) bucket.tokens -= message.segments;
    return true;
  });
}

/** Sends up to `count` messages that are queued at `provider` through dispatch again, which finds them another provider. */
export async function drainThrottleQueue(provider: string, count: number): Promise<number> {
  return transaction(async (tx) => {
    const { rows } = await inOrderOfIndex(tx, () =>
      tx.query<{ id: string }>({
        name: "waiting.empty",
        // Materialized: a subquery that is evaluated again while rows disappear would exceed its limit.
        text: `WITH batch AS MATERIALIZED (
                 SELECT message_id FROM waiting_messages WHERE provider = $1 ORDER BY tag, message_id LIMIT $2
                 FOR UPDATE SKIP LOCKED)
               DELETE FROM waiting_messages WHERE message_id = ANY(ARRAY(SELECT message_id FROM batch)) RETURNING message_id AS id`,
        values: [provider, count],
      }),
    );
    const messageIds = rows.map((row) => row.id);
    if (messageIds.length > 0) await addJob(tx, "dispatch_messages", { messageIds });
    return messageIds.length;
  });
}

/**
 * Creates missing buckets and locks all in the order of their ids. The time since their last refill is in whole milliseconds,
 * as the column keeps them, so that none is lost or counted twice. @returns them by id.
 */
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
               extract(epoch FROM clock_timestamp()::timestamptz(3) - b.refilled_at)::float8 AS "elapsedS"
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

const BUCKETS = unnest<Bucket>({
  id: ["text", ({ id }) => id],
  tokens: ["float8", ({ tokens }) => tokens],
  virtual_time: ["float8", ({ virtualTime }) => virtualTime],
  elapsed_s: ["float8", ({ elapsedS }) => elapsedS],
});

/** Buckets are refilled up to the time of their lock: the time until they are written belongs to the next serving. */
const writeBuckets = (tx: Tx, buckets: readonly Bucket[]) =>
  tx.query({
    name: "waiting.write_buckets",
    text: `UPDATE pace_buckets b SET tokens = u.tokens, virtual_time = u.virtual_time,
             refilled_at = b.refilled_at + make_interval(secs => u.elapsed_s)
           FROM ${BUCKETS.as("u")} WHERE b.id = u.id`,
    values: BUCKETS.values(buckets),
  });
