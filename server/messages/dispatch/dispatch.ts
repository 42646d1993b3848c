/** Dispatch: chooses each message's next provider, and claims an attempt there or lets the message wait. */
import { now } from "../../core/clock";
import { filterEquals, pool, transaction } from "../../core/db";
import { env } from "../../core/env";
import { textArray } from "../../core/unnest";
import { returnProbes, takeProbes } from "../../providers/health/provider-health";
import { acquireSlots, type Slot } from "../../providers/health/slots";
import type { Adapter, OutboundMessage } from "../../providers/port";
import { type ProviderTable, providerTable } from "../../providers/registry";
import { findSuppressed } from "../../suppressions/store";
import { findDueRefusals } from "../due/due-check";
import { BLOCKLISTED, type Refusal } from "../failure";
import { isDue } from "../scheduled";
import { type Attempt, type Candidate, claim, sendingOf } from "./claims";
import { EXPIRED, failUndispatched, isExpired, REVOKED_REFUSALS, type Revoked, revokedOf } from "./fail-undispatched";
import { attemptOf, beginsAtOnce } from "./next-attempt";
import { nextProvider } from "./next-provider";
import { chargeThroughput, enqueueThrottled, loadThroughputLimits, type ThroughputLimits } from "./throttle-queue";

/** How long a dispatch waits for a provider's slots before its messages wait in the throttle queue, which blocks no job. */
const SLOTS_WITHIN_MS = 100;

type Row = Candidate & { chain: string[]; revoked: Revoked; isExpired: boolean; isScheduled: boolean };

/** Starts claimed attempts. */
export type Start = (attempts: readonly Attempt[]) => void;

const REVOKED = revokedOf("m", "m.account_status");

/** The message among the columns of a row, field by field, since this runs for each message. */
const messageOf = ({ id, to, from, body, encoding, segments, expiresAt, dlt }: OutboundMessage): OutboundMessage => ({
  id,
  to,
  from,
  body,
  encoding,
  segments,
  expiresAt,
  dlt,
});

/** Reads the messages that are pending, due, without an open attempt, and not in the throttle queue. */
async function readCandidates(messageIds: readonly string[]): Promise<Row[]> {
  const { rows } = await pool().query<
    OutboundMessage & {
      accountId: string;
      chain: string[];
      revoked: Revoked;
      isExpired: boolean;
      isScheduled: boolean;
      tried: string[] | null;
      unknown: boolean | null;
      open: boolean | null;
    }
  >({
    name: "dispatch.candidates",
    // An account's row is read only once, because while a transaction stays open it has a version for each batch that was charged to it.
    // The status reaches the account's messages through a window, not a join: a plan that expects few rows would compare every account
    // with every message.
    text: `WITH due AS MATERIALIZED (
             SELECT *, row_number() OVER (PARTITION BY r.account_id) AS place_in_account
             FROM messages r WHERE r.id = ANY($1::text[]) AND ${filterEquals("r.status", "pending")}
               AND ${isDue("r")}
               AND (SELECT count(*) FROM waiting_messages w WHERE w.message_id = r.id) = 0
           ), owned AS MATERIALIZED (
             SELECT *, max(CASE WHEN d.place_in_account = 1 THEN (SELECT a.status FROM accounts a WHERE a.id = d.account_id) END)
               OVER (PARTITION BY d.account_id) AS account_status
             FROM due d
           )
           SELECT m.id, m.to_number AS "to", m.from_sender AS "from", m.body, m.encoding, m.segments,
             m.expires_at AS "expiresAt", ${REVOKED.dlt} AS dlt,
             m.account_id AS "accountId", m.chain, ${REVOKED.column} AS revoked, ${isExpired("m")} AS "isExpired",
             m.scheduled_at IS NOT NULL AS "isScheduled", t.tried, t.unknown, t.open
           FROM owned m ${REVOKED.joins}
           LEFT JOIN LATERAL (SELECT array_agg(a.provider ORDER BY a.seq) AS tried, bool_or(a.outcome = 'unknown') AS unknown,
               bool_or(a.outcome IS NULL) AS open FROM message_attempts a WHERE a.message_id = m.id) t ON true
           WHERE m.account_status IS NOT NULL
           ORDER BY m.id`,
    values: [textArray(messageIds)],
  });
  const mayFallBack = env().ON_UNKNOWN_OUTCOME === "fallback";
  return rows
    .filter((row) => !row.open && (mayFallBack || !row.unknown))
    .map((row) => ({
      message: messageOf(row),
      accountId: row.accountId,
      chain: row.chain,
      revoked: row.revoked,
      isExpired: row.isExpired,
      isScheduled: row.isScheduled,
      tried: row.tried ?? [],
      afterUnknown: row.unknown ?? false,
    }));
}

/**
 * Claims the next attempt of each message that has no open one, provider by provider, as slots are free. Messages over a
 * throughput limit, without a slot within {@link SLOTS_WITHIN_MS}, or with only unavailable providers left enter the throttle
 * queue; messages that must no longer be sent fail.
 * @param start is called with attempts and their slots as soon as they are claimed: another provider may delay the rest.
 */
export async function dispatch(messageIds: readonly string[], start: Start): Promise<void> {
  const readAtMs = performance.now();
  const [table, throughput, candidates] = await Promise.all([
    providerTable(),
    loadThroughputLimits(),
    readCandidates(messageIds),
  ]);
  const at = now();
  const refusals = await findRefusals(candidates);
  const sendable = candidates.filter((candidate) => !refusals.has(candidate));
  const { ready, queued, probes } = await assignProviders(sendable, table, throughput, at);
  const undispatched = [...refusals].map(([{ message }, error]) => ({ messageId: message.id, error }));
  const steps = await Promise.allSettled([
    enqueue(queued),
    probe(probes, start),
    undispatched.length > 0 && transaction((tx) => failUndispatched(tx, undispatched, at)),
    ...[...ready].map(([provider, attempts]) =>
      claimAsSlotsAllow(table.openAdapter(provider), attempts, start, readAtMs),
    ),
  ]);
  const failed = steps.find((step) => step.status === "rejected");
  if (failed) throw failed.reason;
}

/** Errors of messages that must no longer be sent: a STOP or a suspension holds until the attempt has begun. */
async function findRefusals(candidates: readonly Row[]): Promise<Map<Row, Refusal>> {
  const isSuppressed = await findSuppressed(pool(), candidates.map(sendingOf));
  const refusals = new Map<Row, Refusal>();
  for (const candidate of candidates) {
    const { revoked } = candidate;
    const refusal =
      (candidate.isExpired && EXPIRED) ||
      (isSuppressed(sendingOf(candidate)) && BLOCKLISTED) ||
      (revoked && REVOKED_REFUSALS[revoked]);
    if (refusal) refusals.set(candidate, refusal);
  }
  const due = candidates.filter(({ isScheduled, tried }) => isScheduled && tried.length === 0);
  const notAllowed = await findDueRefusals(
    due.map(({ message }) => message.id),
    new Map([...refusals].map(([{ message }, refusal]) => [message.id, refusal])),
  );
  for (const candidate of due) {
    const refusal = notAllowed.get(candidate.message.id);
    if (refusal) refusals.set(candidate, refusal);
  }
  return refusals;
}

/** Attempts by what comes next for them. */
type Assignment = {
  /** To be claimed now, by provider. */
  ready: Map<string, Attempt[]>;
  /** To wait in the throttle queue. */
  queued: Attempt[];
  /** To test a half-open provider. */
  probes: Attempt[];
};

async function assignProviders(
  candidates: readonly Row[],
  table: ProviderTable,
  throughput: ThroughputLimits,
  at: Date,
): Promise<Assignment> {
  const chooseProvider = providerChooser(table);
  const assigned: Assignment = { ready: new Map(), queued: [], probes: [] };
  const readyAt = (provider: string): Attempt[] => {
    const attempts = assigned.ready.get(provider) ?? [];
    assigned.ready.set(provider, attempts);
    return attempts;
  };
  for (const candidate of candidates) {
    const next = await chooseProvider(candidate);
    if (next.kind === "none") continue;
    const { provider } = next;
    const attempt = attemptOf(candidate, provider, at);
    // Without settings nothing serves its queue: the attempt ends at once, and the message falls back to the next provider. Settings that
    // only this process cannot open are no reason to fail it: others serve the queue.
    const mayWait = table.openAdapter(provider) !== null || table.stateOf(provider)?.isUnreadable === true;
    if (next.isProbe) assigned.probes.push({ isProbe: true, ...attempt });
    else if (mayWait && (next.kind === "unavailable" || throughput.isThrottled(attempt))) assigned.queued.push(attempt);
    else readyAt(provider).push(attempt);
  }
  return assigned;
}

type Choice = ReturnType<typeof nextProvider> & { isProbe: boolean };

/** Chooses next providers; a half-open one takes a message only while it has probes left. */
function providerChooser(table: ProviderTable): (row: Row) => Promise<Choice> {
  const withoutProbes = new Set<string>();
  return async ({ chain, tried }) => {
    for (;;) {
      const next = nextProvider(chain, tried, (id) => withoutProbes.has(id) || table.isUnavailable(id));
      if (next.kind !== "provider" || table.stateOf(next.provider)?.breaker !== "probing") {
        return { isProbe: false, ...next };
      }
      // A probe bypasses the throttle queue, so its result is known at once; its segments are still charged.
      if ((await takeProbes(next.provider, 1)) > 0) return { isProbe: true, ...next };
      withoutProbes.add(next.provider);
    }
  };
}

/**
 * Claims attempts at one provider as its slots become free within {@link SLOTS_WITHIN_MS}; the rest are queued.
 * @param readAtMs `performance.now()` before it was read that their messages may be sent.
 */
async function claimAsSlotsAllow(
  adapter: Adapter | null,
  attempts: Attempt[],
  start: Start,
  readAtMs: number,
): Promise<void> {
  if (!adapter) return start(await claim(null, attempts, () => false));
  const deadline = performance.now() + SLOTS_WITHIN_MS;
  let left = attempts;
  while (left.length > 0) {
    const slots = await acquireSlots(adapter, left.length, Math.max(0, deadline - performance.now()));
    if (slots.length === 0) break;
    start(await claimWithSlots(adapter, left.slice(0, slots.length), slots, readAtMs));
    left = left.slice(slots.length);
  }
  await enqueue(left);
}

/** As `enqueueThrottled`, in a separate transaction. */
const enqueue = async (attempts: readonly Attempt[]): Promise<void> => {
  if (attempts.length > 0) await transaction((tx) => enqueueThrottled(tx, attempts));
};

/** Claims attempts that have a slot each. An attempt that is not claimed gives its slot back. */
async function claimWithSlots(
  adapter: Adapter,
  attempts: Attempt[],
  slots: readonly Slot[],
  readAtMs: number,
): Promise<Attempt[]> {
  const placed = attempts.map((attempt, at) => ({ ...attempt, slot: slots[at] ?? null }));
  let claimed: Attempt[] = [];
  try {
    claimed = await claim(null, placed, () => beginsAtOnce(adapter), readAtMs);
    return claimed;
  } finally {
    const kept = new Set(claimed.map(({ slot }) => slot));
    for (const { slot } of placed) if (!kept.has(slot)) slot?.release();
  }
}

/** Claims attempts that test half-open providers. They are few, and acquire their slots when they are made. */
async function probe(attempts: Attempt[], start: Start): Promise<void> {
  let claimed: Attempt[] = [];
  try {
    await chargeThroughput(pool(), attempts);
    claimed = await claim(null, attempts, () => false);
    start(claimed);
  } finally {
    const own = new Set(claimed.map((attempt) => attempt.claim));
    for (const attempt of attempts) if (!own.has(attempt.claim)) await returnProbes(attempt.provider, 1);
  }
}
