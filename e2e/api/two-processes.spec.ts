import { type Api, apiWith } from "../support/api";
import { type Database, databaseUrlOf, openDatabase } from "../support/books";
import type { OwnWeb } from "../support/processes";
import type { Service } from "../support/service";
import { test as base, expect } from "../test";

type PostResponse = Awaited<ReturnType<Api["post"]>>;

const TO = "+14155550123";
const PRICE_MICROS = 10_000;
const MINUTE_LEFT_S = 15;
const DAY_LEFT_MS = 60_000;
const DAY_MS = 86_400_000;

type Fixtures = {
  /** A second web process next to the service's own, on the same database. */
  second: OwnWeb;
  database: Database;
};

const test = base.extend<Fixtures>({
  second: ({ trustingWeb }, use) => use(trustingWeb),
  database: async ({ service }, use) => {
    const database = await openDatabase(databaseUrlOf(service));
    await use(database);
    await database.close();
  },
});

// One after the other: they share the second process.
test.describe.configure({ mode: "default" });

/** Sends requests to both processes in turn, all at once. */
const askBoth = <PostResponse>(
  count: number,
  ask: (at: number, side: 0 | 1) => Promise<PostResponse>,
): Promise<PostResponse[]> => Promise.all(Array.from({ length: count }, (_, at) => ask(at, at % 2 === 0 ? 0 : 1)));

const bothWith = (service: Service, second: Service, key: string): [Api, Api] => [
  apiWith(service, key),
  apiWith(second, key),
];

const withStatus = (answers: PostResponse[], status: number) => answers.filter((answer) => answer.status === status);

test("a key revoked through one process is refused by it at once, and by the other within a second", async ({
  service,
  second,
  api,
}) => {
  const { id, plain_key } = (await api.post("/api-keys/create", { name: "short-lived" })).body.data;
  const [here, there] = bothWith(service, second, String(plain_key));
  for (const one of [here, there]) expect((await one.get("/account")).status).toBe(200);

  // Requests to the other process go on, so that it has just read the key whenever the revocation comes.
  let lastPassedAt = 0;
  const asking = (async () => {
    for (let refused = 0; refused < 5; ) {
      const askedAt = performance.now();
      const { status } = await there.get("/account");
      if (status === 200) lastPassedAt = askedAt;
      else expect(status).toBe(401);
      refused = status === 200 ? 0 : refused + 1;
    }
  })();
  expect((await api.delete(`/api-keys/${id}`)).status).toBe(200);
  const revokedAt = performance.now();
  expect((await here.get("/account")).status).toBe(401);
  await asking;
  expect(lastPassedAt - revokedAt).toBeLessThan(1_000);
  for (const one of [here, there]) expect((await one.get("/account")).status).toBe(401);
});

test("a rate limit counts the requests to both processes together, exactly", async ({ service, second, api }) => {
  const limit = 120;
  const created = await api.post("/api-keys/create", { name: "limited", rate_limit: limit });
  const both = bothWith(service, second, String(created.body.data.plain_key));
  // All requests must fall into one minute by the database's clock.
  const leftOfMinute = async () => Number((await api.get("/account")).headers.get("ratelimit-reset"));
  await expect.poll(leftOfMinute).toBeGreaterThan(MINUTE_LEFT_S);
  const leftBefore = await leftOfMinute();

  const answers = await askBoth(limit + 80, (_, side) => both[side].get("/account"));
  expect(await leftOfMinute(), "the minute has changed").toBeLessThanOrEqual(leftBefore);
  const passed = withStatus(answers, 200);
  expect(passed).toHaveLength(limit);
  expect(withStatus(answers, 429)).toHaveLength(80);
  const remaining = passed.map(({ headers }) => Number(headers.get("ratelimit-remaining")));
  expect(remaining.sort((one, other) => one - other)).toEqual(Array.from({ length: limit }, (_, at) => at));
  for (const { headers, body } of withStatus(answers, 429)) {
    expect(body.error?.details).toMatchObject({ reason: "rate_limit", limit });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  }
});

test("daily and monthly limits hold over both processes, exactly", async ({
  service,
  second,
  api,
  account,
  database,
}) => {
  await expect.poll(() => DAY_MS - (Date.now() % DAY_MS), { timeout: 90_000 }).toBeGreaterThan(DAY_LEFT_MS);
  for (const [name, limit] of [
    ["daily_limit", 37],
    ["monthly_limit", 23],
  ] as const) {
    const before = await database.booksOf(account.accountId);
    const created = await api.post("/api-keys/create", { name, [name]: limit });
    const both = bothWith(service, second, String(created.body.data.plain_key));
    const answers = await askBoth(limit * 2, (at, side) =>
      both[side].post("/messages/send", { to: TO, from: account.sender, body: `${at}` }),
    );
    expect(withStatus(answers, 201)).toHaveLength(limit);
    for (const { body } of withStatus(answers, 429)) expect(body.error?.details.reason).toBe(name);
    expect(withStatus(answers, 429)).toHaveLength(limit);
    const after = await database.booksOf(account.accountId);
    expect(after.messages - before.messages).toBe(limit);
    expect(before.balance - after.balance).toBe(limit * PRICE_MICROS);
  }
});

test("a balance for 120 messages pays exactly 120 of 200 that come at once through both processes", async ({
  service,
  second,
  database,
  newAccount,
}) => {
  const account = await newAccount(1.2);
  const both = bothWith(service, second, account.apiKey);
  const answers = await askBoth(200, (at, side) =>
    both[side].post("/messages/send", { to: TO, from: account.sender, body: `${at}` }),
  );
  const accepted = withStatus(answers, 201);
  expect(accepted).toHaveLength(120);
  const refused = answers.flatMap(({ status, body }) => (status === 201 ? [] : [`${status} ${body.error?.code}`]));
  expect(refused).toEqual(Array.from({ length: 80 }, () => "402 insufficient_balance"));
  expect(new Set(accepted.map(({ body }) => body.data.id)).size).toBe(120);
  for (const one of both) expect((await one.get("/balance")).body.data.balance).toBe(0);
  expect(await database.booksOf(account.accountId)).toMatchObject({
    balance: 0,
    ledger: 0,
    charges: 120,
    messages: 120,
  });
});

test("one Idempotency-Key sent to both processes at once makes one message and one charge", async ({
  service,
  second,
  account,
  database,
}) => {
  const both = bothWith(service, second, account.apiKey);
  const rounds = 10;
  for (let round = 0; round < rounds; round += 1) {
    const body = { to: TO, from: account.sender, body: `round ${round}` };
    const headers = { "idempotency-key": `round-${round}` };
    const answers = await askBoth(8, (_, side) => both[side].post("/messages/send", body, headers));
    expect(withStatus(answers, 201)).toHaveLength(8);
    const [first, ...others] = answers.filter((answer) => !answer.headers.has("idempotency-replayed"));
    expect(others).toEqual([]);
    for (const answer of answers) expect(answer.body.data).toEqual(first?.body.data);
  }
  expect(await database.booksOf(account.accountId)).toMatchObject({ messages: rounds, charges: rounds });
});

test("one Idempotency-Key with two requests is carried out for one of them", async ({
  service,
  second,
  account,
  database,
}) => {
  const both = bothWith(service, second, account.apiKey);
  const headers = { "idempotency-key": "torn" };
  const answers = await askBoth(12, (_, side) =>
    both[side].post("/messages/send", { to: TO, from: account.sender, body: `side ${side}` }, headers),
  );
  expect(withStatus(answers, 201)).toHaveLength(6);
  const refused = withStatus(answers, 400);
  expect(refused.map(({ body }) => body.error?.details.reason)).toEqual(Array(6).fill("idempotency_key_reused"));
  expect(await database.booksOf(account.accountId)).toMatchObject({ messages: 1, charges: 1 });
});

test("a key created twice at once under one Idempotency-Key is one key, shown in full to both", async ({
  service,
  second,
  account,
  api,
}) => {
  const both = bothWith(service, second, account.apiKey);
  const answers = await askBoth(6, (_, side) =>
    both[side].post("/api-keys/create", { name: "once" }, { "idempotency-key": "key" }),
  );
  expect(new Set(answers.map(({ body }) => body.data.plain_key)).size).toBe(1);
  const list = await api.get<{ data: { name: string }[] }>("/api-keys");
  expect(list.body.data.data.filter((key) => key.name === "once")).toHaveLength(1);
});
