import type { Message } from "@/server/messages/schema";
import type { Timeline } from "@/server/messages/timeline-schema";
import type { CreatedWebhookEndpoint, Event } from "@/server/webhooks/schema";
import type { Receiver } from "../../test/network/receiver";
import type { OwnAccount } from "../support/accounts";
import type { CheckedApi } from "../support/checked-api";
import { expect, test } from "../support/contract-test";
import { balanceOf, ISO, messageIn } from "../support/follow";
import { openWebhook } from "../support/signature";

const REFERENCE = "order-4711";

/** A message on its way, and the secret of the endpoint that gets its events. */
async function sendTo(rest: CheckedApi, account: OwnAccount, receiver: Receiver, to: string) {
  const endpoint = await rest.post<CreatedWebhookEndpoint>("/webhooks/create", { url: receiver.url });
  const input = { to, from: account.sender, body: "Hello", reference: REFERENCE };
  const message = await rest.post<Message>("/messages/send", input);
  expect(message).toMatchObject({ status: "pending", cost: 0.01, sent_at: null });
  return { message, secret: endpoint.signing_secret };
}

const byId = (events: Event[]): Event[] => events.toSorted((one, other) => one.id.localeCompare(other.id));

type Failure = Omit<NonNullable<Message["error"]>, "message">;
type End = Pick<Message, "status" | "cost"> & { error: Failure | null; events: string[]; times: (keyof Message)[] };

const TIMES = ["sent_at", "delivered_at", "failed_at"] as const;
const DELIVERED: End = {
  status: "delivered",
  cost: 0.01,
  error: null,
  events: ["message.sent", "message.delivered"],
  times: ["sent_at", "delivered_at"],
};
const FAILED = { status: "failed", cost: 0, events: ["message.failed"], times: ["failed_at"] } satisfies Partial<End>;

const ENDS: [number: string, guarantee: string, end: End][] = [
  ["+14155550123", "a message to an ordinary number is sent, then delivered", DELIVERED],
  ["+15550100001", "a message that is delivered at once was marked as sent before", DELIVERED],
  ["+15550100002", "a message that is delivered late is delivered", DELIVERED],
  [
    "+15550100003",
    "a message that the carrier refuses fails and is refunded",
    { ...FAILED, error: { code: "invalid_recipient", reason: "invalid_recipient" } },
  ],
  [
    "+15550100004",
    "a message that no provider takes fails and is refunded",
    { ...FAILED, error: { code: "no_provider_available", reason: "no_provider" } },
  ],
  ["+15550100006", "a receipt before the carrier's response is kept: the message is sent, then delivered", DELIVERED],
  [
    "+15550100008",
    "a message without a receipt stays sent and is billed",
    { ...DELIVERED, status: "sent", events: ["message.sent"], times: ["sent_at"] },
  ],
  [
    "+15550100009",
    "a message that does not reach the handset is undelivered, reported as message.failed, and billed",
    {
      status: "undelivered",
      cost: 0.01,
      error: { code: "absent_subscriber", reason: "unreachable" },
      events: ["message.sent", "message.failed"],
      times: ["sent_at", "failed_at"],
    },
  ],
];

for (const [to, guarantee, end] of ENDS) {
  test(guarantee, async ({ rest, account, receiver, contract }) => {
    const { message, secret } = await sendTo(rest, account, receiver, to);
    const last = await messageIn(rest, message.id, end.status);
    expect(last).toEqual({
      ...message,
      status: end.status,
      cost: end.cost,
      provider: "sandbox",
      provider_message_id: end.times.includes("sent_at") ? expect.stringMatching(/^sbx_/) : "",
      attempts: 1,
      error: end.error && { ...end.error, message: expect.stringMatching(/\w/) },
      ...Object.fromEntries(TIMES.map((time) => [time, end.times.includes(time) ? ISO : null])),
    });
    const moments = ["created_at" as const, ...end.times].map((time) => Date.parse(String(last[time])));
    expect(moments).toEqual(moments.toSorted((one, other) => one - other));
    expect(await balanceOf(rest)).toBe(100 - end.cost);

    const events = (await rest.page<Event>("/events")).items.toReversed();
    expect(events.map((event) => event.type)).toEqual(end.events);
    expect(events.at(-1)?.data).toEqual({ ...last, reference: REFERENCE });
    if (end.events.length > 1) {
      const untilThen = { status: "sent", error: null, delivered_at: null, failed_at: null, reference: REFERENCE };
      expect(events[0]?.data).toEqual({ ...last, ...untilThen });
    }

    await expect.poll(() => receiver.received.length).toBe(events.length);
    const received = receiver.received.map((request) => openWebhook(request, secret));
    for (const event of received) contract.checkEvent(event);
    expect(byId(received as Event[])).toEqual(byId(events));
  });
}

test("repeated and unordered receipts move a message once, and are all kept", async ({ rest, account, receiver }) => {
  const { message } = await sendTo(rest, account, receiver, "+15550100007");
  const delivered = await messageIn(rest, message.id, "delivered");
  const receipts = async () => {
    const { entries } = await rest.get<Timeline>(`/messages/${message.id}/timeline`);
    return entries.flatMap((entry) => (entry.kind === "receipt" ? [entry.details] : []));
  };
  await expect.poll(async () => (await receipts()).length).toBe(3);
  expect((await receipts()).map(({ status, applied }) => [status, applied])).toEqual([
    ["delivered", true],
    ["sent", false],
    ["delivered", false],
  ]);
  expect(await rest.get<Message>(`/messages/${message.id}`)).toEqual(delivered);
  const { items, pagination } = await rest.page<Event>("/events");
  expect(items.map((event) => event.type)).toEqual(["message.delivered", "message.sent"]);
  expect(pagination.total).toBe(2);
  await expect.poll(() => receiver.received.length).toBe(2);
  expect(await balanceOf(rest)).toBe(99.99);
});

test("a message whose provider does not respond stays pending, with its cost reserved", async ({
  rest,
  account,
  receiver,
}) => {
  const { message } = await sendTo(rest, account, receiver, "+15550100005");
  const kinds = async () => {
    const { entries } = await rest.get<Timeline>(`/messages/${message.id}/timeline`);
    return entries.map(({ kind, details }) => [kind, "outcome" in details ? details.outcome : undefined]);
  };
  await expect.poll(kinds).toContainEqual(["attempt", null]);
  expect(await rest.get<Message>(`/messages/${message.id}`)).toMatchObject({
    status: "pending",
    cost: 0.01,
    error: null,
  });
  expect(await balanceOf(rest)).toBe(99.99);
  expect((await rest.page<Event>("/events")).items).toEqual([]);
});

test("a message that fails at once is reported like any other", async ({ rest, account, receiver, operator }) => {
  const endpoint = await rest.post<CreatedWebhookEndpoint>("/webhooks/create", { url: receiver.url });
  const routeId = await operator.makeRoute("8821603", 0.01);
  const input = { to: "+14155550123", from: account.sender, body: "Hello", reference: REFERENCE, route_id: routeId };
  const send = { method: "POST", path: "/messages/send", body: input };
  await expect.poll(async () => (await rest.ask(send)).status).toBe(201);
  await expect.poll(() => receiver.received.length).toBe(1);
  const [event] = (await rest.page<Event>("/events")).items;
  expect(event).toMatchObject({ type: "message.failed", data: { status: "failed", error: { code: "no_route" } } });
  expect(receiver.received.map((request) => openWebhook(request, endpoint.signing_secret))).toEqual([event]);
});
