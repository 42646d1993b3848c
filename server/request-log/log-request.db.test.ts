import { afterEach, expect, test, vi } from "vitest";
import { makeAccount, personOf, type TestAccount } from "@/test/database/seed";
import { DAY_MS } from "../core/clock";
import { pool } from "../core/db";
import { env } from "../core/env";
import { databaseUnavailable } from "../core/errors";
import { firstIdAt, newId, timeOfId } from "../core/ids";
import { metrics } from "../core/metrics";
import { logRequest, type ServedRequest, writeAll } from "./log-request";
import { findRequestOf, getRequest, listRequests } from "./service";
import { emptyOldestDay } from "./store";
import { forgetRequests } from "./tasks";

afterEach(() => {
  env().REQUEST_LOG = "all";
  env().REQUEST_LOG_TEXTS = false;
});

const note = ({ accountId, keyId }: TestAccount, more: Partial<ServedRequest> = {}): string => {
  const id = newId("request");
  logRequest({
    id,
    accountId,
    keyId,
    method: "POST",
    path: "/messages/send",
    query: "",
    status: 201,
    latencyMs: 12.4,
    address: "192.0.2.1",
    userAgent: "shop/1.0",
    operation: "messages.send",
    input: { to: "+14155550123", body: "secret text" },
    inputBytes: 50,
    response: '{"success":true,"data":{"id":"msg_1","object":"message"}}',
    ...more,
  });
  return id;
};

const list = async (account: TestAccount, query: Partial<Parameters<typeof listRequests>[1]> = {}) =>
  (await listRequests(personOf(account), { limit: 50, ...query })).items.map(({ id }) => id);

const dropped = async (): Promise<number> => (await metrics().requestLogDropped.get()).values[0]?.value ?? 0;

test("a request is in its account's log with its key, and in no other", async () => {
  const [account, stranger] = [await makeAccount(), await makeAccount()];
  const id = note(account);
  await writeAll();
  expect(await listRequests(personOf(account), { limit: 50 })).toMatchObject({
    items: [
      {
        id,
        key_id: account.keyId,
        method: "POST",
        status: 201,
        latency_ms: 12,
        resource_id: "msg_1",
        address: "192.0.2.1",
      },
    ],
    next: null,
  });
  const detail = await getRequest(personOf(account), id);
  expect(detail).toMatchObject({ address: "192.0.2.1", user_agent: "shop/1.0" });
  expect(JSON.parse(detail.request_body ?? "")).toEqual({ to: "+14155550123", body: "[masked: 11 characters]" });
  expect(detail.response_body).toBeNull();
  expect(await list(stranger)).toEqual([]);
  await expect(getRequest(personOf(stranger), id)).rejects.toMatchObject({ status: 404 });
});

test("a key that a caller put into the path, the query, the body or the name of the program is not kept", async () => {
  const account = await makeAccount();
  const { plainKey } = account;
  env().REQUEST_LOG_TEXTS = true;
  note(account, {
    ...{ path: `/api-keys/${plainKey}`, query: `key=${plainKey}`, userAgent: `shop ${plainKey}`, status: 404 },
    ...{ input: { name: plainKey, body: plainKey }, response: `{"success":false,"error":{"param":"${plainKey}"}}` },
  });
  await writeAll();
  const { rows } = await pool().query("SELECT * FROM request_log WHERE account_id = $1", [account.accountId]);
  expect(rows).toMatchObject([{ path: "/api-keys/[masked]", query: "key=[masked]", user_agent: "shop [masked]" }]);
  expect(JSON.stringify(rows)).not.toContain(plainKey);
});

test("the response of an error is kept, texts only where they may be", async () => {
  const account = await makeAccount();
  env().REQUEST_LOG_TEXTS = true;
  const id = note(account, { status: 400, response: '{"success":false,"error":{"code":"invalid_request"}}' });
  await writeAll();
  const { request_body, response_body } = await getRequest(personOf(account), id);
  expect(request_body).toContain("secret text");
  expect(response_body).toContain("invalid_request");
});

test("requests are filtered by class of status, key, path, address and id, and paged", async () => {
  const account = await makeAccount();
  const sent = note(account);
  const refused = note(account, {
    ...{ status: 404, path: "/messages/msg_none", method: "GET", address: "192.0.21.9", userAgent: null },
  });
  const failed = note(account, { status: 503, keyId: "key_other", path: "/balance" });
  await writeAll();
  expect(await list(account)).toEqual([failed, refused, sent]);
  expect(await list(account, { status_class: "2xx" })).toEqual([sent]);
  expect(await list(account, { status_class: "5xx" })).toEqual([failed]);
  expect(await list(account, { key_id: account.keyId })).toEqual([refused, sent]);
  expect(await list(account, { path: "/messages" })).toEqual([refused, sent]);
  expect(await list(account, { path: "%" })).toEqual([]);
  expect(await list(account, { address: "192.0.2." })).toEqual([failed, sent]);
  expect(await list(account, { address: "192.0.21.9" })).toEqual([refused]);
  expect(await list(account, { address: "0.2.1" })).toEqual([]);
  expect(await list(account, { address: "%" })).toEqual([]);
  expect(await list(account, { request_id: refused })).toEqual([refused]);
  const first = await listRequests(personOf(account), { limit: 2 });
  expect(first.items.map(({ id }) => id)).toEqual([failed, refused]);
  expect(await list(account, { cursor: first.next })).toEqual([sent]);
});

test("the request that sent a message is found by it, but not a repeated one, another account's or one that has gone", async () => {
  const [account, stranger] = [await makeAccount(), await makeAccount()];
  const sentBy = (asked: TestAccount, id: string) => findRequestOf(personOf(asked), id);
  const other = newId("message");
  const [request, messageId] = [newId("request"), newId("message")];
  const response = `{"success":true,"data":{"id":"${messageId}","object":"message"}}`;
  note(account, { id: request, response });
  await writeAll();
  expect(await sentBy(account, messageId)).toEqual({ request_id: request });
  expect(await sentBy(account, other)).toEqual({ request_id: null });
  expect(await sentBy(stranger, messageId)).toEqual({ request_id: null });
  const repeated = firstIdAt("request", new Date(timeOfId(messageId).getTime() + 5));
  note(account, { id: repeated, response });
  await writeAll();
  expect(await sentBy(account, messageId)).toEqual({ request_id: request });
  const old = firstIdAt("message", new Date(Date.now() - 8 * 86_400_000));
  note(account, {
    id: firstIdAt("request", new Date(timeOfId(old).getTime() - 1)),
    response: `{"success":true,"data":{"id":"${old}"}}`,
  });
  await writeAll();
  expect(await sentBy(account, old)).toEqual({ request_id: null });
});

test("the setting decides what is kept", async () => {
  const account = await makeAccount();
  env().REQUEST_LOG = "errors";
  note(account);
  const refused = note(account, { status: 400 });
  env().REQUEST_LOG = "off";
  note(account, { status: 500 });
  await writeAll();
  expect(await list(account)).toEqual([refused]);
});

test("beyond the bound requests are dropped and counted, and those that wait are kept", async () => {
  const account = await makeAccount();
  const before = await dropped();
  for (let count = 0; count < 3; count += 1) note(account, { inputBytes: 7_000_000 });
  await writeAll();
  expect(await list(account)).toHaveLength(2);
  expect((await dropped()) - before).toBe(1);
});

test("under a flood of requests that succeed few of them are kept, and every error", async () => {
  const account = await makeAccount();
  const before = await dropped();
  for (let count = 0; count < 150; count += 1) note(account);
  const refused = note(account, { status: 400 });
  await writeAll();
  expect(await list(account, { limit: 100 })).toHaveLength(100);
  expect(await list(account, { status_class: "4xx" })).toEqual([refused]);
  expect((await dropped()) - before).toBe(50);
});

test("a log that cannot be written harms nobody", async () => {
  const account = await makeAccount();
  const before = await dropped();
  note(account, { status: 1_000_000 });
  await writeAll();
  expect((await dropped()) - before).toBe(1);
  const id = note(account);
  await writeAll();
  expect(await list(account)).toEqual([id]);
});

test("a stop waits once for a database that is away, however many requests were noted", async () => {
  const account = await makeAccount();
  const before = await dropped();
  for (let count = 0; count < 2_500; count += 1) note(account, { status: 503 });
  const reach = vi.spyOn(pool(), "reach").mockRejectedValue(databaseUnavailable({ nothingDone: true }));
  await writeAll();
  expect(reach).toHaveBeenCalledTimes(1);
  reach.mockRestore();
  expect((await dropped()) - before).toBe(2_500);
  expect(await list(account)).toEqual([]);
});

test("what is older than a week is neither shown nor kept for longer than the ring of days", async () => {
  const account = await makeAccount();
  note(account);
  await writeAll();
  const old = `req_0${"0".repeat(25)}`;
  const dayBefore = "((now() AT TIME ZONE 'UTC')::date - date '1970-01-01' - 8)";
  await pool().query(
    `INSERT INTO request_log (slot, id, account_id, key_id, method, path, query, status, latency_ms, created_at)
     VALUES (${dayBefore} % 10, $1, $2, $3, 'GET', '/balance', '', 200, 1, now() - interval '8 days')`,
    [old, account.accountId, account.keyId],
  );
  expect(await list(account)).toHaveLength(1);
  await emptyOldestDay();
  await emptyOldestDay();
  const { rows } = await pool().query("SELECT id FROM request_log WHERE account_id = $1", [account.accountId]);
  expect(rows).toHaveLength(1);
});

test("requests of days on which nothing was forgotten are deleted, whichever partition they are in", async () => {
  const account = await makeAccount();
  note(account);
  await writeAll();
  const insert = (ageDays: number) =>
    pool().query(
      `INSERT INTO request_log (slot, id, account_id, key_id, method, path, query, status, latency_ms, created_at)
       SELECT (day - $4::int) % 10, $1, $2, $3, 'GET', '/balance', '', 200, 1, now() - make_interval(days => $4)
       FROM (SELECT (now() AT TIME ZONE 'UTC')::date - date '1970-01-01' AS day) today`,
      [idOf(ageDays), account.accountId, account.keyId, ageDays],
    );
  // In the partitions of tomorrow, today and the days before, several of them in one.
  for (const ageDays of [19, 12, 11, 10, 10, 9, 7, 6, 1]) await insert(ageDays);
  await forgetRequests();
  const { rows } = await pool().query<{ days: number }>(
    "SELECT extract(day FROM now() - created_at)::int4 AS days FROM request_log WHERE account_id = $1 ORDER BY 1",
    [account.accountId],
  );
  expect(rows.map(({ days }) => days)).toEqual([0, 1, 6, 7]);
});

/** An id of a request of so many days ago. */
const idOf = (ageDays: number): string => {
  const first = firstIdAt("request", new Date(Date.now() - ageDays * DAY_MS));
  const id = newId("request");
  return first.slice(0, id.length - 16) + id.slice(-16);
};
