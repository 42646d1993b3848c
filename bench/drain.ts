/**
 * Measures how fast one worker delivers growing backlogs of single sends, and where PostgreSQL's time goes meanwhile, statement
 * by statement.
 */

import { type Check, checkService } from "./kit/books";
import { runLoad, startLoad } from "./kit/client";
import { drain } from "./kit/drain";
import { planOf } from "./kit/load-plan";
import { cpuSeconds, familyCpuSeconds, requireProc } from "./kit/processes";
import { openService, type Service } from "./kit/service";
import {
  COUNTING_STATEMENTS,
  countStatements,
  readStatements,
  type StatementCost,
  statementLines,
} from "./kit/statements";
import type { Options, Outcome, Stage, Workload } from "./kit/workload";

const PROBE = { connections: 2, rate: 5 };
/** Each round's backlog is this many times the one before. */
const GROWTH = 10;
/** Accepting a larger backlog takes so long that the suspended worker would lose its lease. */
const SUSPENDED_UP_TO = 20_000;
const MICROS = 1_000_000;

type DrainFigures = {
  backlog: number;
  /** Whether the worker was started on the backlog. Otherwise it was already running, and suspended while the backlog grew. */
  isStarted: boolean;
  perSecond: number;
  workPerSecond: number;
  submittedS: number;
  seconds: number;
  /** Processor time per message, in microseconds. */
  cpuUs: { web: number; worker: number; postgres: number };
  statements: StatementCost[];
};

async function run(options: Options, stage: Stage): Promise<Outcome> {
  requireProc();
  const service = await openService(stage, { connections: options.connections, database: COUNTING_STATEMENTS });
  const { database, server, web, customer, port } = service;
  const plan = planOf(customer, port, options.connections);
  const measured: DrainFigures[] = [];
  let accepted = 0;
  /** @param running a worker that is suspended while the backlog grows; without one, a worker is started on it. */
  const measure = async (size: number, running: Service | null): Promise<Service> => {
    if (running) process.kill(running.pid, "SIGSTOP");
    stage.say(`Accepting ${size} messages`);
    accepted += (await runLoad(stage, { ...plan, limit: size })).accepted;
    await database.query("CHECKPOINT");
    await countStatements(database);
    stage.say(running ? "Resuming the worker" : "Starting the worker on the backlog");
    const before = {
      web: cpuSeconds(web.pid),
      worker: running ? cpuSeconds(running.pid) : 0,
      postgres: familyCpuSeconds(server.pid),
    };
    let cpuUs = { web: 0, worker: 0, postgres: 0 };
    const drained = await drain(stage, {
      database,
      accountIds: [customer.accountId],
      startWorker: async () => {
        if (!running) return service.start("worker");
        process.kill(running.pid, "SIGCONT");
        return running;
      },
      startProbe: () => startLoad(stage, { ...plan, ...PROBE }),
      onDrained: (worker, messages) => {
        const us = (seconds: number) => (seconds * MICROS) / messages;
        cpuUs = {
          web: us(cpuSeconds(web.pid) - before.web),
          worker: us(cpuSeconds(worker.pid) - before.worker),
          postgres: us(familyCpuSeconds(server.pid) - before.postgres),
        };
      },
    });
    const statements = await readStatements(database, size);
    accepted += drained.report.probe.accepted;
    const { backlog, perSecond, workPerSecond, submittedS, seconds } = drained.report;
    measured.push({ backlog, isStarted: !running, perSecond, workPerSecond, submittedS, seconds, cpuUs, statements });
    stage.say(`${backlog} messages: ${Math.round(perSecond)}/s`);
    return drained.worker;
  };
  for (let round = 0; round < options.rounds; round += 1) {
    const size = options.backlog * GROWTH ** round;
    const worker = await measure(size, null);
    if (size <= SUSPENDED_UP_TO) await measure(size, worker);
    await worker.stop();
  }
  await web.stop();
  const checks = await checkService(database, accepted);
  const worstOfBest = (rates: number[]) => Math.min(...rates) / Math.max(...rates);
  const figures = {
    workload: "drain",
    options,
    rounds: measured,
    worstOfBest: worstOfBest(measured.map(({ perSecond }) => perSecond)),
    worstOfBestWork: worstOfBest(measured.map(({ workPerSecond }) => workPerSecond)),
    checks,
  };
  const ok = checks.every((check) => check.ok);
  return { ok, text: print(figures), figures };
}

function print({
  rounds,
  worstOfBest,
  worstOfBestWork,
  checks,
}: {
  rounds: DrainFigures[];
  worstOfBest: number;
  worstOfBestWork: number;
  checks: Check[];
}): string {
  const lines = rounds.flatMap(
    ({ backlog, isStarted, perSecond, workPerSecond, submittedS, seconds, cpuUs, statements }) => [
      "",
      `${backlog} messages, ${isStarted ? "by a worker that is started on them" : "by a worker that runs"}: ${perSecond.toFixed(0)}/s, without the sandbox's second ${workPerSecond.toFixed(0)}/s (submitted after ${submittedS.toFixed(1)} s, delivered after ${seconds.toFixed(1)} s)`,
      `CPU per message, µs: web ${cpuUs.web.toFixed(0)} · worker ${cpuUs.worker.toFixed(0)} · PostgreSQL ${cpuUs.postgres.toFixed(0)}`,
      ...statementLines(statements),
    ],
  );
  const failed = checks.filter(({ ok }) => !ok).map(({ text }) => `BROKEN: ${text}`);
  return `${[...lines, "", `worst rate / best rate: ${worstOfBest.toFixed(2)}, without the sandbox's second ${worstOfBestWork.toFixed(2)}`, ...failed].join("\n")}\n`;
}

export const drains: Workload = {
  summary: "how fast one worker delivers backlogs of growing size, and the database's time by statement",
  run,
};
