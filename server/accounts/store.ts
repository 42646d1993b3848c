import type { Tx } from "../core/db";
import { unnest } from "../core/unnest";

/** A ledger entry. `amountMicros` changes the balance, `reservedMicros` the money reserved for messages in flight. */
export type MoneyMove = {
  accountId: string;
  kind: "credit" | "reserve" | "settle" | "refund";
  amountMicros: bigint;
  reservedMicros: bigint;
  messageId: string | null;
  note: string | null;
  at: Date;
};

export type LockedAccount = {
  id: string;
  status: string;
  currency: string;
  balanceMicros: bigint;
  /** ISO 3166 country codes; empty: all. */
  allowedCountries: string[];
  /** Messages per recipient and hour, with the same text or in total; null: the installation's default, 0: no limit. */
  floodIdentical: number | null;
  floodTotal: number | null;
  /** Maximum spending per UTC day; null: no cap. */
  dailySpendCapMicros: bigint | null;
};

/**
 * Locks accounts for the rest of the transaction, in the order of their ids, so that batches with common accounts wait
 * for each other instead of deadlocking. Every transaction that moves money or counters starts with this, after locking
 * the messages that it changes (also in the order of their ids).
 */
export async function lockAccounts(tx: Tx, ids: Iterable<string>): Promise<Map<string, LockedAccount>> {
  const { rows } = await tx.query<LockedAccount>({
    name: "accounts.lock",
    text: `SELECT id, status, currency, balance_micros AS "balanceMicros", allowed_countries AS "allowedCountries",
             flood_identical AS "floodIdentical", flood_total AS "floodTotal",
             daily_spend_cap_micros AS "dailySpendCapMicros"
           FROM accounts WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE`,
    values: [[...new Set(ids)]],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

type AccountSum = { accountId: string; amountMicros: bigint; reservedMicros: bigint };

function sumByAccount(moves: readonly MoneyMove[]): AccountSum[] {
  const sums = new Map<string, AccountSum>();
  for (const { accountId, amountMicros, reservedMicros } of moves) {
    const sum = sums.get(accountId) ?? { accountId, amountMicros: 0n, reservedMicros: 0n };
    sum.amountMicros += amountMicros;
    sum.reservedMicros += reservedMicros;
    sums.set(accountId, sum);
  }
  return [...sums.values()];
}

const ENTRIES = unnest<MoneyMove>({
  account_id: ["text", (move) => move.accountId],
  kind: ["text", (move) => move.kind],
  amount_micros: ["int8", (move) => move.amountMicros],
  held_micros: ["int8", (move) => move.reservedMicros],
  message_id: ["text", (move) => move.messageId],
  note: ["text", (move) => move.note],
  created_at: ["timestamptz", (move) => move.at.toISOString()],
});

const SUMS = unnest<AccountSum>(
  {
    id: ["text", (sum) => sum.accountId],
    amount: ["int8", (sum) => sum.amountMicros],
    reserved: ["int8", (sum) => sum.reservedMicros],
  },
  8,
);

/**
 * Writes ledger entries and changes the balances by their sums, so that a balance always equals the sum of its entries.
 * The accounts must be locked.
 * @throws the database's constraint violation for a balance below zero; the transaction fails.
 */
export async function postMoney(tx: Tx, moves: readonly MoneyMove[]): Promise<void> {
  if (moves.length === 0) return;
  await tx.query({
    name: "accounts.post_money",
    text: `WITH entries AS (
             INSERT INTO ledger_entries (account_id, kind, amount_micros, held_micros, message_id, note, created_at)
             SELECT * FROM ${ENTRIES.sql}
           )
           UPDATE accounts a
           SET balance_micros = a.balance_micros + s.amount, held_micros = a.held_micros + s.reserved
           FROM ${SUMS.as("s")}
           WHERE a.id = s.id`,
    values: [...ENTRIES.values(moves), ...SUMS.values(sumByAccount(moves))],
  });
}
