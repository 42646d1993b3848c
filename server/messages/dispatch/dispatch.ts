/** Dispatch: which provider each message goes to now, and which messages must wait. */
import { now } from "../../core/clock";
import { filterEquals, pool, transaction } from "../../core/db";
import { env } from "../../core/env";
import { giveBackProbes, takeProbes } from "../../providers/health/provider-health";
import { acquireSlots, type Slot } from "../../providers/health/slots";
import type { Adapter, OutboundMessage } from "../../providers/port";
import { type ProviderTable, providerTable } from "../../providers/registry";
import { findSuppressed } from "../../suppressions/store";
import { BLOCKLISTED } from "../accept/fraud-rules";
import { type Attempt, beginsAtOnce, type Candidate, claim, sendingOf } from "./claims";
import { failUndispatched, REVOKED_COLUMN, REVOKED_JOINS, REVOKED_REFUSALS, type Revoked } from "./fail-undispatched";
import { attemptOf } from "./next-attempt";
import { nextProvider } from "./next-provider";
import { chargeThroughput, enqueueThrottled, loadThroughputLimits } from "./throttle-queue";

/** How long a dispatch waits for slots of a provider before its messages wait in the database, where nobody waits for them. */
const SLOTS_WITHIN_MS = 100;

type Row = Candidate & { chain: string[]; revoked: Revoked };

/** Messages that nobody is handing over: pending, without an open attempt, and not in the waiting room. */
async function readCandidates(messageIds: readonly string[]): Promise<Row[]> {
  const { rows } = await pool().query<
    OutboundMessage & {
      accountId: string;
      chain: string[];
      revoked: Revoked;
      tried: string[] | null;
      unknown: boolean | null;
      open: boolean | null;
    }
  >({
    name: "dispatch.candidates",
    text: `SELECT m.id, m.to_number AS "to", m.from_sender AS "from", m.body, m.encoding, m.segments,
             m.account_id AS "accountId", m.chain, ${REVOKED_COLUMN} AS revoked, t.tried, t.unknown, t.open
           FROM messages m ${REVOKED_JOINS}
           LEFT JOIN LATERAL (SELECT array_agg(a.provider ORDER BY a.seq) AS tried, bool_or(a.outcome = 'unknown') AS unknown,
               bool_or(a.outcome IS NULL) AS open FROM message_attempts a WHERE a.message_id = m.id) t ON true
           WHERE m.id = ANY($1::text[]) AND ${filterEquals("m.status", "pending")}
             AND NOT EXISTS (SELECT 1 FROM waiting_messages w WHERE w.message_id = m.id)
           ORDER BY m.id`,
    values: [messageIds],
  });
  const mayFallBack = env().ON_UNKNOWN_OUTCOME === "fallback";
  return rows
    .filter((row) => !row.open && (mayFallBack || !row.unknown))
    .map(({ accountId, chain, revoked, tried, unknown, open: _, ...message }) => {
      return { message, accountId, chain, revoked, tried: tried ?? [], afterUnknown: unknown ?? false };
    });
}

/**
 * Claims the next attempt of each message that nobody is sending, provider by provider, as slots are free. Messages that
 * are paced, get no slot soon, or have only held providers left wait in the waiting room; those that must not be sent
 * any more fail.
 * @param take is given claimed attempts with their slots, at once: another provider may make the rest wait.
 */
export async function dispatch(
  messageIds: readonly string[],
  take: (attempts: readonly Attempt[]) => void,
): Promise<void> {
  const [table, throughput, candidates] = await Promise.all([
    providerTable(),
    loadThroughputLimits(),
    readCandidates(messageIds),
  ]);
  const at = now();
  // A STOP or a suspension that came after a message was accepted holds for it too, until somebody begins to send it.
  const isSuppressed = await findSuppressed(pool(), candidates.map(sendingOf));
  const refusalOf = (row: Row) =>
    isSuppressed(sendingOf(row)) ? BLOCKLISTED : row.revoked && REVOKED_REFUSALS[row.revoked];
  const refused = candidates.flatMap((row) => {
    const error = refusalOf(row);
    return error
      ? [{ messageId: row.message.id, attempts: row.tried.length, afterUnknown: row.afterUnknown, error }]
      : [];
  });
  const pick = pickerOf(table);
  const ready = new Map<string, Attempt[]>();
  const waiting: Attempt[] = [];
  const probes: Attempt[] = [];
  for (const candidate of candidates) {
    if (refusalOf(candidate)) continue;
    const next = await pick(candidate);
    if (next.kind === "none") continue;
    const attempt = attemptOf(candidate, next.provider, at);
    if (next.isProbe) probes.push(attempt);
    else if (next.kind === "unavailable" || throughput.isThrottled(attempt)) waiting.push(attempt);
    else ready.set(next.provider, [...(ready.get(next.provider) ?? []), attempt]);
  }
  const steps = await Promise.allSettled([
    enqueueThrottled(pool(), waiting),
    probe(probes, take),
    refused.length > 0 && transaction((tx) => failUndispatched(tx, refused, at)),
    ...[...ready].map(([provider, attempts]) => claimAsSlotsAllow(table.adapterOf(provider), attempts, take)),
  ]);
  const failed = steps.find((step) => step.status === "rejected");
  if (failed) throw failed.reason;
}

/** As {@link dispatch}; the attempts are the caller's to make. */
export async function claimAttempts(messageIds: readonly string[]): Promise<Attempt[]> {
  const claimed: Attempt[] = [];
  await dispatch(messageIds, (attempts) => claimed.push(...attempts));
  return claimed;
}

type Take = (attempts: readonly Attempt[]) => void;

/** Claims attempts at one provider for the slots that are free or become free in a moment; the others have to wait. */
async function claimAsSlotsAllow(adapter: Adapter | null, attempts: Attempt[], take: Take): Promise<void> {
  // It has lost its credentials: the attempt ends at once, and the next provider has its turn.
  if (!adapter) return take(await claim(pool(), attempts, () => false));
  const deadline = performance.now() + SLOTS_WITHIN_MS;
  let left = attempts;
  while (left.length > 0) {
    const slots = await acquireSlots(adapter, left.length, Math.max(0, deadline - performance.now()));
    if (slots.length === 0) break;
    take(await claimWithSlots(adapter, left.slice(0, slots.length), slots));
    left = left.slice(slots.length);
  }
  await enqueueThrottled(pool(), left);
}

/** Claims attempts that have a slot each. An attempt that is not claimed gives its slot back. */
async function claimWithSlots(adapter: Adapter, attempts: Attempt[], slots: readonly Slot[]): Promise<Attempt[]> {
  const placed = attempts.map((attempt, at) => ({ ...attempt, slot: slots[at] ?? null }));
  let claimed: Attempt[] = [];
  try {
    claimed = await claim(pool(), placed, () => beginsAtOnce(adapter));
    return claimed;
  } finally {
    const kept = new Set(claimed.map(({ slot }) => slot));
    for (const { slot } of placed) if (!kept.has(slot)) slot?.release();
  }
}

/** Claims attempts that try out a provider. They have no slot yet: they are few, and wait for one in their turn. */
async function probe(attempts: Attempt[], take: Take): Promise<void> {
  let claimed: Attempt[] = [];
  try {
    await chargeThroughput(pool(), attempts);
    claimed = await claim(pool(), attempts, () => false);
    take(claimed);
  } finally {
    const own = new Set(claimed.map((attempt) => attempt.claim));
    for (const attempt of attempts) if (!own.has(attempt.claim)) await giveBackProbes(attempt.provider, 1);
  }
}

type Pick = ReturnType<typeof nextProvider> & { isProbe: boolean };

/** Tells a message's next provider, of which one that is being tried out takes a message only while it has probes left. */
function pickerOf(table: ProviderTable): (row: Row) => Promise<Pick> {
  const unavailableNow = new Set<string>();
  return async ({ chain, tried }) => {
    for (;;) {
      const next = nextProvider(chain, tried, (id) => unavailableNow.has(id) || table.isUnavailable(id));
      if (next.kind !== "provider" || table.stateOf(next.provider)?.breaker !== "probing") {
        return { ...next, isProbe: false };
      }
      // A probe goes past its pace, which it is charged to: whoever is tried out is called at once.
      if ((await takeProbes(next.provider, 1)) > 0) return { ...next, isProbe: true };
      unavailableNow.add(next.provider);
    }
  };
}
