/** Differences between messages and their ledger lines, as SQL that every comparison shares. */

/** Faulty messages named per account; more would only repeat the fault. */
const NAMED_MESSAGES_MAX = 20;

/**
 * Entries after `after` up to `through`, by id, and messages from `first` (inclusive) to `end` (exclusive). Null: to the last.
 */
export type LedgerRange = { after: bigint; through: bigint | null; first: string; end: string | null };

export const EVERYTHING: LedgerRange = { after: 0n, through: null, first: "", end: null };

/** The parameters `$1` to `$5` of {@link FAULTS}. */
export const faultValues = ({ after, through, first, end }: LedgerRange): unknown[] => [
  NAMED_MESSAGES_MAX,
  String(after),
  through === null ? null : String(through),
  first,
  end,
];

/**
 * Common table expressions. `billed`: sums of each message's lines. A message is faulty when it has a cost, settlement or refund
 * without a reserve; is both settled and refunded; is pending without an open reserve or the reverse; has lines whose sum is not
 * its cost, or whose reserved sum is not its open reserve; or has lines of another account, or of no message. A forgotten message
 * is known only by its lines, which must be settled or refunded. `uneven`: entries whose sums are not those of the messages that
 * they list, which are then all faulty. `named`: up to 20 faulty messages of each account.
 */
export const FAULTS = `
  billed AS (
    SELECT message_id, min(account_id) AS account_id, min(account_id) <> max(account_id) AS mixed,
           count(*) FILTER (WHERE kind = 'reserve') AS reserves, count(*) FILTER (WHERE kind = 'settle') AS settles,
           count(*) FILTER (WHERE kind = 'refund') AS refunds, sum(amount_micros) AS amount, sum(held_micros) AS reserved
    FROM ledger_lines WHERE entry_id > $2::int8 AND ($3::int8 IS NULL OR entry_id <= $3)
      AND message_id >= $4 AND ($5::text IS NULL OR message_id < $5)
    GROUP BY message_id
  ), forgotten AS (
    SELECT account_id, sum(cost_micros) AS cost FROM forgotten_days GROUP BY account_id
  ), uneven AS (
    SELECT e.account_id, unnest(e.message_ids) AS message_id FROM ledger_entries e
    CROSS JOIN LATERAL (SELECT coalesce(sum(micros), 0) AS micros FROM unnest(e.message_micros) AS l (micros)) AS listed
    WHERE e.id > $2::int8 AND ($3::int8 IS NULL OR e.id <= $3) AND e.message_ids IS NOT NULL
      AND (e.held_micros <> CASE e.kind WHEN 'reserve' THEN listed.micros ELSE -listed.micros END
           OR e.amount_micros <> CASE e.kind WHEN 'reserve' THEN -listed.micros ELSE 0 END)
  ), faulty AS (
    SELECT account_id, message_id FROM uneven
    UNION
    SELECT coalesce(m.account_id, b.account_id) AS account_id, coalesce(m.id, b.message_id) AS message_id
    FROM (SELECT id, account_id, status, cost_micros FROM messages WHERE id >= $4 AND ($5::text IS NULL OR id < $5)) m
    FULL JOIN billed b ON b.message_id = m.id
    WHERE CASE WHEN m.id IS NULL
      THEN b.mixed OR b.reserves <> 1 OR b.settles + b.refunds <> 1 OR b.reserved <> 0
           OR NOT EXISTS (SELECT FROM forgotten f WHERE f.account_id = b.account_id)
      ELSE (b.message_id IS NOT NULL OR m.cost_micros <> 0)
           AND (b.message_id IS NULL OR b.mixed OR b.account_id <> m.account_id
                OR b.reserves <> 1 OR b.settles + b.refunds > 1
                OR (m.status = 'pending') <> (b.settles + b.refunds = 0) OR b.amount <> -m.cost_micros
                OR b.reserved <> CASE WHEN b.settles + b.refunds = 0 THEN m.cost_micros ELSE 0 END) END
  ), named AS (
    SELECT account_id, (array_agg(message_id ORDER BY message_id))[1:$1] AS messages FROM faulty GROUP BY account_id
  )`;
