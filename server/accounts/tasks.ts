import { errorFields, log } from "../core/log";
import { observeLedger } from "../observability/messages";
import {
  type Chapter,
  type ChapterDrift,
  chaptersToVerify,
  closeChapter,
  type KnownChapter,
  noteVerified,
  openRange,
  verifyChapter,
} from "./ledger/chapters";
import { type Drift, findDrift } from "./ledger/check";

export { deleteExpiredResponses as forgetIdempotencyKeys } from "./idempotency/stored-responses";

/** Chapters read again per hour; a year of them takes less than a month. */
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
 * The hourly check compares balances with the stored sums of closed chapters and the entries since, and messages with these
 * entries. It reads some closed chapters again and closes those that are due, so that it takes no longer as the ledger grows. A
 * part that fails neither stops the others nor hides their findings.
 * @throws the first failure, in the end.
 */
export async function watchLedger(): Promise<{ drifted: Drift[]; chapters: ChapterDrift[] }> {
  const failures: unknown[] = [];
  const attempt = async <T>(part: string, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (thrown) {
      log("warn", "ledger.part_not_checked", { part, ...errorFields(thrown) });
      failures.push(thrown);
      return null;
    }
  };
  await attempt("close", closeDue);
  const chosen = await attempt("choose", () => chaptersToVerify(VERIFIED_PER_RUN));
  const { chapters: again, faultyBeside } = chosen ?? { chapters: [], faultyBeside: 0 };
  const open = await attempt("open", async () => findDrift(await openRange()));
  const drifted = open?.drifted ?? [];
  for (const drift of drifted) logDrift(drift);
  const chapters: ChapterDrift[] = [];
  const faulty = new Set<KnownChapter>(again.filter(({ hasFaults }) => hasFaults));
  // A faulty chapter that was not read this time counts as one account, so that the alert does not end meanwhile.
  const observe = () => {
    const accounts = new Set([...drifted, ...chapters].map(({ accountId }) => accountId)).size;
    const count = accounts + faulty.size + faultyBeside;
    if (open || count > 0) observeLedger(count);
  };
  observe();
  for (const chapter of again) {
    await attempt("chapter", async () => {
      const found = await verifyChapter(chapter);
      for (const drift of found) logChapterDrift(chapter, drift);
      chapters.push(...found);
      faulty.delete(chapter);
      observe();
      await noteVerified(chapter, found.length > 0);
    });
  }
  if (failures.length > 0) throw failures[0];
  return { drifted, chapters };
}

/** Closes due chapters, up to the limit of a run. */
async function closeDue(): Promise<void> {
  for (let closed = 0; closed < CLOSED_PER_RUN && (await closeChapter()); ) closed += 1;
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
