/**
 * Generates `openapi.json` from the procedures' schemas, and from it the types of the client under `sdk/`.
 *
 *   npm run openapi          writes the files
 *   npm run openapi:check    lists outdated files and fails if there are any
 *   npm run openapi:lint     lints the document that the service serves
 *
 * With both flags, `--check --lint`, the document is made once.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { ensureClient } from "./build";

const require = createRequire(import.meta.url);
const DOCUMENT = "openapi.json";
const CONTEXT_LINES = 3;

/** The document as GET /api/v1/openapi.json returns it, with relative URLs. Needs no database. */
async function makeDocument(): Promise<object> {
  await ensureClient();
  const { openApiDocument } = await import("../server/api/document/openapi");
  return openApiDocument();
}

/** Every generated file by its path. */
async function generateFiles(): Promise<Record<string, string>> {
  const document = await makeDocument();
  const { generateClient } = await import("../sdk/generate");
  return { [DOCUMENT]: `${JSON.stringify(document, null, 2)}\n`, ...(await generateClient(document)) };
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** The first lines that differ, as a hint. */
function firstDifference(committed: string, made: string): string {
  const [old, now] = [committed.split("\n"), made.split("\n")];
  const at = now.findIndex((line, index) => line !== old[index]);
  const from = Math.max(0, at === -1 ? now.length - CONTEXT_LINES : at);
  const show = (sign: string, lines: string[]) =>
    lines.slice(from, from + CONTEXT_LINES).map((line) => `    ${sign} ${line}`);
  return [`    line ${from + 1}`, ...show("-", old), ...show("+", now)].join("\n");
}

async function check(): Promise<void> {
  const stale = Object.entries(await generateFiles()).filter(([file, made]) => readIfThere(file) !== made);
  for (const [file, made] of stale) {
    console.error(`${file} differs from the procedures:\n${firstDifference(readIfThere(file), made)}`);
  }
  if (stale.length > 0) {
    console.error("\nRun `npm run openapi`, review the changes for callers, and commit them.");
    process.exitCode = 1;
  }
}

async function lint(): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "openapi-"));
  try {
    const file = path.join(folder, DOCUMENT);
    writeFileSync(file, JSON.stringify(await makeDocument(), null, 2));
    const cli = path.join(path.dirname(require.resolve("@redocly/cli/package.json")), "bin", "cli.js");
    // Turns off the linter's telemetry and its check for updates.
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const run = spawnSync(process.execPath, [cli, "lint", file, "--config", "redocly.yaml"], {
      env,
      encoding: "utf8",
    });
    if (run.status === 0) console.log("The API document has no findings.");
    else console.error(run.stdout + run.stderr);
    if (run.status !== 0) process.exitCode = run.status ?? 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function write(): Promise<void> {
  for (const [file, made] of Object.entries(await generateFiles())) {
    if (readIfThere(file) !== made) console.log(`wrote ${file}`);
    writeFileSync(file, made);
  }
}

const asked = [
  ...(process.argv.includes("--check") ? [check] : []),
  ...(process.argv.includes("--lint") ? [lint] : []),
];
for (const run of asked.length > 0 ? asked : [write]) await run();
