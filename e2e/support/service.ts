import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "@/scripts/postgres";

const READY_WITHIN_MS = 300_000;

/** The running product, as `npm start` describes it in `credentials.json`. */
export type Service = { url: string; email: string; password: string; apiKey: string; dataDir: string };

/** Names the folder where test processes find the file of {@link start}. */
const DATA_DIR = "E2E_DATA_DIR";

/** The service shared by the whole run. */
export function runningService(): Service {
  const dataDir = process.env[DATA_DIR];
  if (!dataDir) throw new Error("The service was not started: run the tests with `npm run test:e2e`.");
  return { ...JSON.parse(readFileSync(path.join(dataDir, "credentials.json"), "utf8")), dataDir };
}

async function waitForCard(child: ChildProcess, output: () => string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  while (!output().includes("Ctrl-C stops everything")) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`The service did not start:\n${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * Starts the product with the command behind `npm start`, on its own port and data folder, so that another one
 * may run beside it. @returns a function that stops it.
 */
// biome-ignore lint/style/noDefaultExport: Playwright takes the global set-up from nowhere else.
export default async function start(): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(path.join(tmpdir(), `messaging-e2e-${randomBytes(2).toString("hex")}-`));
  process.env[DATA_DIR] = dataDir;
  const { DATABASE_URL: _, PUBLIC_URL: __, HOST: ___, ...inherited } = process.env;
  const child = spawn(process.execPath, [path.join("scripts", "start.mjs")], {
    env: { ...inherited, PORT: String(await freePort()), DATA_DIR: dataDir },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      output += chunk;
    });
  }
  const stop = async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (child.exitCode === null && child.kill("SIGTERM")) await ended;
    if (existsSync(dataDir)) rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    await waitForCard(child, () => output);
  } catch (thrown) {
    await stop();
    throw thrown;
  }
  return stop;
}
