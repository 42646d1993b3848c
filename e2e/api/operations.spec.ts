import { type Api, type ApiAnswer, apiWith } from "../support/api";
import { expect, test } from "../test";

const TO = "+14155550123";
const ENVELOPE = {
  success: true,
  meta: { request_id: expect.stringMatching(/^req_/), api_version: "v1" },
};
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const onePage = (total: number) => ({ page: 1, limit: 50, total, pages: 1, has_more: false });

function expectAnswer(answer: ApiAnswer<unknown>, status: number, data: unknown): void {
  expect(answer.status).toBe(status);
  expect(answer.body).toMatchObject({ ...ENVELOPE, data });
}

/** Waits for the message's final state. */
const settled = (api: Api, id: string) =>
  expect.poll(async () => (await api.get(`/messages/${id}`)).body.data.status, { message: `status of ${id}` });

test("a message is sent, followed and listed", async ({ api, account }) => {
  const input = { to: TO, from: account.sender, body: "Hello" };
  const sent = await api.post("/messages/send", input);
  const message = { ...input, object: "message", cost: 0.01, currency: "USD", error: null };
  expectAnswer(sent, 201, { ...message, id: expect.stringMatching(/^msg_/), status: "pending", created_at: ISO });

  const id = String(sent.body.data.id);
  await settled(api, id).toBe("delivered");
  const delivered = { ...message, id, status: "delivered", provider: "sandbox", attempts: 1 };
  expectAnswer(await api.get(`/messages/${id}`), 200, {
    ...delivered,
    sent_at: ISO,
    delivered_at: ISO,
    failed_at: null,
  });

  const listed = await api.get<unknown[]>(`/messages?status=delivered&to=${encodeURIComponent(TO)}`);
  expectAnswer(listed, 200, [delivered]);
  expect(listed.body.pagination).toEqual(onePage(1));
});

test("many recipients get a message each, and a bad one fails alone", async ({ api, account }) => {
  const recipients = ["+14155550101", "not a number", "+14155550102"];
  const bulk = await api.post("/messages/bulk", { recipients, from: account.sender, body: "To all" });
  expectAnswer(bulk, 201, {
    object: "bulk_result",
    total: 3,
    sent: 2,
    failed: 1,
    messages: [
      { id: expect.stringMatching(/^msg_/), to: recipients[0], status: "pending", cost: 0.01, error: null },
      {
        to: recipients[1],
        status: "failed",
        cost: 0,
        error: { code: expect.any(String), message: expect.any(String) },
      },
      { id: expect.stringMatching(/^msg_/), to: recipients[2], status: "pending", cost: 0.01, error: null },
    ],
  });
});

test("account, balance and usage say what was spent", async ({ api, account }) => {
  const profile = { id: account.accountId, object: "account", email: account.email, status: "active", currency: "USD" };
  expectAnswer(await api.get("/account"), 200, { ...profile, balance: 100, created_at: ISO });

  const sent = await api.post("/messages/send", { to: TO, from: account.sender, body: "a".repeat(161) });
  expectAnswer(sent, 201, { cost: 0.02 });
  await settled(api, String(sent.body.data.id)).toBe("delivered");

  expectAnswer(await api.get("/balance"), 200, { object: "balance", balance: 99.98, currency: "USD", as_of: ISO });
  for (const period of ["day", "month", "all"]) {
    expectAnswer(await api.get(`/usage?period=${period}`), 200, {
      object: "usage",
      period,
      starts_at: ISO,
      ends_at: ISO,
      currency: "USD",
      totals: { messages: 1, cost: 0.02 },
      by_status: { pending: 0, sent: 0, delivered: 1, failed: 0, undelivered: 0 },
    });
  }
});

test("a sender is registered, read, listed and, after its review, used", async ({ api }) => {
  const created = await api.post("/senders/create", { sender_id: "NEWSHOP", country_code: "US" });
  const sender = { object: "sender", sender_id: "NEWSHOP", type: "alphanumeric", country_code: "US", created_at: ISO };
  expectAnswer(created, 201, { ...sender, status: "pending", approved_at: null });

  const id = String(created.body.data.id);
  await expect.poll(async () => (await api.get(`/senders/${id}`)).body.data.status).toBe("approved");
  expectAnswer(await api.get(`/senders/${id}`), 200, { ...sender, id, approved_at: ISO });
  const listed = await api.get<unknown[]>("/senders?status=approved");
  expectAnswer(listed, 200, [{ id }, { status: "approved" }]);
  expect(listed.body.pagination).toEqual(onePage(2));
  expectAnswer(await api.post("/messages/send", { to: TO, from: "NEWSHOP", body: "Hello" }), 201, { from: "NEWSHOP" });
});

test("a key is created, listed, used and revoked", async ({ api, service, account }) => {
  const created = await api.post("/api-keys/create", { name: "Reader", permissions: ["sms:read"], rate_limit: 60 });
  const key = { object: "api_key", name: "Reader", permissions: ["sms:read"], rate_limit: 60, created_at: ISO };
  const plainKey = expect.stringMatching(/^ds_live_/);
  expectAnswer(created, 201, { ...key, is_active: true, plain_key: plainKey, plain_key_notice: expect.any(String) });

  const { id, plain_key } = created.body.data;
  const list = await api.get<{ object: string; data: Record<string, unknown>[] }>("/api-keys");
  expectAnswer(list, 200, { object: "list", data: [{ ...key, id, is_active: true }, { id: account.apiKeyId }] });
  expect(list.body.data.data[0]).not.toHaveProperty("plain_key");

  const reader = apiWith(service, String(plain_key));
  expectAnswer(await reader.get<unknown[]>("/messages"), 200, []);
  const refused = await reader.get("/balance");
  expect(refused.status).toBe(403);
  expect(refused.body).toMatchObject({ success: false, error: { code: "forbidden" }, meta: ENVELOPE.meta });

  expectAnswer(await api.delete(`/api-keys/${id}`), 200, { id, object: "api_key", deleted: true });
  const gone = await reader.get("/messages");
  expect(gone.status).toBe(401);
  expect(gone.body).toMatchObject({ success: false, error: { code: "unauthorized" }, meta: ENVELOPE.meta });
});

test("an endpoint is created, read, listed and deleted", async ({ api, receiver }) => {
  const created = await api.post("/webhooks/create", { url: receiver.url, description: "Shop" });
  const endpoint = {
    object: "webhook_endpoint",
    url: receiver.url,
    description: "Shop",
    events: ["message.sent", "message.delivered", "message.failed"],
    is_active: true,
    failure_count: 0,
    disabled_at: null,
    created_at: ISO,
  };
  expectAnswer(created, 201, { ...endpoint, signing_secret: expect.any(String) });

  const id = String(created.body.data.id);
  const read = await api.get(`/webhooks/${id}`);
  expectAnswer(read, 200, { ...endpoint, id });
  expect(read.body.data).not.toHaveProperty("signing_secret");
  expectAnswer(await api.get("/webhooks"), 200, { object: "list", data: [{ id }] });
  expectAnswer(await api.delete(`/webhooks/${id}`), 200, { id, object: "webhook_endpoint", deleted: true });
  expect((await api.get(`/webhooks/${id}`)).status).toBe(404);
});

test("events tell the life of a message, newest first", async ({ api, account }) => {
  const input = { to: TO, from: account.sender, body: "Hello", reference: "order-9" };
  const sent = await api.post("/messages/send", input);
  const id = String(sent.body.data.id);
  await settled(api, id).toBe("delivered");

  const event = (status: string) => ({
    id: expect.stringMatching(/^evt_/),
    object: "event",
    type: `message.${status}`,
    created_at: ISO,
    data: { id, status, reference: "order-9" },
  });
  const listed = await api.get<unknown[]>("/events");
  expectAnswer(listed, 200, [event("delivered"), event("sent")]);
  expect(listed.body.pagination).toEqual(onePage(2));
  expectAnswer(await api.get<unknown[]>("/events?type=message.sent"), 200, [event("sent")]);
});
