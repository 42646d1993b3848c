/** The result of a proof, for people and programs. */

import type { Happened } from "../faults/faults";
import type { Send, Shortage } from "../load/sends";
import type { Outcome } from "../run";
import type { Evidence } from "./evidence";
import { duration, spread } from "./figures";
import { QUEUES } from "./history";
import { afterKills, afterReturns } from "./recovery";
import type { Verdict } from "./verdict";

const SHOWN = 5;

const NAMES: Record<keyof Verdict["defects"], string> = {
  lost: "lost",
  duplicated: "duplicated, not allowed",
  drift: "drift of money",
  backwards: "status backwards",
  neverBegun: "failed, never begun",
  disabledByUs: "endpoints disabled by us",
  unfinished: "unfinished",
  frozen: "frozen queues",
  eventsMissing: "events not delivered",
  eventsForged: "events signed or reported wrongly",
  keyedTwice: "two messages for one key",
  sentThoughRefused: "accepted after a refusal",
  canceled: "cancellations not kept",
  untimely: "sent before or after their time",
  tooFast: "senders faster than their limit",
  replies: "replies lost or not heeded",
  texts: "deleted texts kept",
  credits: "credits lost or booked twice",
  overspent: "spent beyond a balance or a cap",
  refusedWrongly: "refused for money without a reason",
  testMode: "test messages sent or billed",
  bans: "suppressions and suspensions not kept",
  keys: "API keys too early or too late",
  quotas: "quotas of API keys not kept",
  rates: "rate limits of API keys not kept",
  endpoints: "changes of endpoints not kept",
  audit: "audit log not as its digests say",
  unserved: "requests failed by an upgrade",
  empty: "empty books",
};

/** Whether the web process of a send was frozen, or the database away, before its first response. */
function isHindered({ web, atMs, firstMs }: Send, happened: readonly Happened[]): boolean {
  const isAway = ({ fault }: Happened) =>
    fault.kind === "restart" ||
    fault.kind === "failover" ||
    fault.kind === "pooler" ||
    fault.kind === "clients" ||
    (fault.kind === "freeze" && fault.name === `web-${web + 1}`);
  return happened.some((each) => isAway(each) && each.atMs < atMs + (firstMs ?? 0) && atMs < each.untilMs);
}

/** How often the customers with limits met them; null: there are none. */
function limitedFigures({ limited, sends, database }: Evidence) {
  if (!limited) return null;
  const { credits, caps, trials, snapshots } = limited;
  const shortages = (kind: Shortage["kind"]) =>
    sends.flatMap(({ shortages: own }) => own ?? []).filter((each) => each.kind === kind).length;
  return {
    booked: credits.filter(({ result }) => result === "booked").length,
    notBooked: credits.filter(({ result }) => result === "refused").length,
    caps: caps.length,
    byBalance: shortages("balance"),
    byCap: shortages("cap"),
    whenDue: database.messages.filter(({ errorCode }) => errorCode === "daily_spend_cap").length,
    trials: trials.flatMap(({ messages }) => messages ?? []).length,
    snapshots: snapshots.count,
  };
}

/** All results of a run as plain data. */
export function figuresOf(verdict: Verdict, outcome: Outcome) {
  const { evidence, happened, upgraded, lives, load, rest, times, problems, stalls } = outcome;
  const during = evidence.sends.filter(({ atMs }) => atMs < times.healedMs);
  const tries = [...load.answers.values()];
  return {
    ...verdict,
    answers: tries.toSorted((one, other) => other.count - one.count),
    latency: {
      first: during.flatMap(({ firstMs }) => firstMs ?? []),
      unhindered: during.filter((send) => !isHindered(send, happened)).flatMap(({ firstMs }) => firstMs ?? []),
      accepted: during.flatMap(({ acceptedMs, key, shortages }) =>
        key === null || shortages ? [] : (acceptedMs ?? []),
      ),
    },
    skipped: load.skipped(),
    upgrade: upgraded && {
      migrations: upgraded.migrations,
      ms: upgraded.untilMs - upgraded.atMs,
      first: during
        .filter(({ atMs }) => atMs >= upgraded.atMs && atMs < upgraded.untilMs)
        .flatMap(({ firstMs }) => firstMs ?? []),
    },
    kills: afterKills(lives, evidence.history, times.agedMs),
    returns: afterReturns(happened, lives, evidence.history, times.loadEndedMs),
    happened,
    lives,
    rest,
    stalls,
    problems,
    limited: limitedFigures(evidence),
  };
}

export type Figures = ReturnType<typeof figuresOf>;

const row = (name: string, value: string | number): string => `  ${name.padEnd(39)} ${value}`;
const isOdd = ({ status }: { status: number | null }) => status === null || status >= 400;

function upgradeLines({ upgrade }: Figures): string[] {
  if (!upgrade) return [];
  const { migrations, ms, first } = upgrade;
  const applied = `${migrations.length}, in ${duration(ms)}`;
  return ["", "Upgrade", row("migrations", applied), row("first answer to a send meanwhile", spread(first))];
}

function limitedLines({ limited }: Figures): string[] {
  if (!limited) return [];
  return [
    "",
    "Money",
    row("refused: the balance does not cover it", limited.byBalance),
    row("refused: beyond a spending cap", limited.byCap),
    row("  scheduled, and beyond it when due", limited.whenDue),
    row("credits booked, refused", `${limited.booked}, ${limited.notBooked}`),
    row("spending caps set", limited.caps),
    row("test messages", limited.trials),
    row("snapshots of all books", limited.snapshots),
  ];
}

function returnLines({ returns }: Figures): string[] {
  return returns.map(({ mode, first }) => {
    const times = QUEUES.map((queue) => {
      const own = first.filter((each) => each.queue === queue);
      const works = own.map(({ process, afterMs }) => (afterMs === null ? `never in ${process}` : duration(afterMs)));
      return `${queue} ${works.join(" and ") || "-"}`;
    });
    return row(`works again after ${mode}`, times.join("; "));
  });
}

/** The table, and a few cases of each defect. */
export function tableOf(figures: Figures): string {
  const { defects, remarks, latency, kills, lives, rest, stalls, problems, answers, skipped } = figures;
  const moved = kills.flatMap(({ movedOnMs }) => movedOnMs);
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  const unexpected = lives.filter(({ end }) => end === "by itself" || end === "forced");
  const lines = [
    "",
    "Must be 0",
    ...Object.entries(NAMES).flatMap(([key, name]) => {
      const cases = defects[key as keyof typeof defects];
      return [row(name, cases.length), ...cases.slice(0, SHOWN).map((one) => `      ${one}`)];
    }),
    "",
    "Messages",
    row("accepted", remarks.accepted),
    row("duplicated, allowed", remarks.duplicatedAllowed.length),
    row("  after an answer of the carrier", remarks.duplicatedAfterResponse.length),
    row("failed and refunded, though taken", remarks.failedThoughTaken.length),
    row("claimed, and taken back", remarks.takenBack),
    row("begun, and no carrier read a request", remarks.diedBeforeLeaving.length),
    row("sent in part, wait for 72 hours", remarks.waitForParts.length),
    row("only time ended: a carrier was called", remarks.unresolvedCalled),
    row("only time ended: none was called", remarks.unresolvedNotCalled),
    ...Object.entries(remarks.failuresByCode).map(([code, count]) => row(`failed: ${code}`, count)),
    "",
    "Callers",
    row("first answer to a send", spread(latency.first)),
    row("  process and database were there", spread(latency.unhindered)),
    row("until accepted, repeated with its key", spread(latency.accepted)),
    ...answers
      .filter(isOdd)
      .map(({ request, status, code, fault, count }) =>
        row(`${request}: ${status ?? "no answer"} ${code ?? ""}`, `${count}${fault ? `, wrong shape: ${fault}` : ""}`),
      ),
    row("not sent, too many unanswered", skipped),
    ...limitedLines(figures),
    ...upgradeLines(figures),
    "",
    "Recovery",
    row("worker kills", kills.length),
    row("  claimed by the dead, went on", `${moved.length}: ${spread(moved)}`),
    row("  claimed by the dead, waited for time", sum(kills.map(({ waited }) => waited))),
    ...returnLines(figures),
    row("messages at rest after", rest.tookMs === null ? `never: ${rest.left}` : duration(rest.tookMs)),
    ...unexpected.map(({ process, end }) => row(`${process} ended ${end}`, "")),
    "",
    "The proof itself",
    row("stood still for", `p99 ${duration(stalls.p99Ms)}, max ${duration(stalls.maxMs)}`),
    ...problems.slice(0, SHOWN).map((problem) => row("problem", problem)),
  ];
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}
