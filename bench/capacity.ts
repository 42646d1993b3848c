/**
 * Prints the prediction of kit/scaling-model.ts for an installation, and the model's errors where it was measured.
 *
 *   npm run capacity -- --cores 8 --web 2 --workers 4 [--pool 10]
 *
 * `--cores`: of all machines together; `--pool`: DATABASE_POOL_SIZE.
 */
import { parseArgs } from "node:util";
import {
  connectionsOf,
  errorOf,
  errorsLeftOut,
  fitStage,
  MEASURED_CORES,
  OBSERVED,
  type Prediction,
  predict,
  type Size,
  type StageName,
  stageRate,
  type Wall,
} from "./kit/scaling-model";

/** Bytes of write-ahead log per message, from report.md. */
const WAL_BYTES = 4_000;
const DAY_S = 86_400;
const USAGE = 2;

const WALLS: Record<Wall, string> = {
  web: "the processors of the web processes",
  worker: "the processors of the workers",
  cores: "all cores together",
};
const STAGES: Record<StageName, string> = { web: "sends to web processes", worker: "a backlog and workers" };

const percent = (error: number): string => `${error < 0 ? "-" : "+"}${Math.abs(error * 100).toFixed(0)} %`;

/** The errors of the fit, by stage. */
function errorLines(): string[] {
  return (Object.keys(OBSERVED) as StageName[]).flatMap((stage) => {
    const observed = OBSERVED[stage];
    const fitted = fitStage(observed);
    const leftOut = errorsLeftOut(observed);
    return observed.map((each, index) => {
      const predicted = stageRate(fitted, each.processes);
      const unseen = index === 0 ? "" : `, ${percent(leftOut[index - 1] ?? 0)} when not fitted to this one`;
      const rates = `measured ${each.perSecond}/s, model ${predicted.toFixed(0)}/s`;
      return `${`  ${STAGES[stage]}: ${each.processes}`.padEnd(30)}${rates} (${percent(errorOf(predicted, each))}${unseen})`;
    });
  });
}

const row = (name: string, { perSecond, wall }: Prediction): string =>
  `  ${name.padEnd(44)}${perSecond.toFixed(0).padStart(7)}/s, bounded by ${WALLS[wall]}`;

/** The whole text for one installation. */
function textFor(size: Size, pool: number): string {
  const [least, most] = [predict(size, "as measured"), predict(size, "alone")];
  const walMb = (rate: number) => ((rate * WAL_BYTES) / 1_000_000).toFixed(1);
  return [
    `${size.cores} cores for everything, ${size.web} web processes, ${size.worker} workers`,
    "",
    "Messages accepted and delivered",
    row("one account, 64 callers", least),
    row("many accounts, busy callers for each process", most),
    "",
    "That takes",
    `  connections at most                         ${connectionsOf(size, pool)}`,
    `  write-ahead log                             ${walMb(least.perSecond)} to ${walMb(most.perSecond)} MB/s`,
    `  rows of messages a day                      ${((least.perSecond * DAY_S) / 1e6).toFixed(0)} to ${((most.perSecond * DAY_S) / 1e6).toFixed(0)} million`,
    "",
    `Errors of the model on the ${MEASURED_CORES} cores where it was measured`,
    ...errorLines(),
    "",
    "Not in it: the disk, the network, locks of one account beyond 4 processes, webhooks, other processors than these.",
    "",
  ].join("\n");
}

/** @throws Error naming the mistake in the command line. */
function readSize(args: string[]): { size: Size; pool: number } {
  const { values } = parseArgs({
    args,
    options: {
      cores: { type: "string", default: String(MEASURED_CORES) },
      web: { type: "string", default: "1" },
      workers: { type: "string", default: "1" },
      pool: { type: "string", default: "10" },
    },
  });
  const whole = (name: keyof typeof values): number => {
    const value = Number(values[name]);
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} must be a whole number above 0.`);
    return value;
  };
  return { size: { cores: whole("cores"), web: whole("web"), worker: whole("workers") }, pool: whole("pool") };
}

try {
  const { size, pool } = readSize(process.argv.slice(2));
  process.stdout.write(textFor(size, pool));
} catch (thrown) {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : thrown}\n`);
  process.exitCode = USAGE;
}
