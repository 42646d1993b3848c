/**
 * Measures the whole path of webhooks, compared with a bare loop of signed requests: events are recorded as status changes record
 * them, a worker posts them to a receiver that acknowledges at once, and their deliveries are stored.
 */
import type { ChildProcess } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "pg";
import { pool, transaction } from "@/server/core/db";
import { newId } from "@/server/core/ids";
import { eventTypeFor } from "@/server/messages/status";
import { recordEvents } from "@/server/webhooks/delivery/outbox";
import { newSigningSecret } from "@/server/webhooks/delivery/signature";
import { sealSecret } from "@/server/webhooks/secrets";
import type { PostPlan, PostResult, ReceiverCount } from "./hook-peer";
import { endChild } from "./kit/client";
import { median } from "./kit/figures";
import { askPeer, nextMessage, startPeer } from "./kit/peer-process";
import { cpuSeconds, familyCpuSeconds, requireProc } from "./kit/processes";
import {
  build,
  type Customer,
  makeCustomer,
  makeDatabase,
  openClient,
  openFolder,
  openServer,
  serviceSettings,
  startService,
} from "./kit/service";
import type { Options, Outcome, Stage, Workload } from "./kit/workload";

/** This many messages share a transaction when a worker dispatches under load. */
const MESSAGES_PER_RECORDING = 30;
const RECORDERS = 2;
const STATUSES = ["sent", "delivered"] as const;
const PEER = "hook-peer.ts";
const WARM_UP_MESSAGES = 2_000;
const PEER_WARM_UP_S = 2;
/** Rare enough to cost nothing compared with the measured work. */
const POLL_MS = 250;
const STUCK_AFTER_MS = 60_000;
/** The size of a real event. */
const PEER_BODY = JSON.stringify({
  id: newId("event"),
  object: "event",
  type: "message.delivered",
  created_at: new Date().toISOString(),
  data: {
    id: newId("message"),
    object: "message",
    to: "+14155550123",
    from: "BENCH",
    body: "Your code is 482913.",
    status: "delivered",
    cost: 0.01,
    currency: "USD",
    provider: "sandbox",
    provider_message_id: "up-1",
    attempts: 1,
    error: null,
    created_at: new Date().toISOString(),
    sent_at: new Date().toISOString(),
    delivered_at: new Date().toISOString(),
    failed_at: null,
    reference: "order 7",
  },
});

/** `rows` by table: inserted, updated, and updated without an index write (HOT). */
type Writes = { walBytes: number; fullPages: number; rows: Record<string, { ins: number; upd: number; hot: number }> };

type Round = {
  peer: PostResult & { perSecond: number };
  events: number;
  seconds: number;
  perSecond: number;
  ratio: number;
  cpuUs: { worker: number; postgres: number; peer: number };
  repeats: number;
  writes: Writes;
};

const TABLES = ["events", "webhook_deliveries", "webhook_tries", "list_totals", "_private_jobs"];

async function readWrites(database: Client): Promise<Writes> {
  const { rows: wal } = await database.query<{ bytes: string; pages: string }>(
    "SELECT wal_bytes::text AS bytes, wal_fpi::text AS pages FROM pg_stat_wal",
  );
  const { rows } = await database.query<{ name: string; ins: number; upd: number; hot: number }>(
    `SELECT relname AS name, n_tup_ins::float8 AS ins, n_tup_upd::float8 AS upd, n_tup_hot_upd::float8 AS hot
     FROM pg_stat_user_tables WHERE relname = ANY($1)`,
    [TABLES],
  );
  return {
    walBytes: Number(wal[0]?.bytes),
    fullPages: Number(wal[0]?.pages),
    rows: Object.fromEntries(rows.map(({ name, ...counts }) => [name, counts])),
  };
}

/** Writes between two readings, per event. */
function writesPerEvent(before: Writes, after: Writes, events: number): Writes {
  const per = (one: number, other: number) => Math.round(((other - one) / events) * 1_000) / 1_000;
  return {
    walBytes: Math.round((after.walBytes - before.walBytes) / events),
    fullPages: per(before.fullPages, after.fullPages),
    rows: Object.fromEntries(
      Object.entries(after.rows).map(([name, { ins, upd, hot }]) => {
        const former = before.rows[name] ?? { ins: 0, upd: 0, hot: 0 };
        return [name, { ins: per(former.ins, ins), upd: per(former.upd, upd), hot: per(former.hot, hot) }];
      }),
    ),
  };
}

/** Inserts messages that have reached `delivered`, without a send. */
async function insertMessages({ accountId, sender }: Customer, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId("message"));
  await pool().query(
    `INSERT INTO messages (id, account_id, to_number, from_sender, body, encoding, segments, status, cost_micros, currency,
       chain, provider, provider_message_id, attempts, reference, created_at, sent_at, delivered_at)
     SELECT id, $2, '+14155550123', $3, 'Your code is 482913. It expires in ten minutes.', 'GSM-7', 1, 'delivered', 10000,
       'USD', '{sandbox}', 'sandbox', 'up-' || id, 1, 'order 7', now(), now(), now() FROM unnest($1::text[]) AS id`,
    [ids, accountId, sender],
  );
  return ids;
}

/** Records the events of all messages, some messages to a transaction, several transactions at once. */
async function record(accountId: string, messageIds: readonly string[]): Promise<void> {
  const waiting = [...messageIds];
  const recorder = async () => {
    for (let batch = waiting.splice(0, MESSAGES_PER_RECORDING); batch.length > 0; ) {
      for (const status of STATUSES) {
        const type = eventTypeFor(status);
        if (!type) continue;
        const events = batch.map((messageId) => ({ accountId, messageId, type, status, at: new Date() }));
        await transaction((tx) => recordEvents(tx, events));
      }
      batch = waiting.splice(0, MESSAGES_PER_RECORDING);
    }
  };
  await Promise.all(Array.from({ length: RECORDERS }, recorder));
}

const countReceived = (receiver: ChildProcess): Promise<ReceiverCount> => askPeer(receiver, "count");

async function runPosts(stage: Stage, plan: PostPlan): Promise<Round["peer"]> {
  const peer = await startPeer(stage, PEER, "post");
  const result = await askPeer<PostResult>(peer, plan);
  await endChild(peer);
  return { ...result, perSecond: result.posts / result.seconds };
}

/** The number of deliveries stored as delivered, and the time of the last one, by the machine's clock. */
async function readDelivered(database: Client): Promise<{ delivered: number; lastMs: number }> {
  const { rows } = await database.query<{ delivered: number; lastMs: number }>(
    `SELECT (SELECT coalesce(sum(change), 0) FROM list_totals WHERE list = 'deliveries' AND kind = 'delivered')::float8
       AS delivered, (SELECT extract(epoch FROM max(last_success_at)) * 1000 FROM webhook_endpoints)::float8 AS "lastMs"`,
  );
  return rows[0] ?? { delivered: 0, lastMs: 0 };
}

/**
 * Waits until `count` deliveries are stored as delivered.
 * @returns when the last of them was acknowledged, in Unix milliseconds.
 * @throws Error when none arrives for a minute.
 */
async function waitForDelivered(database: Client, count: number, signal: AbortSignal): Promise<number> {
  let last = { delivered: -1, atMs: performance.now() };
  for (;;) {
    const { delivered, lastMs } = await readDelivered(database);
    if (delivered >= count) return lastMs;
    if (delivered > last.delivered) last = { delivered, atMs: performance.now() };
    else if (performance.now() - last.atMs > STUCK_AFTER_MS) {
      throw new Error(`Only ${delivered} of ${count} events were delivered, and none in the last minute.`);
    }
    await pause(POLL_MS, undefined, { signal });
  }
}

function print(rounds: Round[], ratio: number, isExact: boolean): string {
  const columns = ["events/s", "posts/s", "ratio", "worker", "PostgreSQL", "a post", "WAL", "pages"];
  const lines = rounds.map(({ perSecond, peer, ratio: own, cpuUs, writes }) =>
    [
      ...[perSecond.toFixed(0), peer.perSecond.toFixed(0), own.toFixed(2)],
      ...[cpuUs.worker, cpuUs.postgres, cpuUs.peer].map((us) => us.toFixed(0)),
      ...[String(writes.walBytes), writes.fullPages.toFixed(2)],
    ]
      .map((text) => text.padStart(12))
      .join(""),
  );
  const rows = Object.entries(rounds.at(-1)?.writes.rows ?? {}).map(
    ([name, { ins, upd, hot }]) => `  ${name.padEnd(20)}${ins} inserted, ${upd} updated (${hot} HOT)`,
  );
  return [
    "events delivered to one endpoint that responds at once, beside a bare loop of signed requests",
    "(processor time in µs and WAL in bytes per event; pages: full pages among the WAL)",
    columns.map((name) => name.padStart(12)).join(""),
    ...lines,
    `median ratio ${ratio.toFixed(2)}`,
    "rows per event, last round",
    ...rows,
    isExact ? "every event was delivered and stored once" : "EVENTS WERE LOST OR STORED TWICE",
    "",
  ].join("\n");
}

async function run({ seconds, rounds, connections, backlog }: Options, stage: Stage): Promise<Outcome> {
  requireProc();
  stage.say("Building what is measured, if it is not");
  await build(stage);
  const folder = await openFolder(stage);
  const server = await openServer(stage, folder, connections);
  const customer = makeCustomer();
  const url = await makeDatabase(server, "messaging", customer);
  const settings = { ...serviceSettings(url, 1), WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8" };
  Object.assign(process.env, settings);
  await stage.keep(
    async () => pool(),
    (connected) => connected.end(),
  );
  const database = await openClient(stage, url);
  const receiver = await startPeer(stage, PEER, "receive");
  const port = await nextMessage<number>(receiver);
  const hook = `http://127.0.0.1:${port}/hook`;
  const secret = newSigningSecret();
  await database.query(
    `INSERT INTO webhook_endpoints (id, account_id, url, events, secret_sealed)
     VALUES ($1, $2, $3, '{message.sent,message.delivered,message.failed}', $4)`,
    [newId("endpoint"), customer.accountId, hook, sealSecret(secret)],
  );
  const worker = await startService(stage, "worker", settings, folder);
  let recorded = 0;
  const deliver = async (messageIds: readonly string[]) => {
    recorded += messageIds.length * STATUSES.length;
    const startedMs = Date.now();
    await record(customer.accountId, messageIds);
    return ((await waitForDelivered(database, recorded, stage.signal)) - startedMs) / 1_000;
  };
  const plan = { url: hook, secret, body: PEER_BODY, connections };
  stage.say("Warming up");
  await deliver(await insertMessages(customer, WARM_UP_MESSAGES));
  await runPosts(stage, { ...plan, seconds: PEER_WARM_UP_S });

  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    stage.say(`Round ${round} of ${rounds}`);
    const messageIds = await insertMessages(customer, Math.ceil(backlog / STATUSES.length));
    await database.query("ANALYZE; CHECKPOINT");
    const peer = await runPosts(stage, { ...plan, seconds });
    const [counted, writes] = [await countReceived(receiver), await readWrites(database)];
    const cpu = { worker: cpuSeconds(worker.pid), postgres: familyCpuSeconds(server.pid) };
    const tookS = await deliver(messageIds);
    const events = messageIds.length * STATUSES.length;
    const perEvent = (cpuS: number) => (cpuS * 1e6) / events;
    const cpuUs = {
      worker: perEvent(cpuSeconds(worker.pid) - cpu.worker),
      postgres: perEvent(familyCpuSeconds(server.pid) - cpu.postgres),
      peer: (peer.cpuS * 1e6) / peer.posts,
    };
    // The statistics of other connections reach the views within a second.
    await pause(1_500, undefined, { signal: stage.signal });
    const [received, written] = [await countReceived(receiver), await readWrites(database)];
    measured.push({
      peer,
      events,
      seconds: tookS,
      perSecond: events / tookS,
      ratio: events / tookS / peer.perSecond,
      cpuUs,
      repeats: received.requests - counted.requests - events,
      writes: writesPerEvent(writes, written, events),
    });
  }
  const { rows } = await database.query<{ events: number; delivered: number }>(
    `SELECT (SELECT count(*) FROM events)::float8 AS events,
       (SELECT count(*) FROM webhook_deliveries WHERE status = 'delivered')::float8 AS delivered`,
  );
  const isExact = rows[0]?.events === recorded && rows[0].delivered === recorded;
  const ratio = median(measured.map((each) => each.ratio));
  const figures = { workload: "hooks", rounds: measured, medianRatio: ratio };
  return { ok: isExact, text: print(measured, ratio, isExact), figures };
}

export const hooks: Workload = {
  summary: "events delivered to an endpoint, compared with a bare loop of signed requests",
  run,
};
