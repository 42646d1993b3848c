import type pg from "pg";
import { transaction } from "../core/db";
import { log } from "../core/log";
import { observeLedger } from "../observability/messages";

/** Faulty messages named per account in a log line; more would only repeat the fault. */
const NAMED_MESSAGES_MAX = 20;
/** Generous, since the check reads the whole ledger. */
const CHECK_TIMEOUT_MS = 3_600_000;

/** An account that does not match its ledger. Amounts in micro-units; the pairs are equal if only messages are faulty. */
type Drift = {
  accountId: string;
  balanceMicros: bigint;
  ledgerMicros: bigint;
  reservedMicros: bigint;
  ledgerReservedMicros: bigint;
  /** Costs of messages that were forgotten, as they were counted then, and as the ledger still has them. */
  forgottenMicros: bigint;
  ledgerForgottenMicros: bigint;
  /** Up to 20 messages whose ledger entries contradict each other or the message's cost. */
  faultyMessages: string[];
};

/**
 * `billed`: sums of each message's lines. A message is faulty when it has a cost, settlement or refund without a
 * reserve; is both settled and refunded; is pending without an open reserve or the reverse; has lines whose sum is not
 * its cost, or whose reserved sum is not its open reserve; or has lines of another account, or of no message. One that was
 * forgotten is known by its lines alone, which must be settled or refunded; their costs together are compared. `uneven`:
 * entries whose sums are not those of the messages that they list, which are then all faulty.
 */
const DRIFTED_SQL = `
  WITH books AS (
    SELECT account_id, sum(amount_micros) AS amount, sum(held_micros) AS reserved FROM ledger_entries GROUP BY account_id
  ), billed AS (
    SELECT message_id, min(account_id) AS account_id, min(account_id) <> max(account_id) AS mixed,
           count(*) FILTER (WHERE kind = 'reserve') AS reserves, count(*) FILTER (WHERE kind = 'settle') AS settles,
           count(*) FILTER (WHERE kind = 'refund') AS refunds, sum(amount_micros) AS amount, sum(held_micros) AS reserved
    FROM ledger_lines GROUP BY message_id
  ), forgotten AS (
    SELECT account_id, sum(cost_micros) AS cost FROM forgotten_days GROUP BY account_id
  ), uneven AS (
    SELECT e.account_id, unnest(e.message_ids) AS message_id FROM ledger_entries e
    CROSS JOIN LATERAL (SELECT coalesce(sum(micros), 0) AS micros FROM unnest(e.message_micros) AS l (micros)) AS listed
    WHERE e.message_ids IS NOT NULL
      AND (e.held_micros <> CASE e.kind WHEN 'reserve' THEN listed.micros ELSE -listed.micros END
           OR e.amount_micros <> CASE e.kind WHEN 'reserve' THEN -listed.micros ELSE 0 END)
  ), faulty AS (
    SELECT account_id, message_id FROM uneven
    UNION
    SELECT coalesce(m.account_id, b.account_id) AS account_id, coalesce(m.id, b.message_id) AS message_id
    FROM messages m FULL JOIN billed b ON b.message_id = m.id
    WHERE CASE WHEN m.id IS NULL
      THEN b.mixed OR b.reserves <> 1 OR b.settles + b.refunds <> 1 OR b.reserved <> 0
           OR NOT EXISTS (SELECT FROM forgotten f WHERE f.account_id = b.account_id)
      ELSE (b.message_id IS NOT NULL OR m.cost_micros <> 0)
           AND (b.message_id IS NULL OR b.mixed OR b.account_id <> m.account_id
                OR b.reserves <> 1 OR b.settles + b.refunds > 1
                OR (m.status = 'pending') <> (b.settles + b.refunds = 0) OR b.amount <> -m.cost_micros
                OR b.reserved <> CASE WHEN b.settles + b.refunds = 0 THEN m.cost_micros ELSE 0 END) END
  ), gone AS (
    SELECT b.account_id, -sum(b.amount) AS cost FROM billed b
    WHERE NOT EXISTS (SELECT FROM messages m WHERE m.id = b.message_id) GROUP BY b.account_id
  ), named AS (
    SELECT account_id, (array_agg(message_id ORDER BY message_id))[1:$1] AS messages FROM faulty GROUP BY account_id
  )
  SELECT coalesce(a.id, books.account_id) AS "accountId", coalesce(a.balance_micros, 0) AS "balanceMicros",
         coalesce(books.amount, 0)::int8 AS "ledgerMicros", coalesce(a.held_micros, 0) AS "reservedMicros",
         coalesce(books.reserved, 0)::int8 AS "ledgerReservedMicros", coalesce(forgotten.cost, 0)::int8 AS "forgottenMicros",
         coalesce(gone.cost, 0)::int8 AS "ledgerForgottenMicros", coalesce(named.messages, '{}') AS "faultyMessages"
  FROM accounts a
  FULL JOIN books ON books.account_id = a.id
  LEFT JOIN named ON named.account_id = coalesce(a.id, books.account_id)
  LEFT JOIN forgotten ON forgotten.account_id = coalesce(a.id, books.account_id)
  LEFT JOIN gone ON gone.account_id = coalesce(a.id, books.account_id)
  WHERE a.id IS NULL OR a.balance_micros <> coalesce(books.amount, 0) OR a.held_micros <> coalesce(books.reserved, 0)
     OR named.account_id IS NOT NULL OR (forgotten.account_id IS NOT NULL AND forgotten.cost <> coalesce(gone.cost, 0))
  ORDER BY 1`;

// pg supports `query_timeout` per query, but its types lack it.
const CHECK: pg.QueryConfig & { query_timeout: number } = {
  text: DRIFTED_SQL,
  values: [NAMED_MESSAGES_MAX],
  query_timeout: CHECK_TIMEOUT_MS,
};

/**
 * Compares every account's balance with its ledger, and every message's cost with its entries, in one consistent
 * snapshot. Read-only; each mismatch is logged as an error with its amounts.
 */
export async function checkLedger(): Promise<{ accounts: number; drifted: Drift[] }> {
  const { accounts, drifted } = await transaction(async (tx) => {
    await tx.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
    await tx.query("SET LOCAL statement_timeout = 0");
    const counted = await tx.query<{ accounts: number }>("SELECT count(*)::int AS accounts FROM accounts");
    const { rows } = await tx.query<Drift>(CHECK);
    return { accounts: counted.rows[0]?.accounts ?? 0, drifted: rows };
  });
  observeLedger(drifted.length);
  for (const drift of drifted) {
    log("error", "ledger.drift", {
      accountId: drift.accountId,
      balanceMicros: String(drift.balanceMicros),
      ledgerMicros: String(drift.ledgerMicros),
      reservedMicros: String(drift.reservedMicros),
      ledgerReservedMicros: String(drift.ledgerReservedMicros),
      forgottenMicros: String(drift.forgottenMicros),
      ledgerForgottenMicros: String(drift.ledgerForgottenMicros),
      faultyMessages: drift.faultyMessages,
    });
  }
  return { accounts, drifted };
}
