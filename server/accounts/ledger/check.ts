/** Compares balances with the ledger. */
import type pg from "pg";
import { readWholeTables, transaction } from "../../core/db";
import { EVERYTHING, FAULTS, faultValues, type LedgerRange } from "./faults";

/**
 * Generous: the full check reads the whole ledger, and a chapter's messages are looked up in several days of entries.
 */
const CHECK_TIMEOUT_MS = 3_600_000;

/** An account that does not match its ledger. Amounts in micro-units; the pairs are equal if only messages are faulty. */
export type Drift = {
  accountId: string;
  balanceMicros: bigint;
  ledgerMicros: bigint;
  reservedMicros: bigint;
  ledgerReservedMicros: bigint;
  /** Costs of deleted messages: as counted when they were deleted, and as in the ledger. */
  forgottenMicros: bigint;
  ledgerForgottenMicros: bigint;
  /** Up to 20 messages whose ledger entries contradict each other or the message's cost. */
  faultyMessages: string[];
};

/**
 * `closed`: the stored sums of the entries up to `$2`. Deleted messages are compared only if all entries are read. The
 * parameters are those of {@link FAULTS}.
 */
const DRIFTED_SQL = `
  WITH closed AS (
    SELECT c.* FROM accounts a CROSS JOIN LATERAL (
      SELECT account_id, amount_micros AS amount, held_micros AS reserved FROM ledger_closings
      WHERE account_id = a.id AND through_id <= $2::int8 ORDER BY through_id DESC LIMIT 1) c
  ), opened AS (
    SELECT account_id, sum(amount_micros) AS amount, sum(held_micros) AS reserved FROM ledger_entries
    WHERE id > $2::int8 GROUP BY account_id
  ), books AS (
    SELECT account_id, coalesce(c.amount, 0) + coalesce(o.amount, 0) AS amount,
           coalesce(c.reserved, 0) + coalesce(o.reserved, 0) AS reserved
    FROM closed c FULL JOIN opened o USING (account_id)
  ), ${FAULTS}, counted AS (
    SELECT account_id, cost FROM forgotten WHERE $2::int8 = 0
  ), gone AS (
    SELECT b.account_id, -sum(b.amount) AS cost FROM billed b
    WHERE $2::int8 = 0 AND NOT EXISTS (SELECT FROM messages m WHERE m.id = b.message_id) GROUP BY b.account_id
  )
  SELECT coalesce(a.id, books.account_id) AS "accountId", coalesce(a.balance_micros, 0) AS "balanceMicros",
         coalesce(books.amount, 0)::int8 AS "ledgerMicros", coalesce(a.held_micros, 0) AS "reservedMicros",
         coalesce(books.reserved, 0)::int8 AS "ledgerReservedMicros", coalesce(counted.cost, 0)::int8 AS "forgottenMicros",
         coalesce(gone.cost, 0)::int8 AS "ledgerForgottenMicros", coalesce(named.messages, '{}') AS "faultyMessages"
  FROM accounts a
  FULL JOIN books ON books.account_id = a.id
  LEFT JOIN named ON named.account_id = coalesce(a.id, books.account_id)
  LEFT JOIN counted ON counted.account_id = coalesce(a.id, books.account_id)
  LEFT JOIN gone ON gone.account_id = coalesce(a.id, books.account_id)
  WHERE a.id IS NULL OR a.balance_micros <> coalesce(books.amount, 0) OR a.held_micros <> coalesce(books.reserved, 0)
     OR named.account_id IS NOT NULL OR (counted.account_id IS NOT NULL AND counted.cost <> coalesce(gone.cost, 0))
  ORDER BY 1`;

/** Runs a statement that only reads. */
export type Read = <Row extends object>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Runs `work` in one consistent snapshot, where each statement may take as long as {@link CHECK_TIMEOUT_MS}. */
export const inSnapshot = <T>(work: (read: Read) => Promise<T>): Promise<T> =>
  transaction(async (tx) => {
    await tx.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await readWholeTables(tx);
    return work(async <Row extends object>(text: string, values: readonly unknown[] = []) => {
      // pg supports `query_timeout` per query, but its types lack it.
      const query: pg.QueryConfig & { query_timeout: number } = {
        text,
        values: [...values],
        query_timeout: CHECK_TIMEOUT_MS,
      };
      return (await tx.query<Row>(query)).rows;
    });
  });

/** Compares the entries and messages of `range` in one consistent snapshot. */
export const findDrift = (range: LedgerRange = EVERYTHING): Promise<{ accounts: number; drifted: Drift[] }> =>
  inSnapshot(async (read) => {
    const [counted] = await read<{ accounts: number }>("SELECT count(*)::int AS accounts FROM accounts");
    return { accounts: counted?.accounts ?? 0, drifted: await read<Drift>(DRIFTED_SQL, faultValues(range)) };
  });
