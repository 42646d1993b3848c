/** Runs the other workloads one after the other, and writes their figures and goals to `bench/report.md`. */
import { spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { endChild } from "./kit/client";
import type { Options, Outcome, Stage, Workload } from "./kit/workload";

const FILE = path.join("bench", "report.md");

type Row = { work: string; found: string; goal: string };
/** The figures that a workload prints with --json; each part knows the shape of its figures. */
// biome-ignore lint/suspicious/noExplicitAny: they come from another process's output.
type Figures = any;
type Part = { name: string; options: (options: Options) => string[]; rows: (figures: Figures) => Row[] };

const times = (ratio: number): string => `${ratio.toFixed(2)} ×`;
const perS = (rate: number): string => `${Math.round(rate).toLocaleString("en-US")}/s`;
const ms = (value: number): string => `${value.toFixed(1)} ms`;
const us = (costs: Record<string, number>): string =>
  Object.entries(costs)
    .map(([name, value]) => `${name} ${Math.round(value)}`)
    .join(" + ");
const middle = <Item>(items: readonly Item[]): Item => items[Math.floor(items.length / 2)] as Item;

const measured = ({ seconds, rounds, connections }: Options): string[] => [
  ...["--seconds", String(seconds), "--rounds", String(rounds), "--connections", String(connections)],
];
const sized = (options: Options, backlog: number): string[] => [...measured(options), "--backlog", String(backlog)];

/** The time in which Kannel's spool grows to some hundred thousand messages. */
const SUSTAINED_S = 40;
/** The number of messages in an earlier comparison. */
const FEW = 500;

const acceptedByKannel = (what: string, { service, kannel, bare }: Figures, ratio: number): Row => ({
  work: `${what}, against Kannel with files that are not synced`,
  found: `${times(ratio)} (${perS(service.perSecond)} and ${perS(kannel.perSecond)}; CPU in µs: ${us(service.cpuUs)}, Kannel ${us(kannel.cpuUs)}, an HTTP server that only parses and responds ${us(bare.cpuUs)})`,
  goal: "1 ×",
});

const PARTS: Part[] = [
  {
    name: "sends",
    options: (options) => sized(options, options.backlog),
    rows: ({ rounds, medianRatio, lone, drain, memory }) => [
      {
        work: "single sends accepted, worker stopped, against pgbench with one transaction a send",
        found: `${times(medianRatio)} (${perS(middle<Figures>(rounds).sends.perSecond)} and ${perS(middle<Figures>(rounds).pgbench.perSecond)})`,
        goal: "5 ×",
      },
      {
        work: "a lone send, to the response",
        found: `p50 ${ms(lone.reply.latencyMs.p50)}, p99 ${ms(lone.reply.latencyMs.p99)}`,
        goal: "p99 < 15 ms",
      },
      {
        work: "a lone send, to `delivered` (the sandbox waits 1 s)",
        found: `p50 ${ms(lone.deliveredMs.p50)}, p99 ${ms(lone.deliveredMs.p99)}`,
        goal: "p99 < 1,100 ms",
      },
      {
        work: "50 sends/s while a backlog drains, to the response",
        found: `p50 ${ms(drain.probe.latencyMs.p50)}, p99 ${ms(drain.probe.latencyMs.p99)}`,
        goal: "",
      },
      {
        work: "peak memory: web, worker, PostgreSQL",
        found: [memory.webAtEnd, memory.worker, memory.postgres]
          .map((bytes) => `${Math.round(bytes / 2 ** 20)} MiB`)
          .join(", "),
        goal: "",
      },
    ],
  },
  {
    name: "kannel",
    options: (options) => sized(options, options.backlog),
    rows: ({ accepted, lives, acceptedRatio, lifeRatio, messages }) => {
      const [send, life] = [middle<Figures>(accepted), middle<Figures>(lives)];
      return [
        acceptedByKannel("single sends accepted, nothing dispatched", send, acceptedRatio),
        {
          work: `${messages} messages end to end over SMPP, from the request to the callback, against Kannel`,
          found: `${times(lifeRatio)} (${perS(life.service.perSecond)} and ${perS(life.kannel.perSecond)}; CPU in µs: ${us(life.service.cpuUs)}, Kannel ${us(life.kannel.cpuUs)})`,
          goal: "1 ×",
        },
      ];
    },
  },
  {
    name: "kannel",
    options: (options) => sized({ ...options, seconds: SUSTAINED_S }, FEW),
    rows: ({ accepted, acceptedRatio }) => [
      acceptedByKannel(
        `single sends accepted for ${SUSTAINED_S} s, while ever more wait`,
        middle<Figures>(accepted),
        acceptedRatio,
      ),
    ],
  },
  {
    name: "bulk",
    options: measured,
    rows: ({ rounds, medianRatio, perSecond }) => [
      {
        work: "bulk sends of 1,000 recipients, against pgbench inserting as many by one statement",
        found: `${perS(perSecond)} recipients, ${times(medianRatio)} (CPU in µs: ${us(middle<Figures>(rounds).cpuUs)})`,
        goal: "40,000/s",
      },
    ],
  },
  {
    name: "drain",
    options: (options) => [...["--rounds", "2"], ...["--backlog", String(options.backlog)]],
    rows: ({ rounds, worstOfBest, worstOfBestWork }) => [
      ...rounds.map(({ backlog, isStarted, perSecond, workPerSecond, cpuUs }: Figures) => ({
        work: `${backlog.toLocaleString("en-US")} waiting single sends delivered by one worker that ${isStarted ? "is started on them" : "runs"}, sandbox`,
        found: `${perS(perSecond)}, without the sandbox's second ${perS(workPerSecond)} (CPU in µs: ${us(cpuUs)})`,
        goal: "10,000/s",
      })),
      {
        work: "slowest of these drains, of the fastest",
        found: `${times(worstOfBest)}, without the sandbox's second ${times(worstOfBestWork)}`,
        goal: "0.8 ×",
      },
    ],
  },
  {
    name: "accounts",
    options: (options) => sized(options, options.backlog),
    rows: ({ sides: [one, many] }) =>
      (["accepted", "delivered"] as const).map((what) => {
        const [few, all] = [one[`${what}PerSecond`], many[`${what}PerSecond`]];
        return {
          work: `single sends of ${many.name} in turn ${what}, against those of one`,
          found: `${times(all / few)} (${perS(all)} and ${perS(few)})`,
          goal: "",
        };
      }),
  },
  {
    name: "hooks",
    // Long enough that the start does not matter: in its first seconds the engine compiles the code.
    options: (options) => sized(options, 3 * options.backlog),
    rows: ({ rounds, medianRatio }) => [
      {
        work: `${middle<Figures>(rounds).events.toLocaleString("en-US")} webhooks to one endpoint, from the event to the stored delivery, against a bare loop of signed requests`,
        found: `${times(medianRatio)} (${perS(middle<Figures>(rounds).perSecond)} and ${perS(middle<Figures>(rounds).peer.perSecond)})`,
        goal: "0.5 ×",
      },
    ],
  },
  {
    name: "writes",
    options: ({ connections }) => ["--connections", String(connections), "--backlog", "6400"],
    rows: ({ total, walBytes, cpuMicros }) => [
      {
        work: "rows written, and index entries, per message (two events, one endpoint)",
        found: `${(total.inserted + total.updated + total.deleted).toFixed(1)} and ${total.entries.toFixed(1)}`,
        goal: "12 and 17",
      },
      {
        work: "write-ahead log per message",
        found: `${(walBytes / 1_000).toFixed(1)} KB (PostgreSQL's CPU in µs: ${Math.round(cpuMicros)})`,
        goal: "4 KB",
      },
    ],
  },
  {
    name: "reads",
    options: (options) => ["--rounds", String(options.rounds), "--backlog", "1000000"],
    rows: ({ reads, many, few }) =>
      reads.map(({ name, fewMs, manyMs, ratio }: Figures) => ({
        work: `read with ${many.toLocaleString("en-US")} messages against ${few.toLocaleString("en-US")}: ${name}`,
        found: `${times(ratio)} (${ms(manyMs)} and ${ms(fewMs)})`,
        goal: "1.3 ×",
      })),
  },
];

/** Runs one workload in a separate process. @returns its figures. @throws Error when it fails or breaks an invariant. */
async function figuresOf(stage: Stage, { name, options }: Part, chosen: Options): Promise<Figures> {
  const child = await stage.keep(
    async () =>
      spawn(process.execPath, ["--import", "tsx", path.join("bench", "run.ts"), name, "--json", ...options(chosen)], {
        stdio: ["ignore", "pipe", "inherit"],
      }),
    endChild,
  );
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk;
  });
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  if (code !== 0) throw new Error(`The workload ${name} ended with code ${code}.`);
  return JSON.parse(output);
}

async function run(options: Options, stage: Stage): Promise<Outcome> {
  const loadAtStart = os.loadavg()[0] ?? 0;
  const rows: Row[] = [];
  const failures: string[] = [];
  for (const part of PARTS) {
    stage.say(`Workload ${part.name}`);
    try {
      rows.push(...part.rows(await figuresOf(stage, part, options)));
    } catch (thrown) {
      stage.signal.throwIfAborted();
      failures.push(`${part.name}: ${thrown instanceof Error ? thrown.message : thrown}`);
    }
  }
  const head = [
    "# Report",
    "",
    `\`npm run bench -- report\`, ${new Date().toISOString().slice(0, 10)}: ${os.availableParallelism()} cores (${os.cpus()[0]?.model.trim()}), Node ${process.versions.node},`,
    `load average at the start ${loadAtStart.toFixed(1)}; ${options.rounds} rounds of ${options.seconds} s, ${options.connections} connections. Peers run in turn with the service on the`,
    "same machine, which they share with their load clients; ratios are medians over the rounds.",
    "",
  ];
  const table = [
    "| work | measured | goal |",
    "|---|---|---|",
    ...rows.map(({ work, found, goal }) => `| ${work} | ${found} | ${goal} |`),
  ];
  const notes = failures.map((failure) => `\nNot measured: ${failure}`);
  const text = `${[...head, ...table, ...notes].join("\n")}\n`;
  await writeFile(FILE, text);
  return { ok: failures.length === 0, text, figures: { workload: "report", rows, failures } };
}

export const report: Workload = {
  summary: `all of these one after the other, written to ${FILE} (about 20 minutes)`,
  run,
};
