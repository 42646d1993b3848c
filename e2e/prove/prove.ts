/**
 * The proof: runs an installation under load while processes, connections, the database, carriers and receivers fail, then
 * compares four books.
 *
 *   npm run prove -- [--minutes 3] [--seed 1] [--policy fallback|hold] [--only restart,cut] [--without kill,stop]
 *                    [--standby] [--pgbouncer] [--clients] [--rate 40] [--json file] [--logs folder]
 *   npm run prove -- --from <commit>      an upgrade from that version under load, instead of faults
 */
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { FAULT_KINDS, type FaultKind } from "./faults/plan";
import { figuresOf, tableOf } from "./judge/report";
import { isClean, judge } from "./judge/verdict";
import { perform, type RunOptions } from "./run";
import { withWorld } from "./world/world";

const TIMEOUT_MS = 2_500;
const INTERRUPTED = 130;
const USAGE = 2;

type Command = RunOptions & { hasPooler: boolean; json: string | null; logs: string | null };

function readKinds(list: string | undefined): FaultKind[] {
  return (list ?? "")
    .split(",")
    .filter(Boolean)
    .map((name) => {
      const kind = FAULT_KINDS.find((each) => each === name);
      if (!kind) throw new Error(`There is no fault "${name}"; there are ${FAULT_KINDS.join(", ")}.`);
      return kind;
    });
}

/** @throws Error naming the mistake in the command line. */
function readCommand(args: string[]): Command {
  const { values } = parseArgs({
    args,
    options: {
      minutes: { type: "string", default: "3" },
      seed: { type: "string", default: "1" },
      policy: { type: "string", default: "fallback" },
      only: { type: "string" },
      without: { type: "string" },
      standby: { type: "boolean", default: false },
      pgbouncer: { type: "boolean", default: false },
      clients: { type: "boolean", default: false },
      rate: { type: "string", default: "40" },
      from: { type: "string" },
      json: { type: "string" },
      logs: { type: "string" },
    },
  });
  const positive = (name: "minutes" | "seed" | "rate"): number => {
    const value = Number(values[name]);
    if (!(value > 0)) throw new Error(`--${name} must be a number above 0.`);
    return value;
  };
  const { policy } = values;
  if (policy !== "fallback" && policy !== "hold") throw new Error("--policy must be fallback or hold.");
  const only = readKinds(values.only);
  const without = readKinds(values.without);
  const possible = FAULT_KINDS.filter(
    (kind) =>
      (kind !== "failover" || values.standby) &&
      (kind !== "pooler" || values.pgbouncer) &&
      // The timetables of the seeds in docs/proof.md are without it.
      (kind !== "clients" || values.clients),
  );
  return {
    seed: positive("seed"),
    lengthMs: positive("minutes") * 60_000,
    rate: positive("rate"),
    policy,
    kinds: (only.length > 0 ? only : possible).filter((kind) => !without.includes(kind)),
    hasPooler: values.pgbouncer || only.includes("pooler"),
    timeoutMs: TIMEOUT_MS,
    from: values.from ?? null,
    json: values.json ?? null,
    logs: values.logs ?? null,
  };
}

/** @returns the exit code. */
async function prove({ json, logs, hasPooler, ...options }: Command): Promise<number> {
  const end = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => end.abort());
  const startedAt = performance.now();
  const tell = (text: string) =>
    process.stdout.write(`${((performance.now() - startedAt) / 1_000).toFixed(1).padStart(6)} s  ${text}\n`);
  const { seed, policy, timeoutMs, from } = options;
  const hasStandby = options.kinds.includes("failover");
  const { signal } = end;
  tell(
    `seed ${seed}, policy ${policy}, ${options.lengthMs / 60_000} min of ${from === null ? options.kinds.join(", ") : `an upgrade from ${from}`}`,
  );
  try {
    return await withWorld({ seed, policy, timeoutMs, hasStandby, hasPooler, from, signal }, async (world) => {
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        process.on("uncaughtException", reject);
      });
      const outcome = await Promise.race([perform(world, options, signal, tell), aborted]);
      if (logs) {
        await mkdir(logs, { recursive: true });
        for (const [process, output] of world.fleet.logs()) await writeFile(path.join(logs, `${process}.log`), output);
      }
      if (logs) await writeFile(path.join(logs, "evidence.json"), JSON.stringify(outcome.evidence));
      const verdict = judge(outcome.evidence);
      const figures = figuresOf(verdict, outcome);
      process.stdout.write(tableOf(figures));
      if (json) await writeFile(json, `${JSON.stringify({ options, ...figures }, null, 2)}\n`);
      return isClean(verdict) ? 0 : 1;
    });
  } catch (thrown) {
    if (signal.aborted) return INTERRUPTED;
    process.stderr.write(`${thrown instanceof Error ? (thrown.stack ?? thrown.message) : thrown}\n`);
    return 1;
  }
}

let command: Command | null = null;
try {
  command = readCommand(process.argv.slice(2));
} catch (thrown) {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : thrown}\n`);
}
process.exit(command ? await prove(command) : USAGE);
