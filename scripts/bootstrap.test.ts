import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
for (const signal of ["SIGHUP", "SIGTERM"]) process.on(signal, async () => {
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

/** Writes the command and its entry. @returns the entry's text and file. */
function writeCommand() {
  mkdirSync(folder, { recursive: true });
  const [command, entry] = [path.join(folder, "command.mts"), path.join(folder, "entry.mjs")];
  writeFileSync(command, COMMAND);
  const text = `import { bootstrap } from ${scripts("bootstrap.mjs")};
    await bootstrap(${JSON.stringify(path.relative("scripts", command))}, { forTests: false });`;
  writeFileSync(entry, text);
  return { text, entry };
}

test("a command whose terminal is closed still stops gracefully", async () => {
  const { text: entry } = writeCommand();
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

test("a command stops gracefully when npm gets SIGTERM and its shell ends without passing it on", async () => {
  const { entry } = writeCommand();
  // A second command keeps any shell alive between npm and the first one.
  const shell = spawn("/bin/sh", ["-c", `'${process.execPath}' '${entry}'; true`], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, npm_lifecycle_event: "start", npm_lifecycle_script: `node ${entry}` },
  });
  let output = "";
  shell.stdout?.on("data", (chunk) => (output += chunk));
  await expect.poll(() => output).toMatch(/running/);
  shell.kill("SIGTERM");
  await once(shell, "exit");
  await expect.poll(() => existsSync(stopped)).toBe(true);
});
