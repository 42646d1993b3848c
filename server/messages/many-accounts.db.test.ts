/** With many customers, a batch has messages of many accounts. Its cost must grow with their number, not with its square. */
import { expect, test } from "vitest";
import { type Plan, plansRun } from "@/test/database/plans";
import { startRunner } from "@/test/database/queue";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { setProvider } from "@/test/database/twilio";
import { startReceiver } from "@/test/network/receiver";
import { dispatchTasks, receiptTasks, webhookTasks } from "@/worker/tasks";
import { plainRequest } from "../accounts/idempotency/request";
import { authenticate } from "../api-keys/authenticate";
import { countRequest } from "../api-keys/rate-limit";
import { createEndpoint } from "../webhooks/service";
import { sendMessage } from "./accept/send";
import { serveThrottleQueue } from "./dispatch/serve-throttle-queue";
import { getMessage } from "./read";

const ACCOUNTS = 150;
/** Rows that a step of a plan may handle per message: the rows of its tables, and some more. */
const ROWS_MAX = 10;

/** Rows that a step handles, kept or not: a join of all with all handles the square of their number. */
const rowsOf = (step: Plan): number =>
  (step["Actual Rows"] +
    (step["Rows Removed by Filter"] ?? 0) +
    (step["Rows Removed by Join Filter"] ?? 0) +
    (step["Rows Removed by Index Recheck"] ?? 0)) *
  step["Actual Loops"];

const stepsOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(stepsOf)];

/** Has each account send a message at the same moment, as an API request does. */
const sendAll = (accounts: readonly TestAccount[]) =>
  Promise.all(
    accounts.map(async ({ actor, plainKey, senderId }, at) => {
      const key = await authenticate(`Bearer ${plainKey}`);
      await countRequest({ caller: key.id, limit: key.rateLimit, accountId: key.accountId });
      // A receipt comes before the response, is parked, and joined with the outcome.
      const input = { to: `+155501${String(at).padStart(3, "0")}06`, from: senderId, body: "Hello" };
      const { id } = await sendMessage(actor, input, plainRequest());
      return async () => (await getMessage(actor, id)).status;
    }),
  );

test("no statement compares all messages of a batch with all accounts, from acceptance to webhooks", async () => {
  const receiver = await startReceiver();
  const plans = await plansRun(async () => {
    await makeRoute();
    const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => makeAccount()));
    await Promise.all(accounts.map(({ actor }) => createEndpoint(actor, { url: receiver.url })));
    const atOnce = await sendAll(accounts);
    const runner = await startRunner({ ...dispatchTasks, ...receiptTasks, ...webhookTasks });
    await expect.poll(() => receiver.received.length, { timeout: 60_000 }).toBe(2 * ACCOUNTS);
    await setProvider("max_segments_per_second", 10_000, "sandbox");
    const throttled = await sendAll(accounts);
    await expect
      .poll(
        async () => {
          await serveThrottleQueue();
          return receiver.received.length;
        },
        { timeout: 60_000 },
      )
      .toBe(4 * ACCOUNTS);
    await runner.stop();
    const statuses = await Promise.all([...atOnce, ...throttled].map((statusOf) => statusOf()));
    expect(new Set(statuses)).toEqual(new Set(["delivered"]));
  });
  await receiver.close();
  const largest = (name: RegExp) =>
    Math.max(...plans.filter(({ text }) => name.test(text)).map(({ plan }) => Math.max(...stepsOf(plan).map(rowsOf))));
  // The batches are large enough for this test.
  for (const name of [
    /^INSERT INTO messages /,
    /^WITH due AS/,
    /INSERT INTO waiting_messages/,
    /INSERT INTO api_key_minutes/,
  ]) {
    expect(largest(name), String(name)).toBeGreaterThan(ACCOUNTS / 2);
  }
  const found = plans.flatMap(({ text, plan }) =>
    stepsOf(plan)
      .filter((step) => rowsOf(step) > ROWS_MAX * ACCOUNTS)
      .map((step) => `${rowsOf(step)} rows, ${step["Node Type"]}: ${text.replace(/\s+/g, " ").slice(0, 120)}`),
  );
  expect([...new Set(found)]).toEqual([]);
});
