/**
 * Measures accepted single sends per second over HTTP, compared with pgbench running one transaction per send on the
 * same server, and then how fast the resulting backlog is delivered.
 */
import os from "node:os";
import type { Client } from "pg";
import { createDatabase } from "@/scripts/postgres/server";
import { checkPeer, checkService } from "./kit/books";
import { runLoad, startLoad } from "./kit/client";
import { drain } from "./kit/drain";
import { type Cpu, median, type Round, type SendsFigures } from "./kit/figures";
import type { LoadPlan, LoadResult } from "./kit/load";
import { planOf, TEXT } from "./kit/load-plan";
import { measureLone } from "./kit/lone-sends";
import { findPgbench, type PgbenchPlan, type PgbenchResult, runPgbench, sendScript } from "./kit/pgbench";
import {
  cpuSeconds,
  endedChildrenCpuSeconds,
  familyCpuSeconds,
  peakMemory,
  requireProc,
  watchFamilyMemory,
} from "./kit/processes";
import { type OpenService, openClient, openService, PRICE_MICROS, type Service } from "./kit/service";
import type { Options, Outcome, Stage, Workload } from "./kit/workload";
import { printSends } from "./print-sends";

/** Both sides run this long before measuring, to compile code, fill caches and open connections. */
const WARM_UP_S = 4;
const PROBE_PER_S = 50;
const PROBE_CONNECTIONS = 16;
const PROBE_AT_REST_S = 5;

type Timed = LoadPlan & { seconds: number };

async function describeMachine(database: Client, loadAtStart: number): Promise<SendsFigures["machine"]> {
  const { rows } = await database.query<{ version: string; fsync: string; commit: string }>(
    `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
            current_setting('synchronous_commit') AS commit`,
  );
  const [settings] = rows;
  return {
    cores: os.availableParallelism(),
    processor: os.cpus()[0]?.model.trim() ?? "unknown",
    node: process.versions.node,
    postgres: `${settings?.version}, fsync ${settings?.fsync}, synchronous_commit ${settings?.commit}`,
    loadAtStart,
  };
}

/** Runs load clients, and sums what they report. Both throw an error when the web process has ended. */
function openSends(stage: Stage, web: Service) {
  const seen: LoadResult[] = [];
  const total = (of: (result: LoadResult) => number) => seen.reduce((sum, result) => sum + of(result), 0);
  const requireWeb = async () => {
    if (web.hasEnded()) throw new Error(`The web process ended:\n${await web.problems()}`);
  };
  const add = async (result: LoadResult): Promise<LoadResult> => {
    await requireWeb();
    seen.push(result);
    return result;
  };
  return {
    /** Adds the result of a client that was started elsewhere. */
    add,
    send: async (plan: LoadPlan): Promise<LoadResult> => {
      await requireWeb();
      return add(await runLoad(stage, plan));
    },
    sums: () => {
      const refused: Record<string, number> = {};
      for (const [status, count] of seen.flatMap((result) => Object.entries(result.statuses))) {
        if (status !== "201") refused[status] = (refused[status] ?? 0) + count;
      }
      const refusal = seen.find((result) => result.refusal)?.refusal ?? null;
      const unanswered = total((result) => result.unanswered);
      return { accepted: total((result) => result.accepted), refused, refusal, unanswered };
    },
  };
}

type Sends = ReturnType<typeof openSends>;

/** Runs pgbench, and counts its transactions. */
function openPeer(stage: Stage, plan: Omit<PgbenchPlan, "seconds">) {
  let transactions = 0;
  return {
    run: async (seconds: number): Promise<PgbenchResult> => {
      const result = await runPgbench(stage, { ...plan, seconds });
      transactions += result.transactions;
      return result;
    },
    transactions: () => transactions,
  };
}

type Peer = ReturnType<typeof openPeer>;

/** Starts to count processor time. @returns ends it; `worker` is one that was started meanwhile. */
function countCpu({ web, server }: OpenService): (worker?: Service) => Cpu {
  const read = () => ({
    web: cpuSeconds(web.pid),
    postgres: familyCpuSeconds(server.pid),
    client: endedChildrenCpuSeconds(),
  });
  const from = read();
  return (worker) => {
    const to = read();
    return {
      web: to.web - from.web,
      worker: worker ? cpuSeconds(worker.pid) : 0,
      postgres: to.postgres - from.postgres,
      client: to.client - from.client,
    };
  };
}

/** Each flush of the one account has one entry. */
async function countFlushes(database: Client): Promise<number> {
  const { rows } = await database.query<{ count: number }>(
    "SELECT count(*)::int4 AS count FROM ledger_entries WHERE kind = 'reserve'",
  );
  return rows[0]?.count ?? 0;
}

/** One round: pgbench, then sends by `plan`. Each checkpoint keeps either side from writing the other's dirty pages. */
async function measureRound(service: OpenService, peer: Peer, { send }: Sends, plan: Timed): Promise<Round> {
  const { database } = service;
  await database.query("CHECKPOINT");
  const peerCpu = countCpu(service);
  const pgbench = { ...(await peer.run(plan.seconds)), cpu: peerCpu() };
  await database.query("CHECKPOINT");
  const flushesBefore = await countFlushes(database);
  const sendCpu = countCpu(service);
  const result = await send(plan);
  const cpu = { ...sendCpu(), client: result.cpuS };
  const perFlush = result.accepted / ((await countFlushes(database)) - flushesBefore);
  const perSecond = result.accepted / result.elapsedS;
  return { pgbench, sends: { ...result, perSecond, perFlush, cpu }, ratio: perSecond / pgbench.perSecond };
}

/** Starts a worker on the messages that wait, and sends by `probePlan` until they are delivered. */
async function measureDrain(stage: Stage, service: OpenService, { add }: Sends, probePlan: LoadPlan) {
  const { database, customer } = service;
  await database.query("CHECKPOINT");
  stage.say("Starting the worker on the backlog");
  const drainCpu = countCpu(service);
  let cpu: Cpu = { web: 0, worker: 0, postgres: 0, client: 0 };
  let messages = 0;
  const { report, worker } = await drain(stage, {
    database,
    accountIds: [customer.accountId],
    startWorker: () => service.start("worker"),
    startProbe: () => startLoad(stage, probePlan),
    onDrained: (started, delivered) => {
      cpu = drainCpu(started);
      messages = delivered;
    },
  });
  await add(report.probe);
  return { worker, figures: { ...report, cpu: { ...cpu, client: report.probe.cpuS }, messages } };
}

async function run(options: Options, stage: Stage): Promise<Outcome> {
  requireProc();
  const program = findPgbench();
  const { seconds, rounds, connections } = options;
  const loadAtStart = os.loadavg()[0] ?? 0;
  const service = await openService(stage, {
    connections,
    // The peer's database is a copy, and a copy cannot be made while the service is connected.
    prepare: async (own) => {
      await createDatabase(own, "pgbench", "messaging");
    },
  });
  const { database, server, web, customer, port, folder } = service;
  const memory = watchFamilyMemory(server.pid);
  await stage.keep(
    async () => memory,
    async () => memory.stop(),
  );
  const { accountId, sender } = customer;
  const script = sendScript({ accountId, sender, text: TEXT, routeId: 1, priceMicros: PRICE_MICROS });
  const peerUrl = server.url("pgbench");
  const peer = openPeer(stage, { program, url: peerUrl, folder, script, connections });
  const clients = openSends(stage, web);
  const plan = planOf(customer, port, connections);
  const probePlan = { ...plan, connections: PROBE_CONNECTIONS, rate: PROBE_PER_S };

  stage.say("Warming both up");
  await peer.run(WARM_UP_S);
  await clients.send({ ...plan, seconds: WARM_UP_S });
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    stage.say(`Round ${round} of ${rounds}: pgbench, then sends`);
    measured.push(await measureRound(service, peer, clients, { ...plan, seconds }));
  }
  const webAfterSends = peakMemory(web.pid);

  const missing = options.backlog - clients.sums().accepted;
  if (missing > 0) {
    stage.say(`Sending ${missing} more, for the backlog`);
    await clients.send({ ...plan, limit: missing });
  }
  stage.say(`The API at rest: ${PROBE_PER_S} sends/s`);
  const atRest = await clients.send({ ...probePlan, seconds: PROBE_AT_REST_S });
  const drained = await measureDrain(stage, service, clients, probePlan);
  stage.say("Lone sends");
  const lone = await measureLone(stage, database, (change) => clients.send({ ...plan, ...change }));
  const peaks = {
    webAfterSends,
    webAtEnd: peakMemory(web.pid),
    worker: peakMemory(drained.worker.pid),
    postgres: memory.peak(),
  };
  const machine = await describeMachine(database, loadAtStart);

  stage.say("Stopping the service and checking the invariants");
  await Promise.all([drained.worker.stop(), web.stop()]);
  const sums = clients.sums();
  const peerDatabase = await openClient(stage, peerUrl);
  const checks = [
    ...(await checkService(database, sums.accepted)),
    ...(await checkPeer(peerDatabase, peer.transactions())),
  ];
  const figures: SendsFigures = {
    workload: "sends",
    at: new Date().toISOString(),
    machine,
    options,
    rounds: measured,
    medianRatio: median(measured.map((round) => round.ratio)),
    atRest,
    drain: drained.figures,
    lone,
    memory: peaks,
    ...sums,
    problems: [await web.problems(), await drained.worker.problems()].filter(Boolean).join("\n"),
    checks,
    ok: checks.every((check) => check.ok),
  };
  return { ok: figures.ok, text: printSends(figures), figures };
}

export const sends: Workload = {
  summary: "accepted sends per second compared with pgbench, and how fast their backlog is delivered",
  run,
};
