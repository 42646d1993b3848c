/**
 * Measures bulk sends of 1,000 recipients, compared with what the database alone can do: pgbench inserts as many messages with
 * one statement into a copy with the same tables, indexes and triggers.
 */
import { createDatabase } from "@/scripts/postgres/server";
import { runLoad } from "./kit/client";
import { median } from "./kit/figures";
import { planOf, TEXT } from "./kit/load-plan";
import { bulkScript, findPgbench, runPgbench } from "./kit/pgbench";
import { cpuSeconds, familyCpuSeconds, requireProc } from "./kit/processes";
import { openService, PRICE_MICROS } from "./kit/service";
import type { Options, Outcome, Stage, Workload } from "./kit/workload";

const RECIPIENTS = 1_000;
/** More connections would only wait for the one account. */
const CONNECTIONS = 4;
const WARM_UP_S = 3;
const MICROS = 1_000_000;

type Round = {
  /** Recipients per second. */
  perSecond: number;
  peerPerSecond: number;
  ratio: number;
  p50: number;
  p99: number;
  /** Processor time per recipient. */
  cpuUs: { web: number; postgres: number };
};

async function run({ seconds, rounds }: Options, stage: Stage): Promise<Outcome> {
  requireProc();
  const program = findPgbench();
  const { database, server, web, customer, port, folder } = await openService(stage, {
    connections: CONNECTIONS,
    // The peer's database is a copy, and a copy cannot be made while the service is connected.
    prepare: async (own) => {
      await createDatabase(own, "peer", "messaging");
    },
  });
  await database.query("UPDATE accounts SET flood_identical = 0, flood_total = 0");
  const peerUrl = server.url("peer");
  const columns = { accountId: customer.accountId, sender: customer.sender, text: TEXT, routeId: 1 };
  const script = bulkScript({ ...columns, priceMicros: PRICE_MICROS }, RECIPIENTS);
  const runPeer = async (length: number) => {
    await database.query("CHECKPOINT");
    const plan = { program, url: peerUrl, folder, script, connections: CONNECTIONS, seconds: length };
    return (await runPgbench(stage, plan)).perSecond * RECIPIENTS;
  };
  const plan = { ...planOf(customer, port, CONNECTIONS), recipients: RECIPIENTS };
  let accepted = 0;
  const send = async (length: number) => {
    await database.query("CHECKPOINT");
    const before = { web: cpuSeconds(web.pid), postgres: familyCpuSeconds(server.pid) };
    const result = await runLoad(stage, { ...plan, seconds: length });
    if (result.refusal) throw new Error(`A bulk send was refused: ${result.refusal}`);
    const messages = result.accepted * RECIPIENTS;
    accepted += messages;
    const us = (spent: number) => (spent * MICROS) / messages;
    const cpuUs = {
      web: us(cpuSeconds(web.pid) - before.web),
      postgres: us(familyCpuSeconds(server.pid) - before.postgres),
    };
    return { perSecond: messages / result.elapsedS, p50: result.latencyMs.p50, p99: result.latencyMs.p99, cpuUs };
  };

  stage.say("Warming both up");
  await runPeer(WARM_UP_S);
  await send(WARM_UP_S);
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    stage.say(`Round ${round} of ${rounds}: pgbench, then bulk sends`);
    const peerPerSecond = await runPeer(seconds);
    const own = await send(seconds);
    measured.push({ ...own, peerPerSecond, ratio: own.perSecond / peerPerSecond });
  }
  const { rows } = await database.query<{ stored: number }>("SELECT count(*)::float8 AS stored FROM messages");
  const ok = rows[0]?.stored === accepted;
  const figures = {
    workload: "bulk",
    rounds: measured,
    accepted,
    ok,
    medianRatio: median(measured.map(({ ratio }) => ratio)),
    perSecond: median(measured.map(({ perSecond }) => perSecond)),
  };
  return { ok, text: print(figures), figures };
}

function print({ rounds, medianRatio, ok }: { rounds: Round[]; medianRatio: number; ok: boolean }): string {
  return [
    `bulk sends of ${RECIPIENTS} recipients over ${CONNECTIONS} connections, one account, beside pgbench (one INSERT each)`,
    ...rounds.map(
      ({ perSecond, peerPerSecond, ratio, p50, p99, cpuUs }) =>
        `  ${perSecond.toFixed(0)} recipients/s (pgbench ${peerPerSecond.toFixed(0)}, ratio ${ratio.toFixed(2)}), ` +
        `a request p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms; CPU per recipient, µs: web ${cpuUs.web.toFixed(0)}, ` +
        `PostgreSQL ${cpuUs.postgres.toFixed(0)}`,
    ),
    `median ratio ${medianRatio.toFixed(2)}`,
    ok ? "every accepted recipient has its message" : "MESSAGES ARE MISSING, OR TOO MANY",
    "",
  ].join("\n");
}

export const bulk: Workload = {
  summary: "bulk sends of 1,000 recipients, compared with pgbench inserting as many messages",
  run,
};
