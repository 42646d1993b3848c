/** Deletes texts of messages for accounts that keep them for a shorter time than the installation. */
import { MINUTE_MS } from "../core/clock";
import { pool, type Tx } from "../core/db";
import { daysBefore, safeNow } from "./age";
import { readCarried } from "./events";
import { forgetters } from "./forget";
import { ROUND_EVERY_MS, runRound } from "./rounds";
import { runParts } from "./steps";
import { textsRoundOf } from "./texts-round";

/** A run ends after this time, and the next one begins with the accounts that have waited longest. */
const RUN_MAX_MS = 10 * MINUTE_MS;
const ACCOUNTS_PER_RUN = 5_000;

type Due = { id: string; days: number };

/** Accounts whose round is under way or began a day ago. */
async function findDue(): Promise<Due[]> {
  const { rows } = await pool().query<Due>({
    text: `SELECT a.id, a.text_retention_days AS days
           FROM accounts a LEFT JOIN retention_rounds r ON r.name = $1 || a.id
           WHERE a.text_retention_days IS NOT NULL
             AND (r.ended_at IS NULL OR r.began_at < now() - $2::float8 * interval '1 millisecond')
           ORDER BY r.began_at NULLS FIRST, a.id LIMIT $3`,
    values: [textsRoundOf(""), ROUND_EVERY_MS, ACCOUNTS_PER_RUN],
  });
  return rows;
}

/**
 * The days for which an account keeps texts, if that is no shorter than when the run began: it knows which texts are still needed of
 * messages that are as old. Null: all of them.
 */
async function readDays(tx: Tx, { id, days: atBegin }: Due): Promise<number | null> {
  const { rows } = await tx.query<{ days: number | null }>({
    name: "retention.days_of_texts",
    text: "SELECT text_retention_days AS days FROM accounts WHERE id = $1",
    values: [id],
  });
  const days = rows[0]?.days ?? null;
  return days && Math.max(days, atBegin);
}

/**
 * Empties the texts of messages that ended longer ago than their account keeps texts. As for the whole installation, a message
 * with a webhook that still waits keeps its text.
 * @returns how many texts were deleted. @throws the first failure; it does not stop the other accounts.
 */
export async function forgetTextsOfAccounts(stop?: AbortSignal): Promise<number> {
  const accounts = await findDue();
  if (accounts.length === 0) return 0;
  const at = await safeNow();
  const latest = daysBefore(at, Math.min(...accounts.map(({ days }) => days)));
  const forget = forgetters(await readCarried(latest)).bodies;
  const runUntil = performance.now() + RUN_MAX_MS;
  let total = 0;
  await runParts(
    accounts.map((account) => async () => {
      if (stop?.aborted || performance.now() > runUntil) return;
      const round = { name: textsRoundOf(account.id), kind: "bodies", accountId: account.id } as const;
      const readEnd = async (tx: Tx) => {
        const days = await readDays(tx, account);
        return days === null ? null : daysBefore(at, days);
      };
      const { forgotten } = await runRound(round, readEnd, forget, stop);
      total += forgotten;
    }),
  );
  return total;
}
