/**
 * Measures how fast one worker delivers backlogs of single sends of growing size, and where PostgreSQL's time goes
 * meanwhile, statement by statement.
 */

import { type Check, checkService } from "./kit/books";
import { runLoad, startLoad } from "./kit/client";
import { drain } from "./kit/drain";
import { cpuSeconds, familyCpuSeconds, requireProc } from "./kit/processes";
import { openService } from "./kit/service";
import {
  COUNTING_STATEMENTS,
  countStatements,
  readStatements,
  type StatementCost,
  statementLines,
} from "./kit/statements";
import type { Options, Outcome, Stage, Workload } from "./kit/workload";

const TEXT = "Your code is 482913. It expires in ten minutes.";
const PROBE = { connections: 2, rate: 5 };
/** Each round's backlog is this many times the one before. */
const GROWTH = 10;
const MICROS = 1_000_000;

type DrainFigures = {
  backlog: number;
  perSecond: number;
  flowPerSecond: number;
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
  const keys = customer.keys.map((key) => key.plain);
  const plan = { port, keys, sender: customer.sender, text: TEXT, connections: options.connections };
  const measured: DrainFigures[] = [];
  let accepted = 0;
  for (let round = 0; round < options.rounds; round += 1) {
    const size = options.backlog * GROWTH ** round;
    stage.say(`Accepting ${size} messages`);
    accepted += (await runLoad(stage, { ...plan, seconds: null, limit: size, rate: null })).accepted;
    await database.query("CHECKPOINT");
    await countStatements(database);
    stage.say("Starting the worker on the backlog");
    const before = { web: cpuSeconds(web.pid), postgres: familyCpuSeconds(server.pid) };
    let cpuUs = { web: 0, worker: 0, postgres: 0 };
    const drained = await drain(stage, {
      database,
      accountId: customer.accountId,
      startWorker: () => service.start("worker"),
      startProbe: () => startLoad(stage, { ...plan, ...PROBE, seconds: null, limit: null }),
      onDrained: (worker, messages) => {
        const us = (seconds: number) => (seconds * MICROS) / messages;
        cpuUs = {
          web: us(cpuSeconds(web.pid) - before.web),
          worker: us(cpuSeconds(worker.pid)),
          postgres: us(familyCpuSeconds(server.pid) - before.postgres),
        };
      },
    });
    const statements = await readStatements(database, size);
    accepted += drained.report.probe.accepted;
    await drained.worker.stop();
    const { backlog, perSecond, flowPerSecond, submittedS, seconds } = drained.report;
    measured.push({ backlog, perSecond, flowPerSecond, submittedS, seconds, cpuUs, statements });
    stage.say(`${backlog} messages: ${Math.round(perSecond)}/s`);
  }
  await web.stop();
  const checks = await checkService(database, accepted);
  const worstOfBest = (rates: number[]) => Math.min(...rates) / Math.max(...rates);
  const figures = {
    workload: "drain",
    options,
    rounds: measured,
    worstOfBest: worstOfBest(measured.map(({ perSecond }) => perSecond)),
    worstOfBestInFlow: worstOfBest(measured.map(({ flowPerSecond }) => flowPerSecond)),
    checks,
  };
  const ok = checks.every((check) => check.ok);
  return { ok, text: print(figures), figures };
}

function print({
  rounds,
  worstOfBest,
  worstOfBestInFlow,
  checks,
}: {
  rounds: DrainFigures[];
  worstOfBest: number;
  worstOfBestInFlow: number;
  checks: Check[];
}): string {
  const lines = rounds.flatMap(({ backlog, perSecond, flowPerSecond, submittedS, seconds, cpuUs, statements }) => [
    "",
    `${backlog} messages: ${perSecond.toFixed(0)}/s, in full flow ${flowPerSecond.toFixed(0)}/s (submitted after ${submittedS.toFixed(1)} s, delivered after ${seconds.toFixed(1)} s)`,
    `CPU per message, µs: web ${cpuUs.web.toFixed(0)} · worker ${cpuUs.worker.toFixed(0)} · PostgreSQL ${cpuUs.postgres.toFixed(0)}`,
    ...statementLines(statements),
  ]);
  const failed = checks.filter(({ ok }) => !ok).map(({ text }) => `BROKEN: ${text}`);
  return `${[...lines, "", `worst rate / best rate: ${worstOfBest.toFixed(2)}, in full flow ${worstOfBestInFlow.toFixed(2)}`, ...failed].join("\n")}\n`;
}

export const drains: Workload = {
  summary: "how fast one worker delivers backlogs of growing size, and the database's time by statement",
  run,
};
