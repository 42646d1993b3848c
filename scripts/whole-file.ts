import { renameSync, rmSync, writeFileSync } from "node:fs";

/**
 * Writes a file of secrets atomically: readers and the next start find it complete or unchanged, even after a full disk or a kill.
 * @throws Error that names it when it cannot be written.
 */
export function writeWhole(file: string, text: string): void {
  const fresh = `${file}.${process.pid}.new`;
  try {
    writeFileSync(fresh, text, { mode: 0o600 });
    renameSync(fresh, file);
  } catch (thrown) {
    rmSync(fresh, { force: true });
    throw new Error(`${file} cannot be written: ${thrown instanceof Error ? thrown.message : thrown}`);
  }
}
