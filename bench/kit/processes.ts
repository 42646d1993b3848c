/** Resource use of processes from Linux's /proc: processor time in seconds, memory in bytes. */
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** USER_HZ: the unit of times in /proc, whatever the kernel's own tick rate is. */
const TICKS_PER_S = 100;
const KIB = 1_024;

/** @throws Error if there is no /proc. */
export function requireProc(): void {
  if (existsSync("/proc/self/status")) return;
  throw new Error("The benchmarks read processor time and memory from /proc, which only Linux has.");
}

type Stat = { parent: number; ownS: number; endedChildrenS: number };

/** Null if the process does not exist or has ended. */
function statOf(pid: number | "self"): Stat | null {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return null;
  }
  // Fields are counted after the command, which may contain spaces and brackets.
  const fields = line
    .slice(line.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number);
  const seconds = (first: number) => ((fields[first] ?? 0) + (fields[first + 1] ?? 0)) / TICKS_PER_S;
  return { parent: fields[1] ?? 0, ownS: seconds(11), endedChildrenS: seconds(13) };
}

/** Processor time of one process so far; 0 if it has ended. */
export const cpuSeconds = (pid: number): number => statOf(pid)?.ownS ?? 0;

/** Processor time of all child processes of this process that have ended. */
export const endedChildrenCpuSeconds = (): number => statOf("self")?.endedChildrenS ?? 0;

/** The process and its running children. */
function family(parent: number): number[] {
  const children = readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && statOf(pid)?.parent === parent);
  return [parent, ...children];
}

/** Processor time so far of a server with a child per connection, including children that have ended. */
export function familyCpuSeconds(parent: number): number {
  const living = family(parent).reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  return living + (statOf(parent)?.endedChildrenS ?? 0);
}

function statusBytes(pid: number, field: string): number {
  try {
    const kib = new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kib ?? 0) * KIB;
  } catch {
    return 0;
  }
}

/** Peak resident memory of a process. */
export const peakMemory = (pid: number): number => statusBytes(pid, "VmHWM");

/** Current resident memory of a process. */
export const memoryOf = (pid: number): number => statusBytes(pid, "VmRSS");

/** Current resident memory of a server and its children, with shared memory counted once. */
function familyMemory(parent: number): number {
  const pids = family(parent);
  const own = pids.reduce((sum, pid) => sum + statusBytes(pid, "RssAnon"), 0);
  const shared = (field: string) => Math.max(0, ...pids.map((pid) => statusBytes(pid, field)));
  return own + shared("RssShmem") + shared("RssFile");
}

/** Samples {@link familyMemory} every second. */
export function watchFamilyMemory(parent: number): { peak: () => number; stop: () => void } {
  let peak = familyMemory(parent);
  const sample = () => {
    peak = Math.max(peak, familyMemory(parent));
    return peak;
  };
  const timer = setInterval(sample, 1_000);
  return { peak: sample, stop: () => clearInterval(timer) };
}
