/** The previous version, built from its commit, for the proof of an upgrade. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

/** Folder of the version that is proven. */
export const PRESENT_VERSION = ".";

const run = promisify(execFile);
const OUTPUT_MAX = 64 * 1_024 * 1_024;

/** `remove`: deletes the folder if it was made. */
type VersionFolder = { folder: string; remove: () => Promise<void> };

/**
 * Builds a version in a separate folder, with the packages of its own lock file, which npm downloads unless they are cached.
 * @param from a commit or tag; or a folder with a built version, which is left unchanged.
 * @throws Error when there is no such commit, or its build fails.
 */
export async function versionFolder(from: string): Promise<VersionFolder> {
  if (existsSync(path.join(from, "dist", "web.mjs"))) return { folder: path.resolve(from), remove: async () => {} };
  const folder = await mkdtemp(path.join(tmpdir(), "messaging-former-"));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const archive = path.join(folder, "sources.tar");
    await run("git", ["archive", "--format=tar", `--output=${archive}`, from]);
    await run("tar", ["-xf", archive], { cwd: folder });
    await rm(archive);
    const inFolder = { cwd: folder, maxBuffer: OUTPUT_MAX };
    await run("npm", ["ci", "--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"], inFolder);
    await run("npm", ["run", "build"], inFolder);
    return { folder, remove };
  } catch (thrown) {
    await remove();
    throw thrown;
  }
}
