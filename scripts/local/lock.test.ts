import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isAlive } from "../is-alive";
import { runningStart, takeLock } from "./lock";

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), "messaging-lock-"));
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

const file = () => path.join(dataDir, "runtime.json");

/** A process that holds the lock until it is killed. */
async function startHolder() {
  const code = `import { takeLock } from ${JSON.stringify(path.resolve("scripts/local/lock.ts"))};
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

/** A process that tries to take the lock of each folder that it receives, at the given moment, and reports the result. */
async function startRacer() {
  const code = `import { takeLock } from ${JSON.stringify(path.resolve("scripts/local/lock.ts"))};
    process.on("message", ({ folder, at }) => {
      while (Date.now() < at);
      let has = true;
      try { takeLock(folder, "http://127.0.0.1:4711"); } catch { has = false; }
      process.send(has);
    });
    process.send("ready");`;
  const args = ["--import", "tsx", "--input-type=module", "--eval", code];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  await once(child, "message");
  return child;
}

test("of two simultaneous starts on a data folder one is refused, and leftovers of a killed start block nobody", {
  timeout: 60_000,
}, async () => {
  const racers = await Promise.all([startRacer(), startRacer()]);
  try {
    for (let round = 0; round < 40; round += 1) {
      const folder = path.join(dataDir, String(round));
      const said = Promise.all(racers.map((racer) => once(racer, "message")));
      for (const racer of racers) racer.send({ folder, at: Date.now() + 20 });
      expect((await said).flat().filter((has) => has === true)).toHaveLength(1);
    }
    mkdirSync(path.join(dataDir, "runtime.guard"));
    takeLock(dataDir, "http://127.0.0.1:4711").release();
  } finally {
    for (const racer of racers) racer.kill("SIGKILL");
  }
});

test("another process that got the same process id does not hold the lock", () => {
  // This test's parent process is alive, but was not started at the time in the file.
  writeFileSync(file(), JSON.stringify({ pid: process.ppid, startedAt: "1", url: "http://x", databaseUrl: null }));
  expect(isAlive(process.ppid)).toBe(true);
  expect(runningStart(dataDir)).toBeNull();
});
