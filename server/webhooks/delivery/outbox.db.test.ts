import type { QueryConfig } from "pg";
import { describe, expect, test } from "vitest";
import { untilWaiting } from "@/test/database/lock-waits";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import { deliveriesOf, makeMessages, raiseEvents, recordWaitingOf, takeDeliveryJobs } from "@/test/database/webhooks";
import { pool, transaction } from "../../core/db";
import { recoverDeliveries } from "../history/recover";
import type { EventType } from "../schema";
import { createEndpoint, deleteEndpoint, enableEndpoint } from "../service";
import { recordEvents, type StatusEvent } from "./outbox";

const endpointOf = (account: TestAccount, events?: EventType[]) =>
  createEndpoint(account.actor, { url: "http://127.0.0.1:9/hook", events });

const disable = (id: string) => pool().query("UPDATE webhook_endpoints SET is_active = false WHERE id = $1", [id]);

async function eventsOf(accountId: string) {
  const { rows } = await pool().query<{ id: string; type: string; messageId: string; createdAt: Date }>(
    `SELECT id, type, message_id AS "messageId", created_at AS "createdAt" FROM events WHERE account_id = $1 ORDER BY id`,
    [accountId],
  );
  return rows;
}

async function jobCount(): Promise<bigint | undefined> {
  const { rows } = await pool().query<{ n: bigint }>("SELECT count(*) AS n FROM graphile_worker._private_jobs");
  return rows[0]?.n;
}

test("without a subscriber there are events, but neither deliveries nor jobs", async () => {
  const account = await makeAccount();
  const onlyFailed = await endpointOf(account, ["message.failed"]);
  const deleted = await endpointOf(account);
  await deleteEndpoint(account.actor, deleted.id);
  const before = await jobCount();
  await raiseEvents(account, await makeMessages(account, 3));
  expect(await eventsOf(account.accountId)).toHaveLength(3);
  expect(await deliveriesOf(onlyFailed.id)).toEqual([]);
  expect(await deliveriesOf(deleted.id)).toEqual([]);
  expect(await jobCount()).toBe(before);
});

test("an empty list of events raises nothing", async () => {
  const before = await jobCount();
  await transaction((tx) => recordEvents(tx, []));
  expect(await jobCount()).toBe(before);
});

test("every subscribed endpoint gets one delivery per event, in jobs of at most 100 deliveries of one endpoint", async () => {
  const account = await makeAccount();
  const all = await endpointOf(account);
  const onlySent = await endpointOf(account, ["message.sent"]);
  const messages = await makeMessages(account, 250);
  await raiseEvents(account, messages, "sent");
  await raiseEvents(account, messages.slice(0, 10), "delivered");

  expect(await deliveriesOf(all.id)).toEqual([]);
  for (const { id } of [all, onlySent]) await recordWaitingOf(id);
  const events = await eventsOf(account.accountId);
  const toAll = await deliveriesOf(all.id);
  const toOne = await deliveriesOf(onlySent.id);
  expect(toAll.map((delivery) => delivery.eventId)).toEqual(events.map((event) => event.id));
  expect(toOne).toHaveLength(250);
  expect(toAll.every((delivery) => delivery.status === "pending" && delivery.nextAttemptAt !== null)).toBe(true);

  const jobs = await takeDeliveryJobs(all.id);
  expect(jobs.map((job) => job.payload.deliveryIds.length).sort()).toEqual([10, 100, 100, 50]);
  expect(new Set(jobs.flatMap((job) => job.payload.deliveryIds))).toEqual(new Set(toAll.map((each) => each.id)));
  expect(await takeDeliveryJobs(onlySent.id)).toHaveLength(3);
});

test("a disabled endpoint's deliveries are parked, without a job", async () => {
  const account = await makeAccount();
  const endpoint = await endpointOf(account);
  await disable(endpoint.id);
  await raiseEvents(account, await makeMessages(account, 2));
  expect(await deliveriesOf(endpoint.id)).toMatchObject([
    { status: "held", nextAttemptAt: null },
    { status: "held", nextAttemptAt: null },
  ]);
  expect(await takeDeliveryJobs(endpoint.id)).toEqual([]);
});

const sentEvent = (account: TestAccount, messageId = ""): StatusEvent => ({
  accountId: account.accountId,
  messageId,
  type: "message.sent",
  status: "sent",
  at: new Date(),
});

describe("an endpoint that is enabled while an event is recorded", () => {
  test("gets the event when it is enabled before its delivery is written", async () => {
    const account = await makeAccount();
    const { id } = await endpointOf(account);
    await disable(id);
    const [messageId] = await makeMessages(account, 1);
    await transaction(async (tx) => {
      const enabling = {
        query: async (config: { name?: string }) => {
          const result = await tx.query(config as QueryConfig);
          if (config.name === "webhooks.insert_events") await enableEndpoint(account.actor, id);
          return result;
        },
      } as typeof tx;
      await recordEvents(enabling, [sentEvent(account, messageId)]);
    });
    await recordWaitingOf(id);
    expect(await deliveriesOf(id)).toMatchObject([{ status: "pending" }]);
    expect(await takeDeliveryJobs(id)).toHaveLength(1);
  });

  test("is enabled only after a delivery already written is committed, so a recovery finds it", async () => {
    const account = await makeAccount();
    const { id } = await endpointOf(account);
    await disable(id);
    const [messageId] = await makeMessages(account, 1);
    let enabled: Promise<unknown> = Promise.resolve();
    await transaction(async (tx) => {
      await tx.query("SET LOCAL idle_in_transaction_session_timeout = 0");
      await recordEvents(tx, [sentEvent(account, messageId)]);
      enabled = enableEndpoint(account.actor, id);
      await untilWaiting("WITH disabled AS", 1);
    });
    await enabled;
    const since = new Date(Date.now() - 60_000).toISOString();
    expect(await recoverDeliveries(account.actor, { id, since })).toMatchObject({ recovered: 1 });
  });
});

test("a list by id is a list by time, and accounts do not mix", async () => {
  const [one, other] = [await makeAccount(), await makeAccount()];
  const [toOne, toOther] = [await endpointOf(one), await endpointOf(other)];
  const start = Date.now();
  const messages = { [one.accountId]: await makeMessages(one, 6), [other.accountId]: await makeMessages(other, 6) };
  const events = Object.entries(messages).flatMap(([accountId, ids]) =>
    ids.map(
      (messageId, index): StatusEvent => ({
        accountId,
        messageId,
        type: "message.sent",
        status: "sent",
        at: new Date(start - index * 1_000),
      }),
    ),
  );
  await transaction((tx) => recordEvents(tx, events));
  for (const [account, endpoint] of [
    [one, toOne],
    [other, toOther],
  ] as const) {
    const stored = await eventsOf(account.accountId);
    expect(stored.map((event) => event.messageId)).toEqual(messages[account.accountId]?.toReversed());
    expect(stored.map((event) => event.createdAt.getTime())).toEqual([5, 4, 3, 2, 1, 0].map((s) => start - s * 1_000));
    await recordWaitingOf(endpoint.id);
    expect((await deliveriesOf(endpoint.id)).map((each) => each.eventId)).toEqual(stored.map((event) => event.id));
  }
});

test("a rolled back change leaves no event, no delivery and no job", async () => {
  const account = await makeAccount();
  const endpoint = await endpointOf(account);
  const [messageId = ""] = await makeMessages(account, 1);
  const event: StatusEvent = {
    accountId: account.accountId,
    messageId,
    type: "message.sent",
    status: "sent",
    at: new Date(),
  };
  const failing = transaction(async (tx) => {
    await recordEvents(tx, [event]);
    throw new Error("no commit");
  });
  await expect(failing).rejects.toThrow("no commit");
  expect(await eventsOf(account.accountId)).toEqual([]);
  expect(await deliveriesOf(endpoint.id)).toEqual([]);
  expect(await takeDeliveryJobs(endpoint.id)).toEqual([]);
});

test("2,000 events are recorded in one call", async () => {
  const account = await makeAccount();
  const endpoint = await endpointOf(account);
  await raiseEvents(account, await makeMessages(account, 2_000));
  await recordWaitingOf(endpoint.id);
  expect(await deliveriesOf(endpoint.id)).toHaveLength(2_000);
  expect(await takeDeliveryJobs(endpoint.id)).toHaveLength(20);
});
