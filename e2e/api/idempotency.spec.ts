import type { CreatedWebhookEndpoint } from "@/server/webhooks/schema";
import type { Receiver } from "../../test/network/receiver";
import type { OwnAccount } from "../support/accounts";
import type { Ask, CheckedApi, CheckedResponse } from "../support/checked-api";
import { expect, test } from "../support/contract-test";
import { balanceOf } from "../support/follow";

const SILENT = "+15550100008";
const REPLAYED = "idempotency-replayed";
const REUSED = { param: "Idempotency-Key", details: { reason: "idempotency_key_reused" } };

const messageOf = (account: OwnAccount, body = "Hello") => ({ to: SILENT, from: account.sender, body });
const withKey = (key: string, request: Ask): Ask => ({ ...request, headers: { "idempotency-key": key } });
const send = (account: OwnAccount, body?: string): Ask => ({
  method: "POST",
  path: "/messages/send",
  body: messageOf(account, body),
});
const messagesOf = async (rest: CheckedApi): Promise<number> => (await rest.page("/messages")).pagination.total;
const countOf = async (rest: CheckedApi, path: string): Promise<number> =>
  (await rest.get<{ data: unknown[] }>(path)).data.length;

type Operation = {
  path: string;
  /** A first request, and another one with the same key. */
  bodies: (account: OwnAccount, receiver: Receiver) => [object, object];
  /** Counts the objects of this kind. */
  count: (rest: CheckedApi) => Promise<number>;
};

const OPERATIONS: Operation[] = [
  {
    path: "/messages/send",
    bodies: (account) => [messageOf(account), messageOf(account, "Other")],
    count: messagesOf,
  },
  {
    path: "/messages/bulk",
    bodies: ({ sender }) => [
      { recipients: [SILENT], from: sender, body: "Hello" },
      { recipients: [SILENT, SILENT], from: sender, body: "Hello" },
    ],
    count: messagesOf,
  },
  {
    path: "/senders/create",
    bodies: () => [{ sender_id: "SHOP" }, { sender_id: "OTHER" }],
    count: async (rest) => (await rest.page("/senders")).pagination.total - 1,
  },
  {
    path: "/suppressions",
    bodies: () => [{ number: SILENT }, { number: "+15550100009" }],
    count: async (rest) => (await rest.page("/suppressions")).pagination.total,
  },
  {
    path: "/api-keys/create",
    bodies: () => [{ name: "Shop" }, { name: "Other" }],
    count: async (rest) => (await countOf(rest, "/api-keys")) - 1,
  },
  {
    path: "/webhooks/create",
    bodies: (_account, { url }) => [{ url }, { url: `${url}/other` }],
    count: (rest) => countOf(rest, "/webhooks"),
  },
];

for (const { path, bodies, count } of OPERATIONS) {
  test(`POST ${path} with one key is carried out once, and repeats get its first response`, async ({
    rest,
    account,
    receiver,
  }) => {
    const [body, other] = bodies(account, receiver);
    const request = withKey("order-4711", { method: "POST", path, body });
    const first = await rest.ask(request);
    expect([first.status, first.headers.has(REPLAYED)]).toEqual([201, false]);
    for (let round = 0; round < 2; round += 1) {
      const again = await rest.ask(request);
      expect([again.status, again.headers.get(REPLAYED)]).toEqual([201, "true"]);
      expect(again.body.data).toEqual(first.body.data);
    }
    expect(await count(rest)).toBe(1);

    const reused = await rest.refusal(400, { ...request, body: other });
    expect(reused).toMatchObject(REUSED);
    expect(await count(rest)).toBe(1);
    expect((await rest.ask({ ...request, body: other, headers: { "idempotency-key": "order-4712" } })).status).toBe(
      201,
    );
  });
}

test("POST /webhooks/{id}/rotate-secret with one key rotates once, and gives the same secret again", async ({
  rest,
  receiver,
}) => {
  const { id } = await rest.post<CreatedWebhookEndpoint>("/webhooks/create", { url: receiver.url });
  const request = withKey("rotation-1", { method: "POST", path: `/webhooks/${id}/rotate-secret` });
  const first = await rest.ask(request);
  const again = await rest.ask(request);
  expect([first.headers.has(REPLAYED), again.headers.get(REPLAYED)]).toEqual([false, "true"]);
  expect(again.body.data).toEqual(first.body.data);
  const other = await rest.post<CreatedWebhookEndpoint>("/webhooks/create", { url: receiver.url });
  expect(await rest.refusal(400, { ...request, path: `/webhooks/${other.id}/rotate-secret` })).toMatchObject(REUSED);
});

test("another API key of the account, whatever its permissions, does not get the response that shows a secret", async ({
  rest,
  keyed,
}) => {
  const request = withKey("shop", { method: "POST", path: "/api-keys/create", body: { name: "Shop" } });
  const first = await rest.ask(request);
  expect(first.status).toBe(201);
  const lesser = await keyed({ permissions: ["keys:write"] });
  expect(await lesser.refusal(400, request)).toMatchObject(REUSED);
  expect((await rest.ask(request)).body.data).toEqual(first.body.data);
});

test("a key that replaced the first one by rotation gets the stored response", async ({ rest, keyed, account }) => {
  const old = await keyed({ permissions: ["sms:send", "keys:write"] });
  const next = await keyed({ permissions: ["sms:send"] });
  const first = await old.ask(withKey("order-1", send(account)));
  const again = await next.ask(withKey("order-1", send(account)));
  expect([again.status, again.headers.get(REPLAYED)]).toEqual([201, "true"]);
  expect(again.body.data).toEqual(first.body.data);
  expect(await messagesOf(rest)).toBe(1);
});

test("a key stands for its path too", async ({ rest, account }) => {
  await rest.ask(withKey("order-1", send(account)));
  for (const path of ["/messages/bulk", "/senders/create", "/api-keys/create"]) {
    const body = { recipients: [SILENT], from: account.sender, body: "Hello", sender_id: "SHOP", name: "Shop" };
    expect(await rest.refusal(400, withKey("order-1", { method: "POST", path, body }))).toMatchObject(REUSED);
  }
});

test("of many simultaneous requests with one key, one is carried out and all get its response", async ({
  rest,
  account,
}) => {
  const request = withKey("order-1", send(account));
  const answers = await Promise.all(Array.from({ length: 20 }, () => rest.ask(request)));
  const ids = answers.map((answer) => (answer.body.data as { id: string }).id);
  expect(new Set(ids).size).toBe(1);
  expect(answers.filter((answer) => answer.headers.has(REPLAYED))).toHaveLength(19);
  expect(await messagesOf(rest)).toBe(1);
  expect(await balanceOf(rest)).toBe(99.99);
});

test("a refused request leaves its key free", async ({ rest, operator }) => {
  const poor = await operator.makeAccount(0);
  const theirs = rest.withKey(poor.apiKey);
  const retry = (status: number, request: Ask) => theirs.refusal(status, withKey("order-1", request));
  await retry(400, { ...send(poor), body: { ...messageOf(poor), to: "nobody" } });
  await retry(400, { ...send(poor), body: { ...messageOf(poor), from: "NOBODY" } });
  await retry(402, send(poor));
  await operator.credit(poor, 1);
  const answer = await theirs.ask(withKey("order-1", send(poor)));
  expect([answer.status, answer.headers.has(REPLAYED)]).toEqual([201, false]);
});

test("a repeat is free: it neither costs money nor counts against the limits of the key", async ({
  rest,
  keyed,
  account,
}) => {
  const limited = await keyed({ permissions: ["sms:send"], daily_limit: 1 });
  const request = withKey("order-1", send(account));
  const [first, again]: CheckedResponse[] = [await limited.ask(request), await limited.ask(request)];
  expect([first?.status, again?.status]).toEqual([201, 201]);
  await limited.refusal(429, withKey("order-2", send(account)));
  expect(await balanceOf(rest)).toBe(99.99);
});

test("a repeat gets the first response, even after the message has moved on", async ({ rest, account }) => {
  const first = await rest.ask(withKey("order-1", send(account)));
  const { id } = first.body.data as { id: string };
  await expect.poll(async () => (await rest.get<{ status: string }>(`/messages/${id}`)).status).toBe("sent");
  const again = await rest.ask(withKey("order-1", send(account)));
  expect(again.body.data).toEqual(first.body.data);
});

test("every account has its own keys", async ({ rest, account, stranger }) => {
  await rest.ask(withKey("order-1", send(account)));
  const theirs = await stranger.rest.ask(withKey("order-1", send(stranger.account)));
  expect([theirs.status, theirs.headers.has(REPLAYED)]).toEqual([201, false]);
  expect(await messagesOf(stranger.rest)).toBe(1);
});

test("a key has 1 to 255 visible ASCII characters", async ({ rest, account }) => {
  for (const key of ["", "x".repeat(256), "with space", "Käse", "tab\there"]) {
    const error = await rest.refusal(400, withKey(key, send(account)));
    expect(error, key).toMatchObject({ param: "Idempotency-Key", details: { reason: "bad_idempotency_key" } });
  }
  expect(await messagesOf(rest)).toBe(0);
  for (const key of ["x", "x".repeat(255), '!"#$%&/()=?{[]}~']) {
    expect((await rest.ask(withKey(key, send(account)))).status, key).toBe(201);
  }
});

test("the header has no effect when nothing is created", async ({ rest, account }) => {
  const estimate = withKey("order-1", { ...send(account), path: "/messages/estimate" });
  for (const request of [estimate, estimate, withKey("order-1", { method: "GET", path: "/account" })]) {
    const answer = await rest.ask(request);
    expect([answer.status, answer.headers.has(REPLAYED)]).toEqual([200, false]);
  }
});
