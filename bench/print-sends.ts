/** Prints the results of the workload `sends` as text. */
import { type Cpu, median, type Round, type SendsFigures } from "./kit/figures";
import type { LoadResult } from "./kit/load";

const MIB = 1_048_576;
const MICROS = 1_000_000;

const whole = (value: number): string => Math.round(value).toLocaleString("en-US");
const decimal = (value: number, digits: number): string =>
  value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
const ms = (value: number): string => decimal(value, value < 10 ? 2 : 1);
const mib = (bytes: number): string => `${whole(bytes / MIB)} MiB`;

/** Formats a table: the first column is left-aligned text, the others are right-aligned numbers. */
function table(head: string[], rows: string[][]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const line = (cells: string[]) =>
    cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join("   ");
  return lines.map((cells) => `  ${line(cells)}`.trimEnd()).join("\n");
}

function speeds(rounds: Round[], medianRatio: number): string {
  const cells = ({ pgbench, sends, ratio }: Round): number[] => [
    pgbench.perSecond,
    pgbench.latencyMs.p50,
    pgbench.latencyMs.p99,
    sends.perSecond,
    sends.latencyMs.p50,
    sends.latencyMs.p99,
    sends.latencyMs.max,
    sends.perFlush,
    ratio,
  ];
  const show = (
    name: string,
    [tps = 0, p50 = 0, p99 = 0, rate = 0, s50 = 0, s99 = 0, max = 0, flush = 0, ratio = 0]: number[],
  ) => [
    name,
    whole(tps),
    ms(p50),
    ms(p99),
    whole(rate),
    ms(s50),
    ms(s99),
    ms(max),
    whole(flush),
    `${decimal(ratio, 2)} x`,
  ];
  const all = rounds.map(cells);
  const middle = (all[0] ?? []).map((_, at) => median(all.map((row) => row[at] ?? 0)));
  middle[middle.length - 1] = medianRatio;
  return table(
    ["round", "pgbench/s", "p50 ms", "p99 ms", "sends/s", "p50 ms", "p99 ms", "max ms", "per flush", "ratio"],
    [...all.map((row, at) => show(String(at + 1), row)), show("median", middle)],
  );
}

/** Processor time per message and process, in microseconds. */
function costs({ rounds, drain }: SendsFigures): string {
  const none = "-";
  const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0);
  const totalOf = (side: "pgbench" | "sends", part: keyof Cpu) => sum((round) => round[side].cpu[part]);
  const per = (seconds: number, messages: number) => (messages > 0 ? whole((seconds / messages) * MICROS) : none);
  const transactions = sum((round) => round.pgbench.transactions);
  const accepted = sum((round) => round.sends.accepted);
  const peer = totalOf("pgbench", "postgres");
  const [web, postgres] = [totalOf("sends", "web"), totalOf("sends", "postgres")];
  const { cpu, messages } = drain;
  return table(
    ["CPU per message, µs", "web", "worker", "PostgreSQL", "service", "(client)"],
    [
      [
        "one pgbench transaction",
        none,
        none,
        per(peer, transactions),
        per(peer, transactions),
        per(totalOf("pgbench", "client"), transactions),
      ],
      [
        "one accepted send",
        per(web, accepted),
        none,
        per(postgres, accepted),
        per(web + postgres, accepted),
        per(totalOf("sends", "client"), accepted),
      ],
      [
        "one delivery of the backlog",
        per(cpu.web, messages),
        per(cpu.worker, messages),
        per(cpu.postgres, messages),
        per(cpu.web + cpu.worker + cpu.postgres, messages),
        per(cpu.client, messages),
      ],
    ],
  );
}

const probe = (name: string, { accepted, elapsedS, latencyMs }: LoadResult): string[] => [
  name,
  decimal(accepted / elapsedS, 1),
  ms(latencyMs.p50),
  ms(latencyMs.p99),
  ms(latencyMs.max),
];

function backlog({ drain, atRest }: SendsFigures): string {
  const rate = `  ${whole(drain.backlog)} messages delivered in ${decimal(drain.seconds, 1)} s: ${whole(drain.perSecond)}/s`;
  const progress = `  (all submitted after ${decimal(drain.submittedS, 1)} s, the first delivered after ${decimal(drain.firstDeliveredS, 1)} s)`;
  const rows = [probe("worker stopped", atRest), probe("while it drains", drain.probe)];
  return `${rate}\n${progress}\n${table(["API, 50 sends/s", "accepted/s", "p50 ms", "p99 ms", "max ms"], rows)}`;
}

function warnings({ refused, refusal, unanswered, problems }: SendsFigures): string {
  const statuses = Object.entries(refused).map(([status, count]) => `${status}: ${whole(count)}`);
  if (unanswered > 0) statuses.push(`without a response: ${whole(unanswered)}`);
  const lines: string[] = [];
  if (statuses.length > 0) lines.push(`NOT EVERY SEND WAS ACCEPTED: ${statuses.join(", ")}`);
  if (refusal) lines.push(`  first refusal: ${refusal}`);
  if (problems) lines.push("THE SERVICE LOGGED WARNINGS OR ERRORS:", problems);
  return lines.length > 0 ? `\n${lines.join("\n")}\n` : "\nEvery send was accepted with 201.\n";
}

function loneSends({ reply, deliveredMs }: SendsFigures["lone"]): string {
  const rows = [
    ["to the response", ms(reply.latencyMs.p50), ms(reply.latencyMs.p99)],
    ["to delivered (1 s is the sandbox's)", ms(deliveredMs.p50), ms(deliveredMs.p99)],
  ];
  return table(["one caller, a send now and then", "p50 ms", "p99 ms"], rows);
}

/** The whole report. */
export function printSends(figures: SendsFigures): string {
  const { machine, options, memory, checks, rounds, medianRatio } = figures;
  return `
Sends, ${figures.at.slice(0, 10)}
  ${machine.cores} cores (${machine.processor}), Node ${machine.node}, PostgreSQL ${machine.postgres}; load average at the start ${decimal(machine.loadAtStart, 1)}
  ${options.rounds} x ${options.seconds} s for each side, ${options.connections} connections, one account; the worker is stopped until the drain
  Loopback only; pgbench and the load client share the cores with what they measure. The ratio holds for this number of
  connections: pgbench's clients queue for the one account's row.

${speeds(rounds, medianRatio)}

${costs(figures)}

Backlog
${backlog(figures)}

Lone sends
${loneSends(figures.lone)}

Peak memory
  web ${mib(memory.webAfterSends)} after the sends, ${mib(memory.webAtEnd)} at the end · worker ${mib(memory.worker)} · PostgreSQL ${mib(memory.postgres)} (shared memory counted once)
${warnings(figures)}
Checks
${checks.map(({ ok, text }) => `  ${ok ? "ok  " : "FAIL"}  ${text}`).join("\n")}
`;
}
