/**
 * Measures the acceptance of single sends of many accounts, and their delivery by one worker, compared with as many sends of one
 * account on the same server. The keys of both sides are used in turn, so that each message of a batch belongs to another account.
 */
import type { Client } from "pg";
import { type Check, checkService } from "./kit/books";
import { runLoad, startLoad } from "./kit/client";
import { drain } from "./kit/drain";
import { median } from "./kit/figures";
import { keysOf, planOf } from "./kit/load-plan";
import { cpuSeconds, familyCpuSeconds, requireProc } from "./kit/processes";
import { type Customer, insertCustomer, makeCustomer, openService } from "./kit/service";
import type { Options, Outcome, Stage, Workload } from "./kit/workload";

const WARM_UP_S = 3;
const PROBE = { connections: 2, rate: 5 };
const MICROS = 1_000_000;

/** `customers`: the load client uses their keys in turn. */
type Side = { name: string; customers: Customer[] };

/** One side in one round. Processor times are per message, in microseconds. */
type Measured = {
  side: string;
  accepted: { perSecond: number; p50: number; p99: number; web: number; postgres: number };
  delivered: { perSecond: number; worker: number; postgres: number };
};

async function insertMany(database: Client, count: number): Promise<Customer[]> {
  const customers = Array.from({ length: count }, () => makeCustomer(1));
  for (const customer of customers) await insertCustomer(database, customer);
  return customers;
}

async function run(options: Options, stage: Stage): Promise<Outcome> {
  requireProc();
  const service = await openService(stage, { connections: options.connections });
  const { database, server, web, customer, port } = service;
  stage.say(`Creating ${options.accounts} accounts`);
  const sides: Side[] = [
    { name: "one account", customers: [customer] },
    { name: `${options.accounts} accounts`, customers: await insertMany(database, options.accounts) },
  ];
  const planFor = ({ customers }: Side) => ({
    ...planOf(customer, port, options.connections),
    keys: customers.flatMap(keysOf),
  });
  let accepted = 0;
  const measured: Measured[] = [];

  /** Accepts a backlog of the side, then starts a worker that delivers it. */
  const measure = async (side: Side): Promise<void> => {
    const us = (seconds: number, messages: number) => (seconds * MICROS) / messages;
    const plan = planFor(side);
    await database.query("CHECKPOINT");
    const before = { web: cpuSeconds(web.pid), postgres: familyCpuSeconds(server.pid) };
    const sent = await runLoad(stage, { ...plan, limit: options.backlog });
    accepted += sent.accepted;
    const acceptance = {
      perSecond: sent.accepted / sent.elapsedS,
      p50: sent.latencyMs.p50,
      p99: sent.latencyMs.p99,
      web: us(cpuSeconds(web.pid) - before.web, sent.accepted),
      postgres: us(familyCpuSeconds(server.pid) - before.postgres, sent.accepted),
    };
    await database.query("CHECKPOINT");
    const drainedFrom = familyCpuSeconds(server.pid);
    let cpu = { worker: 0, postgres: 0 };
    const { report, worker } = await drain(stage, {
      database,
      accountIds: side.customers.map(({ accountId }) => accountId),
      startWorker: () => service.start("worker"),
      startProbe: () => startLoad(stage, { ...plan, ...PROBE }),
      onDrained: ({ pid }, messages) => {
        cpu = {
          worker: us(cpuSeconds(pid), messages),
          postgres: us(familyCpuSeconds(server.pid) - drainedFrom, messages),
        };
      },
    });
    await worker.stop();
    accepted += report.probe.accepted;
    measured.push({ side: side.name, accepted: acceptance, delivered: { perSecond: report.perSecond, ...cpu } });
  };

  stage.say("Warming up");
  for (const side of sides) {
    accepted += (await runLoad(stage, { ...planFor(side), seconds: WARM_UP_S })).accepted;
  }
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const side of sides) {
      stage.say(`Round ${round} of ${options.rounds}: ${side.name}`);
      await measure(side);
    }
  }
  await web.stop();
  const checks = await checkService(database, accepted);
  const ok = checks.every((check) => check.ok);
  const text = print(sides, measured, checks);
  return { ok, text, figures: { workload: "accounts", options, sides: summaryOf(sides, measured), measured, checks } };
}

/** The medians of each side, one account first. */
const summaryOf = (sides: readonly Side[], measured: readonly Measured[]) =>
  sides.map(({ name }) => {
    const of = (read: (one: Measured) => number) => median(measured.filter(({ side }) => side === name).map(read));
    return {
      name,
      acceptedPerSecond: of(({ accepted }) => accepted.perSecond),
      deliveredPerSecond: of(({ delivered }) => delivered.perSecond),
    };
  });

function print(sides: readonly Side[], measured: readonly Measured[], checks: readonly Check[]): string {
  const of = (side: Side | undefined, read: (one: Measured) => number): number =>
    median(measured.filter((one) => one.side === side?.name).map(read));
  const [one, many] = sides;
  const line = (name: string, read: (one: Measured) => number, digits = 0): string => {
    const [first, second] = [of(one, read), of(many, read)];
    return `${name.padEnd(44)}${first.toFixed(digits).padStart(14)}${second.toFixed(digits).padStart(14)}${(second / first).toFixed(2).padStart(8)} x`;
  };
  const failed = checks.filter(({ ok }) => !ok).map(({ text }) => `BROKEN: ${text}`);
  return `${[
    `${"medians".padEnd(44)}${(one?.name ?? "").padStart(14)}${(many?.name ?? "").padStart(14)}`,
    line("accepted per second", ({ accepted }) => accepted.perSecond),
    line("  to the response, p50, ms", ({ accepted }) => accepted.p50, 1),
    line("  to the response, p99, ms", ({ accepted }) => accepted.p99, 1),
    line("  CPU of the web process, us per message", ({ accepted }) => accepted.web),
    line("  CPU of PostgreSQL, us per message", ({ accepted }) => accepted.postgres),
    line("delivered per second by a started worker", ({ delivered }) => delivered.perSecond),
    line("  CPU of the worker, us per message", ({ delivered }) => delivered.worker),
    line("  CPU of PostgreSQL, us per message", ({ delivered }) => delivered.postgres),
    ...failed,
  ].join("\n")}\n`;
}

export const accounts: Workload = {
  summary: "sends of --accounts accounts, and their delivery, compared with those of one account",
  run,
};
