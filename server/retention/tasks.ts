import { DAY_MS, now } from "../core/clock";
import { pool } from "../core/db";
import { env } from "../core/env";
import { readCarried } from "./events";
import { forgetters } from "./forget";
import { forgetInbound } from "./inbound";
import { forgetLateReceipts } from "./late-receipts";
import { type RoundName, runRound } from "./rounds";
import { type Forgetting, forgetEach } from "./steps";

/** Days after which each kind is deleted; 0: never. Whole messages come first, and leave nothing for the other kinds. */
const daysOf = (): [RoundName, number][] => [
  ["messages", env().RETENTION_MESSAGES_DAYS],
  ["bodies", env().RETENTION_BODIES_DAYS],
  ["events", env().RETENTION_EVENTS_DAYS],
  ["receipts", env().RETENTION_RECEIPTS_DAYS],
];

/**
 * Deletes data older than the RETENTION_* settings allow. Each run continues where the last one
 * ended, and is bounded in time. A kind that fails does not stop the others.
 */
export function forgetOldData(stop?: AbortSignal): Promise<void> {
  const kinds: Forgetting[] = [];
  for (const [name, days] of daysOf()) {
    if (days === 0) continue;
    const run = async () => {
      const end = await endOf(days);
      const carried = name === "receipts" ? new Set<string>() : await readCarried(end);
      const { forgotten, isDone } = await runRound(name, end, forgetters(carried)[name], stop);
      // Once per round, which leaves few receipts to walk through.
      return name === "receipts" && isDone ? forgotten + (await forgetLateReceipts(end, stop)) : forgotten;
    };
    kinds.push([name, run]);
  }
  const { RETENTION_INBOUND_DAYS: inboundDays } = env();
  if (inboundDays > 0) kinds.push(["inbound_messages", async () => forgetInbound(await endOf(inboundDays), stop)]);
  return forgetEach(kinds, stop);
}

/**
 * The time `days` ago, by the database's clock or this process's, whichever is behind: a clock that is ahead would delete data
 * too early, and it could not be restored.
 */
async function endOf(days: number): Promise<Date> {
  const { rows } = await pool().query<{ at: Date }>("SELECT now() AS at");
  const [row] = rows;
  if (!row) throw new Error("The database returned no row.");
  return new Date(Math.min(row.at.getTime(), now().getTime()) - days * DAY_MS);
}
