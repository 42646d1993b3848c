/**
 * Measures 1, 2 and 4 web processes, and 1, 2 and 4 workers, on one database, and compares the rates with a model in which each
 * process uses one processor at most, and all of them share the machine's processors with PostgreSQL.
 */
import os from "node:os";
import { freePort } from "@/scripts/free-port";
import { checkService } from "./kit/books";
import { runLoad, startLoad } from "./kit/client";
import { drain } from "./kit/drain";
import { planOf } from "./kit/load-plan";
import { cpuSeconds, familyCpuSeconds, requireProc } from "./kit/processes";
import { type OpenService, openService, type Service, waitUntilHealthy } from "./kit/service";
import type { Options, Outcome, Stage, Workload } from "./kit/workload";

const COUNTS = [1, 2, 4];
const WARM_UP_S = 3;
const PROBE = { connections: 2, rate: 5 };
const MICROS = 1_000_000;

/** CPU time per message in microseconds: of the counted processes, of PostgreSQL, and of the load clients. */
type Cost = { process: number; postgres: number; client: number };
type Measured = { processes: number; perSecond: number; cpuUs: Cost };

/**
 * The rate of `processes` if each costs as much as a single one, bounded by their own processors and by all processors together.
 */
function modeled(processes: number, { process, postgres, client }: Cost): number {
  const cores = os.availableParallelism();
  return Math.min((processes * MICROS) / process, (cores * MICROS) / (process + postgres + client));
}

type Plan = { service: OpenService; connections: number };
type Web = { process: Service; port: number };

/** Sends to all web processes at once. @returns how many were accepted. */
async function sendToAll(stage: Stage, plan: Plan, webs: readonly Web[], seconds: number): Promise<Measured> {
  const { server, customer } = plan.service;
  const spent = () => webs.reduce((sum, { process }) => sum + cpuSeconds(process.pid), 0);
  const before = { process: spent(), postgres: familyCpuSeconds(server.pid) };
  const connections = Math.ceil(plan.connections / webs.length);
  const results = await Promise.all(
    webs.map(({ port }) => runLoad(stage, { ...planOf(customer, port, connections), seconds })),
  );
  const accepted = results.reduce((sum, result) => sum + result.accepted, 0);
  const us = (cpuS: number) => (cpuS * MICROS) / accepted;
  return {
    processes: webs.length,
    perSecond: results.reduce((sum, result) => sum + result.accepted / result.elapsedS, 0),
    cpuUs: {
      process: us(spent() - before.process),
      postgres: us(familyCpuSeconds(server.pid) - before.postgres),
      client: us(results.reduce((sum, { cpuS }) => sum + cpuS, 0)),
    },
  };
}

/** Delivers a backlog with this many workers. */
async function drainWith(stage: Stage, plan: Plan, processes: number, backlog: number): Promise<Measured> {
  const { service, connections } = plan;
  const { database, server, port, customer } = service;
  const sends = planOf(customer, port, connections);
  await runLoad(stage, { ...sends, limit: backlog });
  await database.query("CHECKPOINT");
  const before = familyCpuSeconds(server.pid);
  const more: Service[] = [];
  let cpuUs: Cost = { process: 0, postgres: 0, client: 0 };
  const drained = await drain(stage, {
    database,
    accountIds: [customer.accountId],
    startWorker: async () => {
      const started = await Promise.all(Array.from({ length: processes }, () => service.start("worker")));
      more.push(...started.slice(1));
      return started[0] as Service;
    },
    startProbe: () => startLoad(stage, { ...sends, ...PROBE }),
    onDrained: (worker, messages) => {
      const us = (cpuS: number) => (cpuS * MICROS) / messages;
      cpuUs = {
        process: us([worker, ...more].reduce((sum, { pid }) => sum + cpuSeconds(pid), 0)),
        postgres: us(familyCpuSeconds(server.pid) - before),
        client: 0,
      };
    },
  });
  await Promise.all([drained.worker, ...more].map((worker) => worker.stop()));
  return { processes, perSecond: drained.report.perSecond, cpuUs };
}

async function run({ seconds, connections, backlog }: Options, stage: Stage): Promise<Outcome> {
  requireProc();
  const service = await openService(stage, { connections });
  const plan = { service, connections };
  const webs: Web[] = [{ process: service.web, port: service.port }];
  await sendToAll(stage, plan, webs, WARM_UP_S);
  const sends: Measured[] = [];
  for (const count of COUNTS) {
    while (webs.length < count) {
      const port = await freePort();
      const process = await service.start("web", { PORT: String(port) });
      await waitUntilHealthy(stage, process, port);
      webs.push({ process, port });
    }
    await sendToAll(stage, plan, webs, WARM_UP_S);
    stage.say(`Sends to ${count} web processes`);
    sends.push(await sendToAll(stage, plan, webs, seconds));
  }
  for (const { process } of webs.slice(1)) await process.stop();
  const drains: Measured[] = [];
  for (const count of COUNTS) {
    stage.say(`A backlog and ${count} workers`);
    drains.push(await drainWith(stage, plan, count, backlog));
  }
  await service.web.stop();
  const { rows } = await service.database.query<{ stored: number }>("SELECT count(*)::float8 AS stored FROM messages");
  const checks = await checkService(service.database, rows[0]?.stored ?? 0);
  const ok = checks.every((check) => check.ok);
  const broken = checks.filter((check) => !check.ok).map(({ text }) => `BROKEN: ${text}`);
  const text = `${[...table("sends accepted per second, by web processes", sends), "", ...table("backlog delivered per second, by workers", drains), ...broken].join("\n")}\n`;
  return { ok, text, figures: { workload: "scale", sends, drains, checks } };
}

function table(title: string, measured: readonly Measured[]): string[] {
  const [one] = measured;
  if (!one) return [title];
  return [
    title,
    "  processes   measured      model    error   CPU per message, µs: processes, PostgreSQL, clients",
    ...measured.map(({ processes, perSecond, cpuUs }) => {
      const model = modeled(processes, one.cpuUs);
      const cells = [
        String(processes).padStart(11),
        perSecond.toFixed(0).padStart(10),
        model.toFixed(0).padStart(10),
        `${(((model - perSecond) / perSecond) * 100).toFixed(0)} %`.padStart(8),
      ];
      return `${cells.join(" ")}   ${[cpuUs.process, cpuUs.postgres, cpuUs.client].map((us) => us.toFixed(0)).join(", ")}`;
    }),
  ];
}

export const scale: Workload = {
  summary: "1, 2 and 4 web processes and workers on one database, compared with a model",
  run,
};
