/**
 * Everything that must hold, in order. Every step runs even when an earlier one failed, unless it cannot. The last line
 * counts: each unit, database and end-to-end test is one, and each other step.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { ensureBuilt, ensureClient } from "./build";
import { getChromium } from "./chromium";
import { say, stopCommands } from "./progress.mjs";

type Count = { passed: number; failed: number };

const results = mkdtempSync(path.join(tmpdir(), "messaging-results-"));
const seconds = (since: number) => `${((performance.now() - since) / 1_000).toFixed(1)} s`;

/** Runs one of package.json's scripts with its output shown. @returns whether it succeeded. */
function npmRun(script: string, args: string[] = [], env: Record<string, string> = {}): Promise<boolean> {
  const npm = process.env.npm_execpath ?? "";
  const [command, first] = /npm-cli\.c?js$/.test(npm) ? [process.execPath, [npm]] : ["npm", []];
  const child = spawn(command, [...first, "run", "--silent", script, ...(args.length > 0 ? ["--", ...args] : [])], {
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("close", (code) => resolve(code === 0));
  });
}

const asCount = (ok: boolean): Count => ({ passed: ok ? 1 : 0, failed: ok ? 0 : 1 });

function readReport(file: string): Record<string, unknown> | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  } catch {
    return null;
  }
}

const numberIn = (report: object | null, name: string): number =>
  Number((report as Record<string, unknown> | null)?.[name] ?? 0);

/** A run that failed although no test did (a file that does not load, a set-up that breaks) is a failure too. */
const atLeastOne = (ok: boolean, { passed, failed }: Count): Count => ({
  passed,
  failed: !ok && failed === 0 ? 1 : failed,
});

async function unitTests(): Promise<Count> {
  const file = path.join(results, "vitest.json");
  const ok = await npmRun("test:unit", ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`]);
  const report = readReport(file);
  return atLeastOne(ok, { passed: numberIn(report, "numPassedTests"), failed: numberIn(report, "numFailedTests") });
}

async function endToEndTests(): Promise<Count> {
  const file = path.join(results, "playwright.json");
  const ok = await npmRun("test:e2e", [], { PLAYWRIGHT_JSON_OUTPUT_FILE: file, CHROMIUM_PATH: await getChromium() });
  const stats = (readReport(file)?.stats ?? null) as object | null;
  const passed = numberIn(stats, "expected") + numberIn(stats, "flaky");
  return atLeastOne(ok, { passed, failed: numberIn(stats, "unexpected") });
}

const build = () =>
  ensureBuilt().then(
    () => true,
    (thrown: Error) => {
      console.error(thrown.message);
      return false;
    },
  );

const STEPS: [name: string, run: () => Promise<Count>][] = [
  ["Lint", async () => asCount(await npmRun("lint"))],
  ["Types", async () => asCount(await npmRun("typecheck"))],
  ["Layers", async () => asCount(await npmRun("layers"))],
  ["Dead code", async () => asCount(await npmRun("unused"))],
  ["API document", async () => asCount((await npmRun("openapi:check")) && (await npmRun("openapi:lint")))],
  ["Unit and database tests", unitTests],
  ["Build", async () => asCount(await build())],
  ["End-to-end tests", endToEndTests],
  // A short form of the proof, with faults of every kind; `npm run prove` is the whole.
  ["Proof", async () => asCount(await npmRun("prove", ["--minutes", "0.5", "--seed", "291", "--rate", "25"]))],
];

const total: Count = { passed: 0, failed: 0 };
const lines: string[] = [];
let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    interrupted = true;
    void stopCommands();
  });
}
await ensureClient();
for (const [name, run] of STEPS) {
  if (interrupted) process.exit(130);
  say(`${name} …`);
  const startedAt = performance.now();
  const count = await run().catch((thrown: Error) => {
    console.error(thrown.message);
    return asCount(false);
  });
  total.passed += count.passed;
  total.failed += count.failed;
  lines.push(`  ${name.padEnd(24)} ${count.passed} passed, ${count.failed} failed (${seconds(startedAt)})`);
}
rmSync(results, { recursive: true, force: true });
console.log(`\n${lines.join("\n")}\n\n${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed > 0 || total.passed === 0 ? 1 : 0);
