/** The event of an inbound message: written with it, once, for endpoints that name it. */
import { randomInt } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeAccount } from "@/test/database/seed";
import {
  deliveriesOf,
  makeMessages,
  raiseEvents,
  runDeliveryJobs,
  startWebhook,
  type TestWebhook,
  takeDeliveryJobs,
} from "@/test/database/webhooks";
import { pool } from "../core/db";
import { newId } from "../core/ids";
import type { InboundReport } from "../core/jobs";
import { rebuildListTotals } from "../lists/rebuild";
import { verifySignature } from "../webhooks/delivery/signature";
import { listNumberedDeliveries } from "../webhooks/history/list-deliveries";
import { listEvents } from "../webhooks/history/list-events";
import { type EventType, ReceivedEvent } from "../webhooks/schema";
import { createEndpoint, updateEndpoint } from "../webhooks/service";
import { sweepWebhooks } from "../webhooks/tasks";
import { getInbound, listInbound } from "./service";
import { takeInbound } from "./tasks";

const PAGE = { page: 1, limit: 50 };
const RECEIVED = { ...PAGE, type: "message.received" } as const;
const HANDSET = "+14155550123";

let webhook: TestWebhook;
let line = "";

beforeEach(async () => {
  webhook = await startWebhook();
  await updateEndpoint(webhook.account.actor, { id: webhook.endpoint.id, events: ["message.received"] });
  line = `+1646${randomInt(1_000_000, 9_999_999)}`;
  await own(webhook.account.accountId);
});

afterEach(() => webhook.receiver.close());

const own = (accountId: string) =>
  pool().query(
    "INSERT INTO senders (id, account_id, sender_id, type, status) VALUES ($1, $2, $3, 'numeric', 'approved')",
    [newId("sender"), accountId, line],
  );

const inbound = (text: string, more: Partial<InboundReport> = {}): InboundReport => ({
  providerMessageId: newId("inbound"),
  from: HANDSET,
  to: line.slice(1),
  text,
  receivedAt: new Date().toISOString(),
  ...more,
});

const take = (...messages: InboundReport[]) => takeInbound({ provider: "twilio", messages });

test("an inbound message reaches an endpoint that names the type, signed, as both lists show it", async () => {
  const { account, endpoint, receiver } = webhook;
  await take(inbound("Is the table free?"));
  await runDeliveryJobs(endpoint.id);
  const [request, ...more] = receiver.received;
  const rawBody = request?.body ?? Buffer.alloc(0);
  const header = String(request?.headers["service-signature"]);
  const nowSeconds = Math.floor(Date.now() / 1_000);
  expect(verifySignature({ header, secret: endpoint.signing_secret, rawBody, nowSeconds })).toMatchObject({
    valid: true,
  });
  expect(more).toEqual([]);
  const event = ReceivedEvent.strict().parse(JSON.parse(rawBody.toString("utf8")));
  expect(event.data).toMatchObject({ from: HANDSET, to: line, body: "Is the table free?", action: null });
  expect(await listEvents(account.actor, RECEIVED)).toMatchObject({ items: [event], pagination: { total: 1 } });
  expect((await listInbound(account.actor, PAGE)).items).toEqual([event.data]);
  expect(await getInbound(account.actor, event.data.id)).toEqual(event.data);
  expect((await listEvents(account.actor, { ...PAGE, message_id: event.data.id })).items).toEqual([event]);
  expect((await listNumberedDeliveries(account.actor, { id: endpoint.id, ...PAGE })).items).toMatchObject([
    {
      event_id: event.id,
      event_type: "message.received",
      message_id: event.data.id,
      status: "delivered",
      number: HANDSET,
    },
  ]);
});

test("a callback that a provider repeats, at once or later, makes one message and one event", async () => {
  const { account, endpoint, receiver } = webhook;
  const message = inbound("STOP");
  await Promise.all([take(message), take(message, message), take(message)]);
  await take(message);
  await runDeliveryJobs(endpoint.id);
  expect(receiver.received).toHaveLength(1);
  expect(await listInbound(account.actor, PAGE)).toMatchObject({
    items: [{ action: "opt_out", body: "STOP" }],
    pagination: { total: 1 },
  });
  expect((await listEvents(account.actor, RECEIVED)).pagination.total).toBe(1);
});

test("each account that has the number gets its own message and event, and sees no other's", async () => {
  const other = await makeAccount();
  await own(other.accountId);
  await take(inbound("Hello"));
  const [mine, theirs] = await Promise.all([webhook.account, other].map(({ actor }) => listInbound(actor, PAGE)));
  const [mineId = "", theirId = ""] = [mine?.items[0]?.id, theirs?.items[0]?.id];
  expect(mineId).not.toBe(theirId);
  await expect(getInbound(webhook.account.actor, theirId)).rejects.toMatchObject({
    status: 404,
    wire: { param: "id" },
  });
  expect((await listEvents(webhook.account.actor, { ...PAGE, message_id: theirId })).items).toEqual([]);
  expect((await listEvents(other.actor, RECEIVED)).items).toMatchObject([{ data: { id: theirId } }]);
});

test("a message of nobody's number is stored, without an event", async () => {
  const message = inbound("Hello", { to: "+14155559999" });
  await take(message);
  const { rows } = await pool().query<{ accountId: string; events: bigint }>(
    `SELECT account_id AS "accountId", (SELECT count(*) FROM events e WHERE e.message_id = i.id) AS events
     FROM inbound_messages i WHERE provider_message_id = $1`,
    [message.providerMessageId],
  );
  expect(rows).toEqual([{ accountId: "", events: 0n }]);
});

test.each<[EventType[] | ["*"] | ["*", EventType] | undefined, number]>([
  [undefined, 0],
  [["*"], 0],
  [["message.sent", "message.delivered", "message.failed"], 0],
  [["message.received"], 1],
  [["*", "message.received"], 1],
])("an endpoint that is created with the events %j gets %i inbound ones", async (events, count) => {
  const { account, receiver } = webhook;
  const { id } = await createEndpoint(account.actor, { url: receiver.url, events });
  await take(inbound("Hello"));
  await runDeliveryJobs(id);
  expect(receiver.received).toHaveLength(count);
});

test("a list of events without a type has status changes only, as callers of the contract expect", async () => {
  const { account } = webhook;
  await raiseEvents(account, await makeMessages(account, 2));
  await take(inbound("Hello"));
  const { items } = await listEvents(account.actor, PAGE);
  expect(items.map(({ type }) => type)).toEqual(["message.sent", "message.sent"]);
});

test("a delivery whose job was ended by a worker that does not know the type is sent by the sweep", async () => {
  const { endpoint, receiver } = webhook;
  await take(inbound("Hello"));
  expect(await takeDeliveryJobs(endpoint.id)).toHaveLength(1);
  expect(await deliveriesOf(endpoint.id)).toMatchObject([{ status: "pending", attempts: 0 }]);
  await pool().query(
    "UPDATE webhook_deliveries SET next_attempt_at = now() - interval '10 minutes' WHERE endpoint_id = $1",
    [endpoint.id],
  );
  await sweepWebhooks();
  await runDeliveryJobs(endpoint.id);
  expect(receiver.received).toHaveLength(1);
  expect(await deliveriesOf(endpoint.id)).toMatchObject([{ status: "delivered", attempts: 1 }]);
});

test("the list is filtered by both numbers in any notation, and by time, each with its exact total", async () => {
  const { actor } = webhook.account;
  const since = new Date();
  await take(inbound("one"), inbound("two", { from: "+442071838750" }), inbound("three"));
  const found = async (query: Partial<Parameters<typeof listInbound>[1]>) => {
    const { items, pagination } = await listInbound(actor, { ...PAGE, ...query });
    expect(pagination.total).toBe(items.length);
    return items.map(({ body }) => body);
  };
  expect(await found({})).toEqual(["three", "two", "one"]);
  expect(await found({ from: HANDSET })).toEqual(["three", "one"]);
  expect(await found({ to: line.slice(1), from: "+442071838750" })).toEqual(["two"]);
  expect(await found({ to: "12345" })).toEqual([]);
  expect(await found({ created_after: new Date(since.getTime() - 60_000).toISOString() })).toHaveLength(3);
  expect(await found({ created_before: new Date(since.getTime() - 60_000).toISOString() })).toEqual([]);
  expect((await listInbound(actor, { page: 2, limit: 2 })).items).toMatchObject([{ body: "one" }]);
});

test("damaged totals of inbound messages and their events are right after a rebuild", async () => {
  const { actor, accountId } = webhook.account;
  await take(inbound("one"), inbound("two"));
  // As a version without events for inbound messages stored it.
  await pool().query(
    `INSERT INTO inbound_messages (id, provider, provider_message_id, account_id, from_number, to_number, body, received_at)
     VALUES ($1, 'twilio', $1, $2, $3, $4, 'old', now())`,
    [newId("inbound"), accountId, HANDSET, line],
  );
  await pool().query("DELETE FROM list_totals WHERE owner_id = $1", [accountId]);
  await rebuildListTotals();
  expect((await listInbound(actor, PAGE)).pagination.total).toBe(3);
  expect((await listEvents(actor, RECEIVED)).pagination.total).toBe(2);
  expect(await rebuildListTotals()).toBe(0);
});
