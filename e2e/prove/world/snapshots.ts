/** Compares balance, ledger, messages and usage of every account in one snapshot after another, while everything runs. */
import type { Database } from "@/e2e/support/books";

/** `drifted`: accounts whose books disagreed in a snapshot, described. */
export type Snapshots = { count: number; drifted: string[] };

const EVERY_MS = 1_000;
const DESCRIBED = 50;

type Row = { accountId: string; pairs: Record<string, [is: number, must: number]> };

/** One statement sees one snapshot. */
const DRIFTED = `
  SELECT * FROM (
    SELECT a.id AS "accountId", jsonb_build_object(
      'balance, by the ledger', jsonb_build_array(a.balance_micros, l.amount),
      'held, by the ledger', jsonb_build_array(a.held_micros, l.held),
      'held, by the messages', jsonb_build_array(a.held_micros, m.pending),
      'usage: cost', jsonb_build_array(u.cost, m.cost)) AS pairs
    FROM accounts a
    CROSS JOIN LATERAL (SELECT coalesce(sum(amount_micros), 0) AS amount, coalesce(sum(held_micros), 0) AS held
      FROM ledger_entries WHERE account_id = a.id) l
    CROSS JOIN LATERAL (SELECT coalesce(sum(cost_micros), 0) AS cost,
      coalesce(sum(cost_micros) FILTER (WHERE status = 'pending'), 0) AS pending FROM messages WHERE account_id = a.id) m
    CROSS JOIN LATERAL (SELECT coalesce(sum(cost_micros), 0) AS cost FROM usage_days WHERE account_id = a.id) u) s
  WHERE EXISTS (SELECT 1 FROM jsonb_each(pairs) AS p WHERE p.value -> 0 <> p.value -> 1)`;

/** Takes snapshots until it is stopped; while the database is unavailable there are none. */
export function startSnapshots(database: Database): { stop: () => Promise<Snapshots> } {
  const taken: Snapshots = { count: 0, drifted: [] };
  let isOver = false;
  const run = async () => {
    while (!isOver) {
      const rows = await database.rows<Row>(DRIFTED).catch(() => null);
      if (rows) taken.count += 1;
      for (const { accountId, pairs } of rows ?? []) {
        const differences = Object.entries(pairs).filter(([, [is, must]]) => is !== must);
        const described = differences.map(([what, [is, must]]) => `${what} is ${is}, not ${must}`).join("; ");
        if (taken.drifted.length < DESCRIBED)
          taken.drifted.push(`${accountId} in snapshot ${taken.count}: ${described}`);
      }
      await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
    }
  };
  const running = run();
  return {
    stop: async () => {
      isOver = true;
      await running;
      return taken;
    },
  };
}
