import { log } from "../core/log";
import { observeLedger } from "../observability/messages";
import {
  type Chapter,
  type ChapterDrift,
  chaptersToVerify,
  closeChapter,
  firstMessageAt,
  ID_SLACK_MS,
  verifyChapter,
} from "./ledger/chapters";
import { type Drift, findDrift, openRange } from "./ledger/check";

export { deleteExpiredResponses as forgetIdempotencyKeys } from "./idempotency/stored-responses";

/** Chapters read again per hour: a year's within a month. */
const VERIFIED_PER_RUN = 3;
/** Chapters closed per hour: an older installation has many at first. */
const CLOSED_PER_RUN = 50;

/**
 * Compares every account's balance with its whole ledger, and every message's cost with its entries, in one consistent
 * snapshot. Read-only; each mismatch is logged as an error with its amounts.
 */
export async function checkLedger(): Promise<{ accounts: number; drifted: Drift[] }> {
  const result = await findDrift();
  observeLedger(result.drifted.length);
  for (const drift of result.drifted) logDrift(drift);
  return result;
}

/**
 * The hourly check: balances with the kept sums of closed chapters and the entries since, and messages with these entries. It
 * reads some closed chapters again and closes those that are due, so that it takes no longer as the ledger grows.
 */
export async function watchLedger(): Promise<{ drifted: Drift[]; chapters: ChapterDrift[] }> {
  for (let closed = 0; closed < CLOSED_PER_RUN && (await closeChapter()); ) closed += 1;
  const { drifted } = await findDrift(await openRange(ID_SLACK_MS, firstMessageAt));
  for (const drift of drifted) logDrift(drift);
  const chapters: ChapterDrift[] = [];
  for (const chapter of await chaptersToVerify(VERIFIED_PER_RUN)) {
    const found = await verifyChapter(chapter);
    for (const drift of found) logChapterDrift(chapter, drift);
    chapters.push(...found);
  }
  observeLedger(new Set([...drifted, ...chapters].map(({ accountId }) => accountId)).size);
  return { drifted, chapters };
}

const logDrift = (drift: Drift): void =>
  log("error", "ledger.drift", {
    account_id: drift.accountId,
    balance_micros: String(drift.balanceMicros),
    ledger_micros: String(drift.ledgerMicros),
    reserved_micros: String(drift.reservedMicros),
    ledger_reserved_micros: String(drift.ledgerReservedMicros),
    forgotten_micros: String(drift.forgottenMicros),
    ledger_forgotten_micros: String(drift.ledgerForgottenMicros),
    faulty_messages: drift.faultyMessages,
  });

const logChapterDrift = ({ beganAt, endedAt }: Chapter, drift: ChapterDrift): void =>
  log("error", "ledger.drift", {
    account_id: drift.accountId,
    from: beganAt.toISOString(),
    to: endedAt.toISOString(),
    kept_micros: String(drift.keptMicros),
    ledger_micros: String(drift.ledgerMicros),
    kept_reserved_micros: String(drift.keptReservedMicros),
    ledger_reserved_micros: String(drift.ledgerReservedMicros),
    faulty_messages: drift.faultyMessages,
  });
