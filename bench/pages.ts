/**
 * Measures the cost of page views for sends: the latency of single sends at a steady pace, alone and during a flood of views, by
 * anonymous visitors and by a signed-in person.
 */
import http from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { runLoad } from "./kit/client";
import { median } from "./kit/figures";
import type { LoadResult } from "./kit/load";
import { planOf } from "./kit/load-plan";
import { openService } from "./kit/service";
import { openPerson } from "./kit/session";
import type { Options, Outcome, Stage, Workload } from "./kit/workload";

const SENDS_PER_S = 50;
const SEND_CONNECTIONS = 16;
const VIEWS_PER_S = 40;
const WARM_UP_S = 4;

type Views = { statuses: Record<string, number>; stop: () => Promise<void> };

/** Requests a page at a fixed rate, whether or not the responses arrive. */
function flood(url: string, headers: Record<string, string>): Views {
  const statuses: Record<string, number> = {};
  const agent = new http.Agent({ keepAlive: true, maxSockets: 200 });
  const count = (status: string) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const view = () => {
    const request = http.get(url, { agent, headers }, (answer) => {
      answer.resume().once("end", () => count(String(answer.statusCode)));
    });
    request.once("error", () => count("broken"));
  };
  const timer = setInterval(view, 1_000 / VIEWS_PER_S);
  return {
    statuses,
    stop: async () => {
      clearInterval(timer);
      agent.destroy();
    },
  };
}

type Round = { calm: LoadResult; strangers: LoadResult; person: LoadResult };

const KINDS = ["calm", "strangers", "person"] as const;

const textOf = (statuses: Record<string, number>): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${count} x ${status}`)
    .join(", ") || "none";

function print(rounds: Round[], ratios: Record<string, number>, views: Record<string, Record<string, number>>): string {
  const row = (at: number, { calm, strangers, person }: Round) =>
    [calm, strangers, person].map(({ latencyMs }) => latencyMs.p99.toFixed(1).padStart(10)).join("") +
    `   round ${at + 1}`;
  return [
    `p99 of ${SENDS_PER_S} sends/s, in ms, alone and beside ${VIEWS_PER_S} views/s`,
    KINDS.map((kind) => kind.padStart(10)).join(""),
    ...rounds.map((round, at) => row(at, round)),
    `median ratio to calm: strangers ${ratios.strangers?.toFixed(2)}, person ${ratios.person?.toFixed(2)}`,
    `views of strangers: ${textOf(views.strangers ?? {})}`,
    `views of a person: ${textOf(views.person ?? {})}`,
    "",
  ].join("\n");
}

async function run({ seconds, rounds }: Options, stage: Stage): Promise<Outcome> {
  const { customer, port } = await openService(stage, {
    connections: SEND_CONNECTIONS,
    environment: { SIGN_UP_OPEN: "true" },
  });
  const origin = `http://127.0.0.1:${port}`;
  const cookie = await openPerson(origin);
  const plan = { ...planOf(customer, port, SEND_CONNECTIONS), rate: SENDS_PER_S };
  const views: Record<string, Record<string, number>> = {};
  const measure = async (kind: (typeof KINDS)[number], path: string, headers: Record<string, string>) => {
    const viewing = kind === "calm" ? null : flood(`${origin}${path}`, headers);
    const stop = async () => viewing?.stop();
    await stage.keep(async () => undefined, stop);
    const result = await runLoad(stage, { ...plan, seconds });
    await stop();
    if (viewing) {
      const sum = views[kind] ?? {};
      views[kind] = sum;
      for (const [status, count] of Object.entries(viewing.statuses)) sum[status] = (sum[status] ?? 0) + count;
    }
    // Requests that are still running belong to this phase.
    await pause(500);
    return result;
  };
  stage.say("Warming up");
  await runLoad(stage, { ...plan, seconds: WARM_UP_S });
  await measure("person", "/messages", { cookie });
  delete views.person;
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    stage.say(`Round ${round} of ${rounds}`);
    measured.push({
      calm: await measure("calm", "", {}),
      strangers: await measure("strangers", "/", {}),
      person: await measure("person", "/messages", { cookie }),
    });
  }
  const ratioOf = (kind: "strangers" | "person") =>
    median(measured.map(({ calm, [kind]: beside }) => beside.latencyMs.p99 / calm.latencyMs.p99));
  const ratios = { strangers: ratioOf("strangers"), person: ratioOf("person") };
  const ok = measured.every((round) =>
    KINDS.every((kind) => Object.keys(round[kind].statuses).every((status) => status === "201")),
  );
  return { ok, text: print(measured, ratios, views), figures: { workload: "pages", rounds: measured, ratios, views } };
}

export const pages: Workload = {
  summary: "p99 of sends beside a flood of page views, against calm",
  run,
};
