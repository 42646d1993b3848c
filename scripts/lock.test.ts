import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isAlive, runningStart, takeLock } from "./lock";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), "messaging-lock-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const file = () => path.join(dataDir, "runtime.json");

/** A process that holds the lock until it is killed. */
async function startHolder() {
  const code = `import { takeLock } from ${JSON.stringify(path.resolve("scripts/lock.ts"))};
    takeLock(${JSON.stringify(dataDir)}, "http://127.0.0.1:4711").publish("postgresql://there");
    process.stdout.write("held"); setInterval(() => {}, 1_000);`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", code];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}

test("a second start on a data folder is refused, with the address of the first one", async () => {
  const holder = await startHolder();
  try {
    expect(runningStart(dataDir)).toMatchObject({ pid: holder.pid, databaseUrl: "postgresql://there" });
    expect(() => takeLock(dataDir, "http://127.0.0.1:4712")).toThrow(/http:\/\/127\.0\.0\.1:4711 \(process \d+\)/);
  } finally {
    holder.kill("SIGKILL");
    await once(holder, "exit");
  }
  // The lock file of a killed start does not block the next one.
  expect(runningStart(dataDir)).toBeNull();
  const lock = takeLock(dataDir, "http://127.0.0.1:4712");
  expect(JSON.parse(readFileSync(file(), "utf8"))).toMatchObject({ pid: process.pid, databaseUrl: null });
  lock.release();
  expect(existsSync(file())).toBe(false);
});

test("another process that came to have the same number does not hold the lock", () => {
  // This test's parent lives, but was not started when the file says.
  writeFileSync(file(), JSON.stringify({ pid: process.ppid, startedAt: "1", url: "http://x", databaseUrl: null }));
  expect(isAlive(process.ppid)).toBe(true);
  expect(runningStart(dataDir)).toBeNull();
});
