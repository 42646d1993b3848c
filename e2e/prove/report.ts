/** What a proof has shown, for people. */
import type { Outcome } from "./run";
import type { Verdict } from "./verdict";

const SHOWN = 5;

const NAMES: Record<keyof Verdict["defects"], string> = {
  lost: "lost",
  duplicated: "duplicated, forbidden",
  drift: "drift of money",
  backwards: "status backwards",
  neverBegun: "failed, never begun",
  disabledByUs: "endpoints disabled by us",
  unfinished: "unfinished",
  frozen: "frozen queues",
  eventsMissing: "events not delivered",
  eventsForged: "events signed or told wrongly",
  keyedTwice: "two messages for one key",
};

const row = (name: string, value: string | number): string => `  ${name.padEnd(34)}${value}`;

/** The table, and a few cases of each defect. */
export function tableOf(verdict: Verdict, outcome: Outcome): string {
  const { defects, remarks } = verdict;
  const lines = [
    "",
    "Defects (all must be 0)",
    ...Object.entries(NAMES).flatMap(([key, name]) => {
      const cases = defects[key as keyof typeof defects];
      return [row(name, cases.length), ...cases.slice(0, SHOWN).map((told) => `      ${told}`)];
    }),
    "",
    "Counts",
    row("messages accepted", remarks.accepted),
    row("duplicated, allowed", remarks.duplicatedAllowed.length),
    row("  of these answered by the carrier", remarks.duplicatedAfterAnswer.length),
    row("failed and refunded, though taken", remarks.failedThoughTaken.length),
    row("died before the request left", remarks.diedBeforeLeaving.length),
    row("unresolved, a carrier was called", remarks.unresolvedCalled),
    row("unresolved, no carrier was called", remarks.unresolvedNotCalled),
    ...Object.entries(remarks.failuresByCode).map(([code, count]) => row(`failed: ${code}`, count)),
    row(
      "quiet after",
      outcome.rest.tookMs === null ? `never: ${outcome.rest.left}` : `${(outcome.rest.tookMs / 1_000).toFixed(1)} s`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}
