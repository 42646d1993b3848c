/** Whether this machine's clock agrees with that of the database. */
import { MINUTE_MS, now, SECOND_MS } from "../core/clock";
import { pool } from "../core/db";
import { errorFields, log } from "../core/log";
import { keepDoing } from "../core/process";
import { noteAhead } from "./database-time";

/** Customers refuse webhooks whose signature is five minutes old, and events of one message are ordered by their times. */
const TOLERATED_MS = 2 * SECOND_MS;

/**
 * @returns by how many milliseconds this machine's clock is ahead of the database's, less the time that the query may have
 * taken.
 */
export async function clockAheadMs(): Promise<number> {
  const askedAt = now().getTime();
  const { rows } = await pool().query<{ at: Date }>("SELECT clock_timestamp() AS at");
  const answeredAt = now().getTime();
  const at = rows[0]?.at.getTime() ?? answeredAt;
  return at < askedAt ? askedAt - at : Math.min(0, answeredAt - at);
}

/** Checks every minute, and warns if the clocks differ, until the returned function is called. */
export const keepClockChecked = (): (() => Promise<void>) =>
  keepDoing(async () => {
    try {
      const aheadMs = await clockAheadMs();
      noteAhead(aheadMs);
      if (Math.abs(aheadMs) > TOLERATED_MS)
        log("warn", "clock.differs", { ahead_ms: aheadMs, see: "docs/operations.md, Clocks" });
    } catch (thrown) {
      log("debug", "clock.not_compared", errorFields(thrown));
    }
    return MINUTE_MS;
  });
