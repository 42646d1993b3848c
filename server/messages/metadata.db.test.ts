import { beforeAll, expect, test } from "vitest";
import { makeRoute } from "@/test/database/routes";
import { makeAccount, type TestAccount } from "@/test/database/seed";
import type { IdempotentRequest } from "../accounts/idempotency/request";
import { pool } from "../core/db";
import { listEvents } from "../webhooks/history/list-events";
import { sendBulk, sendMessage } from "./accept/send";
import { listMessages } from "./lists/list-messages";
import { getMessage } from "./read";

const PAGE = { page: 1, limit: 50 };
const TO = "+15550100008";

beforeAll(() => makeRoute());

const keyed = (key: string): IdempotentRequest => ({
  idempotency: () => ({ key, requestHash: key }),
  responseHeaders: {},
});
const plain = (): IdempotentRequest => ({ idempotency: () => null, responseHeaders: {} });

const send = ({ actor, senderId }: TestAccount, metadata?: Record<string, string> | null, to = TO, request = plain()) =>
  sendMessage(actor, { to, from: senderId, body: "Hello", metadata }, request);

const pairsOf = async (accountId: string) => {
  const { rows } = await pool().query<{ pair: string }>(
    "SELECT key || '=' || value AS pair FROM message_metadata WHERE account_id = $1 ORDER BY message_id, key",
    [accountId],
  );
  return rows.map(({ pair }) => pair);
};

const found = async ({ actor }: TestAccount, query: Partial<Parameters<typeof listMessages>[1]>) => {
  const { items, pagination } = await listMessages(actor, { ...PAGE, ...query });
  expect(pagination.total).toBe(items.length);
  return items.map(({ id }) => id);
};

test("metadata is unchanged in the response, in the message, in lists and in events", async () => {
  const account = await makeAccount();
  const metadata = { order: "4711", "Grüße 😀": "a\nb", zero: "" };
  const message = await send(account, metadata);
  expect(message.metadata).toEqual(metadata);
  expect(await getMessage(account.actor, message.id)).toEqual(message);
  expect((await listMessages(account.actor, PAGE)).items).toEqual([message]);
  await pool().query("UPDATE accounts SET allowed_countries = '{DE}' WHERE id = $1", [account.accountId]);
  const failed = await send(account, metadata);
  const { items } = await listEvents(account.actor, PAGE);
  expect(items).toMatchObject([{ type: "message.failed", data: { id: failed.id, metadata } }]);
});

test.each([undefined, null, {}])("a message with metadata %j has none, and writes no pair", async (metadata) => {
  const account = await makeAccount();
  expect((await send(account, metadata)).metadata).toBeNull();
  expect(await pairsOf(account.accountId)).toEqual([]);
});

test("messages are found by one pair or several, with other filters, and never across accounts", async () => {
  const [account, stranger] = [await makeAccount(), await makeAccount()];
  const one = await send(account, { order: "1", shop: "north" });
  const two = await send(account, { order: "2", shop: "north" }, "+15550100001");
  await send(account);
  await send(stranger, { order: "1", shop: "north" });
  expect(await found(account, { metadata: { shop: "north" } })).toEqual([two.id, one.id]);
  expect(await found(account, { metadata: { shop: "north", order: "1" } })).toEqual([one.id]);
  expect(await found(account, { metadata: { order: "1", shop: "south" } })).toEqual([]);
  expect(await found(account, { metadata: { shop: "north" }, to: TO })).toEqual([one.id]);
  expect(await found(account, { metadata: { shop: "north" }, status: "pending" })).toHaveLength(2);
  expect(await found(account, { metadata: { shop: "north" }, status: "delivered" })).toEqual([]);
  const later = new Date(Date.now() + 60_000).toISOString();
  expect(await found(account, { metadata: { shop: "north" }, created_after: later })).toEqual([]);
  expect(await found(account, { metadata: { shop: "north" }, created_before: later })).toHaveLength(2);
  expect(await found(account, { metadata: {} })).toHaveLength(3);
  const second = await listMessages(account.actor, { page: 2, limit: 1, metadata: { shop: "north" } });
  expect([second.items.map(({ id }) => id), second.pagination.total]).toEqual([[one.id], 2]);
});

test("each message of a bulk has the metadata of its request, in a batch with others that have none", async () => {
  const account = await makeAccount();
  const recipients = [TO, "+15550100001", "not a number"];
  const [bulk, single] = await Promise.all([
    sendBulk(account.actor, { recipients, from: account.senderId, body: "Hello", metadata: { run: "7" } }, plain()),
    send(account),
  ]);
  expect(bulk.messages.map(({ metadata }) => metadata)).toEqual([{ run: "7" }, { run: "7" }, { run: "7" }]);
  expect(single.metadata).toBeNull();
  expect(await found(account, { metadata: { run: "7" } })).toEqual(bulk.messages.map(({ id }) => id).toReversed());
});

test("a request that is repeated with its key stores its pairs once, a refused one not at all", async () => {
  const account = await makeAccount();
  const request = () => keyed("one");
  const sent = await Promise.all([1, 2, 3].map(() => send(account, { order: "1" }, TO, request())));
  expect(new Set(sent.map(({ id }) => id)).size).toBe(1);
  expect(sent.map(({ metadata }) => metadata)).toEqual(Array.from({ length: 3 }, () => ({ order: "1" })));
  await pool().query("UPDATE accounts SET balance_micros = 0 WHERE id = $1", [account.accountId]);
  await expect(send(account, { order: "2" })).rejects.toMatchObject({ status: 402 });
  expect(await pairsOf(account.accountId)).toEqual(["order=1"]);
});

test("the longest keys and values of four bytes each fit the index", async () => {
  const account = await makeAccount();
  const metadata = { ["€".repeat(40)]: "€".repeat(500), ["😀".repeat(20)]: "😀".repeat(250) };
  const { id } = await send(account, metadata);
  expect(await found(account, { metadata })).toEqual([id]);
});

test("a page of a pair's messages is a range of its index, in order", async () => {
  const { accountId } = await makeAccount();
  const { rows } = await pool().query<{ "QUERY PLAN": string }>(
    `EXPLAIN SELECT l.message_id FROM message_metadata l JOIN messages r ON r.id = l.message_id
     WHERE l.account_id = ANY(ARRAY[$1::text]) AND l.key = 'a' AND l.value = 'b'
     ORDER BY l.account_id DESC, l.message_id DESC LIMIT 50`,
    [accountId],
  );
  const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
  expect(plan).toContain("message_metadata_pkey");
  expect(plan).not.toContain("Sort");
});
