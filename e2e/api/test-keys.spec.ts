/** Test keys: the same API, with the sandbox as the only carrier, and no effect on live mode. */
import type { Account } from "@/server/accounts/schema";
import type { ApiKey, CreatedApiKey } from "@/server/api-keys/schema";
import type { BulkResult, Message } from "@/server/messages/schema";
import type { Sender } from "@/server/senders/schema";
import type { CreatedWebhookEndpoint, Event, WebhookEndpoint } from "@/server/webhooks/schema";
import type { CheckedApi } from "../support/checked-api";
import { test as base, expect } from "../support/contract-test";
import { balanceOf, messageIn } from "../support/follow";
import { openWebhook } from "../support/signature";

/** `trial`: the REST API with a test key of `account`. */
const test = base.extend<{ trial: CheckedApi }>({
  trial: async ({ rest, operator, account }, use) => use(rest.withKey(await operator.makeTestKey(account))),
});

const send = (api: CheckedApi, to: string, more: object = {}): Promise<Message> =>
  api.post<Message>("/messages/send", { to, from: "TEST", body: "Hello", ...more });

const listOf = async <Item>(api: CheckedApi, path: string): Promise<Item[]> =>
  (await api.get<{ data: Item[] }>(path)).data;

test("scenario numbers end as documented, free of charge, and the live balance stays", async ({ trial, rest }) => {
  const [live, play] = [await balanceOf(rest), await balanceOf(trial)];
  const outcomes = {
    "1": "delivered",
    "3": "failed",
    "4": "failed",
    "6": "delivered",
    "8": "sent",
    "9": "undelivered",
  } as const;
  for (const [digit, status] of Object.entries(outcomes)) {
    const { id, cost } = await send(trial, `+1555010000${digit}`);
    expect(cost).toBe(0);
    expect(await messageIn(trial, id, status)).toMatchObject({ provider: "sandbox", cost: 0, attempts: 1 });
  }
  expect([await balanceOf(rest), await balanceOf(trial)]).toEqual([live, play]);
  expect(play).toBe(1_000);
});

test("a live key sees nothing of test mode, and a test key nothing of live mode", async ({
  trial,
  rest,
  account,
  receiver,
}) => {
  const made = {
    live: await send(rest, "+15550100001", { from: account.sender }),
    test: await send(trial, "+15550100001"),
  };
  await rest.post("/webhooks/create", { url: receiver.url, description: "live" });
  await trial.post("/webhooks/create", { url: receiver.url, description: "test" });
  await rest.post("/suppressions", { number: "+14155550123" });
  await messageIn(rest, made.live.id, "delivered");
  await messageIn(trial, made.test.id, "delivered");
  for (const [api, mode, other] of [
    [rest, "live", made.test],
    [trial, "test", made.live],
  ] as const) {
    const livemode = mode === "live";
    expect((await api.page<Message>("/messages")).items.map(({ id }) => id)).toEqual([made[mode].id]);
    expect(await api.refusal(404, { method: "GET", path: `/messages/${other.id}` })).toMatchObject({ param: "id" });
    const events = (await api.page<Event>("/events")).items;
    expect(events.map((event) => [event.livemode, event.data.id])).toEqual(Array(2).fill([livemode, made[mode].id]));
    const endpoints = await listOf<WebhookEndpoint>(api, "/webhooks");
    expect(endpoints.map((endpoint) => [endpoint.livemode, endpoint.description])).toEqual([[livemode, mode]]);
    expect((await api.page("/suppressions")).pagination.total).toBe(livemode ? 1 : 0);
    expect((await api.page<Sender>("/senders")).items).toMatchObject([
      { livemode, sender_id: livemode ? account.sender : "TEST" },
    ]);
    expect(await api.get("/usage")).toMatchObject({ totals: { messages: 1, cost: livemode ? 0.01 : 0 } });
  }
});

test("webhooks of test mode go to its own endpoints, signed, and say so", async ({ trial, rest, receiver }) => {
  await rest.post("/webhooks/create", { url: `${receiver.url}/live` });
  const { signing_secret: secret } = await trial.post<CreatedWebhookEndpoint>("/webhooks/create", {
    url: `${receiver.url}/test`,
  });
  const { id } = await send(trial, "+15550100001");
  await expect.poll(() => receiver.received.length).toBe(2);
  const events = receiver.received.map((request) => openWebhook(request, secret));
  expect(events).toMatchObject(
    events.map(() => ({ object: "event", livemode: false, data: { id, provider: "sandbox", cost: 0 } })),
  );
  expect(new Set(events.map(({ type }) => type))).toEqual(new Set(["message.sent", "message.delivered"]));
});

test("with a test key the account is itself, with play money", async ({ trial, rest, account }) => {
  const live = await rest.get<Account>("/account");
  expect(live).toMatchObject({ id: account.accountId, livemode: true, balance: 100 });
  expect(await trial.get("/account")).toEqual({ ...live, livemode: false, balance: 1_000 });
});

test("a test key makes test keys and a live key live ones, and neither sees or revokes the other's", async ({
  trial,
  rest,
}) => {
  const child = await trial.post<CreatedApiKey>("/api-keys/create", { name: "Child" });
  expect(child).toMatchObject({ livemode: false, plain_key: expect.stringMatching(/^ds_test_[0-9A-Za-z]{32}$/) });
  expect(child.key_hint).toMatch(/^ds_test_/);
  expect(await rest.post("/api-keys/create", { name: "Live" })).toMatchObject({ livemode: true });
  const namesOf = async (api: CheckedApi) => (await listOf<ApiKey>(api, "/api-keys")).map(({ name }) => name);
  expect(await namesOf(trial)).toEqual(["Child", "Test"]);
  expect(await namesOf(rest)).not.toContain("Child");
  await rest.refusal(404, { method: "DELETE", path: `/api-keys/${child.id}` });
  expect(await trial.withKey(child.plain_key).get("/account")).toMatchObject({ livemode: false });
  await trial.delete(`/api-keys/${child.id}`);
  await trial.withKey(child.plain_key).refusal(401, { method: "GET", path: "/account" });
});

test("senders of test mode are approved at once; those of live mode are not valid there", async ({
  trial,
  account,
}) => {
  const sender = await trial.post<Sender>("/senders/create", { sender_id: "Shop" });
  expect(sender).toMatchObject({ status: "approved", livemode: false });
  expect(await send(trial, "+15550100001", { from: "Shop" })).toMatchObject({ from: "Shop", status: "pending" });
  const body = { to: "+15550100001", from: account.sender, body: "Hello" };
  const refused = await trial.refusal(400, { method: "POST", path: "/messages/send", body });
  expect(refused.details).toMatchObject({ reason: "sender_not_approved" });
});

test("a bulk of test mode is sent, a wrong number fails alone, and the key's rate limit holds", async ({ trial }) => {
  const recipients = ["+15550100001", "0171 1234567"];
  const bulk = await trial.post<BulkResult>("/messages/bulk", { recipients, from: "TEST", body: "Hello" });
  expect(bulk).toMatchObject({ total: 2, sent: 1, failed: 1 });
  const slow = await trial.post<CreatedApiKey>("/api-keys/create", { name: "Slow", rate_limit: 1 });
  const api = trial.withKey(slow.plain_key);
  const asked = [
    await api.ask({ method: "GET", path: "/account" }),
    await api.ask({ method: "GET", path: "/account" }),
  ];
  expect(asked.map(({ status }) => status)).toContain(200);
  await expect.poll(async () => (await api.ask({ method: "GET", path: "/account" })).status).toBe(429);
});

test("a suspended account is suspended in test mode too", async ({ trial, account, operator }) => {
  await operator.suspend(account);
  const body = { to: "+15550100001", from: "TEST", body: "Hello" };
  const refused = await trial.refusal(403, { method: "POST", path: "/messages/send", body });
  expect(refused.details).toMatchObject({ reason: "account_not_active" });
  expect(await trial.get("/account")).toMatchObject({ status: "suspended" });
});

test("the books of both modes are exact", async ({ trial, rest, account, operator }) => {
  for (const digit of [1, 3, 4, 9]) {
    await send(trial, `+1555010000${digit}`);
    await send(rest, `+1555010000${digit}`, { from: account.sender });
  }
  await expect.poll(async () => (await rest.page<Message>("/messages?status=pending")).items).toEqual([]);
  const own = (await operator.findDrift()).filter((drift) =>
    JSON.stringify(drift).includes(account.accountId.slice(4)),
  );
  expect(own).toEqual([]);
});
