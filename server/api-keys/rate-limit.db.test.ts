import { afterEach, describe, expect, test, vi } from "vitest";
import { setCountedRequests } from "@/test/database/rate-limits";
import { makeAccount } from "@/test/database/seed";
import { pool } from "../core/db";
import { newId } from "../core/ids";
import { countRequest, type RateState } from "./rate-limit";

afterEach(() => {
  vi.useRealTimers();
});

/** Requests that the database has counted. */
const countedFor = async (id: string): Promise<number> => {
  const { rows } = await pool().query<{ used: number }>("SELECT used FROM api_key_minutes WHERE key_id = $1", [id]);
  return rows[0]?.used ?? 0;
};

const refusals = (states: RateState[]) => ({
  passed: states.filter((state) => state.refusedBy === null).length,
  caller: states.filter((state) => state.refusedBy === "caller").length,
  account: states.filter((state) => state.refusedBy === "account").length,
});

const ask = (caller: string, limit: number, accountId: string, times: number) =>
  Promise.all(Array.from({ length: times }, () => countRequest({ caller, limit, accountId })));

test("a refusal is cached exactly until the end of the minute", async () => {
  const { keyId, accountId } = await makeAccount();
  const refusing = { caller: keyId, limit: 0, accountId };
  for (let before = 0; before < 5; before += 1) await countRequest({ ...refusing, limit: 100 });
  vi.useFakeTimers({ toFake: ["performance"] });
  const refused = await countRequest(refusing);
  expect(refused).toMatchObject({ refusedBy: "caller", remaining: 0 });
  const counted = await countedFor(keyId);

  vi.advanceTimersByTime(refused.resetMs - 1);
  expect(await countRequest(refusing)).toMatchObject({ refusedBy: "caller", resetMs: 1 });
  expect(await countedFor(keyId)).toBe(counted);

  vi.advanceTimersByTime(1);
  await countRequest(refusing);
  expect(await countedFor(keyId)).not.toBe(counted);
});

test("a caller that was counted before the database's clock was set back does not wait until it has come there again", async () => {
  const { keyId, accountId } = await makeAccount();
  for (const id of [keyId, accountId]) {
    await pool().query(
      "INSERT INTO api_key_minutes (key_id, minute, used) VALUES ($1, date_trunc('minute', now()) + interval '26 hours', 100000)",
      [id],
    );
  }
  expect(await countRequest({ caller: keyId, limit: 5, accountId })).toMatchObject({ refusedBy: null, remaining: 4 });
  expect([await countedFor(keyId), await countedFor(accountId)]).toEqual([1, 1]);
});

test("a raised limit holds at once, also for a caller that was refused under the former one", async () => {
  const { keyId, accountId } = await makeAccount();
  await setCountedRequests(keyId, 5);
  expect(await countRequest({ caller: keyId, limit: 5, accountId })).toMatchObject({ refusedBy: "caller" });
  expect(await countRequest({ caller: keyId, limit: 100, accountId })).toMatchObject({ refusedBy: null });
  expect(await countRequest({ caller: keyId, limit: 5, accountId })).toMatchObject({ refusedBy: "caller" });
});

test("a busy caller is counted ahead of time, and gets the exact number that it has left", async () => {
  const { accountId, keyId } = await makeAccount({ rateLimit: 1_000 });
  await setCountedRequests(keyId, 0);
  await setCountedRequests(accountId, 0);
  vi.useFakeTimers({ toFake: ["performance"] });
  await ask(keyId, 1_000, accountId, 50);
  vi.advanceTimersByTime(1_000);
  expect(await countRequest({ caller: keyId, limit: 1_000, accountId })).toMatchObject({ remaining: 949 });
  // 50 a second are expected to come.
  expect([await countedFor(keyId), await countedFor(accountId)]).toEqual([101, 101]);
  for (let remaining = 948; remaining >= 899; remaining -= 1) {
    expect(await countRequest({ caller: keyId, limit: 1_000, accountId })).toMatchObject({
      refusedBy: null,
      remaining,
    });
  }
  expect([await countedFor(keyId), await countedFor(accountId)]).toEqual([101, 101]);
  await countRequest({ caller: keyId, limit: 1_000, accountId });
  expect(await countedFor(keyId)).toBeGreaterThan(101);
});

test("what other processes count meanwhile leaves a caller no more than its limit", async () => {
  const { accountId, keyId } = await makeAccount({ rateLimit: 1_000 });
  await setCountedRequests(keyId, 0);
  await setCountedRequests(accountId, 0);
  vi.useFakeTimers({ toFake: ["performance"] });
  await ask(keyId, 1_000, accountId, 50);
  vi.advanceTimersByTime(1_000);
  await ask(keyId, 1_000, accountId, 1);
  const counted = await countedFor(keyId);
  // The others use up everything that was not counted for this process.
  await pool().query("UPDATE api_key_minutes SET used = 1000 WHERE key_id = $1", [keyId]);
  const states: RateState[] = [];
  for (let at = 0; at < 100; at += 1) states.push(await countRequest({ caller: keyId, limit: 1_000, accountId }));
  expect(refusals(states)).toEqual({ passed: counted - 51, caller: 100 - (counted - 51), account: 0 });
});

describe("an account", () => {
  test("may make five times the requests of its most generous key, whichever of its keys and people make them", async () => {
    const { accountId, keyId } = await makeAccount({ rateLimit: 700 });
    await setCountedRequests(accountId, 3_490);
    vi.useFakeTimers({ toFake: ["performance"] });
    const first = await ask(newId("apiKey"), 600, accountId, 6);
    const person = await ask(newId("user"), 1_200, accountId, 2);
    const last = await ask(keyId, 700, accountId, 8);
    expect(refusals([...first, ...person, ...last])).toEqual({ passed: 10, caller: 0, account: 6 });
    expect(last.at(-1)).toMatchObject({ refusedBy: "account", accountLimit: 3_500, limit: 700, remaining: 0 });
    // Another key is refused without a query, for a second.
    const counted = await countedFor(accountId);
    expect(refusals(await ask(newId("apiKey"), 600, accountId, 3))).toMatchObject({ account: 3 });
    expect(await countedFor(accountId)).toBe(counted);
  });

  test("whose most generous key got a higher limit may make more requests within a second", async () => {
    const { accountId, keyId } = await makeAccount({ rateLimit: 700 });
    await setCountedRequests(accountId, 3_500);
    vi.useFakeTimers({ toFake: ["performance"] });
    const another = { caller: newId("apiKey"), limit: 600, accountId };
    expect(await countRequest(another)).toMatchObject({ refusedBy: "account", accountLimit: 3_500 });
    await pool().query("UPDATE api_keys SET rate_limit = 1000 WHERE id = $1", [keyId]);
    const counted = await countedFor(accountId);
    expect(await countRequest(another)).toMatchObject({ refusedBy: "account" });
    expect(await countedFor(accountId)).toBe(counted);
    vi.advanceTimersByTime(1_000);
    expect(await countRequest(another)).toMatchObject({ refusedBy: null, accountLimit: 5_000 });
  });

  test("with small keys may make as many as with one that has the usual limit", async () => {
    const { accountId, keyId } = await makeAccount({ rateLimit: 1 });
    await setCountedRequests(accountId, 2_999);
    const states = [await ask(keyId, 1, accountId, 1), await ask(newId("user"), 1_200, accountId, 1)].flat();
    expect(refusals(states)).toEqual({ passed: 1, caller: 0, account: 1 });
  });

  test("is not charged for what a key's own limit refuses", async () => {
    const { accountId, keyId } = await makeAccount({ rateLimit: 20 });
    await setCountedRequests(keyId, 15);
    await setCountedRequests(accountId, 0);
    expect(refusals(await ask(keyId, 20, accountId, 1_000))).toEqual({ passed: 5, caller: 995, account: 0 });
    expect(await countedFor(accountId)).toBe(5);
  });

  test("never meets a limit with one key that it would not have met without", async () => {
    const { accountId, keyId } = await makeAccount({ rateLimit: 6_000 });
    await setCountedRequests(keyId, 5_000);
    await setCountedRequests(accountId, 5_000);
    expect(refusals(await ask(keyId, 6_000, accountId, 1_200))).toEqual({ passed: 1_000, caller: 200, account: 0 });
  });

  test("whose generous key was revoked has the limit of those that are left", async () => {
    const { accountId, keyId } = await makeAccount({ rateLimit: 6_000 });
    await pool().query("UPDATE api_keys SET revoked_at = now() WHERE id = $1", [keyId]);
    expect(await countRequest({ caller: newId("user"), limit: 10, accountId })).toMatchObject({ accountLimit: 3_000 });
  });
});
