/** Requests that were under way when their endpoint was enabled again, or got another URL. */
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { deliveriesOf, raiseSent, runDeliveryJobs, type TestWebhook, webhooksOfFile } from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";
import { pool } from "../../core/db";
import { enableEndpoint, getEndpoint, updateEndpoint } from "../service";

const start = webhooksOfFile();

const set = ({ endpoint }: TestWebhook, change: string) =>
  pool().query(`UPDATE webhook_endpoints SET ${change} WHERE id = $1`, [endpoint.id]);

/** Makes `change` while the requests of `count` deliveries are under way; then each is responded to with `code`. */
async function respondAfter(code: number, change: (webhook: TestWebhook) => Promise<unknown>, count = 1) {
  const hanging: ServerResponse[] = [];
  const webhook = await start((response) => void hanging.push(response));
  await raiseSent(webhook, count);
  const running = runDeliveryJobs(webhook.endpoint.id);
  await expect.poll(() => hanging).toHaveLength(Math.min(count, 16));
  await change(webhook);
  for (const response of hanging) response.writeHead(code).end();
  await running;
  return { webhook, endpoint: await getEndpoint(webhook.account.actor, webhook.endpoint.id) };
}

async function disableAndEnable(webhook: TestWebhook): Promise<void> {
  await set(webhook, "is_active = false, failure_count = 25, disabled_at = now(), disabled_reason = 'gone'");
  await enableEndpoint(webhook.account.actor, webhook.endpoint.id);
}

const takeAnotherUrl = ({ account, endpoint }: TestWebhook) =>
  updateEndpoint(account.actor, { id: endpoint.id, url: `${endpoint.url}/new` });

test("failures of requests that began before the endpoint was enabled do not disable it again", async () => {
  const { webhook, endpoint } = await respondAfter(
    500,
    async (each) => {
      each.receiver.respondWith(status(200));
      await disableAndEnable(each);
      await set(each, "failure_count = 20");
    },
    16,
  );
  expect(endpoint).toMatchObject({ is_active: true, failure_count: 20, disabled_at: null });
  expect(endpoint.last_failure_at).not.toBeNull();
  const states = (await deliveriesOf(webhook.endpoint.id)).map((each) => `${each.status} ${each.attempts}`);
  expect(states).toEqual(Array(16).fill("pending 1"));
});

test("a 410 to a request that began before the endpoint was enabled does not disable it again", async () => {
  const { webhook, endpoint } = await respondAfter(410, disableAndEnable);
  expect(endpoint).toMatchObject({ is_active: true, failure_count: 0, disabled_reason: null });
  webhook.receiver.respondWith(status(410));
  await runDeliveryJobs(webhook.endpoint.id);
  expect(await getEndpoint(webhook.account.actor, webhook.endpoint.id)).toMatchObject({
    is_active: false,
    disabled_reason: "gone",
  });
});

test.each([500, 410])("a %i of the former URL does not count against the new one", async (code) => {
  const { endpoint } = await respondAfter(code, async (webhook) => {
    await set(webhook, "failure_count = 24");
    await takeAnotherUrl(webhook);
  });
  expect(endpoint).toMatchObject({ is_active: true, failure_count: 24 });
});

test("a 2xx of the former URL ends its delivery and says nothing of the new one", async () => {
  const { webhook, endpoint } = await respondAfter(200, async (each) => {
    await set(each, "failure_count = 24");
    await takeAnotherUrl(each);
  });
  expect(endpoint).toMatchObject({ is_active: true, failure_count: 24 });
  expect(await deliveriesOf(webhook.endpoint.id)).toMatchObject([{ status: "delivered" }]);
});

test.each([
  [
    "another description",
    ({ account, endpoint }: TestWebhook) =>
      updateEndpoint(account.actor, { id: endpoint.id, url: endpoint.url, description: "x" }),
  ],
  [
    "enabling an endpoint that is active",
    ({ account, endpoint }: TestWebhook) => enableEndpoint(account.actor, endpoint.id),
  ],
] as const)("%s leaves a request under way counting", async (_, change) => {
  const { endpoint } = await respondAfter(410, change);
  expect(endpoint).toMatchObject({ is_active: false, failure_count: 1, disabled_reason: "gone" });
});
