import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, expect, test } from "vitest";

const folder = mkdtempSync(path.join(tmpdir(), "messaging-bootstrap-"));

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const scripts = (name: string) => JSON.stringify(path.resolve("scripts", name));
const stopped = path.join(folder, "stopped");

/** A command that reports its progress while it stops. */
const COMMAND = `
import { writeFileSync } from "node:fs";
import { say } from ${scripts("progress.mjs")};
process.on("SIGHUP", async () => {
  for (let turns = 0; turns < 20; turns += 1) {
    say("Stopping …");
    await new Promise(setImmediate);
  }
  writeFileSync(${JSON.stringify(stopped)}, "");
  process.exit(0);
});
setInterval(() => undefined, 1_000);
say("running");
`;

test("a command whose terminal is closed goes on to stop in order", async () => {
  const file = path.join(folder, "command.mts");
  writeFileSync(file, COMMAND);
  const entry = `import { bootstrap } from ${scripts("bootstrap.mjs")};
    await bootstrap(${JSON.stringify(path.relative("scripts", file))}, { forTests: false });`;
  const stdio = ["ignore", "pipe", "pipe"] as const;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", entry], { stdio: [...stdio] });
  const exited = once(child, "exit");
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  await expect.poll(() => output).toMatch(/running/);

  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  child.kill("SIGHUP");
  expect(await exited).toEqual([0, null]);
  expect(existsSync(stopped)).toBe(true);
});
