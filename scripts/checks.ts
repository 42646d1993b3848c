/** The checks of `npm test` and `npm run verify`, and the runner that counts them. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ensureBuilt, ensureClient } from "./build";
import { getChromium } from "./chromium";
import { runQuietly, say, stopCommands, yieldProcessor } from "./progress.mjs";
import { REPORT_FILE, type Report, readReport } from "./reports/report";

/** `reports`: folder for the test reports; `niceness`: of the processes, from 0 (this process's) to 19. */
type Surroundings = { reports: string; niceness: number };

export type Check = { name: string; run: (surroundings: Surroundings) => Promise<Report> };

/** One check, several in parallel, or one with steps that use the CPU time that it leaves. */
type Step = Check | readonly Check[] | { check: Check; beside: readonly Step[] };

const seconds = (since: number) => `${((performance.now() - since) / 1_000).toFixed(1)} s`;

/** The command behind one of package.json's scripts, and its arguments. */
function npmCommand(script: string, args: string[] = []): [string, string[]] {
  const npm = process.env.npm_execpath ?? "";
  const [command, first] = /npm-cli\.c?js$/.test(npm) ? [process.execPath, [npm]] : ["npm", []];
  return [command, [...first, "run", "--silent", script, ...(args.length > 0 ? ["--", ...args] : [])]];
}

type Run = { args?: string[]; env?: Record<string, string>; niceness: number };

/** Runs one of package.json's scripts with its output shown. @returns whether it succeeded. */
function npmRun(script: string, { args = [], env = {}, niceness }: Run): Promise<boolean> {
  const [command, given] = npmCommand(script, args);
  const child = spawn(command, given, { stdio: "inherit", env: { ...process.env, ...env } });
  yieldProcessor(child, niceness);
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("close", (code) => resolve(code === 0));
  });
}

const asReport = (ok: boolean, failures: string[] = []): Report => ({
  passed: ok ? 1 : 0,
  failed: ok ? 0 : 1,
  failures,
});

/** A run of a test runner, whose tests are counted. If the run failed but no test did, that counts as a failure too. */
async function testRun(script: string, name: string, reports: string, { env, ...run }: Run): Promise<Report> {
  const file = path.join(reports, `${name}.json`);
  const ok = await npmRun(script, { ...run, env: { ...env, [REPORT_FILE]: file } });
  const report = readReport(file) ?? asReport(false, ["ended without a report"]);
  return { ...report, failed: report.failed || (ok ? 0 : 1) };
}

/** A script of package.json, counted as one check. */
const scriptCheck = (name: string, script: string, args: string[] = []): Check => ({
  name,
  run: async ({ niceness }) => {
    const ok = await npmRun(script, { args, niceness });
    return asReport(ok, ok ? [] : ["failed; its output is above"]);
  },
});

/** Vitest tests, each counted. @param args select the tests to run. */
const vitestCheck = (name: string, args: string[] = []): Check => ({
  name,
  run: ({ reports, niceness }) => testRun("test:unit", name, reports, { args, niceness }),
});

/** A script of package.json, counted as one check, whose output is shown only when it fails. */
const quietCheck = (name: string, script: string, ...args: string[]): Check => ({
  name,
  run: async ({ niceness }) => {
    await runQuietly(...npmCommand(script, args), { niceness });
    return asReport(true);
  },
});

/** Static checks of the sources, the longest first. They do not depend on one another. */
export const SOURCE_CHECKS: readonly Check[] = [
  quietCheck("Types", "typecheck"),
  quietCheck("API document", "openapi:check", "--lint"),
  quietCheck("Dead code", "unused"),
  quietCheck("Layers", "layers"),
  quietCheck("Lint", "lint"),
];

/** Tests without a database or browser. */
export const RULE_TESTS = vitestCheck("Rules tests", ["--project", "rules"]);

/** Tests against PostgreSQL. They run apart from {@link RULE_TESTS}: a process that runs both in turn restarts for each change. */
export const DATABASE_TESTS = vitestCheck("Database tests", ["--project", "database"]);

export const BUILD: Check = {
  name: "Build",
  run: async () => {
    await ensureBuilt();
    return asReport(true);
  },
};

export const END_TO_END_TESTS: Check = {
  name: "End-to-end tests",
  run: async ({ reports, niceness }) => {
    const env = { CHROMIUM_PATH: await getChromium() };
    return testRun("test:e2e", "End-to-end tests", reports, { env, niceness });
  },
};

/** A short run of the proof with every kind of fault; `npm run prove` is the full one. */
export const SHORT_PROOF = scriptCheck("Proof", "prove", ["--minutes", "0.5", "--seed", "35", "--rate", "25"]);

/** The number of checks of a group that run at a time; most need one processor. */
const SIDE_BY_SIDE = 2;

/** Priority of checks that run during another one, whose timing must not depend on them. */
const BESIDE_NICENESS = 10;

/** Runs the steps in order, whether or not an earlier one failed. */
async function runSteps(
  steps: readonly Step[],
  niceness: number,
  runOne: (check: Check, niceness: number) => Promise<void>,
): Promise<void> {
  for (const step of steps) {
    if ("beside" in step) {
      await Promise.all([runOne(step.check, niceness), runSteps(step.beside, BESIDE_NICENESS, runOne)]);
      continue;
    }
    const waiting = [step].flat();
    const runSome = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await runOne(next, niceness);
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, runSome));
  }
}

/**
 * Runs all checks, and exits the process with 0, 1 (a check failed) or 130 (interrupted). Its output ends with all failures and a
 * line per check; the last line counts the tests, and one for each other check.
 */
export async function runChecks(steps: readonly Step[]): Promise<never> {
  const reports = mkdtempSync(path.join(tmpdir(), "messaging-results-"));
  const total: Report = { passed: 0, failed: 0, failures: [] };
  const lines: string[] = [];
  let isInterrupted = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      isInterrupted = true;
      void stopCommands();
    });
  }
  await ensureClient();
  const runOne = async ({ name, run }: Check, niceness: number): Promise<void> => {
    if (isInterrupted) return;
    say(`${name} …`);
    const startedAt = performance.now();
    const { passed, failed, failures } = await run({ reports, niceness }).catch((thrown: Error) => {
      console.error(thrown.message);
      return asReport(false, [thrown.message]);
    });
    total.passed += passed;
    total.failed += failed;
    total.failures.push(...failures.map((failure) => `${name}: ${failure}`));
    lines.push(`  ${name.padEnd(24)} ${passed} passed, ${failed} failed (${seconds(startedAt)})`);
  };
  await runSteps(steps, 0, runOne);
  rmSync(reports, { recursive: true, force: true });
  if (isInterrupted) process.exit(130);
  for (const failure of total.failures) console.log(`\n${failure}`);
  console.log(`\n${lines.join("\n")}\n\n${total.passed} passed, ${total.failed} failed`);
  process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);
}
