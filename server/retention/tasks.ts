import { env } from "../core/env";
import { daysBefore, safeNow } from "./age";
import { readCarried } from "./events";
import { forgetters } from "./forget";
import { forgetInbound } from "./inbound";
import { forgetLateReceipts } from "./late-receipts";
import { type RoundKind, runRound } from "./rounds";
import { type Forgetting, forgetEach } from "./steps";
import { forgetTextsOfAccounts } from "./texts-of-accounts";

/** Days after which each kind is deleted; 0: never. Whole messages come first, and leave nothing for the other kinds. */
const daysOf = (): [RoundKind, number][] => [
  ["messages", env().RETENTION_MESSAGES_DAYS],
  ["bodies", env().RETENTION_BODIES_DAYS],
  ["events", env().RETENTION_EVENTS_DAYS],
  ["receipts", env().RETENTION_RECEIPTS_DAYS],
];

const endOf = async (days: number): Promise<Date> => daysBefore(await safeNow(), days);

/**
 * Deletes data older than the RETENTION_* settings and the settings of accounts allow. Each run continues where the last one
 * ended, and is bounded in time. A kind that fails does not stop the others.
 */
export function forgetOldData(stop?: AbortSignal): Promise<void> {
  const kinds: Forgetting[] = [];
  for (const [name, days] of daysOf()) {
    if (days === 0) continue;
    const run = async () => {
      const end = await endOf(days);
      const carried = name === "receipts" ? new Set<string>() : await readCarried(end);
      const { forgotten, isDone } = await runRound(
        { name, kind: name, accountId: null },
        async () => end,
        forgetters(carried)[name],
        stop,
      );
      // Once per round, which leaves few receipts to walk through.
      return name === "receipts" && isDone ? forgotten + (await forgetLateReceipts(end, stop)) : forgotten;
    };
    kinds.push([name, run]);
  }
  const { RETENTION_INBOUND_DAYS: inboundDays } = env();
  if (inboundDays > 0) kinds.push(["inbound_messages", async () => forgetInbound(await endOf(inboundDays), stop)]);
  kinds.push(["texts_of_accounts", () => forgetTextsOfAccounts(stop)]);
  return forgetEach(kinds, stop);
}
