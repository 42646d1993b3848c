import { expect, test, vi } from "vitest";
import { pool } from "@/server/core/db";
import { loseReply } from "@/test/database/intercepted-statements";
import { openTransaction } from "@/test/database/lock-waits";
import { exclusively, keepLease, LOCK_SPACE } from "./lease";

/** Whether another session could take the lock. */
async function isFree(name: string): Promise<boolean> {
  const { rows } = await pool().query<{ ok: boolean }>(
    `SELECT NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = $1::oid
       AND objid::bigint = (hashtext($2)::bigint & 4294967295)) AS ok`,
    [LOCK_SPACE, `exclusive:${name}`],
  );
  return rows[0]?.ok ?? false;
}

test("a job that another worker is running is not run", async () => {
  const release = await keepLease(() => undefined);
  const work = vi.fn(async () => undefined);
  try {
    const other = await openTransaction((tx) =>
      tx.query("SELECT pg_advisory_xact_lock($1, hashtext($2))", [LOCK_SPACE, "exclusive:elsewhere"]),
    );
    expect(await exclusively("elsewhere", work)).toBe(false);
    await other.commit();
    expect(work).not.toHaveBeenCalled();
    expect(await exclusively("elsewhere", work)).toBe(true);
    expect(await isFree("elsewhere")).toBe(true);
  } finally {
    await release();
  }
});

test("a job whose lock was taken unknowingly, because the reply came too late, does not keep the lock", async () => {
  const release = await keepLease(() => undefined);
  try {
    loseReply(/pg_try_advisory_lock/, new Error("Query read timeout"));
    const work = vi.fn(async () => undefined);
    await expect(exclusively("lost", work)).rejects.toThrow("timeout");
    expect(work).not.toHaveBeenCalled();
    await expect.poll(() => isFree("lost")).toBe(true);
    await expect.poll(() => exclusively("lost", work)).toBe(true);
  } finally {
    await release();
  }
});
