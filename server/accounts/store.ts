import type { Tx } from "../core/db";

/** What happened to an account's money. `amountMicros` changes the balance, `reservedMicros` what is reserved in flight. */
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
  /** ISO 3166 codes; empty: all countries. */
  allowedCountries: string[];
  /** Messages per recipient and hour, of the same text and in all; null: the installation's default, 0: no limit. */
  floodIdentical: number | null;
  floodTotal: number | null;
  /** What it may spend in a UTC day; null: no cap. */
  dailySpendCapMicros: bigint | null;
};

/**
 * Locks accounts for the rest of the transaction, always in the order of their ids, so that two batches that share
 * accounts wait for each other instead of deadlocking. Every transaction that moves money or counters starts with it
 * (after it has locked the messages that it changes, also in the order of their ids).
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

/**
 * Writes ledger entries and moves the balances by their sums, so that balance = sum of entries holds by construction.
 * The accounts must be locked. A balance below zero violates a constraint and fails the transaction.
 */
export async function postMoney(tx: Tx, moves: readonly MoneyMove[]): Promise<void> {
  if (moves.length === 0) return;
  const sums = new Map<string, { amount: bigint; reserved: bigint }>();
  for (const move of moves) {
    const sum = sums.get(move.accountId) ?? { amount: 0n, reserved: 0n };
    sums.set(move.accountId, { amount: sum.amount + move.amountMicros, reserved: sum.reserved + move.reservedMicros });
  }
  await tx.query({
    name: "accounts.post_money",
    text: `WITH entries AS (
             INSERT INTO ledger_entries (account_id, kind, amount_micros, held_micros, message_id, note, created_at)
             SELECT * FROM unnest($1::text[], $2::text[], $3::int8[], $4::int8[], $5::text[], $6::text[], $7::timestamptz[])
           )
           UPDATE accounts a
           SET balance_micros = a.balance_micros + s.amount, held_micros = a.held_micros + s.reserved
           FROM unnest($8::text[], $9::int8[], $10::int8[]) AS s (id, amount, reserved)
           WHERE a.id = s.id`,
    values: [
      moves.map((move) => move.accountId),
      moves.map((move) => move.kind),
      moves.map((move) => String(move.amountMicros)),
      moves.map((move) => String(move.reservedMicros)),
      moves.map((move) => move.messageId),
      moves.map((move) => move.note),
      moves.map((move) => move.at.toISOString()),
      [...sums.keys()],
      [...sums.values()].map((sum) => String(sum.amount)),
      [...sums.values()].map((sum) => String(sum.reserved)),
    ],
  });
}
