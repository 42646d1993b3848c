import type { Tx } from "../core/db";
import { unnest } from "../core/unnest";

/**
 * A movement of money. `amountMicros` changes the balance, `reservedMicros` the money reserved for messages in flight. A
 * `reserve` or `settle` names its message.
 */
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
  /** The owners' own rule for countries and their own cap, within the operator's; null: none. */
  ownCountryRule: string | null;
  ownCountries: string[] | null;
  ownDailySpendCapMicros: bigint | null;
  /** Quiet hours, in minutes after the recipient's midnight; null: none. */
  quietStartsMinute: number | null;
  quietEndsMinute: number | null;
};

const COLUMNS = `id, status, currency, balance_micros AS "balanceMicros", allowed_countries AS "allowedCountries",
  flood_identical AS "floodIdentical", flood_total AS "floodTotal", daily_spend_cap_micros AS "dailySpendCapMicros",
  own_country_rule AS "ownCountryRule", own_countries AS "ownCountries",
  own_daily_spend_cap_micros AS "ownDailySpendCapMicros", quiet_starts_minute AS "quietStartsMinute",
  quiet_ends_minute AS "quietEndsMinute"`;

/** Number of admission locks. Accounts share them by hash, because PostgreSQL's lock table holds only a few thousand. */
const ADMISSION_LOCKS = 2_048;

/**
 * Takes the admission locks of accounts for the rest of the transaction, then reads the accounts. Every decision based on an
 * account's balance, quotas or Idempotency-Keys holds this lock, and so does every change of its status, limits and quiet hours, and the
 * end of each of its keys.
 * Refunds and settlements do not need it: they only increase what is left. It is taken before all other locks.
 */
export async function lockAdmission(tx: Tx, ids: Iterable<string>): Promise<Map<string, LockedAccount>> {
  const unique = [...new Set(ids)];
  const [, accounts] = await Promise.all([
    tx.query({
      name: "accounts.lock_admission",
      text: `SELECT pg_advisory_xact_lock(hashtext('accounts.admission'), n) FROM (
               SELECT DISTINCT hashtext(id) & ${ADMISSION_LOCKS - 1} AS n FROM unnest($1::text[]) AS i (id) ORDER BY n) l`,
      values: [unique],
    }),
    // A separate statement sees what the previous holder of the lock has committed.
    readAccounts(tx, unique),
  ]);
  return accounts;
}

/** Reads accounts as they are now, without a lock. */
export async function readAccounts(tx: Tx, ids: Iterable<string>): Promise<Map<string, LockedAccount>> {
  const { rows } = await tx.query<LockedAccount>({
    name: "accounts.read",
    text: `SELECT ${COLUMNS} FROM accounts WHERE id = ANY($1::text[])`,
    values: [[...new Set(ids)]],
  });
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Locks the rows of accounts for the rest of the transaction, in the order of their ids, so that batches with common accounts
 * wait for each other instead of deadlocking. Everything that moves money or counters takes these locks, after all others and
 * as late as it can: every other transaction of the account waits for them.
 */
export async function lockAccounts(tx: Tx, ids: Iterable<string>): Promise<Map<string, LockedAccount>> {
  const { rows } = await tx.query<LockedAccount>({
    name: "accounts.lock",
    text: `SELECT ${COLUMNS} FROM accounts WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE`,
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

/** A row of the ledger. `lines`: the messages of a `reserve` or `settle`, each with what it adds to or takes from the reserved money. */
type Entry = MoneyMove & { lines: { messageId: string; micros: bigint }[] | null };

/**
 * One entry for all messages of an account that are reserved for, or settled, together; it lists them. Each credit and refund is
 * an entry of its own, so that the unique key on message and kind makes a second refund impossible.
 */
function entriesOf(moves: readonly MoneyMove[]): Entry[] {
  const entries: Entry[] = [];
  const shared = new Map<string, Entry & { lines: object }>();
  for (const move of moves) {
    const { kind, messageId, accountId, amountMicros, reservedMicros } = move;
    if (messageId === null || (kind !== "reserve" && kind !== "settle")) {
      entries.push({ lines: null, ...move });
      continue;
    }
    const line = { messageId, micros: reservedMicros < 0n ? -reservedMicros : reservedMicros };
    const key = `${kind} ${accountId}`;
    const entry = shared.get(key);
    if (entry) {
      entry.amountMicros += amountMicros;
      entry.reservedMicros += reservedMicros;
      entry.lines.push(line);
    } else {
      const first = { lines: [line], ...move, messageId: null };
      shared.set(key, first);
      entries.push(first);
    }
  }
  return entries;
}

/** Lines are passed as text, since arrays cannot be nested. */
const ENTRIES = unnest<Entry>({
  account_id: ["text", (entry) => entry.accountId],
  kind: ["text", (entry) => entry.kind],
  amount_micros: ["int8", (entry) => entry.amountMicros],
  held_micros: ["int8", (entry) => entry.reservedMicros],
  message_id: ["text", (entry) => entry.messageId],
  note: ["text", (entry) => entry.note],
  created_at: ["timestamptz", (entry) => entry.at.toISOString()],
  message_ids: ["text", ({ lines }) => lines?.map((line) => line.messageId).join(",")],
  message_micros: ["text", ({ lines }) => lines?.map((line) => line.micros).join(",")],
});

const SUMS = unnest<AccountSum>(
  {
    id: ["text", (sum) => sum.accountId],
    amount: ["int8", (sum) => sum.amountMicros],
    reserved: ["int8", (sum) => sum.reservedMicros],
  },
  10,
);

/**
 * Writes ledger entries and adds their sums to the balances, so that a balance always equals the sum of its entries. The
 * accounts must be locked.
 * @throws the database's constraint violation for a balance below zero or a second refund; the transaction fails.
 */
export async function postMoney(tx: Tx, moves: readonly MoneyMove[]): Promise<void> {
  if (moves.length === 0) return;
  await tx.query({
    name: "accounts.post_money",
    text: `WITH entries AS (
             INSERT INTO ledger_entries (account_id, kind, amount_micros, held_micros, message_id, note, created_at,
               message_ids, message_micros)
             SELECT account_id, kind, amount_micros, held_micros, message_id, note, created_at,
               string_to_array(message_ids, ','), string_to_array(message_micros, ',')::int8[]
             FROM ${ENTRIES.as("e")}
           )
           UPDATE accounts a
           SET balance_micros = a.balance_micros + s.amount, held_micros = a.held_micros + s.reserved
           FROM ${SUMS.as("s")}
           WHERE a.id = s.id`,
    values: [...ENTRIES.values(entriesOf(moves)), ...SUMS.values(sumByAccount(moves))],
  });
}
