/** Splits a range of acceptance times into whole days, which have counters, and edges, which are counted. */
import { DAY_MS } from "../../core/clock";
import { firstIdAt, ID_SLACK_MS } from "../../core/ids";

/** Milliseconds since 1970: `from` inclusive, `to` exclusive; null: unbounded. */
export type TimeRange = { from: number | null; to: number | null };

/** The last day in the database's text form of dates. */
const LAST_DAY = Date.parse("9999-12-31T00:00:00Z");

const dayBefore = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;
const dayAfter = (at: number): number => Math.ceil(at / DAY_MS) * DAY_MS;

/** The whole UTC days of a range (null: none), and the rest at either end. */
export function cutAtDays({ from, to }: TimeRange): { days: TimeRange | null; edges: TimeRange[] } {
  const days: TimeRange = { from: from === null ? null : dayAfter(from), to: to === null ? null : dayBefore(to) };
  const isBeyond = days.from !== null && days.from > LAST_DAY;
  if (isBeyond || (days.from !== null && days.to !== null && days.from >= days.to)) {
    return { days: null, edges: [{ from, to }] };
  }
  const edges = [
    { from, to: days.from },
    { from: days.to, to },
  ];
  return { days, edges: edges.filter((edge) => edge.from !== null && edge.to !== null && edge.from < edge.to) };
}

/** Bounds on the ids of a range's messages; other messages may lie within them too. Null: unbounded. */
export const idsWithin = ({ from, to }: TimeRange): { first: string | null; end: string | null } => ({
  first: from === null ? null : firstIdAt("message", new Date(Math.max(from - ID_SLACK_MS, 0))),
  end: to === null ? null : firstIdAt("message", new Date(Math.max(to + ID_SLACK_MS, 0))),
});
