/**
 * Recovery of attempts that their worker will not finish, because it died or the reply to its claim was lost. Claimed attempts
 * were never sent and go back to dispatch; begun ones may have been sent, so their outcome is unknown.
 */

import { DAY_MS, SECOND_MS } from "../../core/clock";
import { pool, transaction } from "../../core/db";
import { groupBy } from "../../core/group-by";
import { log } from "../../core/log";
import { workerId } from "../../core/worker-id";
import { returnProbesOfDead } from "../../providers/health/provider-health";
import type { OutboundMessage } from "../../providers/port";
import { type Attempt, deleteClaims, giveBack, knownClaims } from "./claims";
import { dltOfMessage } from "./dlt";
import { continueWith } from "./run-attempt";

/** Attempts per statement. */
const BATCH = 500;
/** The reply to a committed claim arrives within this time, unless it is lost. */
const ACKNOWLEDGED_WITHIN_MS = 3 * SECOND_MS;
const EVER_MS = 100 * 365 * DAY_MS;

const WORKER_LOST = {
  kind: "unknown",
  code: "worker_lost",
  detail: "Our process ended while it waited for the provider: the message may have been sent.",
} as const;

/** Deletes the claims of workers with expired leases, and has their messages dispatched. @returns how many. */
export async function takeBackClaims(workerIds: readonly string[]): Promise<number> {
  for (let count = 0; ; ) {
    const { rows } = await pool().query<
      { id: string; seq: number } & Pick<Attempt, "claim" | "provider" | "claimedAt">
    >({
      name: "recover.unbegun",
      text: `SELECT a.message_id AS id, a.seq, a.claim, a.provider, a.started_at AS "claimedAt" FROM message_attempts a
             WHERE a.outcome IS NULL AND a.begun_at IS NULL AND a.worker_id = ANY($1::text[]) LIMIT $2`,
      values: [workerIds, BATCH],
    });
    if (rows.length === 0) return count;
    // A worker that was only suspended cannot begin these when it resumes, because `begin` matches the claim's token.
    count += await transaction((tx) =>
      deleteClaims(
        tx,
        rows.map(({ id, seq, claim }) => ({ message: { id }, seq, claim })),
        { keepsBegun: true },
      ),
    );
    await returnProbesOf(rows);
    if (rows.length < BATCH) return count;
  }
}

type Row = OutboundMessage &
  Pick<Attempt, "accountId" | "seq" | "provider" | "claim" | "claimedAt" | "tried" | "afterUnknown">;

/**
 * Records an unknown outcome for attempts that dead workers had begun: by ON_UNKNOWN_OUTCOME their messages fall back to the
 * next provider at once, or wait for a receipt. @returns how many.
 */
export async function resolveBegun(workerIds: readonly string[]): Promise<number> {
  for (let count = 0; ; ) {
    const { rows } = await pool().query<Row>({
      name: "recover.begun",
      // OFFSET 0: messages are looked up by attempt, whatever the statistics say.
      text: `SELECT m.id, m.to_number AS "to", m.from_sender AS "from", m.body, m.encoding, m.segments,
               m.expires_at AS "expiresAt", ${dltOfMessage("m")} AS dlt,
               m.account_id AS "accountId", a.seq, a.provider, a.claim, a.started_at AS "claimedAt",
               ARRAY(SELECT b.provider FROM message_attempts b
                 WHERE b.message_id = m.id AND b.seq < a.seq ORDER BY b.seq) AS tried,
               EXISTS (SELECT 1 FROM message_attempts b
                 WHERE b.message_id = m.id AND b.seq < a.seq AND b.outcome = 'unknown') AS "afterUnknown"
             FROM message_attempts a CROSS JOIN LATERAL (SELECT * FROM messages r WHERE r.id = a.message_id OFFSET 0) m
             WHERE a.outcome IS NULL AND a.begun_at IS NOT NULL AND a.worker_id = ANY($1::text[]) LIMIT $2`,
      values: [workerIds, BATCH],
    });
    await Promise.all(
      rows.map(({ accountId, seq, provider, claim, claimedAt, tried, afterUnknown, ...message }) =>
        continueWith(
          { message, accountId, seq, provider, claim, claimedAt, tried, afterUnknown, slot: null, begunAtMs: null },
          WORKER_LOST,
        ),
      ),
    );
    await returnProbesOf(rows);
    count += rows.length;
    if (rows.length < BATCH) return count;
  }
}

/**
 * Lets other messages probe the half-open providers that a dead worker may have been probing: no outcome of its attempts shows
 * anything about them.
 */
async function returnProbesOf(attempts: readonly Pick<Attempt, "provider" | "claimedAt">[]): Promise<void> {
  const byProvider = groupBy(attempts, ({ provider }) => provider);
  await Promise.all(
    [...byProvider].map(([provider, own]) =>
      returnProbesOfDead(
        provider,
        own.map(({ claimedAt }) => claimedAt),
      ),
    ),
  );
}

/**
 * Gives back attempts that this process claimed unknowingly, because the reply was lost: they were never made.
 * @param ageMs a younger claim's reply may still arrive.
 * @param sinceMs only claims that were written within this time. While a transaction stays open, looking at all reads every
 *   attempt since.
 * @returns how many.
 */
export async function giveBackUnheard(ageMs = ACKNOWLEDGED_WITHIN_MS, sinceMs = EVER_MS): Promise<number> {
  const { rows } = await pool().query<{ id: string; seq: number; claim: string }>({
    name: "recover.own",
    text: `SELECT a.message_id AS id, a.seq, a.claim FROM message_attempts a
           WHERE a.outcome IS NULL AND a.worker_id = $1
             AND GREATEST(a.started_at, a.begun_at) < clock_timestamp() - $2 * interval '1 millisecond'
             AND a.started_at > clock_timestamp() - $3 * interval '1 millisecond'
           ORDER BY a.started_at DESC`,
    values: [workerId(), ageMs, sinceMs],
  });
  const known = knownClaims();
  const unheard = rows.filter(({ claim }) => !known.has(claim)).slice(0, BATCH);
  await giveBack(unheard.map(({ id, seq, claim }) => ({ message: { id }, seq, claim })));
  if (unheard.length > 0) log("warn", "attempts.unheard_claims_given_back", { count: unheard.length });
  return unheard.length;
}

/** Finds workers with open attempts but without a lease: they ended before their attempts did. */
export async function findForgottenWorkers(): Promise<string[]> {
  const { rows } = await pool().query<{ id: string }>({
    name: "recover.forgotten_workers",
    text: `SELECT DISTINCT a.worker_id AS id FROM message_attempts a
           WHERE a.outcome IS NULL AND a.worker_id IS NOT NULL AND a.started_at < now() - interval '1 minute'
             AND NOT EXISTS (SELECT 1 FROM workers w WHERE w.id = a.worker_id)`,
  });
  return rows.map((row) => row.id);
}

/** Takes over the attempts of dead workers. */
export async function recoverAttempts(workerIds: readonly string[]): Promise<void> {
  if (workerIds.length === 0) return;
  const [claimed, begun] = [await takeBackClaims(workerIds), await resolveBegun(workerIds)];
  if (claimed + begun > 0) log("warn", "attempts.recovered", { workers: workerIds, claimed, begun });
}
