/** A span of acceptance times, cut so that whole days are read from their counters and only its edges are counted. */
import { DAY_MS, MINUTE_MS } from "../core/clock";
import { firstIdAt } from "../core/ids";

/** Milliseconds since 1970: from `from` on, before `to`; null: without a bound. */
export type Span = { from: number | null; to: number | null };

const dayBefore = (at: number): number => Math.floor(at / DAY_MS) * DAY_MS;
const dayAfter = (at: number): number => Math.ceil(at / DAY_MS) * DAY_MS;

/** The whole UTC days of a span, null when there is none, and what is left of it at either end. */
export function cutAtDays({ from, to }: Span): { days: Span | null; edges: Span[] } {
  const days: Span = { from: from === null ? null : dayAfter(from), to: to === null ? null : dayBefore(to) };
  if (days.from !== null && days.to !== null && days.from >= days.to) return { days: null, edges: [{ from, to }] };
  const edges = [
    { from, to: days.from },
    { from: days.to, to },
  ];
  return { days, edges: edges.filter((edge) => edge.from !== null && edge.to !== null && edge.from < edge.to) };
}

/** How far the time in an id and `created_at` may lie apart: a process whose clock was set back goes on counting ids up. */
const ID_SLACK_MS = 10 * MINUTE_MS;

/** The ids among which every message of a span is found; others may be among them too. Null: without a bound. */
export const idsWithin = ({ from, to }: Span): { first: string | null; end: string | null } => ({
  first: from === null ? null : firstIdAt("message", new Date(Math.max(from - ID_SLACK_MS, 0))),
  end: to === null ? null : firstIdAt("message", new Date(Math.max(to + ID_SLACK_MS, 0))),
});
