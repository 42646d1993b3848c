/**
 * Measures the latency of single sends at a steady pace, alone and during each flood of the edge. Each of these floods could once
 * bring the service down. Page views are a separate workload, `pages`.
 */
import http from "node:http";
import net from "node:net";
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
const REQUESTS_PER_S = 20;
const WARM_UP_S = 4;
const HELD_SOCKETS = 800;
/** A host that takes seconds to parse as an address. */
const SLOW_HOST = `https://${"é".repeat(200_000)}`;

type Statuses = Record<string, number>;
type Flood = { statuses: Statuses; stop: () => void };
type Asked = { path: string; headers?: Record<string, string>; body: string };

/** Posts at a fixed rate, whether or not responses arrive. */
function post(port: number, { path, headers, body }: Asked): Flood {
  const statuses: Statuses = {};
  const agent = new http.Agent({ keepAlive: true, maxSockets: 200 });
  const count = (status: string) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const ask = () => {
    const request = http.request({ host: "127.0.0.1", port, path, method: "POST", agent, headers }, (response) => {
      response.resume().once("end", () => count(String(response.statusCode)));
    });
    request.once("error", () => count("closed"));
    request.end(body);
  };
  const timer = setInterval(ask, 1_000 / REQUESTS_PER_S);
  return {
    statuses,
    stop: () => {
      clearInterval(timer);
      agent.destroy();
    },
  };
}

/** Keeps requests open whose bodies never end. */
function hold(port: number, path: string): Flood {
  const statuses: Statuses = {};
  const sockets = Array.from({ length: HELD_SOCKETS }, () => {
    const socket = net.connect(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      const status = chunk.toString("latin1").slice(9, 12);
      statuses[status] = (statuses[status] ?? 0) + 1;
    });
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n${"x".repeat(50_000)}`);
    return socket;
  });
  return { statuses, stop: () => sockets.forEach((socket) => void socket.destroy()) };
}

const JSON_TYPE = { "content-type": "application/json" };
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };

const batchOf = (size: number, call: string, input: unknown): Asked => ({
  path: `/api/trpc/${Array.from({ length: size }, () => call).join(",")}?batch=1`,
  headers: JSON_TYPE,
  body: JSON.stringify(Object.fromEntries(Array.from({ length: size }, (_, at) => [at, input]))),
});

const STRANGER = { email: "nobody@example.com", password: "short", name: "Nobody" };

/** @param receipts the secret path of callbacks. @param cookie session of a person of another account. */
const floodsOf = (port: number, receipts: string, cookie: string): Record<string, () => Flood> => ({
  "sign-out to an address of 200,000 characters": () =>
    post(port, {
      path: "/api/auth/signout",
      headers: FORM_TYPE,
      body: new URLSearchParams({ callbackUrl: SLOW_HOST }).toString(),
    }),
  "batches of 900 calls": () => post(port, batchOf(900, "auth.signUp", STRANGER)),
  "sign-ups with lists of 1 MiB": () =>
    post(port, {
      path: "/api/trpc/auth.signUp",
      headers: JSON_TYPE,
      body: JSON.stringify({ ...STRANGER, more: Array.from({ length: 200_000 }, () => "x") }),
    }),
  "sign-ups with wrong input": () =>
    post(port, { path: "/api/trpc/auth.signUp", headers: JSON_TYPE, body: JSON.stringify(STRANGER) }),
  "800 callbacks that never end": () => hold(port, receipts),
  "callbacks of 10,000 fields": () =>
    post(port, {
      path: receipts,
      headers: FORM_TYPE,
      body: Array.from({ length: 10_000 }, (_, at) => `${at}=`).join("&"),
    }),
  "a person's batches of 20 calls": () => {
    const batch = batchOf(20, "webhooks.test", { id: "whk_none" });
    return post(port, { ...batch, headers: { ...JSON_TYPE, cookie } });
  },
});

/** One round during a flood, in ms; `calm`: the same sends alone, just before. */
type Round = { calm: number; p99: number };

type Beside = { name: string; rounds: Round[]; ratio: number; statuses: Statuses };

const textOf = (statuses: Statuses): string =>
  Object.entries(statuses)
    .map(([status, count]) => `${count} x ${status}`)
    .join(", ") || "no response";

function print(calm: number[], beside: Beside[]): string {
  const ms = (values: number[]) => values.map((value) => value.toFixed(0).padStart(5)).join(" ");
  const line = (name: string, values: number[], more: string) => `  ${name.padEnd(46)}${ms(values)}   ${more}`;
  return [
    `p99 of ${SENDS_PER_S} sends/s in ms, by round, and the median ratio to calm`,
    line("calm", calm, ""),
    ...beside.map(({ name, rounds, ratio, statuses }) =>
      line(
        name,
        rounds.map(({ p99 }) => p99),
        `${ratio.toFixed(2)} ×   ${textOf(statuses)}`,
      ),
    ),
    "",
  ].join("\n");
}

async function run({ seconds, rounds }: Options, stage: Stage): Promise<Outcome> {
  const plivo = { PLIVO_AUTH_ID: "MA0", PLIVO_AUTH_TOKEN: "token", PLIVO_BASE_URL: "http://127.0.0.1:9" };
  const service = await openService(stage, {
    connections: SEND_CONNECTIONS,
    environment: { ...plivo, SIGN_UP_OPEN: "true" },
  });
  const { port, customer, environment } = service;
  Object.assign(process.env, environment);
  const { receiptUrlFor } = await import("@/server/providers/receipt-url");
  const receipts = new URL(receiptUrlFor("plivo", "x")).pathname;
  const cookie = await openPerson(`http://127.0.0.1:${port}`);
  const floods = floodsOf(port, receipts, cookie);
  const plan = { ...planOf(customer, port, SEND_CONNECTIONS), rate: SENDS_PER_S };
  const refused: string[] = [];
  const measure = async (name: string): Promise<number> => {
    const result: LoadResult = await runLoad(stage, { ...plan, seconds });
    if (result.refusal) refused.push(`${name}: ${result.refusal}`);
    return result.latencyMs.p99;
  };
  stage.say("Warming up");
  await runLoad(stage, { ...plan, seconds: WARM_UP_S });
  const calms: number[] = [];
  const beside = Object.keys(floods).map((name): Beside => ({ name, rounds: [], ratio: 0, statuses: {} }));
  for (let round = 1; round <= rounds; round += 1) {
    stage.say(`Round ${round} of ${rounds}`);
    const calm = await measure("calm");
    calms.push(calm);
    for (const own of beside) {
      const flood = floods[own.name]?.();
      own.rounds.push({ calm, p99: await measure(own.name) });
      flood?.stop();
      for (const [status, count] of Object.entries(flood?.statuses ?? {})) {
        own.statuses[status] = (own.statuses[status] ?? 0) + count;
      }
      // Requests that are still running belong to this flood.
      await pause(500, undefined, { signal: stage.signal });
    }
  }
  for (const own of beside) own.ratio = median(own.rounds.map(({ calm, p99 }) => p99 / calm));
  const text = print(calms, beside) + refused.map((refusal) => `A SEND WAS REFUSED beside ${refusal}\n`).join("");
  return { ok: refused.length === 0, text, figures: { workload: "floods", calm: calms, beside, refused } };
}

export const floods: Workload = {
  summary: "p99 of sends beside floods of the edge, against calm",
  run,
};
