import type { BulkResult, Message } from "@/server/messages/schema";
import type { CreatedWebhookEndpoint, Event, WebhookEndpoint } from "@/server/webhooks/schema";
import { status } from "../../test/network/receiver";
import { requiresKey, requiresPermission } from "../support/access";
import type { CheckedApi } from "../support/checked-api";
import { expect, test } from "../support/contract-test";
import { ISO } from "../support/follow";
import { openWebhook } from "../support/signature";

const UNKNOWN = "/webhooks/whe_01k9x7t4m2e8v5q3r6w1y0z8ab";
const ALL_TYPES = ["message.sent", "message.delivered", "message.failed"];
const DELIVERED_AT_ONCE = "+15550100001";
const SILENT = "+15550100008";

const create = (body: unknown) => ({ method: "POST", path: "/webhooks/create", body });
const createAt = (rest: CheckedApi, url: string, more: object = {}): Promise<CreatedWebhookEndpoint> =>
  rest.post<CreatedWebhookEndpoint>("/webhooks/create", { url, ...more });
const listOf = async (rest: CheckedApi): Promise<WebhookEndpoint[]> =>
  (await rest.get<{ object: string; data: WebhookEndpoint[] }>("/webhooks")).data;

test.describe("GET /webhooks", () => {
  test("lists every endpoint newest first, without its secret", async ({ rest, receiver }) => {
    const [one, two] = [await createAt(rest, receiver.url), await createAt(rest, receiver.url)];
    const answer = await rest.get<{ object: string; data: WebhookEndpoint[] }>("/webhooks");
    const { signing_secret: _, ...shown } = two;
    expect(answer.object).toBe("list");
    expect(answer.data.map((endpoint) => endpoint.id)).toEqual([two.id, one.id]);
    expect(answer.data[0]).toEqual(shown);
  });

  requiresPermission("dlr:read", () => ({ method: "GET", path: "/webhooks" }));

  requiresKey("GET", "/webhooks");

  test("cannot see another account", async ({ rest, receiver, stranger }) => {
    await createAt(rest, receiver.url);
    expect(await listOf(stranger.rest)).toEqual([]);
  });
});

test.describe("POST /webhooks/create", () => {
  test("responds 201 with the endpoint and, this once, its signing secret", async ({ rest, receiver }) => {
    const input = { url: receiver.url, description: "Shop", events: ["message.failed"] };
    expect(await rest.post("/webhooks/create", input)).toEqual({
      ...input,
      id: expect.stringMatching(/^whe_[0-9a-z]{26}$/),
      object: "webhook_endpoint",
      livemode: true,
      is_active: true,
      failure_count: 0,
      last_success_at: null,
      last_failure_at: null,
      disabled_at: null,
      disabled_reason: null,
      paused_at: null,
      paused_by: null,
      created_at: ISO,
      signing_secret: expect.stringMatching(/^\S{24,}$/),
    });
  });

  test("subscribes to the requested events, and to all when none or * is requested", async ({ rest, receiver }) => {
    const subscriptions: [events: string[] | undefined, expected: string[]][] = [
      [undefined, ALL_TYPES],
      [["*"], ALL_TYPES],
      [["message.sent", "*"], ALL_TYPES],
      [
        ["message.failed", "message.sent", "message.failed"],
        ["message.sent", "message.failed"],
      ],
    ];
    const secrets = new Set<string>();
    for (const [events, expected] of subscriptions) {
      const endpoint = await createAt(rest, receiver.url, { events });
      expect(endpoint).toMatchObject({ events: expected, description: null });
      secrets.add(endpoint.signing_secret);
    }
    expect(secrets.size).toBe(subscriptions.length);
  });

  test("refuses each wrong field with a 400 that names it", async ({ rest, receiver }) => {
    const wrong: Record<string, unknown[]> = {
      url: [undefined, null, "", "example.com/hook", "ftp://example.com/", "javascript:alert(1)", "http://", 5],
      description: [5, "x".repeat(256), {}],
      events: [[], "message.sent", null],
      "events[0]": [["message.opened"], [5], ["MESSAGE.SENT"]],
      "events[1]": [["message.sent", ""]],
    };
    for (const [param, values] of Object.entries(wrong)) {
      const field = param.split("[")[0] ?? "";
      for (const value of values) {
        const error = await rest.refusal(400, create({ url: receiver.url, [field]: value }));
        expect(error, `${field}: ${JSON.stringify(value)}`).toMatchObject({ param });
      }
    }
    const long = `${receiver.url}?${"x".repeat(2_048)}`;
    expect(await rest.refusal(400, create({ url: long }))).toMatchObject({ param: "url" });
    expect(await listOf(rest)).toEqual([]);
  });

  test("refuses private addresses, cloud metadata addresses, and credentials in the URL", async ({ rest }) => {
    const urls = ["http://10.1.2.3/", "https://192.168.1.1/hook", "http://172.16.0.1:8080/", "http://169.254.169.254/"];
    const disguised = ["http://0.0.0.0/", "http://[fd00::1]/", "http://[::ffff:10.0.0.1]/", "http://0x0a000001/"];
    for (const url of [...urls, ...disguised, "http://user:secret@127.0.0.1/"]) {
      const error = await rest.refusal(400, create({ url }));
      expect(error, url).toMatchObject({ param: "url", details: { reason: "url_not_allowed" } });
    }
  });

  test("an account has at most 50 endpoints, and a deleted one makes room", async ({ rest, receiver }) => {
    const answers = await Promise.all(Array.from({ length: 53 }, () => rest.ask(create({ url: receiver.url }))));
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(50);
    const error = await rest.refusal(400, create({ url: receiver.url }));
    expect(error.details).toEqual({ reason: "endpoint_limit" });
    const [newest] = await listOf(rest);
    await rest.delete(`/webhooks/${newest?.id}`);
    await createAt(rest, receiver.url);
  });

  requiresPermission("webhooks:write", (_rest, _account, receiver) => create({ url: receiver.url }));

  requiresKey("POST", "/webhooks/create");

  test("cannot see another account", async ({ rest, account, receiver, stranger }) => {
    await createAt(stranger.rest, receiver.url);
    const { signing_secret: secret } = await createAt(rest, receiver.url);
    const input = { to: SILENT, from: account.sender, body: "Hello" };
    const message = await rest.post<Message>("/messages/send", input);
    await expect.poll(async () => (await rest.page("/events")).pagination.total).toBe(1);
    // Only the account's own endpoint gets the event, signed with its own secret.
    await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
    expect(receiver.received.map((request) => openWebhook(request, secret).data)).toMatchObject([{ id: message.id }]);
    expect((await listOf(stranger.rest))[0]).toMatchObject({ last_success_at: null });
  });
});

test.describe("GET /webhooks/{id}", () => {
  test("returns the endpoint as it was created, without its secret", async ({ rest, receiver }) => {
    const { signing_secret: _, ...endpoint } = await createAt(rest, receiver.url, { description: "Shop" });
    expect(await rest.get(`/webhooks/${endpoint.id}`)).toEqual(endpoint);
  });

  test("an unknown id is a 404, and a malformed id a 400", async ({ rest }) => {
    expect(await rest.refusal(404, { method: "GET", path: UNKNOWN })).toMatchObject({ param: "id" });
    expect(await rest.refusal(400, { method: "GET", path: "/webhooks/%00" })).toMatchObject({ param: "id" });
    // There is no GET for it, so it is read as an id.
    await rest.refusal(404, { method: "GET", path: "/webhooks/create" });
  });

  test("shows the endpoint's recent successes and failures", async ({ rest, account, receiver }) => {
    const { id } = await createAt(rest, receiver.url, { events: ["message.sent"] });
    const sendOne = () => rest.post("/messages/send", { to: SILENT, from: account.sender, body: "Hello" });
    const read = () => rest.get<WebhookEndpoint>(`/webhooks/${id}`);
    receiver.respondWith(status(500));
    await sendOne();
    await expect.poll(read).toMatchObject({ failure_count: 1, last_failure_at: ISO, last_success_at: null });
    receiver.respondWith((response) => response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end());
    await sendOne();
    await expect.poll(read).toMatchObject({ failure_count: 2 });
    expect(receiver.received.map((request) => request.path)).toEqual(["/hook", "/hook"]);
    receiver.respondWith(status(204));
    await sendOne();
    await expect.poll(read).toMatchObject({ failure_count: 0, last_success_at: ISO, is_active: true });
  });

  test("25 failed deliveries in a row disable the endpoint, and it is sent nothing more", async ({
    rest,
    account,
    receiver,
  }) => {
    receiver.respondWith(status(500));
    const { id } = await createAt(rest, receiver.url, { events: ["message.sent"] });
    const read = () => rest.get<WebhookEndpoint>(`/webhooks/${id}`);
    const send = (count: number) => {
      const recipients = Array<string>(count).fill(SILENT);
      return rest.post<BulkResult>("/messages/bulk", { recipients, from: account.sender, body: "Hello" });
    };
    await send(24);
    await expect.poll(read).toMatchObject({ failure_count: 24, is_active: true, disabled_at: null });
    await send(1);
    await expect.poll(read).toMatchObject({
      failure_count: 25,
      is_active: false,
      disabled_at: ISO,
      disabled_reason: "consecutive_failures",
    });
    receiver.respondWith(status(200));
    await send(1);
    await expect
      .poll(async () => (await rest.page(`/webhooks/${id}/deliveries?status=held`)).pagination.total)
      .toBe(26);
    expect(receiver.received).toHaveLength(25);
  });

  requiresPermission("dlr:read", async (rest, _account, receiver) => {
    const { id } = await createAt(rest, receiver.url);
    return { method: "GET", path: `/webhooks/${id}` };
  });

  requiresKey("GET", UNKNOWN);

  test("cannot see another account", async ({ rest, receiver, stranger }) => {
    const { id } = await createAt(rest, receiver.url);
    const foreign = await stranger.rest.refusal(404, { method: "GET", path: `/webhooks/${id}` });
    expect(foreign).toEqual(await stranger.rest.refusal(404, { method: "GET", path: UNKNOWN }));
  });
});

test.describe("DELETE /webhooks/{id}", () => {
  test("deletes the endpoint: it is gone, and gets nothing more", async ({ rest, account, receiver }) => {
    const gone = await createAt(rest, `${receiver.url}/gone`);
    const kept = await createAt(rest, `${receiver.url}/kept`);
    const deleted = await rest.delete(`/webhooks/${gone.id}`);
    expect(deleted).toEqual({ id: gone.id, object: "webhook_endpoint", deleted: true });
    await rest.refusal(404, { method: "GET", path: `/webhooks/${gone.id}` });
    await rest.refusal(404, { method: "DELETE", path: `/webhooks/${gone.id}` });
    expect((await listOf(rest)).map((endpoint) => endpoint.id)).toEqual([kept.id]);
    await rest.post("/messages/send", { to: DELIVERED_AT_ONCE, from: account.sender, body: "Hello" });
    await expect.poll(() => receiver.received.length).toBe(2);
    expect(receiver.received.map((request) => request.path)).toEqual(["/hook/kept", "/hook/kept"]);
  });

  test("an unknown id is a 404, and a malformed id a 400", async ({ rest }) => {
    expect(await rest.refusal(404, { method: "DELETE", path: UNKNOWN })).toMatchObject({ param: "id" });
    expect(await rest.refusal(400, { method: "DELETE", path: "/webhooks/%00" })).toMatchObject({ param: "id" });
  });

  requiresPermission("webhooks:write", async (rest, _account, receiver) => {
    const { id } = await createAt(rest, receiver.url);
    return { method: "DELETE", path: `/webhooks/${id}` };
  });

  requiresKey("DELETE", UNKNOWN);

  test("cannot see another account", async ({ rest, receiver, stranger }) => {
    const { id } = await createAt(rest, receiver.url);
    const foreign = await stranger.rest.refusal(404, { method: "DELETE", path: `/webhooks/${id}` });
    expect(foreign).toEqual(await stranger.rest.refusal(404, { method: "DELETE", path: UNKNOWN }));
    expect(await rest.get<WebhookEndpoint>(`/webhooks/${id}`)).toMatchObject({ is_active: true });
  });
});

test.describe("PATCH /webhooks/{id}", () => {
  const patch = (id: string, body: unknown) => ({ method: "PATCH", path: `/webhooks/${id}`, body });

  test("changes the given fields, and events go to the new URL", async ({ rest, account, receiver }) => {
    const { signing_secret: secret, ...made } = await createAt(rest, `${receiver.url}/old`, { description: "Old" });
    const change = { url: `${receiver.url}/new`, events: ["message.delivered"], description: null };
    for (let round = 0; round < 2; round += 1) {
      expect((await rest.ask(patch(made.id, change))).body.data).toEqual({ ...made, ...change });
    }
    expect((await rest.ask(patch(made.id, {}))).body.data).toEqual({
      ...made,
      ...change,
    });
    await rest.post("/messages/send", { to: DELIVERED_AT_ONCE, from: account.sender, body: "Hello" });
    await expect.poll(() => receiver.received.length).toBe(1);
    const [request] = receiver.received;
    expect(request?.path).toBe("/hook/new");
    if (request) expect(openWebhook(request, secret)).toMatchObject({ type: "message.delivered" });
  });

  test("refuses each wrong field with a 400 that names it", async ({ rest, receiver }) => {
    const { id } = await createAt(rest, receiver.url);
    for (const [param, value] of [
      ["url", "ftp://shop.example/"],
      ["url", "http://169.254.169.254/"],
      ["events", []],
      ["description", "x".repeat(256)],
    ] as const) {
      expect((await rest.refusal(400, patch(id, { [param]: value }))).param).toBe(param);
    }
  });

  requiresPermission("webhooks:write", async (rest, _account, receiver) => {
    const { id } = await createAt(rest, receiver.url);
    return patch(id, { description: "New" });
  });

  requiresKey("PATCH", UNKNOWN);

  test("cannot see another account", async ({ rest, receiver, stranger }) => {
    const { id } = await createAt(rest, receiver.url);
    const foreign = await stranger.rest.refusal(404, patch(id, { description: "Mine" }));
    expect(foreign).toEqual(await stranger.rest.refusal(404, { method: "PATCH", path: UNKNOWN, body: {} }));
    expect(await rest.get<WebhookEndpoint>(`/webhooks/${id}`)).toMatchObject({ description: null });
  });
});

test("an endpoint gets the events that it is subscribed to, and no others", async ({ rest, account, receiver }) => {
  for (const type of ALL_TYPES) await createAt(rest, `${receiver.url}/${type}`, { events: [type] });
  for (const to of [DELIVERED_AT_ONCE, "+15550100003"]) {
    await rest.post("/messages/send", { to, from: account.sender, body: "Hello" });
  }
  await expect.poll(() => receiver.received.length).toBe(3);
  const received = receiver.received.map((request) => [request.path, (JSON.parse(String(request.body)) as Event).type]);
  expect(received.sort()).toEqual(ALL_TYPES.map((type) => [`/hook/${type}`, type]).sort());
});
