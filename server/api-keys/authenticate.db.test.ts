import { expect, test, vi } from "vitest";
import { makeAccount } from "@/test/database/seed";
import { pool } from "../core/db";
import { authenticate, notedAt, noteUse } from "./authenticate";
import { revokeApiKey } from "./revoke";
import { createApiKey } from "./service";

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

/** Holds back the result of the next look-up of a key. */
function holdLookUp(): { reached: Promise<void>; release: () => void } {
  const query = pool().query.bind(pool()) as (...args: unknown[]) => Promise<unknown>;
  let [reach, release] = [() => {}, () => {}];
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const spy = vi.spyOn(pool(), "query").mockImplementation((async (...args: unknown[]) => {
    const result = await query(...args);
    if ((args[0] as { name?: string }).name !== "api-keys.lookup") return result;
    spy.mockRestore();
    reach();
    await released;
    return result;
  }) as never);
  return { reached, release };
}

test("a look-up that was under way while its key was revoked lets nobody in", async () => {
  const { actor } = await makeAccount();
  const { id, plain_key } = await createApiKey(actor, { name: "CI" });
  const lookUp = holdLookUp();
  const early = authenticate(`Bearer ${plain_key}`);
  await lookUp.reached;
  await revokeApiKey(actor, { id, cascade: false });
  lookUp.release();
  await expect(early).rejects.toMatchObject({ status: 401 });
  await expect(authenticate(`Bearer ${plain_key}`)).rejects.toMatchObject({ status: 401 });
});
