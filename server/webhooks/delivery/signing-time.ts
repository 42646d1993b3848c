/**
 * The time that a signature names. Receivers refuse one that is minutes from their own, so it must not come from a clock that is
 * wrong. When our clock and the database's differ, this process cannot know which one is wrong; the receivers can, and the `Date`
 * of their responses shows it.
 */
import { now, SECOND_MS } from "../../core/clock";
import { defineProcessValue } from "../../core/process";
import { knownAheadMs } from "../../observability/database-time";

/** Smaller differences do not count: a `Date` has whole seconds, and is as old as the response. */
const SAME_MS = 30 * SECOND_MS;

/** Whether the last receiver that could tell agreed with the database's clock. */
const lastReceiver = defineProcessValue("webhooks.last_receiver", () => ({ agreesWithDatabase: false }));

/** Unix seconds for the signature of a request that is sent now. */
export function signingSeconds(): number {
  const aheadMs = knownAheadMs();
  const isOurs = Math.abs(aheadMs) < SAME_MS || !lastReceiver().agreesWithDatabase;
  return Math.floor((now().getTime() - (isOurs ? 0 : aheadMs)) / SECOND_MS);
}

/** Takes note of the `Date` of a response that has just arrived. */
export function noteDate(date: string | undefined): void {
  const aheadMs = knownAheadMs();
  if (date === undefined || Math.abs(aheadMs) < SAME_MS) return;
  const receiverAheadMs = now().getTime() - Date.parse(date);
  if (Number.isNaN(receiverAheadMs)) return;
  const agreesWithUs = Math.abs(receiverAheadMs) < SAME_MS;
  const agreesWithDatabase = Math.abs(receiverAheadMs - aheadMs) < SAME_MS;
  // A receiver whose own clock is wrong agrees with neither, and decides nothing.
  if (agreesWithUs !== agreesWithDatabase) lastReceiver().agreesWithDatabase = agreesWithDatabase;
}
