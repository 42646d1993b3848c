import { expect, test } from "vitest";
import { makeAccount } from "@/test/database/seed";
import { pool } from "../core/db";
import { notedAt, noteUse } from "./authenticate";

const lastUsedAt = async (keyId: string): Promise<number> => {
  const { rows } = await pool().query<{ at: Date | null }>("SELECT last_used_at AS at FROM api_keys WHERE id = $1", [
    keyId,
  ]);
  return rows[0]?.at?.getTime() ?? 0;
};

/** Writes a use `secondsAgo`, as another process would. @returns its time, Unix milliseconds. */
const usedElsewhere = async (keyId: string, secondsAgo: number): Promise<number> => {
  await pool().query("UPDATE api_keys SET last_used_at = now() - make_interval(secs => $2) WHERE id = $1", [
    keyId,
    secondsAgo,
  ]);
  return lastUsedAt(keyId);
};

/** Notes the use of a key, and returns when it has been written or skipped. */
async function noteAndWait(keyId: string): Promise<void> {
  const { keyId: later } = await makeAccount();
  noteUse(keyId);
  noteUse(later);
  await expect.poll(() => lastUsedAt(later)).toBeGreaterThan(0);
}

test("the use of a key is written at most once a minute over all processes", async () => {
  const { keyId } = await makeAccount();
  const at = await usedElsewhere(keyId, 20);
  await noteAndWait(keyId);
  expect(await lastUsedAt(keyId)).toBe(at);
  // The next write is due a minute after the stored time.
  const noted = notedAt();
  expect(performance.now() - (noted.get(keyId) ?? Number.NaN)).toBeGreaterThan(19_000);

  noted.delete(keyId);
  await usedElsewhere(keyId, 61);
  await noteAndWait(keyId);
  expect(Date.now() - (await lastUsedAt(keyId))).toBeLessThan(30_000);
});

test("the first use of a key is written", async () => {
  const { keyId } = await makeAccount();
  await noteAndWait(keyId);
  expect(await lastUsedAt(keyId)).toBeGreaterThan(0);
});
