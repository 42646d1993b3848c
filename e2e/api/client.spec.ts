import { run } from "@/sdk/src/cli/run";
import { ApiError, type ClientOptions, MessagingClient } from "@/sdk/src/client";
import { clientWith } from "../support/client";
import { expect, test } from "../test";

test("the client sends, follows and receives, typed by the document", async ({ service, account, receiver }) => {
  const client = clientWith(service, account.apiKey);
  const endpoint = await client.webhooks.create({ url: receiver.url });
  const { data: message, response } = await client.request("sendMessage", {
    body: { to: "+14155550123", from: account.sender, body: "Hello from the client", reference: "order-4711" },
  });
  expect(message).toMatchObject({ object: "message", status: "pending", cost: 0.01 });
  expect(response.headers.get("ratelimit-remaining")).toMatch(/^\d+$/);

  await expect.poll(async () => (await client.messages.get(message.id)).status).toBe("delivered");
  const { data: page, pagination } = await client.messages.list({ status: "delivered" });
  expect(page.map(({ id }) => id)).toEqual([message.id]);
  expect(pagination).toMatchObject({ page: 1, total: 1, has_more: false });

  await expect.poll(() => receiver.received.length).toBe(2);
  const events = await Promise.all(
    receiver.received.map(({ headers, body }) =>
      client.webhooks.verify({
        header: String(headers["service-signature"]),
        rawBody: body,
        secret: endpoint.signing_secret,
      }),
    ),
  );
  expect(events.map(({ type }) => type).sort()).toEqual(["message.delivered", "message.sent"]);
  for (const { data } of events) expect(data).toMatchObject({ id: message.id, reference: "order-4711" });
});

test("a send whose responses get lost is sent and paid once", async ({ service, account }) => {
  let lost = 0;
  // The request reaches the service; its response does not reach the caller.
  const lossy: ClientOptions["fetch"] = async (request) => {
    const response = await fetch(request);
    if (request.method !== "POST" || lost === 2) return response;
    lost += 1;
    throw new TypeError("the connection was lost");
  };
  const baseUrl = `${service.url}/api/v1`;
  const client = new MessagingClient({ baseUrl, apiKey: account.apiKey, fetch: lossy, backoffMs: 1 });
  const { data, response } = await client.request("sendMessage", {
    body: { to: "+14155550123", from: account.sender, body: "Once" },
  });
  expect(response.headers.get("idempotency-replayed")).toBe("true");
  const { data: page } = await client.messages.list();
  expect(page.map(({ id }) => id)).toEqual([data.id]);
  const usage = await client.account.usage();
  expect(usage.totals).toEqual({ messages: 1, cost: 0.01 });
});

test("refusals are typed errors with their reason", async ({ service, account }) => {
  const client = clientWith(service, account.apiKey);
  const body = { to: "+14155550123", from: "NOBODY", body: "Hello" };
  const thrown = await client.messages.send(body).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(ApiError);
  expect(thrown).toMatchObject({ status: 400, code: "invalid_request", reason: "sender_not_approved", param: "from" });
  const stranger = await clientWith(service, "ds_live_nobody")
    .account.get()
    .catch((error: unknown) => error);
  expect(stranger).toMatchObject({
    status: 401,
    type: "authentication_error",
    requestId: expect.stringMatching(/^req_/),
  });
});

test("lists are read over all their pages", async ({ service, account }) => {
  const client = clientWith(service, account.apiKey);
  const recipients = ["+14155550131", "+14155550132", "+14155550133"];
  await client.messages.sendBulk({ recipients, from: account.sender, body: "Hello all" });
  const seen: string[] = [];
  for await (const { to } of client.messages.list({ limit: 2 })) seen.push(to);
  expect(seen.sort()).toEqual(recipients);
});

test("the command line forwards events that a local receiver can verify", async ({ service, account, receiver }) => {
  const terminal = {
    environment: { BASE_URL: `${service.url}/api/v1`, API_KEY: account.apiKey },
    printError: () => {},
  };
  const lines: string[] = [];
  const stop = new AbortController();
  const secret = "whsec_bG9jYWw=";
  const listening = run(["listen", "--forward-to", receiver.url, "--secret", secret, "--events", "message.delivered"], {
    ...terminal,
    print: (line) => lines.push(line),
    signal: stop.signal,
  });
  await expect.poll(() => lines.join()).toContain("Forwarding events");
  // Events from before the first poll are not forwarded, so more than one message may be needed.
  const sent: string[] = [];
  const send = ["send", "--to", "+14155550123", "--from", account.sender, "--body", "Hello", "--wait", "--json"];
  await expect
    .poll(async () => {
      await run(send, { ...terminal, print: (line) => sent.push(line), signal: stop.signal });
      return receiver.received.length;
    })
    .toBeGreaterThan(0);
  stop.abort();
  expect(await listening).toBe(0);
  const [{ headers, body }] = receiver.received as [(typeof receiver.received)[number]];
  const client = clientWith(service, account.apiKey);
  const header = String(headers["service-signature"]);
  const event = await client.webhooks.verify({ header, rawBody: body, secret });
  expect(event.type).toBe("message.delivered");
  expect(sent.map((line) => JSON.parse(line).id)).toContain(event.data.id);
});
