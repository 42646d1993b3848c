/** The customers' servers: they receive webhooks, verify each by the documentation, and record it. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Received } from "@/test/network/receiver";
import { chanceOf } from "../faults/chance";
import { isTrial } from "./receiver-names";
import { type KnownSecret, signatureProblem } from "./signatures";

/** How a receiver responds; `flaky`: with an occasional 500; `busy`: with 429 while it works on other requests. */
export type Manner = "ok" | "flaky" | "fail" | "hang" | "redirect" | "reset" | "busy";

/** A webhook as a receiver got it. `problem`: the first check that failed. */
export type ReceivedEvent = {
  receiver: string;
  atMs: number;
  eventId: string;
  type: string;
  createdAt: string;
  messageId: string;
  status: string;
  reference: string | null;
  to: string;
  /** The time in its signature, in whole seconds. */
  signedMs: number;
  problem: string | null;
};

/** Responses of a receiver, in the order of their completion. */
export type Responded = { receiver: string; atMs: number; eventId: string; isTaken: boolean; manner: Manner };

export type Receivers = {
  urlOf: (receiver: string) => string;
  /** Adds a signing secret of a receiver's webhooks: the latest one. */
  addSecret: (receiver: string, secret: string) => void;
  setManner: (receiver: string, manner: Manner) => void;
  heal: () => void;
  received: ReceivedEvent[];
  answered: Responded[];
  close: () => Promise<void>;
};

/** Connections that the system accepts on behalf of this process; a worker has up to 16 for each of its webhook jobs. */
const BACKLOG = 4_096;
const FLAKY_SHARE = 0.08;
/** A busy receiver works on two requests at a time, 50 ms each. */
const BUSY = { requests: 2, forMs: 50 };
const STATUS = { ok: 200, flaky: 500, fail: 500, redirect: 302 } as const;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** Reads a webhook and finds its problem, if any. `secrets` undefined: they are not known yet. */
function readEvent(receiver: string, request: Received, secrets: readonly KnownSecret[] | undefined): ReceivedEvent {
  let problem = secrets ? signatureProblem(request, secrets) : null;
  let event: Record<string, unknown> = {};
  try {
    event = JSON.parse(request.body.toString("utf8"));
    if (request.headers["webhook-id"] !== event.id) problem ??= "webhook-id is not the event's";
    if (event.livemode !== !isTrial(receiver)) problem ??= `livemode is ${event.livemode}`;
  } catch {
    problem ??= "it is no JSON";
  }
  const data = (typeof event.data === "object" && event.data !== null ? event.data : {}) as Record<string, unknown>;
  const read = {
    receiver,
    atMs: Date.now(),
    eventId: textOf(event.id),
    type: textOf(event.type),
    createdAt: textOf(event.created_at),
    messageId: textOf(data.id),
    status: event.type === "message.received" ? "received" : textOf(data.status),
    reference: typeof data.reference === "string" ? data.reference : null,
    to: textOf(data.to),
    signedMs: Number(request.headers["webhook-timestamp"]) * 1_000,
  };
  const expected = read.status === "undelivered" ? "message.failed" : `message.${read.status}`;
  if (problem === null && read.type !== expected) problem = `a ${read.type} of a message that is ${read.status}`;
  return { ...read, problem };
}

/** Starts one server for all receivers, each under its own path. */
export async function startReceivers(seed: number, names: readonly string[]): Promise<Receivers> {
  const received: ReceivedEvent[] = [];
  const answered: Responded[] = [];
  const secrets = new Map<string, KnownSecret[]>();
  /** Webhooks that were faster than the response with the secret of their endpoint. */
  const unverified = new Map<string, (() => void)[]>();
  const manners = new Map<string, Manner>();
  const chance = chanceOf(`${seed} receivers`);
  let isHealthy = false;
  let busyWith = 0;

  const answer = (manner: Manner, { receiver, eventId }: ReceivedEvent, response: ServerResponse) => {
    const end = (isTaken: boolean) => answered.push({ receiver, atMs: Date.now(), eventId, isTaken, manner });
    if (manner === "hang") response.once("close", () => end(false));
    else if (manner === "busy" && busyWith >= BUSY.requests) {
      end(false);
      response.writeHead(429).end();
    } else if (manner === "busy") {
      busyWith += 1;
      setTimeout(() => {
        busyWith -= 1;
        end(true);
        response.writeHead(200).end();
      }, BUSY.forMs);
    } else if (manner === "reset") {
      response.socket?.resetAndDestroy();
      end(false);
    } else {
      const status = STATUS[manner];
      end(status < 300);
      response.writeHead(status, status === 302 ? { location: "/elsewhere" } : {}).end();
    }
  };
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk);
    } catch {
      return; // The sender was gone before its request was complete.
    }
    const path = incoming.url ?? "";
    const receiver = path.slice(1);
    const request = { path, headers: incoming.headers, body: Buffer.concat(chunks) };
    const event = readEvent(receiver, request, secrets.get(receiver));
    received.push(event);
    if (!secrets.has(receiver)) {
      const verify = () =>
        Object.assign(event, { problem: readEvent(receiver, request, secrets.get(receiver)).problem });
      unverified.set(receiver, [...(unverified.get(receiver) ?? []), verify]);
    }
    const manner = isHealthy ? "ok" : (manners.get(receiver) ?? "ok");
    answer(manner === "flaky" && chance() >= FLAKY_SHARE ? "ok" : manner, event, response);
  });
  server.keepAliveTimeout = 120_000;
  // A worker may connect many times at once while this process is stalled: no connection may have to be retried after seconds.
  await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port: 0, backlog: BACKLOG }, resolve));
  const { port } = server.address() as AddressInfo;
  for (const name of names) manners.set(name, "ok");

  return {
    urlOf: (receiver) => `http://127.0.0.1:${port}/${receiver}`,
    addSecret: (receiver, secret) => {
      secrets.set(receiver, [...(secrets.get(receiver) ?? []), { secret, sinceMs: Date.now() }]);
      for (const verify of unverified.get(receiver) ?? []) verify();
      unverified.delete(receiver);
    },
    setManner: (receiver, manner) => manners.set(receiver, manner),
    heal: () => {
      isHealthy = true;
    },
    received,
    answered,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
