/**
 * Runs a benchmark. It measures costs on this machine and is not a test: only a broken invariant makes it fail (exit code 1).
 *
 *   npm run bench -- <workload> [--seconds 8] [--rounds 3] [--connections 64] [--backlog 20000] [--accounts 200] [--json]
 */
import { parseArgs } from "node:util";
import { accounts } from "./accounts";
import { bulk } from "./bulk";
import { drains } from "./drain";
import { edge } from "./edge";
import { fill } from "./fill";
import { floods } from "./floods";
import { hooks } from "./hooks";
import { kannel } from "./kannel";
import type { Options, Stage, Workload } from "./kit/workload";
import { longTransaction } from "./long-transaction";
import { overload } from "./overload";
import { pages } from "./pages";
import { reads } from "./reads";
import { report } from "./report";
import { scale } from "./scale";
import { sends } from "./sends";
import { soak } from "./soak";
import { writes } from "./writes";

const WORKLOADS: Record<string, Workload> = {
  sends,
  bulk,
  drain: drains,
  accounts,
  kannel,
  edge,
  pages,
  floods,
  overload,
  writes,
  hooks,
  fill,
  reads,
  scale,
  soak,
  "long-transaction": longTransaction,
  report,
};

const DEFAULTS = { seconds: "8", rounds: "3", connections: "64", backlog: "20000", accounts: "200" } as const;
const INTERRUPTED = 130;

const NAME_WIDTH = Math.max(...Object.keys(WORKLOADS).map((name) => name.length));

const usage = (): string => `npm run bench -- <workload> [options]

Workloads
${Object.entries(WORKLOADS)
  .map(([name, { summary }]) => `  ${name.padEnd(NAME_WIDTH)}  ${summary}`)
  .join("\n")}

Options
  --seconds     length of each measured phase (${DEFAULTS.seconds})
  --rounds      rounds, each with one phase per side (${DEFAULTS.rounds})
  --connections connections of the load client and of pgbench (${DEFAULTS.connections})
  --backlog     least number of messages waiting when the worker starts (${DEFAULTS.backlog})
  --accounts    accounts of the workload accounts (${DEFAULTS.accounts})
  --json        print one JSON object instead of the tables
`;

type Command = { workload: Workload; options: Options; asJson: boolean };

/** @returns null for --help. @throws Error that names the mistake in the command line. */
function readCommand(args: string[]): Command | null {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      seconds: { type: "string", default: DEFAULTS.seconds },
      rounds: { type: "string", default: DEFAULTS.rounds },
      connections: { type: "string", default: DEFAULTS.connections },
      backlog: { type: "string", default: DEFAULTS.backlog },
      accounts: { type: "string", default: DEFAULTS.accounts },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false, short: "h" },
    },
  });
  if (values.help) return null;
  const [name = "", ...more] = positionals;
  const workload = Object.hasOwn(WORKLOADS, name) ? WORKLOADS[name] : undefined;
  if (!workload || more.length > 0) throw new Error("Name one workload.");
  const whole = (option: "seconds" | "rounds" | "connections" | "backlog" | "accounts", least: number): number => {
    const value = Number(values[option]);
    if (!Number.isInteger(value) || value < least) throw new Error(`--${option} must be a whole number from ${least}.`);
    return value;
  };
  const options = {
    seconds: whole("seconds", 1),
    rounds: whole("rounds", 1),
    connections: whole("connections", 1),
    backlog: whole("backlog", 0),
    accounts: whole("accounts", 1),
  };
  return { workload, options, asJson: values.json };
}

/** @returns the exit code. */
async function perform({ workload, options, asJson }: Command): Promise<number> {
  const end = new AbortController();
  const stops: Array<() => Promise<void>> = [];
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => end.abort());
  const stage: Stage = {
    signal: end.signal,
    // On stderr, so that stdout has only the report.
    say: (text) => process.stderr.write(`${(performance.now() / 1_000).toFixed(1).padStart(6)} s  ${text}\n`),
    keep: (start, stop) => {
      end.signal.throwIfAborted();
      const starting = start();
      // Stopping waits for the start to finish.
      stops.push(() => starting.then(stop));
      return starting;
    },
  };
  const interrupted = new Promise<null>((resolve, reject) => {
    end.signal.addEventListener("abort", () => resolve(null));
    // After any error, the database and the processes are stopped first.
    process.on("uncaughtException", reject);
  });
  const running = workload.run(options, stage);
  try {
    const outcome = await Promise.race([running, interrupted]);
    if (!outcome) return INTERRUPTED;
    process.stdout.write(asJson ? `${JSON.stringify(outcome.figures)}\n` : outcome.text);
    return outcome.ok ? 0 : 1;
  } catch (thrown) {
    process.stderr.write(`\n${thrown instanceof Error ? thrown.message : thrown}\n`);
    return 1;
  } finally {
    end.abort();
    running.catch(() => undefined);
    for (let stop = stops.pop(); stop; stop = stops.pop()) await stop().catch(() => undefined);
  }
}

let command: Command | null;
try {
  command = readCommand(process.argv.slice(2));
} catch (thrown) {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : thrown}\n\n${usage()}`);
  process.exit(2);
}
if (command) process.exit(await perform(command));
process.stdout.write(usage());
