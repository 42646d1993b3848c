/**
 * Offers more load than can be served: single sends at three times the rate that one web process has just served, by callers who
 * do not wait for each other. Prints how much was accepted and how fast, how much was refused and how soon, memory, and the latency
 * at a calm pace before and right after.
 */
import { setTimeout as pause } from "node:timers/promises";
import { runLoad } from "./kit/client";
import type { LoadResult } from "./kit/load";
import { planOf } from "./kit/load-plan";
import { memoryOf, peakMemory, requireProc } from "./kit/processes";
import { openService } from "./kit/service";
import type { Options, Outcome, Stage, Workload } from "./kit/workload";

const TIMES = 3;
const CALM = { connections: 16, rate: 50, seconds: 5 };
const WARM_UP_S = 4;
const CAPACITY_S = 8;
/** Concurrent callers: more than the web process accepts at first. If all of them are waiting, fewer sends are offered. */
const CALLERS = 1_500;
/** A send without a free connection for this long is not made, but counted. */
const LATE_MS_MAX = 100;
const MIB = 1_048_576;
const MEMORY_EVERY_MS = 250;

type Phase = { before: LoadResult; capacity: LoadResult; overload: LoadResult; after: LoadResult };
type Memory = { before: number; during: number; peak: number };

const perSecond = ({ accepted, elapsedS }: LoadResult): number => accepted / elapsedS;
const whole = (value: number): string => Math.round(value).toLocaleString("en-US");
const latency = ({ p50, p99, max }: LoadResult["latencyMs"]): string =>
  `p50 ${whole(p50)} ms, p99 ${whole(p99)} ms, max ${whole(max)} ms`;

function offered({ statuses, unanswered }: LoadResult): number {
  return Object.values(statuses).reduce((sum, count) => sum + count, unanswered);
}

function print({ before, capacity, overload, after }: Phase, memory: Memory, stored: number, sum: number): string {
  const statuses = Object.entries(overload.statuses).map(([status, count]) => `${whole(count)} x ${status}`);
  const mib = (bytes: number) => `${whole(bytes / MIB)} MiB`;
  return [
    `calm, ${CALM.rate} sends/s        ${latency(before.latencyMs)}`,
    `capacity               ${whole(perSecond(capacity))} sends/s; ${latency(capacity.latencyMs)}`,
    `offered                ${whole(offered(overload) / overload.elapsedS)} sends/s for ${whole(overload.elapsedS)} s (wanted: ${TIMES} x capacity; left out by the client: ${whole(overload.leftOut)})`,
    `responses              ${statuses.join(", ")}; none: ${whole(overload.unanswered)}`,
    `  accepted             ${whole(perSecond(overload))} sends/s; ${latency(overload.latencyMs)}`,
    `  refused              ${latency(overload.refusedMs)}; without Retry-After: ${whole(overload.withoutRetryAfter)}`,
    `memory of web          ${mib(memory.before)} before, ${mib(memory.during)} at most while overloaded, ${mib(memory.peak)} peak`,
    `right after, ${CALM.rate} sends/s ${latency(after.latencyMs)}; ${Object.keys(after.statuses).join(", ")}`,
    `books                  ${whole(sum)} accepted, ${whole(stored)} stored`,
    "",
  ].join("\n");
}

/** The peak memory of a process while `work` runs. */
async function memoryDuring<Result>(pid: number, work: Promise<Result>): Promise<[Result, number]> {
  let most = memoryOf(pid);
  const timer = setInterval(() => {
    most = Math.max(most, memoryOf(pid));
  }, MEMORY_EVERY_MS);
  try {
    return [await work, most];
  } finally {
    clearInterval(timer);
  }
}

async function run({ seconds, connections }: Options, stage: Stage): Promise<Outcome> {
  requireProc();
  // Each key may make 6,000 requests a minute, so every refusal here is caused by the load.
  const { database, web, customer, port } = await openService(stage, { connections });
  const plan = planOf(customer, port, connections);
  stage.say("Warming up");
  const warm = await runLoad(stage, { ...plan, seconds: WARM_UP_S });
  const before = await runLoad(stage, { ...plan, ...CALM });
  stage.say("Measuring the capacity");
  const capacity = await runLoad(stage, { ...plan, seconds: CAPACITY_S });
  const memoryBefore = memoryOf(web.pid);
  const rate = Math.round(TIMES * perSecond(capacity));
  stage.say(`Offering ${whole(rate)} sends/s for ${seconds} s`);
  const flood = runLoad(stage, { ...plan, connections: CALLERS, seconds, rate, lateMsMax: LATE_MS_MAX });
  const [overload, during] = await memoryDuring(web.pid, flood);
  stage.say("Right after");
  const after = await runLoad(stage, { ...plan, ...CALM });
  await pause(100);
  const { rows } = await database.query<{ count: string }>("SELECT count(*) FROM messages");
  const stored = Number(rows[0]?.count);
  const phases = [warm, before, capacity, overload, after];
  const sum = phases.reduce((total, { accepted }) => total + accepted, 0);
  const unanswered = phases.reduce((total, phase) => total + phase.unanswered, 0);
  const memory = { before: memoryBefore, during, peak: peakMemory(web.pid) };
  // A send without a response may have been accepted.
  const ok = stored >= sum && stored <= sum + unanswered && overload.withoutRetryAfter === 0;
  const phase = { before, capacity, overload, after };
  return {
    ok,
    text: print(phase, memory, stored, sum),
    figures: { workload: "overload", ...phase, memory, stored, accepted: sum, ok },
  };
}

export const overload: Workload = {
  summary: "single sends at three times the capacity of a web process, refused early",
  run,
};
