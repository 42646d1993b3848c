/** Dispatch: which provider each message is handed to now, and which must wait. */
import { now } from "../core/clock";
import { pool, transaction } from "../core/db";
import { env } from "../core/env";
import { enterLane, leaveLane, takeRoom } from "../providers/lane";
import type { OutboundMessage } from "../providers/port";
import { type ProviderTable, providerTable } from "../providers/registry";
import { giveBackProbes, takeProbes } from "../providers/tend";
import { findSuppressed } from "../suppressions/store";
import { type Attempt, attemptOf, type Candidate, claim, sendingOf } from "./claims";
import { BLOCKLISTED } from "./guard";
import { nextProvider } from "./next-provider";
import { BARRED, BARRED_BY, BARRED_REFUSALS, type Barred, failUnsent } from "./unsent";
import { chargePaces, enterRoom, openPaces } from "./waiting-room";

/** How long a dispatch waits for room in a provider's lane before its messages wait in the database. */
const ROOM_WITHIN_MS = 1_000;

type Row = Candidate & { chain: string[]; barred: Barred };

/** Messages that nobody is handing over: pending, without an open attempt, and not in the waiting room. */
async function readCandidates(messageIds: readonly string[]): Promise<Row[]> {
  const { rows } = await pool().query<
    OutboundMessage & {
      accountId: string;
      chain: string[];
      barred: Barred;
      tried: string[] | null;
      unknown: boolean | null;
      open: boolean | null;
    }
  >({
    name: "dispatch.candidates",
    text: `SELECT m.id, m.to_number AS "to", m.from_sender AS "from", m.body, m.encoding, m.segments,
             m.account_id AS "accountId", m.chain, ${BARRED} AS barred, t.tried, t.unknown, t.open
           FROM messages m ${BARRED_BY}
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
    .map(({ accountId, chain, barred, tried, unknown, open: _, ...message }) => {
      return { message, accountId, chain, barred, tried: tried ?? [], afterUnknown: unknown ?? false };
    });
}

/**
 * Claims the next attempt of each message that nobody is handing over. What is paced, finds its provider's lane full, or
 * has none but held providers left, waits in the waiting room. What must not be sent any more fails.
 * @returns the attempts to be made now. Each has taken room in its provider's lane.
 */
export async function claimAttempts(messageIds: readonly string[]): Promise<Attempt[]> {
  const [table, paces, candidates] = await Promise.all([providerTable(), openPaces(), readCandidates(messageIds)]);
  const claimedAt = now();
  // A STOP or a suspension that came after a message was accepted holds for it too, until somebody begins to send it.
  const isSuppressed = await findSuppressed(pool(), candidates.map(sendingOf));
  const refusalOf = (row: Row) =>
    isSuppressed(sendingOf(row)) ? BLOCKLISTED : row.barred && BARRED_REFUSALS[row.barred];
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
    const attempt = attemptOf(candidate, next.provider, claimedAt);
    if (next.isProbe) probes.push(attempt);
    else if (next.kind === "held" || paces.isPaced(attempt)) waiting.push(attempt);
    else ready.set(next.provider, [...(ready.get(next.provider) ?? []), attempt]);
  }

  const claims: Attempt[] = [...probes];
  for (const { provider } of probes) {
    const adapter = table.adapterOf(provider);
    if (adapter) enterLane(adapter);
  }
  await Promise.all(
    [...ready].map(async ([provider, attempts]) => {
      const adapter = table.adapterOf(provider);
      const room = adapter ? await takeRoom(adapter, attempts.length, ROOM_WITHIN_MS) : attempts.length;
      claims.push(...attempts.slice(0, room));
      waiting.push(...attempts.slice(room));
    }),
  );
  let claimed: Attempt[] = [];
  try {
    // Before anything is claimed, as a failure of these must not leave claimed messages to nobody.
    await Promise.all([
      enterRoom(pool(), waiting),
      chargePaces(pool(), probes),
      refused.length > 0 && transaction((tx) => failUnsent(tx, refused, claimedAt)),
    ]);
    claimed = await claim(pool(), claims);
    return claimed;
  } finally {
    const own = new Set(claimed);
    const left = claims.filter((attempt) => !own.has(attempt));
    for (const { provider } of left) {
      const adapter = table.adapterOf(provider);
      if (adapter) leaveLane(adapter);
    }
    for (const probe of left.filter((attempt) => probes.includes(attempt))) await giveBackProbes(probe.provider, 1);
  }
}

type Pick = ReturnType<typeof nextProvider> & { isProbe: boolean };

/** Tells a message's next provider, of which one that is being tried out takes a message only while it has probes left. */
function pickerOf(table: ProviderTable): (row: Row) => Promise<Pick> {
  const heldNow = new Set<string>();
  return async ({ chain, tried }) => {
    for (;;) {
      const next = nextProvider(chain, tried, (id) => heldNow.has(id) || table.isHeld(id));
      if (next.kind !== "provider" || table.stateOf(next.provider)?.breaker !== "probing") {
        return { ...next, isProbe: false };
      }
      // A probe goes past its pace, which it is charged to: whoever is tried out is called at once.
      if ((await takeProbes(next.provider, 1)) > 0) return { ...next, isProbe: true };
      heldNow.add(next.provider);
    }
  };
}
