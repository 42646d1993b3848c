/**
 * Compares the service with Kannel, an SMS gateway in C that keeps messages in files. It measures the rate at which single sends
 * are accepted while nothing is dispatched, and that of messages end to end over SMPP, from the HTTP request to the customer's
 * callback, with one message centre for both. Kannel bills nothing, signs nothing and does not sync its files. The rate of an HTTP
 * server of Node.js that only parses and responds shows how much of the difference is Node's.
 */
import type { ChildProcess } from "node:child_process";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "@/scripts/free-port";
import { newId } from "@/server/core/ids";
import { KANNEL_USER, type Kannel, requireKannel, startKannel } from "./kannel-gateway";
import type { PeerCount } from "./kannel-peer";
import { type Check, checkService } from "./kit/books";
import { runLoad } from "./kit/client";
import { settleJobs } from "./kit/drain";
import { median } from "./kit/figures";
import type { LoadPlan } from "./kit/load";
import { keysOf, TEXT } from "./kit/load-plan";
import { askPeer, nextMessage, startPeer } from "./kit/peer-process";
import { cpuSeconds, familyCpuSeconds, requireProc } from "./kit/processes";
import { openFolder, openService } from "./kit/service";
import {
  COUNTING_STATEMENTS,
  countStatements,
  readStatements,
  type StatementCost,
  statementLines,
} from "./kit/statements";
import type { Options, Outcome, Stage, Workload } from "./kit/workload";

/** Submits in flight, for both. */
const WINDOW = 100;
const STUCK_AFTER_MS = 60_000;
const POLL_MS = 50;
/** The number of distinct requests that the load client has. */
const LIFE_MAX = 10_000;
const MICROS = 1_000_000;
const PEER = "kannel-peer.ts";
const WARM_UP_S = 3;
const WARM_UP_MESSAGES = 1_000;

/** A side of the comparison: where it accepts sends, and its processes' CPU time so far, in seconds. */
type Side = { plan: Pick<LoadPlan, "port" | "keys" | "kannel">; cpu: () => Record<string, number> };

type Accepted = { perSecond: number; p50: number; p99: number; cpuUs: Record<string, number> };
type Life = { perSecond: number; seconds: number; repeats: number; cpuUs: Record<string, number> };
type Measured<Result> = { kannel: Result; service: Result; ratio: number };
/** `bareRatio`: the rate of the bare HTTP server, of Kannel's. */
type MeasuredAccepted = Measured<Accepted> & { bare: Accepted; bareRatio: number };

const sideOf = ({ sendsPort, bearerboxPid, smsboxPid }: Kannel, receiptUrl: string | null): Side => ({
  // As many different requests as for the service, whose customer has 200 keys.
  plan: { port: sendsPort, keys: Array.from({ length: 200 }, String), kannel: { ...KANNEL_USER, receiptUrl } },
  cpu: () => ({ bearerbox: cpuSeconds(bearerboxPid), smsbox: cpuSeconds(smsboxPid) }),
});

const count = (peer: ChildProcess): Promise<PeerCount> => askPeer(peer, "count");

/** Processor time in microseconds for each of `messages` since `before`. */
const cpuSince = (side: Side, before: Record<string, number>, messages: number): Record<string, number> =>
  Object.fromEntries(
    Object.entries(side.cpu()).map(([name, seconds]) => [name, ((seconds - (before[name] ?? 0)) * MICROS) / messages]),
  );

type Sends = { connections: number; sender: string };

async function measureAccepted(stage: Stage, side: Side, sends: Sends, seconds: number): Promise<Accepted> {
  const before = side.cpu();
  const result = await runLoad(stage, { ...side.plan, ...sends, text: TEXT, seconds, limit: null, rate: null });
  if (result.refusal) throw new Error(`A send was refused: ${result.refusal}`);
  const { p50, p99 } = result.latencyMs;
  return { perSecond: result.accepted / result.elapsedS, p50, p99, cpuUs: cpuSince(side, before, result.accepted) };
}

/**
 * Sends `messages` and waits for the callback of each.
 * @throws Error when a send is refused, or no callback comes for a minute.
 */
async function measureLife(
  stage: Stage,
  side: Side,
  sends: Sends,
  messages: number,
  customer: ChildProcess,
): Promise<Life> {
  const [before, cpuBefore] = [await count(customer), side.cpu()];
  const startedAt = performance.now();
  const load = runLoad(stage, { ...side.plan, ...sends, text: TEXT, seconds: null, limit: messages, rate: null });
  let seen = { distinct: before.distinct, atMs: startedAt };
  for (;;) {
    const { distinct, all } = await count(customer);
    const atMs = performance.now();
    if (distinct > seen.distinct) seen = { distinct, atMs };
    if (distinct - before.distinct >= messages) {
      const result = await load;
      if (result.accepted !== messages)
        throw new Error(`Only ${result.accepted} sends were accepted: ${result.refusal}`);
      const seconds = (atMs - startedAt) / 1_000;
      const repeats = all - before.all - messages;
      return { perSecond: messages / seconds, seconds, repeats, cpuUs: cpuSince(side, cpuBefore, messages) };
    }
    if (atMs - seen.atMs > STUCK_AFTER_MS) {
      throw new Error(`${distinct - before.distinct} of ${messages} callbacks came, and none in the last minute.`);
    }
    await pause(POLL_MS, undefined, { signal: stage.signal });
  }
}

/** The built service: one web process, and a worker if it has a message centre. */
async function startOurs(stage: Stage, connections: number, life: { centre: number; callback: string } | null) {
  const environment = life && {
    SMPP_URL: `smpp://127.0.0.1:${life.centre}`,
    SMPP_SYSTEM_ID: "bench",
    SMPP_PASSWORD: "bench",
    SMPP_WINDOW: String(WINDOW),
    WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8",
  };
  const service = await openService(stage, {
    connections,
    ...(environment && { environment, database: COUNTING_STATEMENTS }),
  });
  const { database, customer, web, server } = service;
  // The flood rules are off, because the same few texts go to the same numbers all the time.
  await database.query("UPDATE accounts SET flood_identical = 0, flood_total = 0");
  if (life) {
    await database.query("UPDATE routes SET chain = '{smpp}'");
    Object.assign(process.env, service.environment);
    const { sealSecret } = await import("@/server/webhooks/secrets");
    const { newSigningSecret } = await import("@/server/webhooks/delivery/signature");
    await database.query(
      `INSERT INTO webhook_endpoints (id, account_id, url, events, secret_sealed) VALUES ($1, $2, $3, '{message.delivered}', $4)`,
      [newId("endpoint"), customer.accountId, life.callback, sealSecret(newSigningSecret())],
    );
  }
  const worker = life && (await service.start("worker"));
  const side: Side = {
    plan: { port: service.port, keys: keysOf(customer) },
    cpu: () => ({
      web: cpuSeconds(web.pid),
      ...(worker && { worker: cpuSeconds(worker.pid) }),
      PostgreSQL: familyCpuSeconds(server.pid),
    }),
  };
  return { side, sender: customer.sender, database };
}

/** The HTTP server that only parses and responds. */
async function startBare(stage: Stage): Promise<Side> {
  const peer = await startPeer(stage, PEER, "bare");
  const { pid = 0 } = peer;
  const port = await nextMessage<number>(peer);
  return {
    plan: { port, keys: Array.from({ length: 200 }, String) },
    cpu: () => ({ web: cpuSeconds(pid) }),
  };
}

async function run({ seconds, rounds, connections, backlog }: Options, stage: Stage): Promise<Outcome> {
  requireProc();
  requireKannel();
  const messages = Math.min(backlog, LIFE_MAX);
  const [centre, callbacks] = [await startPeer(stage, PEER, "centre"), await startPeer(stage, PEER, "customer")];
  const [centrePort, callbackPort] = [await nextMessage<number>(centre), await nextMessage<number>(callbacks)];
  const bare = await startBare(stage);
  const callback = `http://127.0.0.1:${callbackPort}/receipts`;
  const folder = await openFolder(stage);
  const waiting = await startOurs(stage, connections, null);
  const living = await startOurs(stage, connections, { centre: centrePort, callback });
  stage.say("Starting Kannel");
  const storing = sideOf(await startKannel(stage, path.join(folder, "storing"), await freePort(), WINDOW), null);
  const gateway = await startKannel(stage, path.join(folder, "gateway"), centrePort, WINDOW);
  const sends = { connections, sender: living.sender };
  const receiptsOf = (round: number) => sideOf(gateway, `${callback}/${round}`);

  stage.say("Warming both up");
  await measureAccepted(stage, storing, sends, WARM_UP_S);
  await measureAccepted(stage, waiting.side, sends, WARM_UP_S);
  await measureAccepted(stage, bare, sends, WARM_UP_S);
  await measureLife(stage, receiptsOf(0), sends, WARM_UP_MESSAGES, callbacks);
  await measureLife(stage, living.side, sends, WARM_UP_MESSAGES, callbacks);
  const [accepted, lives]: [MeasuredAccepted[], Measured<Life>[]] = [[], []];
  let statements: StatementCost[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    stage.say(`Round ${round} of ${rounds}: sends accepted by Kannel, by the service, and by a bare HTTP server`);
    const stored = await measureAccepted(stage, storing, sends, seconds);
    const own = await measureAccepted(stage, waiting.side, sends, seconds);
    const least = await measureAccepted(stage, bare, sends, seconds);
    accepted.push({
      kannel: stored,
      service: own,
      ratio: own.perSecond / stored.perSecond,
      bare: least,
      bareRatio: least.perSecond / stored.perSecond,
    });
    stage.say(`Round ${round} of ${rounds}: ${messages} messages from request to callback, Kannel first`);
    const theirs = await measureLife(stage, receiptsOf(round), sends, messages, callbacks);
    await countStatements(living.database);
    const ours = await measureLife(stage, living.side, sends, messages, callbacks);
    statements = await readStatements(living.database, messages);
    lives.push({ kannel: theirs, service: ours, ratio: ours.perSecond / theirs.perSecond });
  }
  await settleJobs(stage, living.database);
  const checks = await checkService(living.database, WARM_UP_MESSAGES + rounds * messages);
  const figures = {
    workload: "kannel",
    messages,
    accepted,
    lives,
    statements,
    checks,
    acceptedRatio: median(accepted.map(({ ratio }) => ratio)),
    bareRatio: median(accepted.map(({ bareRatio }) => bareRatio)),
    lifeRatio: median(lives.map(({ ratio }) => ratio)),
  };
  return { ok: checks.every(({ ok }) => ok), text: print(figures), figures };
}

type Figures = {
  messages: number;
  accepted: MeasuredAccepted[];
  lives: Measured<Life>[];
  /** PostgreSQL's time during the last round of messages end to end. */
  statements: StatementCost[];
  checks: Check[];
  acceptedRatio: number;
  bareRatio: number;
  lifeRatio: number;
};

const costs = (cpuUs: Record<string, number>): string =>
  Object.entries(cpuUs)
    .map(([name, us]) => `${name} ${us.toFixed(0)}`)
    .join(" · ");

function print({
  messages,
  accepted,
  lives,
  statements,
  checks,
  acceptedRatio,
  bareRatio,
  lifeRatio,
}: Figures): string {
  const acceptedLine = (name: string, { perSecond, p50, p99, cpuUs }: Accepted) =>
    `  ${name.padEnd(10)}${perSecond.toFixed(0).padStart(7)}/s   p50 ${p50.toFixed(1)} ms   p99 ${p99.toFixed(1)} ms   CPU µs: ${costs(cpuUs)}`;
  const lifeLine = (name: string, { perSecond, seconds, repeats, cpuUs }: Life) =>
    `  ${name.padEnd(10)}${perSecond.toFixed(0).padStart(7)}/s   ${seconds.toFixed(1)} s   ${repeats} repeated callbacks   CPU µs: ${costs(cpuUs)}`;
  return [
    "sends accepted, nothing dispatched (Kannel: files, not synced; the service: PostgreSQL, fsync on)",
    ...accepted.flatMap((round) => [
      acceptedLine("Kannel", round.kannel),
      `${acceptedLine("service", round.service)}   ratio ${round.ratio.toFixed(2)}`,
      `${acceptedLine("bare HTTP", round.bare)}   ratio ${round.bareRatio.toFixed(2)}`,
    ]),
    `median ratio ${acceptedRatio.toFixed(2)}; of a bare HTTP server of Node.js, which stores nothing, ${bareRatio.toFixed(2)}`,
    "",
    `${messages} messages from the HTTP request over SMPP to the customer's callback (window of ${WINDOW} for both)`,
    ...lives.flatMap(({ kannel, service, ratio }) => [
      lifeLine("Kannel", kannel),
      `${lifeLine("service", service)}   ratio ${ratio.toFixed(2)}`,
    ]),
    `median ratio ${lifeRatio.toFixed(2)}`,
    "",
    "PostgreSQL's time in the service's last round",
    ...statementLines(statements),
    "",
    ...checks.map(({ ok, text }) => `${ok ? "ok" : "BROKEN"}  ${text}`),
    "",
  ].join("\n");
}

export const kannel: Workload = {
  summary: "sends accepted, and messages end to end over SMPP, compared with Kannel",
  run,
};
