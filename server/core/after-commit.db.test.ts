import { expect, test, vi } from "vitest";
import { onCommit, pool, transaction } from "./db";

test("what follows a commit and fails neither makes it seem undone nor keeps the rest from following", async () => {
  await pool().query("CREATE TABLE kept (id text PRIMARY KEY)");
  const [written, next] = [vi.spyOn(process.stderr, "write").mockReturnValue(true), vi.fn()];
  const kept = await transaction(async (tx) => {
    await tx.query("INSERT INTO kept VALUES ('one')");
    onCommit(tx, () => {
      throw new Error("a bug");
    });
    onCommit(tx, next);
    return "one";
  }).finally(() => written.mockRestore());
  expect(kept).toBe("one");
  expect(next).toHaveBeenCalledOnce();
  expect((await pool().query("SELECT id FROM kept")).rows).toEqual([{ id: "one" }]);
});
