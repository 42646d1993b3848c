/** Compares reads at many messages with reads at few, in turn: the effect of growth on callers. */
import { fork } from "node:child_process";
import path from "node:path";
import { fillMessages } from "./fill-statements";
import { endChild } from "./kit/client";
import { median } from "./kit/figures";
import { makeCustomer, makeDatabase, openClient, openFolder, openServer, serviceSettings } from "./kit/service";
import type { Options, Outcome, Stage, Workload } from "./kit/workload";
import type { ReadsPlan, ReadsResult } from "./reads-peer";

const FEW = 50_000;
/** Reads of each kind per round. */
const TIMES = 15;

type Side = { read: () => Promise<ReadsResult>; messages: number };

async function openSide(stage: Stage, server: Awaited<ReturnType<typeof openServer>>, count: number): Promise<Side> {
  const customer = makeCustomer();
  const url = await makeDatabase(server, `messaging_${count}`, customer);
  const database = await openClient(stage, url);
  stage.say(`Filling ${count} messages`);
  const { endpointId, messages } = await fillMessages(database, customer, count, () => undefined);
  const peer = await stage.keep(
    async () =>
      fork(path.join("bench", "reads-peer.ts"), [], {
        detached: true,
        stdio: ["ignore", 2, 2, "ipc"],
        env: serviceSettings(url, 1),
      }),
    endChild,
  );
  const plan: ReadsPlan = { accountId: customer.accountId, endpointId, messages, times: TIMES };
  const read = () =>
    new Promise<ReadsResult>((resolve, reject) => {
      peer.once("message", (result) => resolve(result as ReadsResult));
      peer.once("exit", (code) => reject(new Error(`A process of the benchmark ended early (code ${code}).`)));
      peer.send(plan);
    });
  return { read, messages };
}

async function run({ rounds, backlog, connections }: Options, stage: Stage): Promise<Outcome> {
  const folder = await openFolder(stage);
  const server = await openServer(stage, folder, connections);
  const few = await openSide(stage, server, FEW);
  const many = await openSide(stage, server, Math.max(backlog, 2 * FEW));
  stage.say("Warming up");
  await few.read();
  await many.read();
  const measured: { few: ReadsResult; many: ReadsResult }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    stage.say(`Round ${round} of ${rounds}`);
    measured.push({ few: await few.read(), many: await many.read() });
  }
  const reads = Object.keys(measured[0]?.few ?? {}).map((name) => {
    const of = (side: "few" | "many") => median(measured.map((round) => round[side][name] ?? 0));
    const ratio = median(measured.map((round) => (round.many[name] ?? 0) / (round.few[name] ?? 1)));
    return { name, fewMs: of("few"), manyMs: of("many"), ratio };
  });
  const line = (cells: string[]) => cells.map((cell, at) => (at === 0 ? cell.padEnd(22) : cell.padStart(12))).join("");
  const text = [
    `Reads at ${many.messages} messages of one account against ${few.messages}: medians in ms, and the median ratio`,
    line(["read", String(few.messages), String(many.messages), "ratio"]),
    ...reads.map(({ name, fewMs, manyMs, ratio }) =>
      line([name, fewMs.toFixed(2), manyMs.toFixed(2), ratio.toFixed(2)]),
    ),
    "",
  ].join("\n");
  return { ok: true, text, figures: { workload: "reads", few: few.messages, many: many.messages, reads } };
}

export const reads: Workload = {
  summary: "reads at --backlog messages against reads at 50,000",
  run,
};
