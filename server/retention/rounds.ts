/**
 * Rounds through old final messages, in the order of their ids, which carry their time. An interrupted round continues where
 * it stopped. Messages that cannot be deleted yet are skipped: the next round, a day later, checks those that may have ended
 * recently, and a full round, a week later, checks the older ones.
 */
import { DAY_MS, HOUR_MS } from "../core/clock";
import { pool, type Tx } from "../core/db";
import { firstIdAt } from "../core/ids";
import { FINAL_STATUSES_SQL } from "../messages/status";
import { inSteps } from "./steps";

/** Class of data that a round deletes: whole messages, their events with deliveries, their receipts, or their texts. */
export type RoundKind = "messages" | "events" | "receipts" | "bodies";

/** A round. `name`: unique; the round goes on under it. `accountId`: whose messages it goes through; null: all. */
export type Round = { name: string; kind: RoundKind; accountId: string | null };

/** Messages per step. */
const STEP_SIZE = 1_000;
/** Messages end within 72 hours of their dispatch: a skipped one is checked again by each round until it is this old. */
const RECENT_MS = 80 * HOUR_MS;
export const ROUND_EVERY_MS = 20 * HOUR_MS;
const FULL_ROUND_EVERY_MS = 7 * DAY_MS;

/** A final message that is old enough and locked by this transaction, with the fields that its deletion needs. */
export type EndedMessage = {
  id: string;
  accountId: string;
  /** UTC day of acceptance. */
  day: string;
  segments: number;
  costMicros: bigint;
  status: "delivered" | "failed" | "undelivered";
  sentAt: Date | null;
  deliveredAt: Date | null;
  failedAt: Date | null;
};

/** Result of a step. `leftIds`: messages that were skipped because one of their deliveries or jobs is due. */
export type Forget = (
  tx: Tx,
  messages: readonly EndedMessage[],
) => Promise<{ forgotten: number; leftIds: ReadonlySet<string> }>;

/** Messages that ended before this time are old enough. Read at each step, under the round's lock; null: none is any more. */
type End = (tx: Tx) => Promise<Date | null>;

/**
 * Continues a round, or begins it again if it last began a day ago.
 * @returns how many rows were deleted, and whether the round came to its end.
 */
export async function runRound(
  { name, kind, accountId }: Round,
  readEnd: End,
  forget: Forget,
  signal?: AbortSignal,
): Promise<{ forgotten: number; isDone: boolean }> {
  if (!(await beginRound(name))) return { forgotten: 0, isDone: false };
  return inSteps(kind, { size: STEP_SIZE, signal }, async (tx, limit) => {
    const position = await lockRound(tx, name);
    const end = await readEnd(tx);
    if (end === null) return { looked: 0, forgotten: 0 };
    const recent = firstIdAt("message", new Date(end.getTime() - RECENT_MS));
    const looked = await lookAt(tx, accountId, { position, end, limit });
    const ended = await lockEnded(tx, looked, end);
    const done = await forget(tx, ended);
    const endedIds = new Set(ended.map(({ id }) => id));
    const isLeft = (id: string) => done.leftIds.has(id) || !endedIds.has(id);
    const recentLeft = looked.findIndex((id) => id >= recent && isLeft(id));
    await saveRound(tx, name, {
      position: looked.at(-1) ?? position,
      resumeFrom: recentLeft < 0 ? null : (looked[recentLeft - 1] ?? position),
      hasLeft: looked.some((id) => id < recent && isLeft(id)),
      isLast: looked.length < limit,
    });
    return { looked: looked.length, forgotten: done.forgotten };
  });
}

/** Begins a round unless one is under way. @returns whether there is one now. */
async function beginRound(name: string): Promise<boolean> {
  const isFull = "r.has_left AND r.full_began_at < now() - $3::float8 * interval '1 millisecond'";
  const { rows } = await pool().query<{ isUnderWay: boolean }>({
    name: "retention.begin_round",
    text: `WITH begun AS (
             INSERT INTO retention_rounds AS r (name) VALUES ($1)
             ON CONFLICT (name) DO UPDATE SET
               position = CASE WHEN ${isFull} THEN '' ELSE coalesce(r.resume_from, r.position) END, resume_from = NULL,
               has_left = r.has_left AND NOT (${isFull}), began_at = now(), ended_at = NULL,
               full_began_at = CASE WHEN ${isFull} THEN now() ELSE r.full_began_at END
             WHERE r.ended_at IS NOT NULL AND r.began_at < now() - $2::float8 * interval '1 millisecond'
             RETURNING name
           )
           SELECT EXISTS (SELECT FROM begun)
             OR EXISTS (SELECT FROM retention_rounds WHERE name = $1 AND ended_at IS NULL) AS "isUnderWay"`,
    values: [name, ROUND_EVERY_MS, FULL_ROUND_EVERY_MS],
  });
  return rows[0]?.isUnderWay ?? false;
}

/** Keeps a round from its next step until `tx` ends, and waits for the one under way. @returns its position. */
export async function lockRound(tx: Tx, name: string): Promise<string> {
  const { rows } = await tx.query<{ position: string }>({
    name: "retention.lock_round",
    text: "SELECT position FROM retention_rounds WHERE name = $1 FOR UPDATE",
    values: [name],
  });
  return rows[0]?.position ?? "";
}

type Progress = { position: string; resumeFrom: string | null; hasLeft: boolean; isLast: boolean };

async function saveRound(tx: Tx, name: string, progress: Progress): Promise<void> {
  await tx.query({
    name: "retention.save_round",
    text: `UPDATE retention_rounds SET position = $2, resume_from = coalesce(resume_from, $3), has_left = has_left OR $4,
             ended_at = CASE WHEN $5 THEN now() END WHERE name = $1`,
    values: [name, progress.position, progress.resumeFrom, progress.hasLeft, progress.isLast],
  });
}

/** The next messages, whatever their state. */
async function lookAt(
  tx: Tx,
  accountId: string | null,
  { position, end, limit }: { position: string; end: Date; limit: number },
): Promise<string[]> {
  const { rows } = await tx.query<{ id: string }>({
    text: `SELECT id FROM messages WHERE id > $1 AND id < $2 ${accountId === null ? "" : "AND account_id = $4"} ORDER BY id LIMIT $3`,
    values: [position, firstIdAt("message", end), limit, ...(accountId === null ? [] : [accountId])],
  });
  return rows.map(({ id }) => id);
}

/**
 * Locks those that became final before `end`, in the order of their ids. Operations that queue one of their deliveries again
 * take a share of this lock (webhooks/history). A message locked by another transaction is skipped.
 */
async function lockEnded(tx: Tx, ids: readonly string[], end: Date): Promise<EndedMessage[]> {
  const { rows } = await tx.query<EndedMessage>({
    name: "retention.lock_ended",
    text: `SELECT id, account_id AS "accountId", (created_at AT TIME ZONE 'UTC')::date::text AS day, segments,
             cost_micros AS "costMicros", status, sent_at AS "sentAt", delivered_at AS "deliveredAt", failed_at AS "failedAt"
           FROM messages WHERE id = ANY($1::text[]) AND status || '' IN ${FINAL_STATUSES_SQL}
             AND coalesce(failed_at, delivered_at) < $2 ORDER BY id FOR UPDATE SKIP LOCKED`,
    values: [ids, end.toISOString()],
  });
  return rows;
}
