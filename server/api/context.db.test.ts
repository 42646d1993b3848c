import { expect, test, vi } from "vitest";
import { makeAccount } from "@/test/database/seed";
import { pool } from "../core/db";
import { isApiError } from "../core/errors";
import { newId } from "../core/ids";
import { createEndpoint } from "../webhooks/service";
import { sessionContext } from "./context";
import { appRouter } from "./router";

const signedIn = vi.hoisted(() => ({ session: null as object | null }));
vi.mock("../auth/sessions/session", () => ({ currentSession: async () => signedIn.session }));

/** The procedures as a person of the account calls them in the console. */
async function consoleOf(accountId: string, userId: string = newId("user")) {
  signedIn.session = { accountId, userId, isOperator: false };
  return appRouter.createCaller(await sessionContext(new Request("http://localhost/api/trpc")));
}

/** How many of these calls came to an end, by the reason of their refusal; `passed` when there was none. */
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

test("a person's calls are limited per minute, each call of a batch on its own", async () => {
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

test("an account sends ten test events a minute, however many are asked for at once", async () => {
  const { accountId, actor } = await makeAccount();
  const { id } = await createEndpoint(actor, { url: "http://127.0.0.1:9/" });
  await countIn(`webhooks.test ${accountId}`, 0);
  const [one, other] = [await consoleOf(accountId), await consoleOf(accountId)];
  const calls = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? one : other).webhooks.test({ id }));
  expect(await endingsOf(calls)).toEqual({ passed: 10, test_limit: 30 });
});
