import { chmod, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** Makes a temporary folder for servers. */
export async function makeServerFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), prefix));
  // Programs before version 16 look up the path of their own folder, and their user must be able to pass through this one.
  await chmod(folder, 0o711);
  return folder;
}
