/** An account's money as the database has it, for tests that do not rely on the API. */
import pg from "pg";
import { runningStart } from "@/scripts/local/lock";
import type { Service } from "./service";

/** An account at one moment, read in one snapshot. Money in micro-units. */
export type Books = {
  balance: number;
  held: number;
  /** Sum of all ledger entries; always the balance. */
  ledger: number;
  /** Messages charged at acceptance. */
  charges: number;
  refunds: number;
  messages: number;
};

/** Connection string of the running service's database. */
export function databaseUrlOf(service: Service): string {
  const url = runningStart(service.dataDir)?.databaseUrl;
  if (!url) throw new Error(`No service runs on ${service.dataDir}.`);
  return url;
}

/** Read access to a database; close it after use. */
export async function openDatabase(databaseUrl: string) {
  // One connection, so queries run in order.
  const client = new pg.Pool({
    connectionString: databaseUrl,
    application_name: "tests",
    max: 1,
    idleTimeoutMillis: 0,
  });
  client.on("error", () => undefined);
  await client.query("SELECT 1");

  /** The rows of a query. */
  const rows = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await client.query<Row>(text, values)).rows;

  const booksOf = async (accountId: string): Promise<Books> => {
    const [row] = await rows<Record<keyof Books, string>>(
      `SELECT a.balance_micros AS balance, a.held_micros AS held,
         (SELECT coalesce(sum(l.amount_micros), 0) FROM ledger_entries l WHERE l.account_id = a.id) AS ledger,
         (SELECT count(*) FROM ledger_lines l WHERE l.account_id = a.id AND l.kind = 'reserve') AS charges,
         (SELECT count(*) FROM ledger_entries l WHERE l.account_id = a.id AND l.kind = 'refund') AS refunds,
         (SELECT count(*) FROM messages m WHERE m.account_id = a.id) AS messages
       FROM accounts a WHERE a.id = $1`,
      [accountId],
    );
    if (!row) throw new Error(`There is no account ${accountId}.`);
    return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)])) as Books;
  };

  return { rows, booksOf, close: () => client.end() };
}

export type Database = Awaited<ReturnType<typeof openDatabase>>;
