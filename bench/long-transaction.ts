/**
 * Measures the cost of messages while a transaction stays open, as a dump, a forgotten session or a standby's query leaves it:
 * PostgreSQL then keeps every row version that has died since, and queues consist mostly of dead versions. Messages flow at a fixed
 * pace, with one webhook endpoint; each phase prints the cost per message.
 */

import { runLoad } from "./kit/client";
import type { LoadResult } from "./kit/load";
import { planOf } from "./kit/load-plan";
import { cpuSeconds, familyCpuSeconds, requireProc } from "./kit/processes";
import { openReceiver, waitUntilSettled } from "./kit/receiver";
import { openClient, openService } from "./kit/service";
import {
  COUNTING_STATEMENTS,
  countStatements,
  readStatements,
  type StatementCost,
  statementLines,
} from "./kit/statements";
import type { Options, Outcome, Stage, Workload } from "./kit/workload";

const RATE = 300;
const WARM_UP_S = 10;

type Cpu = { web: number; worker: number; postgres: number };
/** `behindMs`: the time from the last send until every message and webhook is delivered. */
type Phase = {
  name: string;
  sends: LoadResult;
  behindMs: number;
  cpuUs: Cpu;
  statements: StatementCost[];
};

const whole = (value: number): string => Math.round(value).toLocaleString("en-US");

const STATEMENTS_SHOWN = 12;

function print(phases: readonly Phase[]): string {
  const columns = ["p50 ms", "p99 ms", "behind ms", "web", "worker", "PostgreSQL"];
  const row = (name: string, cells: readonly string[]) =>
    name.padEnd(24) + cells.map((cell) => cell.padStart(12)).join("");
  const open = phases.at(-2);
  return [
    `${RATE} sends per second, each delivered with two webhooks; processor time in µs per message`,
    row("the other transaction", columns),
    ...phases.map(({ name, sends: { latencyMs }, behindMs, cpuUs }) =>
      row(name, [
        ...[latencyMs.p50.toFixed(1), latencyMs.p99.toFixed(1), whole(behindMs)],
        ...[cpuUs.web, cpuUs.worker, cpuUs.postgres].map(whole),
      ]),
    ),
    "",
    `statements, ${open?.name}`,
    ...statementLines(open?.statements.slice(0, STATEMENTS_SHOWN) ?? []),
    "",
  ].join("\n");
}

async function run({ seconds, rounds, connections }: Options, stage: Stage): Promise<Outcome> {
  requireProc();
  const { database, server, web, customer, port, start, environment } = await openService(stage, {
    connections,
    database: COUNTING_STATEMENTS,
    environment: { WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8" },
  });
  const worker = await start("worker");
  const receiver = await openReceiver(stage);
  const made = await fetch(`http://127.0.0.1:${port}/api/v1/webhooks/create`, {
    method: "POST",
    headers: { authorization: `Bearer ${customer.keys[0]?.plain}`, "content-type": "application/json" },
    body: JSON.stringify({ url: receiver }),
  });
  if (!made.ok) throw new Error(`No endpoint was created: ${await made.text()}`);
  const plan = { ...planOf(customer, port, connections), rate: RATE };
  const warm = await runLoad(stage, { ...plan, seconds: WARM_UP_S });
  await waitUntilSettled(database, stage.signal);
  const phases: Phase[] = [];
  const phase = async (name: string) => {
    stage.say(name);
    await countStatements(database);
    const cpu = (): Cpu => ({
      web: cpuSeconds(web.pid),
      worker: cpuSeconds(worker.pid),
      postgres: familyCpuSeconds(server.pid),
    });
    const before = cpu();
    const sends = await runLoad(stage, { ...plan, seconds });
    const sentAt = Date.now();
    await waitUntilSettled(database, stage.signal);
    const behindMs = Date.now() - sentAt;
    const after = cpu();
    const us = (of: keyof Cpu) => ((after[of] - before[of]) * 1_000_000) / sends.accepted;
    phases.push({
      name,
      sends,
      behindMs,
      cpuUs: { web: us("web"), worker: us("worker"), postgres: us("postgres") },
      statements: await readStatements(database, sends.accepted),
    });
  };
  await phase("not begun");
  const idle = await openClient(stage, environment.DATABASE_URL as string);
  await idle.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  await idle.query("SELECT count(*) FROM accounts");
  for (let round = 1; round <= rounds; round += 1) await phase(`open for ${round * seconds} s`);
  await idle.query("ROLLBACK");
  await phase("ended");
  const { rows } = await database.query<{ stored: number }>("SELECT count(*)::int4 AS stored FROM messages");
  const stored = rows[0]?.stored ?? 0;
  const runs = [warm, ...phases.map(({ sends }) => sends)];
  const accepted = runs.reduce((sum, load) => sum + load.accepted, 0);
  const unanswered = runs.reduce((sum, load) => sum + load.unanswered, 0);
  // A send without a response may have been accepted.
  const ok = stored >= accepted && stored <= accepted + unanswered;
  return { ok, text: print(phases), figures: { workload: "long-transaction", phases } };
}

export const longTransaction: Workload = {
  summary: "what a message costs while somebody's transaction stays open",
  run,
};
