import { expect, test, vi } from "vitest";
import { makeAccount } from "@/test/database/seed";
import { pool } from "../core/db";
import { isApiError } from "../core/errors";
import { newId, testAccountOf } from "../core/ids";
import { noteChange, notifyChanges } from "../core/live";
import { logRequest, writeAll } from "../request-log/log-request";
import { createEndpoint } from "../webhooks/service";
import { sessionContext } from "./context";
import { appRouter } from "./router";

const signedIn = vi.hoisted(() => ({ session: null as object | null }));
vi.mock("../auth/sessions/signed-in", () => ({ signedInPerson: async () => signedIn.session }));

/** The procedures as a person of the account calls them in the console. */
async function consoleOf(accountId: string, userId: string = newId("user")) {
  signedIn.session = { accountId, userId, isOperator: false };
  return appRouter.createCaller(await sessionContext(new Request("http://localhost/api/trpc")));
}

/** The same in test mode, declared as by a subscription: browsers send no headers with one. */
async function testConsoleOf(accountId: string) {
  signedIn.session = { accountId, userId: newId("user"), isOperator: false };
  const request = new Request("http://localhost/api/trpc");
  return appRouter.createCaller(await sessionContext(request, { "test-mode": "true" }));
}

/** Counts these calls by the reason of their refusal, or as `passed` without one. */
async function endingsOf(calls: Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const end of await Promise.allSettled(calls)) {
    const cause: unknown = end.status === "rejected" ? (end.reason as Error).cause : null;
    const reason = end.status === "fulfilled" ? "passed" : isApiError(cause) ? String(cause.wire.details.reason) : "?";
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}

const countIn = (id: string, used: number) =>
  pool().query(
    `INSERT INTO api_key_minutes (key_id, minute, used) VALUES ($1, date_trunc('minute', now()) + interval '1 minute', $2)
     ON CONFLICT (key_id) DO UPDATE SET used = excluded.used, minute = excluded.minute`,
    [id, used],
  );

test("a person's calls are limited per minute, and each call of a batch counts", async () => {
  const { accountId } = await makeAccount();
  const userId = newId("user");
  await countIn(userId, 1_190);
  const person = await consoleOf(accountId, userId);
  const calls = Array.from({ length: 30 }, () => person.accounts.balance());
  expect(await endingsOf(calls)).toEqual({ passed: 10, rate_limit: 20 });
  const other = await consoleOf(accountId);
  expect(await endingsOf([other.accounts.balance()])).toEqual({ passed: 1 });
});

test("people and keys of an account share its limit", async () => {
  const { accountId } = await makeAccount({ rateLimit: 600 });
  await countIn(accountId, 2_995);
  const person = await consoleOf(accountId);
  const calls = Array.from({ length: 8 }, () => person.accounts.balance());
  expect(await endingsOf(calls)).toEqual({ passed: 5, account_rate_limit: 3 });
});

test("an account sends ten test events a minute, however many are requested at once", async () => {
  const { accountId, actor } = await makeAccount();
  const { id } = await createEndpoint(actor, { url: "http://127.0.0.1:9/" });
  await countIn(`webhooks.test ${accountId}`, 0);
  const [one, other] = [await consoleOf(accountId), await consoleOf(accountId)];
  const calls = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? one : other).webhooks.test({ id }));
  expect(await endingsOf(calls)).toEqual({ passed: 10, test_limit: 30 });
});

test("in test mode a person sees only what belongs to the test account, nothing of the live one", async () => {
  const { accountId, keyId } = await makeAccount();
  const tester = await testConsoleOf(accountId);
  const noteRequest = async (owner: string) => {
    const id = newId("request");
    logRequest({
      ...{ id, accountId: owner, keyId, method: "GET", path: "/balance", query: "", status: 404, latencyMs: 1 },
      ...{ operation: null, address: "192.0.2.1", userAgent: null, input: undefined, inputBytes: 0, response: "{}" },
    });
    await writeAll();
    return id;
  };
  const endpointOf = async (owner: string) => {
    const id = newId("endpoint");
    await pool().query(
      "INSERT INTO webhook_endpoints (id, account_id, url, events, secret_sealed) VALUES ($1, $2, 'https://mode.example/', '{}', '')",
      [id, owner],
    );
    return id;
  };
  const [, own] = [await noteRequest(accountId), await noteRequest(testAccountOf(accountId))];
  const [, hook] = [await endpointOf(accountId), await endpointOf(testAccountOf(accountId))];
  await pool().query(
    `INSERT INTO usage_days (account_id, day, messages, segments, cost_micros, delivered) VALUES ($1, current_date, 7, 7, 0, 7)`,
    [accountId],
  );

  expect((await tester.requestLog.list({})).items.map(({ id }) => id)).toEqual([own]);
  expect((await tester.search.find({ text: "mode.example" })).items.map(({ id }) => id)).toEqual([hook]);
  expect((await tester.overview.comparison({ days: 7 })).current.messages).toBe(0);
  expect((await tester.members.list()).length).toBe((await (await consoleOf(accountId)).members.list()).length);

  const changes = (await tester.live.changes())[Symbol.asyncIterator]();
  await changes.next();
  // Listening begins once more with the notice that anything may have changed.
  await changes.next();
  noteChange(testAccountOf(accountId), "deliveries");
  await notifyChanges();
  expect((await changes.next()).value).toEqual({ topics: ["deliveries"] });
  await changes.return?.();
});

test("a call knows when its caller has hung up", async () => {
  const leaving = new AbortController();
  const { isAbandoned } = await sessionContext(new Request("http://localhost/api/trpc", { signal: leaving.signal }));
  expect(isAbandoned?.()).toBe(false);
  leaving.abort();
  expect(isAbandoned?.()).toBe(true);
});
