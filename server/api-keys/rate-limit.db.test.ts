import { afterEach, expect, test, vi } from "vitest";
import { makeAccount } from "@/e2e/support/seed";
import { pool } from "../core/db";
import { countRequest } from "./rate-limit";

afterEach(() => {
  vi.useRealTimers();
});

/** Requests that the database has counted. */
const countedFor = async (keyId: string): Promise<number> => {
  const { rows } = await pool().query<{ used: number }>("SELECT used FROM api_key_minutes WHERE key_id = $1", [keyId]);
  return rows[0]?.used ?? 0;
};

test("a refusal is cached exactly until the end of the minute", async () => {
  const { keyId } = await makeAccount();
  const ask = { keyId, limit: 0 };
  for (let before = 0; before < 5; before += 1) await countRequest({ keyId, limit: 100 });
  vi.useFakeTimers({ toFake: ["performance"] });
  const refused = await countRequest(ask);
  expect(refused).toMatchObject({ allowed: false, remaining: 0 });
  const counted = await countedFor(keyId);

  vi.advanceTimersByTime(refused.resetMs - 1);
  expect(await countRequest(ask)).toMatchObject({ allowed: false, resetMs: 1 });
  expect(await countedFor(keyId)).toBe(counted);

  vi.advanceTimersByTime(1);
  await countRequest(ask);
  expect(await countedFor(keyId)).not.toBe(counted);
});
