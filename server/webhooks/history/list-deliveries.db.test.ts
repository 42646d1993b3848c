import { afterEach, expect, test, vi } from "vitest";
import { explain, rowsRead, statementsOf } from "@/test/database/plans";
import {
  deliveriesOf,
  makeMessages,
  raiseEvents,
  raiseSent,
  recordWaitingOf,
  runDeliveryJobs,
  type TestWebhook,
  takeDeliveryJobs,
  webhooksOfFile,
} from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";
import { pool, prisma } from "../../core/db";
import { newId } from "../../core/ids";
import { cursorOf } from "../../lists/cursor";
import { rebuildListTotals } from "../../lists/rebuild";
import { foldTotals } from "../../lists/store";
import { createEndpoint, enableEndpoint } from "../service";
import { parkAllPending } from "../store";
import { deliverWebhooks } from "../tasks";
import { listDeliveries, listNumberedDeliveries } from "./list-deliveries";
import { recoverDeliveries } from "./recover";

afterEach(() => vi.useRealTimers());

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

test("the next try is scheduled, due or overdue by the database's clock, whatever that of this process says", async () => {
  const setup = await setUp(status(500));
  const { account, endpoint } = setup;
  const stateOf = async () => {
    const { items } = await listDeliveries(account.actor, { id: endpoint.id, page: 1, limit: 1 });
    return items[0]?.next_attempt_state;
  };
  const nextTryIn = (seconds: number) =>
    pool().query(
      "UPDATE webhook_deliveries SET next_attempt_at = clock_timestamp() + make_interval(secs => $2) WHERE endpoint_id = $1",
      [endpoint.id, seconds],
    );
  await raiseSent(setup);
  await runDeliveryJobs(endpoint.id);
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2040-01-01T00:00:00Z") });
  expect(await stateOf()).toBe("scheduled");
  await nextTryIn(0);
  expect(await stateOf()).toBe("due");
  await nextTryIn(-60);
  expect(await stateOf()).toBe("overdue");
  vi.useRealTimers();
  setup.receiver.respondWith(status(200));
  await runDeliveryJobs(endpoint.id);
  expect(await stateOf()).toBeNull();
});

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

/** Ids of the listed deliveries, read in pages of three by their cursors, and by their numbers. */
async function idsByPage({ account, endpoint }: TestWebhook, of?: (typeof STATUSES)[number]) {
  const query = { id: endpoint.id, status: of, limit: 3 };
  const byCursor: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await listDeliveries(account.actor, { ...query, page: 1, cursor });
    byCursor.push(...page.items.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  const byNumber: string[] = [];
  for (let page = 1, more = true; more; page += 1) {
    const { items, pagination } = await listDeliveries(account.actor, { ...query, page });
    byNumber.push(...items.map(({ id }) => id));
    more = pagination.has_more;
  }
  expect(byNumber).toEqual(byCursor);
  return byCursor;
}

test("deliveries in one status are in the order of the whole list, also those that versions before gave random ids", async () => {
  const setup = await setUp();
  const { id: endpointId } = setup.endpoint;
  for (let sent = 0; sent < 5; sent += 1) await raiseSent(setup, 4);
  await recordWaitingOf(endpointId);
  await pool().query(
    `UPDATE webhook_deliveries d SET status = ($2::text[])[1 + n % 4]
     FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM webhook_deliveries WHERE endpoint_id = $1) o WHERE o.id = d.id`,
    [endpointId, [...STATUSES]],
  );
  await rebuildListTotals();
  const compare = async () => {
    const states = new Map((await deliveriesOf(endpointId)).map(({ id, status: state }) => [id, state]));
    const all = await idsByPage(setup);
    expect(all).toEqual([...states.keys()].toSorted().reverse());
    for (const each of STATUSES) {
      expect(await idsByPage(setup, each)).toEqual(all.filter((id) => states.get(id) === each));
    }
  };
  await compare();
  const forged = cursorOf({ id: `dlv_${"z".repeat(36)}`, page: 2, total: 1 });
  const query = { id: endpointId, status: "held", page: 1, limit: 3, cursor: forged } as const;
  expect(await listDeliveries(setup.account.actor, query)).toMatchObject({ pagination: { total: 1 } });
  const [known] = await deliveriesOf(endpointId);
  // Its event was older than its id.
  await pool().query(
    `INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, status, created_at)
     SELECT $2, account_id, endpoint_id, event_id, 'held', created_at - interval '1 hour' FROM webhook_deliveries WHERE id = $1`,
    [known?.id, newId("delivery")],
  );
  await rebuildListTotals();
  await compare();
  await pool().query("DELETE FROM webhook_deliveries");
  await rebuildListTotals();
});

test("deliveries in a rare status are found without the history of their endpoint, whatever the statistics say", async () => {
  const setup = await setUp();
  const { account, endpoint } = setup;
  await pool().query("ALTER TABLE webhook_deliveries SET (autovacuum_enabled = false)");
  const add = (count: number, minute: number, state: string) =>
    pool().query(
      `INSERT INTO webhook_deliveries (id, account_id, endpoint_id, event_id, status, created_at)
       SELECT 'dlv_' || $3::text || lpad(n::text, 9, '0') || '0' || repeat('0', 25), $1, $2, 'evt_' || n, $4,
         timestamptz '2026-01-01' + $3::int4 * interval '1 minute' FROM generate_series(1, $5) n`,
      [account.accountId, endpoint.id, minute, state, count],
    );
  // Statistics of a time when everything was held.
  await add(1_000, 1, "held");
  await pool().query("VACUUM ANALYZE webhook_deliveries");
  await pool().query("DELETE FROM webhook_deliveries");
  for (const state of ["held", "abandoned"]) await add(10, state === "held" ? 2 : 3, state);
  await add(20_000, 4, "delivered");
  await add(10, 5, "pending");
  await rebuildListTotals();
  const readOf = async (state: (typeof STATUSES)[number]): Promise<number> => {
    const statements = await statementsOf(() =>
      listDeliveries(account.actor, { id: endpoint.id, status: state, page: 1, limit: 50 }),
    );
    let read = 0;
    for (const statement of statements) read += rowsRead((await explain(statement)).plan, ["webhook_deliveries"]);
    return read;
  };
  expect(await readOf("held")).toBeLessThanOrEqual(20);
  expect(await readOf("abandoned")).toBeLessThanOrEqual(20);
  expect(await readOf("pending")).toBe(10);
  await pool().query("DELETE FROM webhook_deliveries WHERE status <> 'delivered'");
  await rebuildListTotals();
  for (const state of ["held", "abandoned", "pending"] as const) expect(await readOf(state)).toBe(0);
  await pool().query("DELETE FROM webhook_deliveries");
  await rebuildListTotals();
});

test("the deliveries of one message are listed, of this endpoint and in this status, page by page", async () => {
  const setup = await setUp(status(200));
  const { account, endpoint } = setup;
  const other = await createEndpoint(account.actor, { url: `${setup.receiver.url}/other` });
  const [mine = "", theirs = ""] = await makeMessages(account, 2, "delivered");
  const { sentAt } = await prisma().message.findUniqueOrThrow({ where: { id: mine } });
  for (const reached of ["sent", "delivered"] as const)
    await raiseEvents(account, [mine, theirs], reached, sentAt ?? undefined);
  for (const { id } of [endpoint, other]) await runDeliveryJobs(id);
  const list = (query: object) =>
    listDeliveries(account.actor, { id: endpoint.id, message_id: mine, page: 1, limit: 10, ...query });

  const found = await list({});
  expect(found.items.map((item) => [item.message_id, item.event_type])).toEqual([
    [mine, "message.delivered"],
    [mine, "message.sent"],
  ]);
  expect(found.pagination).toMatchObject({ total: 2, pages: 1 });
  expect(found.items.every(({ tries }) => tries.length === 1)).toBe(true);
  expect((await list({ status: "abandoned" })).items).toEqual([]);
  expect((await list({ status: "delivered" })).pagination.total).toBe(2);

  const first = await list({ limit: 1 });
  const second = await list({ limit: 1, cursor: first.next_cursor ?? "" });
  expect([...first.items, ...second.items]).toEqual(found.items);
  expect(second.next_cursor).toBeNull();
  expect((await list({ limit: 1, page: 2 })).items).toEqual(second.items);

  const stranger = await setUp(status(200));
  const foreign = { id: stranger.endpoint.id, message_id: mine, page: 1, limit: 10 };
  expect((await listDeliveries(stranger.account.actor, foreign)).items).toEqual([]);
  expect((await list({ message_id: "msg_nothing" })).items).toEqual([]);
});

test("deliveries in the console have the numbers of their messages, unless those were deleted", async () => {
  const setup = await setUp(status(200));
  const { account, endpoint } = setup;
  const messageIds = await makeMessages(account, 3);
  await raiseEvents(account, messageIds);
  await runDeliveryJobs(endpoint.id);
  await pool().query("UPDATE messages SET to_number = '+14155550188' WHERE id = $1", [messageIds[1]]);
  await pool().query("DELETE FROM messages WHERE id = $1", [messageIds[2]]);
  const list = () => listNumberedDeliveries(account.actor, { id: endpoint.id, page: 1, limit: 10 });
  const numbers = Object.fromEntries((await list()).items.map((delivery) => [delivery.message_id, delivery.number]));
  expect(numbers).toEqual(
    Object.fromEntries(messageIds.map((id, at) => [id, ["+14155550123", "+14155550188", null][at]])),
  );
});
