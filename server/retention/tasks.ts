import { pool } from "../core/db";
import { env } from "../core/env";
import { errorFields, log } from "../core/log";
import { readCarried } from "./events";
import { forgetters } from "./forget";
import { forgetInbound } from "./inbound";
import { forgetLateReceipts } from "./late-receipts";
import { type RoundName, runRound } from "./rounds";

/** Days after which each kind is deleted; 0: never. Whole messages come first, and leave nothing for the other kinds. */
const daysOf = (): [RoundName, number][] => [
  ["messages", env().RETENTION_MESSAGES_DAYS],
  ["bodies", env().RETENTION_BODIES_DAYS],
  ["events", env().RETENTION_EVENTS_DAYS],
  ["receipts", env().RETENTION_RECEIPTS_DAYS],
];

/**
 * Deletes data older than the RETENTION_* settings allow, by the database's clock. Each run continues where the last one
 * ended, and is bounded in time. A kind that fails does not stop the others.
 */
export async function forgetOldData(stop?: AbortSignal): Promise<void> {
  const failures: unknown[] = [];
  const attempt = async (kind: string, work: () => Promise<number>) => {
    if (stop?.aborted) return;
    try {
      const forgotten = await work();
      if (forgotten > 0) log("info", "retention.forgotten", { kind, count: forgotten });
    } catch (thrown) {
      log("warn", "retention.failed", { kind, ...errorFields(thrown) });
      failures.push(thrown);
    }
  };
  for (const [name, days] of daysOf()) {
    if (days === 0) continue;
    await attempt(name, async () => {
      const end = await endOf(days);
      const carried = name === "receipts" ? new Set<string>() : await readCarried(end);
      const { forgotten, isDone } = await runRound(name, end, forgetters(carried)[name], stop);
      // Once per round, which leaves few receipts to walk through.
      return name === "receipts" && isDone ? forgotten + (await forgetLateReceipts(end, stop)) : forgotten;
    });
  }
  const { RETENTION_INBOUND_DAYS: inboundDays } = env();
  if (inboundDays > 0) await attempt("inbound_messages", async () => forgetInbound(await endOf(inboundDays), stop));
  if (failures.length > 0) throw failures[0];
}

/** The time `days` ago, by the database's clock. */
async function endOf(days: number): Promise<Date> {
  const { rows } = await pool().query<{ at: Date }>("SELECT now() - make_interval(days => $1) AS at", [days]);
  const [row] = rows;
  if (!row) throw new Error("The database returned no row.");
  return row.at;
}
