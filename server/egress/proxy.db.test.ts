/** A message and its webhooks on their way through an egress proxy that goes away and comes back. */
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { runJobs } from "@/test/database/queue";
import { makeAccount, newOperator } from "@/test/database/seed";
import { newNumber, stateOf, twilioOfFile } from "@/test/database/twilio";
import { deliveriesOf, raiseSent, runDeliveryJobs, takeDeliveryJobs, triesOf } from "@/test/database/webhooks";
import { type ConnectProxy, startConnectProxy } from "@/test/network/connect-proxy";
import { type Receiver, startReceiver } from "@/test/network/receiver";
import { unstalled } from "@/test/network/stalls";
import { dispatchTasks } from "@/worker/tasks";
import { plainRequest } from "../accounts/idempotency/request";
import { checkLedger } from "../accounts/tasks";
import { pool } from "../core/db";
import { env } from "../core/env";
import { sendMessage } from "../messages/accept/send";
import { settleAttempts } from "../messages/dispatch/run-attempt";
import { getMessage } from "../messages/read";
import { flushCounts } from "../providers/health/counts";
import { getProvider } from "../providers/service";
import { resendDeliveries } from "../webhooks/history/resend";
import { createEndpoint, getEndpoint } from "../webhooks/service";
import { deliverWebhooks } from "../webhooks/tasks";

const operator = newOperator();
let proxy: ConnectProxy;
let receiver: Receiver;
const own = twilioOfFile();

beforeAll(async () => {
  [proxy, receiver] = await Promise.all([startConnectProxy({ credentials: "sms:p%40ss" }), startReceiver()]);
  env().PROVIDER_PROXY_URL = proxy.url;
  env().WEBHOOK_PROXY_URL = proxy.url;
});
afterEach(() => {
  proxy.planAll("open");
  proxy.asked.length = 0;
  receiver.received.length = 0;
});
afterAll(() => Promise.all([proxy.close(), receiver.close()]));

async function setUp() {
  const account = await makeAccount();
  const { id } = await createEndpoint(account.actor, { url: receiver.url });
  return { account, endpointId: id };
}

type SetUp = Awaited<ReturnType<typeof setUp>>;

const send = async ({ account }: SetUp, to = newNumber()) => {
  const input = { to, from: account.senderId, body: "Hello", route_id: own.onlyTwilio };
  return { to, id: (await sendMessage(account.actor, input, plainRequest())).id };
};

/** Runs all that waits to be dispatched, whenever it is due. */
async function dispatch(): Promise<void> {
  await runJobs(dispatchTasks);
  await settleAttempts();
}

const attemptsOf = async (id: string) =>
  (
    await pool().query<{ outcome: string; fault: string | null; code: string | null; words: string | null }>(
      "SELECT outcome, fault, code, provider_detail AS words FROM message_attempts WHERE message_id = $1 ORDER BY seq",
      [id],
    )
  ).rows;

const takenFor = (to: string) => own.twilio.taken.filter((message) => message.to === to).length;

test("what is sent while the proxy is away is sent once when it is back, and nobody else is blamed", async () => {
  const setup = await setUp();
  const first = await send(setup);
  await dispatch();
  await runDeliveryJobs(setup.endpointId);
  expect((await getMessage(setup.account.actor, first.id)).status).toBe("sent");
  expect(receiver.received).toHaveLength(1);
  expect(new Set(proxy.asked)).toEqual(
    new Set([own.twilio.environment.TWILIO_BASE_URL ?? "", receiver.url].map((url) => new URL(url).host)),
  );

  await proxy.goAway();
  const second = await send(setup);
  // More than the failures in a row that open a breaker, and that disable an endpoint.
  for (let run = 0; run < 6; run += 1) await dispatch();
  await raiseSent(setup, 30);
  await runDeliveryJobs(setup.endpointId);
  expect((await getMessage(setup.account.actor, second.id)).status).toBe("pending");
  const attempts = await attemptsOf(second.id);
  expect(attempts.length).toBeGreaterThanOrEqual(6);
  for (const attempt of attempts) {
    expect(attempt).toMatchObject({ outcome: "retryable", fault: "throttled", code: "egress_proxy_unreachable" });
    expect(attempt.words).toBe("The egress proxy could not be reached (ECONNREFUSED).");
  }
  expect(await stateOf()).toMatchObject({ breaker: "closed" });
  expect(await getEndpoint(setup.account.actor, setup.endpointId)).toMatchObject({
    is_active: true,
    failure_count: 0,
    last_failure_at: null,
  });
  const errors = (await triesOf(setup.endpointId)).map(({ error }) => error);
  expect(errors.filter((error) => error !== null)).toEqual(
    Array(30).fill("The egress proxy could not be reached (ECONNREFUSED)."),
  );
  expect(takenFor(second.to)).toBe(0);

  await proxy.comeBack();
  await dispatch();
  await runDeliveryJobs(setup.endpointId);
  expect((await getMessage(setup.account.actor, second.id)).status).toBe("sent");
  expect([first, second].map(({ to }) => takenFor(to))).toEqual([1, 1]);
  expect(new Set((await deliveriesOf(setup.endpointId)).map(({ status }) => status))).toEqual(new Set(["delivered"]));
  await expect(checkLedger()).resolves.not.toThrow();
});

test("what the proxy did not let through is not called throttled at the provider, and a target that it did not reach has failed", async () => {
  const figures = async () => {
    await flushCounts();
    const { throttled, egress_failed, failed } = (await getProvider(operator, { id: "twilio" })).last_hour;
    return { throttled, egress_failed, failed };
  };
  const setup = await setUp();
  const before = await figures();
  // A tunnel that stands would be used again.
  await proxy.goAway();
  await proxy.comeBack();
  for (const plan of [407, "close", 502] as const) {
    proxy.planAll(plan);
    await send(setup);
    await dispatch();
    await pool().query("DELETE FROM graphile_worker._private_jobs");
  }
  expect(await figures()).toEqual({
    throttled: before.throttled,
    egress_failed: before.egress_failed + 2,
    failed: before.failed + 1,
  });
});

test("an event outlasts a proxy that is away for longer than its schedule of tries", async () => {
  const setup = await setUp();
  await raiseSent(setup, 2);
  await proxy.goAway();
  for (let run = 0; run < 7; run += 1) await runDeliveryJobs(setup.endpointId);
  const again = { status: "pending", round: 1, attempts: 1, finishedAt: null };
  expect(await deliveriesOf(setup.endpointId)).toMatchObject([again, again]);
  expect(await triesOf(setup.endpointId)).toHaveLength(14);

  await proxy.comeBack();
  await runDeliveryJobs(setup.endpointId);
  const ended = { status: "delivered", round: 1, attempts: 2 };
  expect(await deliveriesOf(setup.endpointId)).toMatchObject([ended, ended]);
  expect(receiver.received).toHaveLength(2);
});

test("an event that waits for the schedule to begin again can be sent at once: one time, however often it is asked for", async () => {
  const { account, endpointId } = await setUp();
  await raiseSent({ account });
  await proxy.goAway();
  for (let run = 0; run < 6; run += 1) await runDeliveryJobs(endpointId);
  const [waiting] = await deliveriesOf(endpointId);
  expect(waiting).toMatchObject({ status: "pending", round: 1, attempts: 0 });
  const again = () => resendDeliveries(account.actor, { id: endpointId, delivery_ids: [waiting?.id ?? ""] });

  // The proxy is still away: the schedule goes on.
  expect((await Promise.all([again(), again()])).map(({ recovered }) => recovered).sort()).toEqual([0, 1]);
  await runDeliveryJobs(endpointId);
  expect(await deliveriesOf(endpointId)).toMatchObject([{ status: "pending", round: 2, attempts: 1 }]);
  expect(await triesOf(endpointId)).toHaveLength(7);

  await proxy.comeBack();
  expect((await again()).recovered).toBe(1);
  // Jobs of the tries that it overtook are among them, and each runs twice, as after a worker that died.
  const queued = await takeDeliveryJobs(endpointId);
  for (const { payload } of [...queued, ...queued]) await unstalled(() => deliverWebhooks(payload));
  expect(await deliveriesOf(endpointId)).toMatchObject([{ status: "delivered", round: 3, attempts: 1 }]);
  expect(receiver.received).toHaveLength(1);
});
