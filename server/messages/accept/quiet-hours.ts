/** Quiet hours: the part of a recipient's day in which an account sends nothing (docs/decisions/0033-quiet-hours.md). */
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../core/clock";

/** Minutes after local midnight. Hours that end before they start last until the next day. */
export type QuietHours = { startsMinute: number; endsMinute: number };

/** Local time minus UTC at that moment, in milliseconds; null: Node does not know this time zone. */
type OffsetAt = ((at: number) => number) | null;

function makeOffset(zone: string): OffsetAt {
  const number = "numeric" as const;
  const fields = { year: number, month: number, day: number, hour: number, minute: number, second: number };
  try {
    const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", ...fields });
    return (at) => {
      const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
      const of = (name: keyof typeof fields): number => parts.get(name) ?? 0;
      const local = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second"));
      return local - Math.floor(at / SECOND_MS) * SECOND_MS;
    };
  } catch {
    return null;
  }
}

/** Offset functions by time zone; there are some hundreds of zones. */
const offsets = new Map<string, OffsetAt>();

function offsetIn(zone: string): OffsetAt {
  const known = offsets.get(zone);
  if (known !== undefined) return known;
  const made = makeOffset(zone);
  offsets.set(zone, made);
  return made;
}

function isQuiet({ startsMinute, endsMinute }: QuietHours, offsetAt: NonNullable<OffsetAt>, at: number): boolean {
  const minute = Math.floor(((at + offsetAt(at)) % DAY_MS) / MINUTE_MS);
  if (startsMinute < endsMinute) return minute >= startsMinute && minute < endsMinute;
  return minute >= startsMinute || minute < endsMinute;
}

/** The next moment after `at` at which clocks there show the end of the quiet hours, or have passed it. */
function nextEnd({ endsMinute }: QuietHours, offsetAt: NonNullable<OffsetAt>, at: number): number {
  const local = at + offsetAt(at);
  const today = Math.floor(local / DAY_MS) * DAY_MS + endsMinute * MINUTE_MS;
  const end = today > local ? today : today + DAY_MS;
  // The offset may change before the end.
  const guess = end - offsetAt(at);
  const corrected = end - offsetAt(guess);
  if (corrected + offsetAt(corrected) === end) return corrected;
  // In spring, clocks skip that time: they jump past it between the two moments.
  const [earlier, later] = [Math.min(guess, corrected), Math.max(guess, corrected)];
  return firstSecond(earlier, later, (time) => time + offsetAt(time) >= end);
}

/** The first second after `from` for which `isOver` is true; it stays true until `to`, at the latest from there on. */
function firstSecond(from: number, to: number, isOver: (time: number) => boolean): number {
  let [before, after] = [from, to];
  while (after - before > SECOND_MS) {
    const middle = before + Math.floor((after - before) / 2 / SECOND_MS) * SECOND_MS;
    if (isOver(middle)) after = middle;
    else before = middle;
  }
  return after;
}

/**
 * The end of the quiet hours in which `at` lies for a number of these time zones (IANA); null: it lies in none. It must be
 * outside the quiet hours of all of them; if the zones are so far apart that there is no such time within a day, it is the first one
 * at which the fewest have quiet hours.
 */
export function quietUntil(hours: QuietHours, zones: readonly string[], at: Date): Date | null {
  const places = zones.map(offsetIn).filter((offsetAt) => offsetAt !== null);
  const quietAt = (time: number): number => places.filter((offsetAt) => isQuiet(hours, offsetAt, time)).length;
  let best = { time: at.getTime(), quiet: quietAt(at.getTime()) };
  if (best.quiet === 0) return null;
  const ends = new Set(places.map((offsetAt) => nextEnd(hours, offsetAt, at.getTime())));
  for (const time of [...ends].sort((a, b) => a - b)) {
    const quiet = quietAt(time);
    if (quiet < best.quiet) best = { time, quiet };
  }
  return best.time === at.getTime() ? null : new Date(best.time);
}
