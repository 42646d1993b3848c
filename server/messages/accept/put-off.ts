/** Puts off messages that would be sent in quiet hours of their recipients. */
import type { LockedAccount } from "../../accounts/store";
import { SECOND_MS } from "../../core/clock";
import type { Refusal } from "../failure";
import { type QuietHours, quietUntil } from "./quiet-hours";
import { loadTimeZones } from "./time-zones";

type QuietAccount = Pick<LockedAccount, "quietStartsMinute" | "quietEndsMinute">;

/** A message as requested. `sendAt` null: at once; `validityS` null: no limit, else in seconds. */
type AskedMessage = { toNumber: string; sendAt: Date | null; validityS: number | null };

/** The time at which a message is to be sent instead, or why it fails at once. */
export type PutOff = { scheduledAt: Date; refusal: null } | { scheduledAt: null; refusal: Refusal };

/** Decides on a message that is accepted at that time; null: it is sent as requested. */
type PutOffCheck = (account: QuietAccount, message: AskedMessage, at: Date) => PutOff | null;

const EXPIRES_IN_QUIET_HOURS: Refusal = {
  code: "quiet_hours",
  message: "The validity period of this message ends before the quiet hours of its recipient do.",
};

const hoursOf = ({ quietStartsMinute, quietEndsMinute }: QuietAccount): QuietHours | null =>
  quietStartsMinute === null || quietEndsMinute === null
    ? null
    : { startsMinute: quietStartsMinute, endsMinute: quietEndsMinute };

export const hasQuietHours = (account: QuietAccount): boolean => hoursOf(account) !== null;

/** Loads the data for {@link PutOffCheck}: none, unless one of the accounts has quiet hours. */
export async function loadPutOffCheck(accounts: Iterable<QuietAccount>): Promise<PutOffCheck> {
  if (![...accounts].some(hasQuietHours)) return () => null;
  const zonesOf = await loadTimeZones();
  // Cached, because the messages of a bulk have few different time zones.
  const ends = new Map<string, Date | null>();
  const endOf = (hours: QuietHours, zones: string, from: Date): Date | null => {
    const key = `${hours.startsMinute} ${hours.endsMinute} ${from.getTime()} ${zones}`;
    const known = ends.get(key);
    if (known !== undefined) return known;
    const end = quietUntil(hours, zones.split("&"), from);
    ends.set(key, end);
    return end;
  };
  return (account, { toNumber, sendAt, validityS }, at) => {
    const hours = hoursOf(account);
    if (!hours) return null;
    const from = sendAt ?? at;
    const end = endOf(hours, zonesOf(toNumber), from);
    if (!end) return null;
    const isWorthWaiting = validityS === null || from.getTime() + validityS * SECOND_MS > end.getTime();
    return isWorthWaiting
      ? { scheduledAt: end, refusal: null }
      : { scheduledAt: null, refusal: EXPIRES_IN_QUIET_HOURS };
  };
}
