import { type Cut, type DatabaseProxy, startDatabaseProxy } from "../../test/network/database-proxy";
import { type Api, apiWith } from "../support/api";
import { type Database, databaseUrlOf, openDatabase } from "../support/books";
import { type OwnWeb, startApi } from "../support/processes";
import { test as base, expect } from "../test";

type PostResponse = Awaited<ReturnType<Api["post"]>>;

const TO = "+14155550123";

/** The test's own web process, which reaches the service's database through a proxy that can cut it off. */
const test = base.extend<{ database: Database; databaseProxy: DatabaseProxy; doomed: OwnWeb }>({
  database: async ({ service }, use) => {
    const database = await openDatabase(databaseUrlOf(service));
    await use(database);
    await database.close();
  },
  databaseProxy: async ({ service }, use) => {
    const proxy = await startDatabaseProxy(databaseUrlOf(service));
    await use(proxy);
    await proxy.close();
  },
  doomed: async ({ service, databaseProxy }, use) => {
    const doomed = await startApi(service, { databaseUrl: databaseProxy.url });
    await use(doomed);
    await doomed.kill();
  },
});

test.describe.configure({ mode: "default" });

/** How a request ended for its caller: with a response, or with none. */
const endOf = (request: Promise<PostResponse>) => request.catch(() => null);

const storedAnswers = async (database: Database, accountId: string): Promise<string[]> =>
  (
    await database.rows<{ key: string }>("SELECT key FROM idempotency_keys WHERE account_id = $1 ORDER BY key", [
      accountId,
    ])
  ).map((row) => row.key);

const CASES: { cut: Cut; name: string; committed: number }[] = [
  {
    cut: "swallow",
    name: "a process killed between COMMIT and response: the repeated request gets the committed response",
    committed: 1,
  },
  {
    cut: "withhold",
    name: "a process killed before COMMIT: nothing was done, and the repeated request does it",
    committed: 0,
  },
];

for (const { cut, name, committed } of CASES) {
  test(name, async ({ service, account, api, database, databaseProxy, doomed }) => {
    const key = `crash-${account.accountId}`;
    const body = { to: TO, from: account.sender, body: "once", reference: "order-1" };
    const opening = await database.booksOf(account.accountId);
    const atCommit = databaseProxy.cutCommitOf(key, cut);
    const lost = endOf(apiWith(doomed, account.apiKey).post("/messages/send", body, { "idempotency-key": key }));
    await atCommit;
    // A separate connection to the database shows whether it is committed.
    await expect.poll(() => storedAnswers(database, account.accountId)).toHaveLength(committed);
    await doomed.kill();
    expect(await lost).toBeNull();

    const again = await api.post("/messages/send", body, { "idempotency-key": key });
    expect(again.status).toBe(201);
    expect(again.headers.get("idempotency-replayed")).toBe(committed ? "true" : null);
    const price = 10_000;
    expect(await database.booksOf(account.accountId)).toMatchObject({
      balance: opening.balance - price,
      ledger: opening.balance - price,
      charges: 1,
      messages: 1,
    });
    // It is the message that the dead process accepted, and it is sent like any other.
    const id = String(again.body.data.id);
    await expect.poll(async () => (await api.get(`/messages/${id}`)).body.data.status).toBe("delivered");
    const listed = await api.get<{ id: string }[]>("/messages");
    expect(listed.body.data.map((message) => message.id)).toEqual([id]);
    expect((await apiWith(service, account.apiKey).get("/balance")).body.data.balance).toBe(99.99);
  });
}

test("when a process with many running requests is killed, each is done once or not at all, and can be repeated", async ({
  account,
  api,
  database,
  databaseProxy,
  doomed,
}) => {
  const own = apiWith(doomed, account.apiKey);
  const count = 60;
  const send = (through: typeof own, at: number) =>
    through.post(
      "/messages/send",
      { to: TO, from: account.sender, body: `${at}` },
      { "idempotency-key": `many-${at}` },
    );
  // Some have got a response, some are committed without one, and the ones behind them were never begun.
  const atCommit = databaseProxy.cutCommitOf("many-20", "swallow");
  const ends = Array.from({ length: count }, (_, at) => endOf(send(own, at)));
  await atCommit;
  await expect.poll(() => storedAnswers(database, account.accountId)).toContain("many-20");
  await doomed.kill();
  const answered = await Promise.all(ends);
  expect(answered[20]).toBeNull();

  // A COMMIT that the dead process had sent may still be under way; it holds the account.
  await database.rows("SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE", [account.accountId]);
  const committed = new Set(await storedAnswers(database, account.accountId));
  const repeated = await Promise.all(answered.map((_, at) => send(api, at)));
  for (const [at, again] of repeated.entries()) {
    expect(again.status).toBe(201);
    expect(again.headers.has("idempotency-replayed")).toBe(committed.has(`many-${at}`));
    const first = answered[at];
    if (first) expect(again.body.data).toEqual(first.body.data);
  }
  expect(await database.booksOf(account.accountId)).toMatchObject({
    balance: 99_400_000,
    ledger: 99_400_000,
    charges: count,
    messages: count,
  });
});

const HANG_UPS: { cut: Cut; name: string; committed: number }[] = [
  { cut: "swallow", name: "lost between COMMIT and reply: a 503, then the committed response", committed: 1 },
  { cut: "withhold", name: "lost before COMMIT arrived: a 503, then the repeated request does it", committed: 0 },
];

for (const { cut, name, committed } of HANG_UPS) {
  test(`a database connection ${name}`, async ({ account, database, databaseProxy, doomed }) => {
    const own = apiWith(doomed, account.apiKey);
    const body = { to: TO, from: account.sender, body: "once" };
    const key = `hang-up-${account.accountId}`;
    const atCommit = databaseProxy.cutCommitOf(key, cut);
    const first = own.post("/messages/send", body, { "idempotency-key": key });
    await atCommit;
    await expect.poll(() => storedAnswers(database, account.accountId)).toHaveLength(committed);
    databaseProxy.hangUp();
    const failed = await first;
    expect(failed.status).toBe(503);
    expect(failed.headers.get("retry-after")).toBe("1");
    expect(failed.body).toEqual({
      success: false,
      error: {
        type: "api_error",
        code: "service_unavailable",
        message: expect.stringContaining("may or may not have been carried out"),
        param: null,
        details: { reason: "outcome_unknown", retry_after: 1 },
      },
      meta: { request_id: expect.stringMatching(/^req_/), api_version: "v1" },
    });

    const again = await own.post("/messages/send", body, { "idempotency-key": key });
    expect(again.status).toBe(201);
    expect(again.headers.get("idempotency-replayed")).toBe(committed ? "true" : null);
    expect(await database.booksOf(account.accountId)).toMatchObject({ charges: 1, messages: 1, balance: 99_990_000 });
  });
}

test("while the database is down, requests wait for it and are carried out once; the health check reports it at once", async ({
  account,
  database,
  databaseProxy,
  doomed,
}) => {
  const own = apiWith(doomed, account.apiKey);
  const count = 20;
  // The key is cached now, so it is the sends that find the database gone.
  expect((await own.get("/account")).status).toBe(200);
  await databaseProxy.goAway();
  const sent = Array.from({ length: count }, (_, at) =>
    own.post("/messages/send", { to: TO, from: account.sender, body: `${at}` }),
  );
  const health = await fetch(`${doomed.url}/api/health`);
  expect([health.status, await health.json()]).toMatchObject([503, { ok: false, database: { ok: false } }]);
  await databaseProxy.comeBack();
  expect((await Promise.all(sent)).map(({ status }) => status)).toEqual(sent.map(() => 201));
  expect(await database.booksOf(account.accountId)).toMatchObject({ charges: count, messages: count });
  await expect.poll(async () => (await fetch(`${doomed.url}/api/health`)).status).toBe(200);
});

test("a key created by a process that was killed before its response is shown to the repeated request", async ({
  account,
  api,
  service,
  database,
  databaseProxy,
  doomed,
}) => {
  const headers = { "idempotency-key": "new-key" };
  const atCommit = databaseProxy.cutCommitOf("new-key", "swallow");
  const lost = endOf(apiWith(doomed, account.apiKey).post("/api-keys/create", { name: "lost" }, headers));
  await atCommit;
  await expect.poll(() => storedAnswers(database, account.accountId)).toEqual(["new-key"]);
  await doomed.kill();
  expect(await lost).toBeNull();
  const again = await api.post("/api-keys/create", { name: "lost" }, headers);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect((await apiWith(service, String(again.body.data.plain_key)).get("/account")).status).toBe(200);
});
