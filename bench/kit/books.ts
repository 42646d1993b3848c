/** The invariants that a benchmark must not break: everything it measured happened exactly once. */
import type { Client } from "pg";

export type Check = { ok: boolean; text: string };

const figures = (value: number | bigint): string => value.toLocaleString("en-US");

/** Checks that all the named numbers are equal. */
function same(values: Record<string, number | bigint>): Check {
  const entries = Object.entries(values);
  const ok = entries.every(([, value]) => String(value) === String(entries[0]?.[1]));
  return { ok, text: entries.map(([name, value]) => `${name} ${figures(value)}`).join(ok ? " = " : " | ") };
}

/** `drifted`: accounts whose balance or reserved money is not the sum of their entries. */
type Books = {
  balance: bigint;
  held: bigint;
  amounts: bigint;
  holds: bigint;
  messages: number;
  reserves: number;
  drifted: number;
};

async function readBooks(database: Client): Promise<Books> {
  type Row = Omit<Books, "balance" | "held" | "amounts" | "holds"> & {
    balance: string;
    held: string;
    amounts: string;
    holds: string;
  };
  const { rows } = await database.query<Row>(
    `SELECT (SELECT sum(balance_micros) FROM accounts)::text AS balance, (SELECT sum(held_micros) FROM accounts)::text AS held,
            (SELECT sum(amount_micros) FROM ledger_entries)::text AS amounts,
            (SELECT sum(held_micros) FROM ledger_entries)::text AS holds,
            (SELECT count(*) FROM messages)::int4 AS messages,
            (SELECT count(*) FROM ledger_lines WHERE kind = 'reserve')::int4 AS reserves,
            (SELECT count(*) FROM accounts a
              LEFT JOIN (SELECT account_id, sum(amount_micros) AS amount, sum(held_micros) AS held
                FROM ledger_entries GROUP BY account_id) e ON e.account_id = a.id
              WHERE (a.balance_micros, a.held_micros) IS DISTINCT FROM (coalesce(e.amount, 0), coalesce(e.held, 0)))::int4
              AS drifted`,
  );
  const [row] = rows;
  if (!row) throw new Error("The database returned no row.");
  const { balance, held, amounts, holds, ...counts } = row;
  const micros = { balance: BigInt(balance), held: BigInt(held), amounts: BigInt(amounts), holds: BigInt(holds) };
  return { ...micros, ...counts };
}

const balanced = (books: Books): Check[] => [
  same({ "balance in micro-units": books.balance, "sum of the ledger": books.amounts }),
  same({ "reserved in micro-units": books.held, "sum reserved in the ledger": books.holds }),
  { ok: books.drifted === 0, text: `accounts that drifted: ${figures(books.drifted)}` },
];

/** Checks pgbench's database: it committed the transactions that it reported. */
export async function checkPeer(database: Client, transactions: number): Promise<Check[]> {
  const books = await readBooks(database);
  const counts = { "pgbench: transactions": transactions, messages: books.messages, "reserve entries": books.reserves };
  return [same(counts), ...balanced(books).map(({ ok, text }) => ({ ok, text: `pgbench: ${text}` }))];
}

/** Checks the service's database after the drain. @param accepted 201 responses that clients received. */
export async function checkService(database: Client, accepted: number): Promise<Check[]> {
  const books = await readBooks(database);
  const { rows } = await database.query<{
    delivered: number;
    settled: number;
    counted: number;
    open: number;
    jobs: number;
  }>(
    `SELECT (SELECT count(*) FROM messages WHERE status = 'delivered')::int4 AS delivered,
            (SELECT count(*) FROM ledger_lines WHERE kind = 'settle')::int4 AS settled,
            (SELECT coalesce(sum(delivered), 0) FROM usage_days)::int4 AS counted,
            (SELECT count(*) FROM messages WHERE status IN ('pending', 'sent'))::int4 AS open,
            (SELECT count(*) FROM graphile_worker.jobs
              WHERE task_identifier IN ('dispatch_messages', 'apply_receipts', 'join_receipts'))::int4 AS jobs`,
  );
  const { delivered = 0, settled = 0, counted = 0, open = 0, jobs = 0 } = rows[0] ?? {};
  return [
    same({ "accepted responses": accepted, messages: books.messages, "reserved for": books.reserves }),
    same({ messages: books.messages, delivered, settled: settled, "counted as delivered": counted }),
    ...balanced(books),
    { ok: open === 0 && jobs === 0, text: `left after the drain: ${figures(open)} messages, ${figures(jobs)} jobs` },
  ];
}
