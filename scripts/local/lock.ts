/** Allows one start per data folder: a lock file names its process and the facts that other commands need. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { isAlive } from "../is-alive";
import { writeWhole } from "../whole-file";

/** Facts about a running start for other commands on its data folder. `databaseUrl` is null until it is known. */
export type Runtime = { pid: number; startedAt: string | null; url: string; databaseUrl: string | null };

/** Start time of a process as the system writes it; null when it is unknown. */
function startOf(pid: number): string | null {
  try {
    // Field 22 of the line, counted after the command, which may contain spaces.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null;
  } catch {
    if (process.platform === "linux" || process.platform === "win32") return null;
  }
  try {
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8", stdio: "pipe" }).trim();
  } catch {
    return null;
  }
}

const fileOf = (dataDir: string): string => path.join(dataDir, "runtime.json");

/** The running start on this data folder; null when there is none. */
export function runningStart(dataDir: string): Runtime | null {
  let runtime: Runtime;
  try {
    runtime = JSON.parse(readFileSync(fileOf(dataDir), "utf8")) as Runtime;
  } catch {
    return null;
  }
  // Process ids are reused, so the start time must agree too.
  const isSame = isAlive(runtime.pid) && runtime.startedAt === startOf(runtime.pid);
  return isSame && runtime.pid !== process.pid ? runtime : null;
}

/** Longer than any start needs to look for a holder. An older guard belongs to a start that was killed. */
const GUARDED_FOR_MS = 2_000;
const LOOK_AGAIN_AFTER_MS = 20;

/** Does `work` while no other start does: otherwise two starts could both find no holder, and each create the folder's secrets. */
function inTurn<Result>(dataDir: string, work: () => Result): Result {
  const guard = path.join(dataDir, "runtime.guard");
  for (const until = Date.now() + GUARDED_FOR_MS; Date.now() < until; ) {
    try {
      mkdirSync(guard);
      break;
    } catch (thrown) {
      if (!(thrown instanceof Error && "code" in thrown && thrown.code === "EEXIST")) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_AFTER_MS);
    }
  }
  try {
    return work();
  } finally {
    rmSync(guard, { recursive: true, force: true });
  }
}

/**
 * Takes the data folder for this process.
 * @throws Error that names the address of the start that already holds it.
 */
export function takeLock(
  dataDir: string,
  url: string,
): { publish: (databaseUrl: string) => void; release: () => void } {
  const write = (databaseUrl: string | null) => {
    const runtime: Runtime = { pid: process.pid, startedAt: startOf(process.pid), url, databaseUrl };
    writeWhole(fileOf(dataDir), `${JSON.stringify(runtime)}\n`);
  };
  mkdirSync(dataDir, { recursive: true });
  inTurn(dataDir, () => {
    const holder = runningStart(dataDir);
    if (holder) {
      throw new Error(
        `The service already runs on ${dataDir}: ${holder.url} (process ${holder.pid}).\n` +
          "Stop that one first, or set both DATA_DIR and PORT to run another one at the same time.",
      );
    }
    write(null);
  });
  return { publish: write, release: () => rmSync(fileOf(dataDir), { force: true }) };
}
