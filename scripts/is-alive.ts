/** Whether a process with this number exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // It exists and belongs to another user.
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}
