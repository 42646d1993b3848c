import { ApiError, type ClientOptions, createClient, verifyWebhook } from "@/sdk/src/client";
import { clientWith } from "../support/client";
import { expect, test } from "../test";

test("the client sends, follows and receives, typed by the document", async ({ service, account, receiver }) => {
  const client = clientWith(service, account.apiKey);
  const { data: endpoint } = await client.POST("/webhooks/create", { body: { url: receiver.url } });
  const { data: message, response } = await client.POST("/messages/send", {
    body: { to: "+14155550123", from: account.sender, body: "Hello from the client", reference: "order-4711" },
  });
  expect(message).toMatchObject({ object: "message", status: "pending", cost: 0.01 });
  expect(response.headers.get("ratelimit-remaining")).toMatch(/^\d+$/);

  const statusNow = async () => {
    const { data } = await client.GET("/messages/{id}", { params: { path: { id: message.id } } });
    return data.status;
  };
  await expect.poll(statusNow).toBe("delivered");
  const { data: page, pagination } = await client.GET("/messages", { params: { query: { status: "delivered" } } });
  expect(page.map(({ id }) => id)).toEqual([message.id]);
  expect(pagination).toMatchObject({ page: 1, total: 1, has_more: false });

  await expect.poll(() => receiver.received.length).toBe(2);
  const events = await Promise.all(
    receiver.received.map(({ headers, body }) =>
      verifyWebhook({
        header: String(headers["service-signature"]),
        rawBody: body,
        secret: endpoint.signing_secret,
      }),
    ),
  );
  expect(events.map(({ type }) => type).sort()).toEqual(["message.delivered", "message.sent"]);
  for (const { data } of events) expect(data).toMatchObject({ id: message.id, reference: "order-4711" });
});

test("a send whose answers get lost is sent and paid once", async ({ service, account }) => {
  let lost = 0;
  // The request reaches the service; its answer does not reach the caller.
  const lossy: ClientOptions["fetch"] = async (request) => {
    const response = await fetch(request);
    if (request.method !== "POST" || lost === 2) return response;
    lost += 1;
    throw new TypeError("the connection was lost");
  };
  const baseUrl = `${service.url}/api/v1`;
  const client = createClient({ baseUrl, apiKey: account.apiKey, fetch: lossy, backoffMs: 1 });
  const { data, response } = await client.POST("/messages/send", {
    body: { to: "+14155550123", from: account.sender, body: "Once" },
  });
  expect(response.headers.get("idempotency-replayed")).toBe("true");
  const { data: page } = await client.GET("/messages");
  expect(page.map(({ id }) => id)).toEqual([data.id]);
  const { data: usage } = await client.GET("/usage");
  expect(usage.totals).toEqual({ messages: 1, cost: 0.01 });
});

test("refusals are typed errors with their reason", async ({ service, account }) => {
  const client = clientWith(service, account.apiKey);
  const body = { to: "+14155550123", from: "NOBODY", body: "Hello" };
  const thrown = await client.POST("/messages/send", { body }).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(ApiError);
  expect(thrown).toMatchObject({ status: 400, code: "invalid_request", reason: "sender_not_approved", param: "from" });
  const stranger = await clientWith(service, "ds_live_nobody")
    .GET("/account")
    .catch((error: unknown) => error);
  expect(stranger).toMatchObject({
    status: 401,
    type: "authentication_error",
    requestId: expect.stringMatching(/^req_/),
  });
});
