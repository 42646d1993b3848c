import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, beforeAll, expect, inject, test } from "vitest";
import { pool } from "@/server/core/db";
import { sendMessage } from "@/server/messages/accept/send";
import { getMessage } from "@/server/messages/read";
import { pauseEndpoint, resumeEndpoint } from "@/server/webhooks/pause";
import { makeRoute } from "@/test/database/routes";
import { makeAccount } from "@/test/database/seed";
import { deliveriesOf, raiseSent, startWebhook, triesOf } from "@/test/database/webhooks";
import { status } from "@/test/network/receiver";

const workers = new Set<ChildProcess>();

beforeAll(() => makeRoute());

afterEach(async () => {
  for (const worker of workers) {
    worker.kill("SIGKILL");
    if (worker.exitCode === null && worker.signalCode === null) await once(worker, "exit");
  }
  workers.clear();
});

/** Starts a real worker process on this test's database and waits until it takes jobs. */
async function startWorker(logLevel = "info"): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [inject("programs").worker], {
    env: { ...process.env, LOG_LEVEL: logLevel, NODE_ENV: "production" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  workers.add(worker);
  let output = "";
  worker.stdout?.on("data", (chunk) => (output += chunk));
  await expect.poll(() => output).toContain("worker.ready");
  return worker;
}

const attemptsOf = async (messageId: string) =>
  (await pool().query("SELECT 1 FROM message_attempts WHERE message_id = $1", [messageId])).rowCount;

const lockedJobs = async () =>
  (await pool().query("SELECT 1 FROM graphile_worker.jobs WHERE locked_at IS NOT NULL")).rowCount;

test("the work of a killed worker is taken over within seconds, and nothing is sent twice", async () => {
  // The customer's server does not respond to the first try, so its job is under way when the worker dies.
  const { account, endpoint, receiver } = await startWebhook(() => undefined);
  const send = (to: string) =>
    sendMessage(
      account.actor,
      { to, from: account.senderId, body: "x" },
      { idempotency: () => null, responseHeaders: {} },
    );
  const first = await startWorker();
  // This carrier does not respond for ten seconds.
  const hanging = await send("+15550100005");
  await expect.poll(() => attemptsOf(hanging.id)).toBe(1);
  await send("+15550100008");
  await expect.poll(() => receiver.received.length).toBe(1);
  first.kill("SIGKILL");
  await once(first, "exit");
  expect(await lockedJobs()).toBeGreaterThan(0);
  receiver.respondWith(status(200));
  const waiting = await send("+15550100001");

  await startWorker();
  await expect.poll(async () => (await getMessage(account.actor, waiting.id)).status).toBe("delivered");
  await expect.poll(lockedJobs).toBe(0);
  const delivered = async () => (await deliveriesOf(endpoint.id)).map((delivery) => delivery.status);
  await expect.poll(delivered).toEqual(["delivered", "delivered", "delivered"]);
  // The event of the interrupted request arrived twice, under one id, and is one try of one delivery.
  const ids = receiver.received.map(({ body }) => JSON.parse(body.toString()).id);
  expect([ids.length, new Set(ids).size]).toEqual([4, 3]);
  expect(await triesOf(endpoint.id)).toHaveLength(3);
  expect(await attemptsOf(hanging.id)).toBe(1);
  expect((await getMessage(account.actor, hanging.id)).status).toBe("pending");
}, 240_000);

test("a delivery whose worker is killed during a pause waits with the others, and is sent after it", async () => {
  const webhook = await startWebhook(() => undefined);
  const { account, endpoint, receiver } = webhook;
  const first = await startWorker();
  await raiseSent(webhook);
  await expect.poll(() => receiver.received.length).toBe(1);
  await pauseEndpoint(account.actor, endpoint.id);
  first.kill("SIGKILL");
  await once(first, "exit");
  receiver.respondWith(status(200));
  await raiseSent(webhook);

  await startWorker();
  const statuses = async () => (await deliveriesOf(endpoint.id)).map((delivery) => delivery.status);
  await expect.poll(statuses).toEqual(["held", "held"]);
  await expect.poll(lockedJobs).toBe(0);
  expect(receiver.received).toHaveLength(1);
  await resumeEndpoint(account.actor, endpoint.id);
  await expect.poll(statuses).toEqual(["delivered", "delivered"]);
  const ids = receiver.received.map(({ body }) => JSON.parse(body.toString()).id);
  expect([ids.length, new Set(ids).size]).toEqual([3, 2]);
}, 240_000);

test("a stopping worker finishes the work that it has begun and leaves no lock behind", async () => {
  // Locks left by killed workers of earlier tests.
  await pool().query("UPDATE graphile_worker._private_jobs SET locked_at = NULL, locked_by = NULL");
  const account = await makeAccount();
  const worker = await startWorker();
  const reported = async () =>
    (
      await pool().query(
        `SELECT 1 FROM receipts UNION ALL SELECT 1 FROM graphile_worker.jobs WHERE task_identifier = 'apply_receipts'`,
      )
    ).rowCount ?? 0;
  const before = await reported();
  const { id } = await sendMessage(
    account.actor,
    // The receipt comes before the response, which takes a second.
    { to: "+15550100006", from: account.senderId, body: "x" },
    { idempotency: () => null, responseHeaders: {} },
  );
  // A posted receipt proves that the carrier was called.
  await expect.poll(reported).toBeGreaterThan(before);
  worker.kill("SIGTERM");
  const [code] = await once(worker, "exit");
  expect(code).toBe(0);
  // A job may be running at this moment; one that a lost reply left locked stays so.
  await expect.poll(lockedJobs).toBe(0);
  expect((await getMessage(account.actor, id)).status).not.toBe("pending");
}, 240_000);

test("a worker whose lock connection is lost takes its locks again, on one connection", async () => {
  await startWorker();
  const holders = async () =>
    (
      await pool().query<{ pid: number }>(
        `SELECT DISTINCT a.pid FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid AND l.locktype = 'advisory'
       WHERE a.datname = current_database() AND a.application_name = 'worker-lease'`,
      )
    ).rows;
  await expect.poll(async () => (await holders()).length).toBe(1);
  const [before] = await holders();
  await pool().query("SELECT pg_terminate_backend($1)", [before?.pid]);
  await expect.poll(async () => (await holders()).map(({ pid }) => pid !== before?.pid)).toEqual([true]);
}, 240_000);

/** Sends messages that the sandbox delivers at once, and waits until they are delivered. */
async function expectDelivery(count = 1): Promise<void> {
  const account = await makeAccount();
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const input = { to: "+15550100001", from: account.senderId, body: `${at}` };
    ids.push((await sendMessage(account.actor, input, { idempotency: () => null, responseHeaders: {} })).id);
  }
  const statuses = async () =>
    new Set(await Promise.all(ids.map(async (id) => (await getMessage(account.actor, id)).status)));
  await expect.poll(statuses).toEqual(new Set(["delivered"]));
}

test("a failing job ends no queue, at any log level", async () => {
  const worker = await startWorker("debug");
  for (const task of ["dispatch_messages", "apply_receipts", "deliver_events", "sweep_messages"]) {
    // Their payloads are invalid. A recurring job without a try left would count as replaced by the next one.
    const tries = task === "sweep_messages" ? 25 : 1;
    await pool().query("SELECT graphile_worker.add_job($1, '[]'::json, max_attempts := $2)", [task, tries]);
  }
  const tried = async () =>
    (await pool().query("SELECT 1 FROM graphile_worker.jobs WHERE attempts > 0 AND locked_at IS NULL")).rowCount;
  await expect.poll(tried).toBe(4);
  await expectDelivery();
  expect(worker.exitCode).toBeNull();
  await pool().query("DELETE FROM graphile_worker._private_jobs");
}, 240_000);

test("a worker that loses all its connections repeatedly keeps working", async () => {
  const worker = await startWorker();
  const account = await makeAccount();
  const send = (at: number) =>
    sendMessage(
      account.actor,
      { to: "+15550100001", from: account.senderId, body: `${at}` },
      { idempotency: () => null, responseHeaders: {} },
    );
  const ids: string[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    for (let at = 0; at < 20; at += 1) ids.push((await send(turn * 20 + at)).id);
    await pool().query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
  }
  const open = async () =>
    (
      await pool().query(
        "SELECT 1 FROM messages WHERE id = ANY($1::text[]) AND status NOT IN ('delivered', 'undelivered', 'failed')",
        [ids],
      )
    ).rowCount;
  // A lost outcome would keep its message pending for a quarter of an hour, so none was lost.
  await expect.poll(open, { timeout: 45_000 }).toBe(0);
  await expectDelivery(5);
  expect(worker.exitCode).toBeNull();
  // A job may be running at this moment; one that a lost reply left locked stays so.
  await expect.poll(lockedJobs).toBe(0);
}, 240_000);

test("the claims of a suspended worker are taken back, and it makes none of them when it resumes", async () => {
  // Leases of killed workers of earlier tests.
  await pool().query("DELETE FROM workers");
  const first = await startWorker();
  first.kill("SIGSTOP");
  const leases = async () =>
    (
      await pool().query<{ id: string; age: number }>(
        "SELECT id, extract(epoch FROM clock_timestamp() - seen_at)::float8 AS age FROM workers",
      )
    ).rows;
  const [suspended, ...others] = await leases();
  expect(others).toEqual([]);
  const account = await makeAccount();
  const { id } = await sendMessage(
    account.actor,
    { to: "+15550100001", from: account.senderId, body: "x" },
    { idempotency: () => null, responseHeaders: {} },
  );
  // Simulates a process that was suspended right after its claim.
  await pool().query(
    `INSERT INTO message_attempts (message_id, seq, provider, started_at, worker_id, claim)
     VALUES ($1, 1, 'sandbox', now(), $2, gen_random_uuid())`,
    [id, suspended?.id],
  );
  await startWorker();
  await expect.poll(async () => (await getMessage(account.actor, id)).status).toBe("delivered");
  expect(await attemptsOf(id)).toBe(1);
  first.kill("SIGCONT");
  await expect.poll(async () => (await leases()).filter(({ age }) => age < 3).length).toBe(2);
  expect(await attemptsOf(id)).toBe(1);
}, 240_000);
