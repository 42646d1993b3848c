import type { CreatedWebhookEndpoint, Delivery, WebhookEndpoint, WebhookRecovery } from "@/server/webhooks/schema";
import { type Receiver, status } from "../../test/network/receiver";
import { requiresKey, requiresPermission } from "../support/access";
import type { OwnAccount } from "../support/accounts";
import type { CheckedApi } from "../support/checked-api";
import { expect, test } from "../support/contract-test";
import { ISO } from "../support/follow";

const UNKNOWN = "/webhooks/whe_01k9x7t4m2e8v5q3r6w1y0z8ab";
const SILENT = "+15550100008";
const GONE = 410;
const LONG_AGO = "2020-01-01T00:00:00Z";

/** An endpoint that gets one event per message. */
const createAt = ({ url }: Receiver, rest: CheckedApi): Promise<CreatedWebhookEndpoint> =>
  rest.post<CreatedWebhookEndpoint>("/webhooks/create", { url, events: ["message.sent"] });

const sendOne = (rest: CheckedApi, account: OwnAccount) =>
  rest.post<{ id: string }>("/messages/send", { to: SILENT, from: account.sender, body: "Hello" });

const deliveriesOf = (rest: CheckedApi, id: string, query = "") =>
  rest.page<Delivery>(`/webhooks/${id}/deliveries${query}`);

/** An endpoint that responded 410, with the one event that it missed. */
async function disabledAt(receiver: Receiver, rest: CheckedApi, account: OwnAccount): Promise<CreatedWebhookEndpoint> {
  const endpoint = await createAt(receiver, rest);
  receiver.respondWith(status(GONE));
  await sendOne(rest, account);
  const read = () => rest.get<WebhookEndpoint>(`/webhooks/${endpoint.id}`);
  await expect.poll(read).toMatchObject({ is_active: false, disabled_at: ISO });
  receiver.respondWith(status(200));
  return endpoint;
}

test.describe("GET /webhooks/{id}/deliveries", () => {
  test("lists deliveries with every try", async ({ rest, account, receiver }) => {
    const { id } = await createAt(receiver, rest);
    receiver.respondWith((response) => response.writeHead(202).end("thank you"));
    const message = await sendOne(rest, account);
    await expect.poll(async () => (await deliveriesOf(rest, id, "?status=delivered")).pagination.total).toBe(1);
    const [event] = (await rest.page<{ id: string; created_at: string }>("/events")).items;
    expect((await deliveriesOf(rest, id)).items).toEqual([
      {
        id: expect.stringMatching(/^dlv_[0-9a-z]{36}$/),
        object: "webhook_delivery",
        event_id: event?.id,
        event_type: "message.sent",
        message_id: message.id,
        status: "delivered",
        round: 0,
        attempts: 1,
        next_attempt_at: null,
        next_attempt_state: null,
        created_at: event?.created_at,
        tries: [
          {
            round: 0,
            attempt: 1,
            status_code: 202,
            latency_ms: expect.any(Number),
            error: null,
            response_head: "thank you",
            created_at: ISO,
          },
        ],
      },
    ]);
  });

  test("a failed try says why, and the next one comes 30 seconds later", async ({ rest, account, receiver }) => {
    const { id } = await createAt(receiver, rest);
    receiver.respondWith(status(503));
    await sendOne(rest, account);
    await expect.poll(async () => (await deliveriesOf(rest, id)).items[0]?.attempts).toBe(1);
    const [delivery] = (await deliveriesOf(rest, id)).items;
    expect(delivery).toMatchObject({ status: "pending", tries: [{ status_code: 503, error: expect.any(String) }] });
    expect(delivery?.next_attempt_state).toBe("scheduled");
    const waitMs = Date.parse(String(delivery?.next_attempt_at)) - Date.parse(String(delivery?.tries[0]?.created_at));
    expect(waitMs).toBeGreaterThanOrEqual(30_000);
    expect(waitMs).toBeLessThan(300_000);
  });

  test("lists newest first, by status, by message and page by page", async ({ rest, account, receiver }) => {
    const { id } = await createAt(receiver, rest);
    const messages: string[] = [];
    for (const code of [500, 200, 200]) {
      receiver.respondWith(status(code));
      messages.unshift((await sendOne(rest, account)).id);
      await expect.poll(async () => (await deliveriesOf(rest, id)).items[0]?.attempts).toBe(1);
      await expect.poll(async () => (await deliveriesOf(rest, id)).pagination.total).toBe(messages.length);
    }
    const about = async (query: string) =>
      (await deliveriesOf(rest, id, query)).items.map((delivery) => delivery.message_id);
    await expect.poll(() => about("?status=delivered")).toEqual(messages.slice(0, 2));
    expect(await about("")).toEqual(messages);
    expect(await about("?status=pending")).toEqual(messages.slice(2));
    expect(await about("?status=abandoned")).toEqual([]);
    for (const message of messages) expect(await about(`?message_id=${message}`)).toEqual([message]);
    expect(await about(`?message_id=${messages[0]}&status=pending`)).toEqual([]);
    const page = await deliveriesOf(rest, id, "?limit=2&page=2");
    expect(page.pagination).toEqual({ page: 2, limit: 2, total: 3, pages: 2, has_more: false });
    expect(page.items.map((delivery) => delivery.message_id)).toEqual(messages.slice(2));
  });

  test("refuses wrong parameters with a 400 that names them, and unknown endpoints with a 404", async ({
    rest,
    receiver,
  }) => {
    const { id } = await createAt(receiver, rest);
    for (const query of ["status=failed", "message_id=", "page=0", "limit=101"]) {
      const error = await rest.refusal(400, { method: "GET", path: `/webhooks/${id}/deliveries?${query}` });
      expect(error).toMatchObject({ param: query.split("=")[0] });
    }
    expect(await rest.refusal(404, { method: "GET", path: `${UNKNOWN}/deliveries` })).toMatchObject({ param: "id" });
  });

  requiresPermission("dlr:read", async (rest, _account, receiver) => {
    const { id } = await createAt(receiver, rest);
    return { method: "GET", path: `/webhooks/${id}/deliveries` };
  });

  requiresKey("GET", `${UNKNOWN}/deliveries`);

  test("cannot see another account", async ({ rest, receiver, stranger }) => {
    const { id } = await createAt(receiver, rest);
    const foreign = await stranger.rest.refusal(404, { method: "GET", path: `/webhooks/${id}/deliveries` });
    expect(foreign).toEqual(await stranger.rest.refusal(404, { method: "GET", path: `${UNKNOWN}/deliveries` }));
  });
});

test.describe("POST /webhooks/{id}/enable", () => {
  test("an enabled endpoint gets new events again; the events that it missed stay held", async ({
    rest,
    account,
    receiver,
  }) => {
    const { id } = await disabledAt(receiver, rest, account);
    const enabled = await rest.post<WebhookEndpoint>(`/webhooks/${id}/enable`);
    expect(enabled).toMatchObject({ id, is_active: true, failure_count: 0, disabled_at: null });
    expect(await rest.post(`/webhooks/${id}/enable`)).toEqual(enabled);
    const { id: messageId } = await sendOne(rest, account);
    await expect.poll(() => receiver.received.length).toBe(2);
    await expect
      .poll(async () => (await deliveriesOf(rest, id)).items.map((delivery) => delivery.status))
      .toEqual(["delivered", "held"]);
    expect((await deliveriesOf(rest, id)).items[0]).toMatchObject({ message_id: messageId });
  });

  test("an unknown id is a 404, and a malformed id a 400", async ({ rest }) => {
    await rest.refusal(404, { method: "POST", path: `${UNKNOWN}/enable` });
    expect(await rest.refusal(400, { method: "POST", path: "/webhooks/%00/enable" })).toMatchObject({ param: "id" });
  });

  requiresPermission("webhooks:write", async (rest, _account, receiver) => {
    const { id } = await createAt(receiver, rest);
    return { method: "POST", path: `/webhooks/${id}/enable` };
  });

  requiresKey("POST", `${UNKNOWN}/enable`);

  test("cannot see another account", async ({ rest, account, receiver, stranger }) => {
    const { id } = await disabledAt(receiver, rest, account);
    await stranger.rest.refusal(404, { method: "POST", path: `/webhooks/${id}/enable` });
    expect(await rest.get(`/webhooks/${id}`)).toMatchObject({ is_active: false });
  });
});

test.describe("POST /webhooks/{id}/recover", () => {
  test("missed events are sent again, once, in a new round", async ({ rest, account, receiver }) => {
    const { id } = await disabledAt(receiver, rest, account);
    const recover = (since: string) => rest.post<WebhookRecovery>(`/webhooks/${id}/recover`, { since });
    const refused = await rest.refusal(400, {
      method: "POST",
      path: `/webhooks/${id}/recover`,
      body: { since: LONG_AGO },
    });
    expect(refused.details).toEqual({ reason: "endpoint_disabled" });
    await rest.post(`/webhooks/${id}/enable`);
    expect(await recover("2999-01-01T00:00:00Z")).toEqual({ object: "webhook_recovery", recovered: 0 });
    expect(await recover(LONG_AGO)).toEqual({ object: "webhook_recovery", recovered: 1 });
    expect(await recover(LONG_AGO)).toEqual({ object: "webhook_recovery", recovered: 0 });
    await expect.poll(async () => (await deliveriesOf(rest, id)).items[0]?.status).toBe("delivered");
    const [delivery] = (await deliveriesOf(rest, id)).items;
    expect(delivery?.tries.map(({ round, attempt, status_code }) => [round, attempt, status_code])).toEqual([
      [0, 1, GONE],
      [1, 1, 200],
    ]);
    const bodies = receiver.received.map((request) => String(request.body));
    expect(bodies[1]).toBe(bodies[0]);
    expect(bodies).toHaveLength(2);
  });

  test("refuses a wrong time with a 400 that names it, and unknown endpoints with a 404", async ({
    rest,
    receiver,
  }) => {
    const { id } = await createAt(receiver, rest);
    for (const since of [undefined, null, "", "yesterday", "2026-01-01", 1_700_000_000]) {
      const error = await rest.refusal(400, { method: "POST", path: `/webhooks/${id}/recover`, body: { since } });
      expect(error, JSON.stringify(since)).toMatchObject({ param: "since" });
    }
    await rest.refusal(404, { method: "POST", path: `${UNKNOWN}/recover`, body: { since: LONG_AGO } });
  });

  requiresPermission("webhooks:write", async (rest, _account, receiver) => {
    const { id } = await createAt(receiver, rest);
    return { method: "POST", path: `/webhooks/${id}/recover`, body: { since: LONG_AGO } };
  });

  requiresKey("POST", `${UNKNOWN}/recover`);

  test("cannot see another account", async ({ rest, account, receiver, stranger }) => {
    const { id } = await disabledAt(receiver, rest, account);
    await rest.post(`/webhooks/${id}/enable`);
    const body = { since: LONG_AGO };
    await stranger.rest.refusal(404, { method: "POST", path: `/webhooks/${id}/recover`, body });
    expect((await deliveriesOf(rest, id)).items[0]).toMatchObject({ status: "held", round: 0 });
  });
});
