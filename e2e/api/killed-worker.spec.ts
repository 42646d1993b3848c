import type { OwnAccount } from "../support/accounts";
import { apiWith } from "../support/api";
import { type Database, openDatabase } from "../support/books";
import { BALANCE, makeDatabase } from "../support/installation/template";
import { type OwnWeb, runCommand, startApi, startWorker } from "../support/processes";
import { test as base, expect } from "../test";

type Installation = { databaseUrl: string; database: Database; web: OwnWeb; account: OwnAccount };

const PRICE_MICROS = 10_000;
const BULKS = 4;
const BULK_SIZE = 1_000;
const COUNT = BULKS * BULK_SIZE;
/** Refuses for good; every tenth message goes there. */
const REFUSED = "+15550100003";
const REFUSED_EVERY = 10;
/** The stages at which a worker dies, each time the count has grown: it has claimed, sent or recorded a part of the backlog. */
const DEATHS = [
  "FROM message_attempts",
  "FROM graphile_worker.jobs WHERE task_identifier = 'apply_receipts'",
  "FROM message_attempts WHERE outcome IS NOT NULL",
];

/** The test's own installation, whose jobs are done only by workers that the test starts. */
const test = base.extend<{ installation: Installation }>({
  installation: async ({ service }, use) => {
    const {
      url: databaseUrl,
      drop,
      accounts: [account],
    } = await makeDatabase(service);
    if (!account) throw new Error("The template has no account.");
    const web = await startApi(service, { databaseUrl });
    const database = await openDatabase(databaseUrl);
    await database.rows("INSERT INTO routes (prefix, chain, price_micros) VALUES ('', '{sandbox}', $1)", [
      PRICE_MICROS,
    ]);
    await use({ databaseUrl, database, web, account });
    await Promise.all([web.stop(), database.close()]);
    await drop();
  },
});

test("workers killed in the middle of a backlog lose nothing, send nothing twice and leave the books right", async ({
  service,
  installation: { databaseUrl, database, web, account },
}) => {
  test.setTimeout(600_000);
  const count = async (statement: string): Promise<number> =>
    Number((await database.rows<{ count: string }>(`SELECT count(*) ${statement}`))[0]?.count);
  const api = apiWith(web, account.apiKey);
  for (let bulk = 0; bulk < BULKS; bulk += 1) {
    const recipients = Array.from({ length: BULK_SIZE }, (_, at) =>
      at % REFUSED_EVERY === 0 ? REFUSED : `+1415${String(bulk * BULK_SIZE + at).padStart(7, "0")}`,
    );
    const accepted = await api.post("/messages/bulk", { recipients, from: account.sender, body: "x" });
    expect(accepted.body.data).toMatchObject({ sent: BULK_SIZE });
  }

  const attempts = () => count("FROM message_attempts");
  for (const death of DEATHS) {
    const before = await count(death);
    const worker = await startWorker(service, databaseUrl, { DISPATCH_CONCURRENCY: "1" });
    await expect.poll(() => count(death), { intervals: [1], timeout: 120_000 }).toBeGreaterThan(before);
    await worker.kill();
    expect(await attempts(), "the backlog was done too soon").toBeLessThan(COUNT);
  }

  const last = await Promise.all([startWorker(service, databaseUrl), startWorker(service, databaseUrl)]);
  await expect.poll(attempts, { timeout: 240_000 }).toBe(COUNT);
  const waiting =
    "FROM graphile_worker.jobs WHERE task_identifier IN ('dispatch_messages', 'apply_receipts', 'join_receipts')";
  await expect.poll(() => count(waiting), { timeout: 240_000 }).toBe(0);
  // Wait until the leases of the dead workers have run out.
  await expect.poll(() => count("FROM message_attempts WHERE outcome IS NULL"), { timeout: 240_000 }).toBe(0);
  // Messages that a dead worker had begun to send without recording the response are not sent again. They fail after a quarter of
  // an hour, which has passed here. Messages that were only claimed were sent by the next worker.
  const unknown = await count("FROM messages WHERE status = 'pending'");
  expect(unknown, "no worker died at work").toBeGreaterThan(0);
  await database.rows(
    `UPDATE message_attempts SET started_at = started_at - interval '16 minutes'
     WHERE outcome IS NULL OR outcome = 'unknown'`,
  );
  await database.rows("SELECT graphile_worker.add_job('sweep_messages')");
  await expect.poll(() => count("FROM messages WHERE status IN ('pending', 'sent')"), { timeout: 240_000 }).toBe(0);
  await Promise.all(last.map((worker) => worker.stop()));

  const usage = await api.get<{ by_status: Record<string, number> }>("/usage?period=all");
  expect(usage.body.data).toMatchObject({
    totals: { messages: COUNT },
    by_status: { pending: 0, sent: 0, undelivered: 0 },
  });
  const { delivered = 0, failed = 0 } = usage.body.data.by_status;
  expect(delivered + failed).toBe(COUNT);
  expect(await count("FROM messages WHERE status = 'delivered'")).toBe(delivered);
  expect(await count("FROM messages WHERE error_code = 'provider_outcome_unknown'")).toBe(unknown);

  // Each message has one attempt. The carrier's book, which has an id for each message that it took, contains only the delivered
  // ones and those whose outcome the dead workers did not record.
  expect(await count("FROM message_attempts WHERE seq > 1")).toBe(0);
  expect(await count("FROM messages WHERE attempts <> 1")).toBe(0);
  // Counted by id: when a worker dies between its COMMIT and the end of its job, the receipts are stored once more.
  const untold = await count(
    "FROM (SELECT DISTINCT provider_message_id FROM receipts WHERE message_id IS NULL) AS untold",
  );
  expect(await count("FROM (SELECT DISTINCT provider_message_id FROM receipts) AS taken")).toBe(delivered + untold);
  expect(untold).toBeLessThanOrEqual(unknown);
  const books = await database.booksOf(account.accountId);
  expect(books).toEqual({
    balance: BALANCE * 1_000_000 - delivered * PRICE_MICROS,
    held: 0,
    ledger: books.balance,
    charges: COUNT,
    refunds: COUNT - delivered,
    messages: COUNT,
  });
  expect(await runCommand("admin.mjs", databaseUrl, "ledger", "check", "--json")).toContain('"drifted":[]');
  // Every change of status raised its event exactly once.
  expect(await count("FROM events WHERE type = 'message.delivered'")).toBe(delivered);
  expect(await count("FROM events WHERE type = 'message.failed'")).toBe(COUNT - delivered);
  expect(await count("FROM (SELECT 1 FROM events GROUP BY message_id, type HAVING count(*) > 1) AS repeated")).toBe(0);
});
