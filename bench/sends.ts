/**
 * Measures accepted single sends per second over HTTP, compared with pgbench running one transaction per send on the
 * same server, and then how fast the resulting backlog is delivered.
 */
import os from "node:os";
import type { Client } from "pg";
import { freePort } from "@/scripts/free-port";
import { createDatabase } from "@/scripts/postgres/server";
import { checkPeer, checkService } from "./kit/books";
import { runLoad, startLoad } from "./kit/client";
import { drain } from "./kit/drain";
import { type Cpu, median, type Round, type SendsFigures } from "./kit/figures";
import type { LoadPlan, LoadResult } from "./kit/load";
import { measureLone } from "./kit/lone-sends";
import { findPgbench, type PgbenchResult, runPgbench, sendScript } from "./kit/pgbench";
import {
  cpuSeconds,
  endedChildrenCpuSeconds,
  familyCpuSeconds,
  peakMemory,
  requireProc,
  watchFamilyMemory,
} from "./kit/processes";
import {
  build,
  makeCustomer,
  makeDatabase,
  openClient,
  openFolder,
  openServer,
  PRICE_MICROS,
  type Service,
  serviceSettings,
  startService,
  waitUntilHealthy,
} from "./kit/service";
import type { Options, Outcome, Stage, Workload } from "./kit/workload";
import { printSends } from "./print-sends";

const TEXT = "Your code is 482913. It expires in ten minutes.";
/** Both sides run this long before measuring, to compile code, fill caches and open connections. */
const WARM_UP_S = 4;
const PROBE_PER_S = 50;
const PROBE_CONNECTIONS = 16;
const PROBE_AT_REST_S = 5;

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

/** Sums the results of all load clients of a run. */
function openTally() {
  const seen: LoadResult[] = [];
  const total = (of: (result: LoadResult) => number) => seen.reduce((sum, result) => sum + of(result), 0);
  return {
    add: (result: LoadResult): LoadResult => {
      seen.push(result);
      return result;
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

async function run(options: Options, stage: Stage): Promise<Outcome> {
  requireProc();
  const program = findPgbench();
  const { seconds, rounds, connections } = options;
  const loadAtStart = os.loadavg()[0] ?? 0;

  stage.say("Building the service if it is outdated");
  await build(stage);
  stage.say("Starting PostgreSQL and creating two databases");
  const folder = await openFolder(stage);
  const server = await openServer(stage, folder, connections);
  const memory = watchFamilyMemory(server.pid);
  await stage.keep(
    async () => memory,
    async () => memory.stop(),
  );
  const customer = makeCustomer();
  const url = await makeDatabase(server, "messaging", customer);
  // A copy with the same tables and indexes, made while no connection is open.
  const peerUrl = await createDatabase(server, "pgbench", "messaging");
  const database = await openClient(stage, url);
  const port = await freePort();
  const settings = serviceSettings(url, port);
  stage.say("Starting the web process");
  const web = await startService(stage, "web", settings, folder);
  await waitUntilHealthy(stage, web, port);

  let worker: Service | null = null;
  const openCpu = (): (() => Cpu) => {
    const read = () => ({
      web: cpuSeconds(web.pid),
      worker: worker ? cpuSeconds(worker.pid) : 0,
      postgres: familyCpuSeconds(server.pid),
      client: endedChildrenCpuSeconds(),
    });
    const from = read();
    return () => {
      const to = read();
      return {
        web: to.web - from.web,
        worker: to.worker - from.worker,
        postgres: to.postgres - from.postgres,
        client: to.client - from.client,
      };
    };
  };

  const tally = openTally();
  const keys = customer.keys.map((key) => key.plain);
  const base = { port, keys, sender: customer.sender, text: TEXT, connections, seconds: null, limit: null, rate: null };
  const probePlan = { ...base, connections: PROBE_CONNECTIONS, rate: PROBE_PER_S };
  const requireWeb = async () => {
    if (web.hasEnded()) throw new Error(`The web process ended:\n${await web.problems()}`);
  };
  const send = async (plan: LoadPlan) => {
    await requireWeb();
    const result = tally.add(await runLoad(stage, plan));
    await requireWeb();
    return result;
  };

  let transactions = 0;
  const { accountId, sender } = customer;
  const script = sendScript({ accountId, sender, text: TEXT, routeId: 1, priceMicros: PRICE_MICROS });
  const runPeer = async (length: number): Promise<PgbenchResult> => {
    const result = await runPgbench(stage, { program, url: peerUrl, folder, script, connections, seconds: length });
    transactions += result.transactions;
    return result;
  };

  /** Each flush of the one account has one entry. */
  const countFlushes = async (): Promise<number> => {
    const { rows } = await database.query<{ count: number }>(
      "SELECT count(*)::int4 AS count FROM ledger_entries WHERE kind = 'reserve'",
    );
    return rows[0]?.count ?? 0;
  };

  stage.say("Warming both up");
  await runPeer(WARM_UP_S);
  await send({ ...base, seconds: WARM_UP_S });

  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    stage.say(`Round ${round} of ${rounds}: pgbench, then sends`);
    // The checkpoint keeps either side from writing the other's dirty pages.
    await database.query("CHECKPOINT");
    const peerCpu = openCpu();
    const pgbench = { ...(await runPeer(seconds)), cpu: peerCpu() };
    await database.query("CHECKPOINT");
    const flushesBefore = await countFlushes();
    const sendCpu = openCpu();
    const result = await send({ ...base, seconds });
    const cpu = { ...sendCpu(), client: result.cpuS };
    const perFlush = result.accepted / ((await countFlushes()) - flushesBefore);
    const perSecond = result.accepted / result.elapsedS;
    const sends = { ...result, perSecond, perFlush, cpu };
    measured.push({ pgbench, sends, ratio: perSecond / pgbench.perSecond });
  }
  const webAfterSends = peakMemory(web.pid);

  const missing = options.backlog - tally.sums().accepted;
  if (missing > 0) {
    stage.say(`Sending ${missing} more, for the backlog`);
    await send({ ...base, limit: missing });
  }
  stage.say(`The API at rest: ${PROBE_PER_S} sends/s`);
  const atRest = await send({ ...probePlan, seconds: PROBE_AT_REST_S });
  await database.query("CHECKPOINT");

  stage.say("Starting the worker on the backlog");
  const drainCpu = openCpu();
  let cpu: Cpu = { web: 0, worker: 0, postgres: 0, client: 0 };
  let messages = 0;
  const drained = await drain(stage, {
    database,
    accountIds: [accountId],
    startWorker: () => startService(stage, "worker", settings, folder),
    startProbe: () => startLoad(stage, probePlan),
    onDrained: (started, delivered) => {
      worker = started;
      cpu = drainCpu();
      messages = delivered;
    },
  });
  await requireWeb();
  tally.add(drained.report.probe);
  cpu.client = drained.report.probe.cpuS;
  stage.say("Lone sends");
  const lone = await measureLone(stage, database, (plan) => send({ ...base, ...plan }));
  const peaks = {
    webAfterSends,
    webAtEnd: peakMemory(web.pid),
    worker: peakMemory(drained.worker.pid),
    postgres: memory.peak(),
  };
  const machine = await describeMachine(database, loadAtStart);

  stage.say("Stopping the service and checking the invariants");
  await Promise.all([drained.worker.stop(), web.stop()]);
  const sums = tally.sums();
  const peerDatabase = await openClient(stage, peerUrl);
  const checks = [...(await checkService(database, sums.accepted)), ...(await checkPeer(peerDatabase, transactions))];
  const figures: SendsFigures = {
    workload: "sends",
    at: new Date().toISOString(),
    machine,
    options,
    rounds: measured,
    medianRatio: median(measured.map((round) => round.ratio)),
    atRest,
    drain: { ...drained.report, cpu, messages },
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
