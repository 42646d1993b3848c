import { readFileSync, statfsSync } from "node:fs";
import { chmod, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

const IN_MEMORY = "/dev/shm";
/** Type of a file system in memory, as `statfs` names it on Linux. */
const TMPFS = 0x01_02_19_94;
const GIB = 2 ** 30;
/** Databases of a run take about 2 GiB at most. In a container the folder may be far smaller. */
const ROOM_MIN = 4 * GIB;

/** Whether memory has room for the data of test servers. */
function fitsIntoMemory(): boolean {
  try {
    const { type, bavail, bsize } = statfsSync(IN_MEMORY);
    const [, freeKib] = /^MemAvailable: +(\d+) kB$/m.exec(readFileSync("/proc/meminfo", "utf8")) ?? [];
    return type === TMPFS && bavail * bsize >= ROOM_MIN && Number(freeKib) * 1_024 >= 2 * ROOM_MIN;
  } catch {
    return false;
  }
}

/**
 * Makes a temporary folder for test servers, in memory if there is room. A database has 1,300 files, and most test files have their
 * own database: creating one took 350 ms of CPU time on a disk, and takes 35 ms in memory.
 */
export async function makeServerFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(path.join(fitsIntoMemory() ? IN_MEMORY : tmpdir(), prefix));
  // PostgreSQL before version 16 resolves the path of its own folder, so its user must be able to traverse this one.
  await chmod(folder, 0o711);
  return folder;
}
