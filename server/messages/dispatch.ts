/** Dispatch: which provider each message is handed to now, and which must wait. */
import { MINUTE_MS, now } from "../core/clock";
import { pool, transaction } from "../core/db";
import { env } from "../core/env";
import { addJob } from "../core/jobs";
import { leaveLane, takeRoom } from "../providers/lane";
import type { Adapter, OutboundMessage } from "../providers/port";
import { providerTable } from "../providers/registry";
import { takeProbe } from "../providers/tend";
import { findSuppressed } from "../suppressions/store";
import { type Attempt, attemptOf, type Candidate, claim, HELD_AGAIN_MS, sendingOf } from "./claims";
import { BLOCKLISTED } from "./guard";
import { nextProvider } from "./next-provider";
import { applyChanges, lockMessages } from "./transitions";
import { enterRoom, openPaces } from "./waiting-room";

/** A message whose providers are all drained or open waits for so long, counted from its acceptance. */
const HELD_MAX_MS = 10 * MINUTE_MS;
/** How long a dispatch waits for room in a provider's lane before its messages wait in the database. */
const ROOM_WITHIN_MS = 1_000;

const NO_PROVIDER = {
  code: "no_provider_available",
  message: "No provider on the way to this number could take messages for ten minutes.",
};

type Row = Candidate & { chain: string[]; createdAt: Date };

/** Messages that nobody is handing over: pending, without an open attempt, and not in the waiting room. */
async function readCandidates(messageIds: readonly string[]): Promise<Row[]> {
  const { rows } = await pool().query<
    OutboundMessage & {
      accountId: string;
      chain: string[];
      createdAt: Date;
      tried: string[] | null;
      unknown: boolean | null;
      open: boolean | null;
    }
  >({
    name: "dispatch.candidates",
    text: `SELECT m.id, m.to_number AS "to", m.from_sender AS "from", m.body, m.encoding, m.segments,
             m.account_id AS "accountId", m.chain, m.created_at AS "createdAt", t.tried, t.unknown, t.open
           FROM messages m
           LEFT JOIN LATERAL (SELECT array_agg(a.provider ORDER BY a.seq) AS tried, bool_or(a.outcome = 'unknown') AS unknown,
               bool_or(a.outcome IS NULL) AS open FROM message_attempts a WHERE a.message_id = m.id) t ON true
           WHERE m.id = ANY($1::text[]) AND m.status = 'pending'
             AND NOT EXISTS (SELECT 1 FROM waiting_messages w WHERE w.message_id = m.id)
           ORDER BY m.id`,
    values: [messageIds],
  });
  const mayGoOn = env().ON_UNKNOWN_OUTCOME === "fallback";
  return rows
    .filter((row) => !row.open && (mayGoOn || !row.unknown))
    .map(({ accountId, chain, createdAt, tried, unknown, open: _, ...message }) => {
      return { message, accountId, chain, createdAt, tried: tried ?? [], afterUnknown: unknown ?? false };
    });
}

/**
 * Claims the next attempt of each message that nobody is handing over. What is paced, or finds its provider's lane full,
 * waits in the waiting room; what finds all its providers held is looked at again soon, and fails after ten minutes.
 * @returns the attempts to be made now. Each has taken room in its provider's lane.
 */
export async function claimAttempts(messageIds: readonly string[]): Promise<Attempt[]> {
  const [table, paces, candidates] = await Promise.all([providerTable(), openPaces(), readCandidates(messageIds)]);
  const claimedAt = now();
  // A STOP that came after a message was accepted holds for it too, as long as nobody has begun to send it.
  const isSuppressed = await findSuppressed(pool(), candidates.map(sendingOf));
  const suppressed = candidates.filter((candidate) => isSuppressed(sendingOf(candidate)));
  const ready = new Map<string, Attempt[]>();
  const waiting: Attempt[] = [];
  const held: Row[] = [];
  const heldNow = new Set<string>();

  for (const candidate of candidates) {
    if (suppressed.includes(candidate)) continue;
    const next = await pick(candidate);
    if (next.kind === "held") held.push(candidate);
    if (next.kind !== "provider") continue;
    const attempt = attemptOf(candidate, next.provider, claimedAt);
    if (paces.isPaced(attempt)) waiting.push(attempt);
    else ready.set(next.provider, [...(ready.get(next.provider) ?? []), attempt]);
  }

  /** The next provider, of which one that is being tried out takes a message only while it has probes left. */
  async function pick({ chain, tried }: Row) {
    for (;;) {
      const next = nextProvider(chain, tried, (id) => heldNow.has(id) || table.isHeld(id));
      if (next.kind !== "provider" || table.stateOf(next.provider)?.breaker !== "probing") return next;
      if (await takeProbe(next.provider)) return next;
      heldNow.add(next.provider);
    }
  }

  const claims: Attempt[] = [];
  await Promise.all(
    [...ready].map(async ([provider, attempts]) => {
      const adapter = table.adapterOf(provider);
      const room = adapter ? await takeRoom(adapter, attempts.length, ROOM_WITHIN_MS) : attempts.length;
      claims.push(...attempts.slice(0, room));
      waiting.push(...attempts.slice(room));
    }),
  );
  const [claimed] = await Promise.all([
    claim(pool(), claims),
    enterRoom(pool(), waiting),
    holdBack(held, claimedAt),
    fail(suppressed, BLOCKLISTED, claimedAt),
  ]);
  giveBackRoom(claims, claimed, table.adapterOf);
  return claimed;
}

/** Gives back the room of attempts that turned out to be somebody else's. */
function giveBackRoom(
  claims: readonly Attempt[],
  claimed: readonly Attempt[],
  adapterOf: (provider: string) => Adapter | null,
): void {
  const own = new Set(claimed);
  for (const attempt of claims) {
    const adapter = own.has(attempt) ? null : adapterOf(attempt.provider);
    if (adapter) leaveLane(adapter);
  }
}

/** Has messages looked at again soon, or fails those that have waited too long; these cost nothing. */
async function holdBack(held: readonly Row[], at: Date): Promise<void> {
  const isOver = (row: Row) => at.getTime() - row.createdAt.getTime() > HELD_MAX_MS;
  const messageIds = held.filter((row) => !isOver(row)).map((row) => row.message.id);
  if (messageIds.length > 0) {
    const runAt = new Date(at.getTime() + HELD_AGAIN_MS);
    await addJob(pool(), "dispatch_messages", { messageIds }, { runAt });
  }
  await fail(held.filter(isOver), NO_PROVIDER, at);
}

/** Fails messages that nobody has begun to send. Of one that a provider may have taken the sweep decides. */
async function fail(rows: readonly Row[], error: { code: string; message: string }, at: Date): Promise<void> {
  const unsent = rows.filter((row) => !row.afterUnknown);
  if (unsent.length === 0) return;
  await transaction(async (tx) => {
    const messages = await lockMessages(
      tx,
      unsent.map((row) => row.message.id),
    );
    await applyChanges(
      tx,
      unsent.flatMap(({ message: { id }, tried }) => {
        const message = messages.get(id);
        return message ? [{ message, attempts: tried.length, steps: [{ to: "failed", at, error }] }] : [];
      }),
    );
  });
}
