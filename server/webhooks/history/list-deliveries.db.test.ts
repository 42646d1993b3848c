import { expect, test } from "vitest";
import {
  deliveriesOf,
  raiseSent,
  recordWaitingOf,
  runDeliveryJobs,
  type TestWebhook,
  takeDeliveryJobs,
  webhooksOfFile,
} from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";
import { foldTotals } from "../../lists/store";
import { enableEndpoint } from "../service";
import { parkAllPending } from "../store";
import { deliverWebhooks } from "../tasks";
import { listDeliveries } from "./list-deliveries";
import { recoverDeliveries } from "./recover";

const STATUSES = ["pending", "delivered", "held", "abandoned"] as const;

const setUp = webhooksOfFile();

const totalOf = async ({ account, endpoint }: TestWebhook, of?: (typeof STATUSES)[number]) =>
  (await listDeliveries(account.actor, { id: endpoint.id, status: of, page: 1, limit: 1 })).pagination.total;

/** Totals by status, checked against the rows. */
async function totals(setup: TestWebhook): Promise<Record<string, number>> {
  const stored = await deliveriesOf(setup.endpoint.id);
  const found = await Promise.all(STATUSES.map(async (each) => [each, await totalOf(setup, each)] as const));
  expect(found).toEqual(STATUSES.map((each) => [each, stored.filter((row) => row.status === each).length]));
  expect(await totalOf(setup)).toBe(stored.length);
  return Object.fromEntries(found.filter(([, count]) => count > 0));
}

test("totals follow deliveries through every status", async () => {
  const setup = await setUp(status(200));
  expect(await totals(setup)).toEqual({});
  await raiseSent(setup, 3);
  expect(await totals(setup)).toEqual({});
  await recordWaitingOf(setup.endpoint.id);
  await recordWaitingOf(setup.endpoint.id);
  expect(await totals(setup)).toEqual({ pending: 3 });
  await runDeliveryJobs(setup.endpoint.id);
  expect(await totals(setup)).toEqual({ delivered: 3 });

  setup.receiver.respondWith(status(410));
  await raiseSent(setup, 1);
  await runDeliveryJobs(setup.endpoint.id);
  await raiseSent(setup, 2);
  const parked = await totals(setup);
  expect(parked).toMatchObject({ delivered: 3, held: expect.any(Number) });

  await enableEndpoint(setup.account.actor, setup.endpoint.id);
  setup.receiver.respondWith(status(200));
  await recoverDeliveries(setup.account.actor, { id: setup.endpoint.id, since: "2020-01-01T00:00:00Z" });
  expect(await totals(setup)).toEqual({ delivered: 3, pending: 3 });
  await foldTotals();
  expect(await totals(setup)).toEqual({ delivered: 3, pending: 3 });
});

test("a delivery whose six tries failed is abandoned in the totals too", async () => {
  const setup = await setUp(status(500));
  await raiseSent(setup, 1);
  for (let made = 0; made < 6; made += 1) await runDeliveryJobs(setup.endpoint.id);
  expect(await totals(setup)).toEqual({ abandoned: 1 });
});

test("totals are exact under concurrent changes", async () => {
  const setup = await setUp(status(200));
  await raiseSent(setup, 40);
  const jobs = await takeDeliveryJobs(setup.endpoint.id);
  const twice = [...jobs, ...jobs].map(({ payload }) => deliverWebhooks(payload));
  const more = Array.from({ length: 10 }, () => raiseSent(setup, 5));
  const folds = Array.from({ length: 10 }, () => foldTotals());
  await Promise.all([...twice, ...more, ...folds, parkAllPending(setup.endpoint.id)]);
  await recordWaitingOf(setup.endpoint.id);
  expect(await totals(setup)).toEqual({ delivered: 40, pending: 50 });
  await foldTotals();
  expect(await totals(setup)).toEqual({ delivered: 40, pending: 50 });
});

test("a page past the end is empty and has the total", async () => {
  const setup = await setUp(status(200));
  await raiseSent(setup, 2);
  await recordWaitingOf(setup.endpoint.id);
  const query = { id: setup.endpoint.id, page: 1_000_000, limit: 100 };
  expect(await listDeliveries(setup.account.actor, query)).toMatchObject({ items: [], pagination: { total: 2 } });
});
