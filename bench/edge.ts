/**
 * Compares our REST edge with `trpc-to-openapi`'s Node handler: both serve one procedure with the real input and output
 * schemas of a send, in turn, in one process. There is no database, so only the edges differ.
 */
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenApiNodeHttpHandler } from "trpc-to-openapi";
import { Pool } from "undici";
import { callProcedure } from "@/server/api/call-procedure";
import { PENDING } from "@/server/api/document/samples";
import { parseBody } from "@/server/api/input/rest-input";
import { matchOperation, tableOf } from "@/server/api/operations";
import type { Context } from "@/server/core/trpc";
import { router, scoped } from "@/server/core/trpc";
import { Message, SendMessageInput } from "@/server/messages/schema";
import { median } from "./kit/figures";
import type { Options, Outcome, Stage, Workload } from "./kit/workload";

const CONTEXT: Context = {
  actor: {
    kind: "apiKey",
    accountId: "acc_bench",
    keyId: "key_bench",
    scopes: ["sms:send"],
    limits: { daily: null, monthly: null },
  },
  requestId: "req_bench",
  address: "127.0.0.1",
  idempotency: () => null,
  responseHeaders: {},
  admit: async () => undefined,
};

const RESPONSE: Message = {
  ...PENDING,
  id: "msg_bench",
  from: "BENCH",
  body: "Hello",
  reference: null,
  metadata: null,
};

const BODY = JSON.stringify({ to: "+14155550123", from: "BENCH", body: "Hello" });

/** Called once per edge, because the library's handler modifies the schemas of its router. */
const makeRouter = () =>
  router({
    send: scoped("sms:send")
      .meta({ openapi: { method: "POST", path: "/messages/send" } })
      .input(SendMessageInput)
      .output(Message)
      .mutation(() => RESPONSE),
  });

const libraryEdge = (): RequestListener => {
  const handle = createOpenApiNodeHttpHandler({
    router: makeRouter(),
    createContext: () => CONTEXT,
    maxBodySize: undefined,
  });
  return (request, response) => void handle(request, response);
};

const readAll = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const ownEdge = (): RequestListener => {
  const own = makeRouter();
  const operations = tableOf(own);
  return async (request, response) => {
    const match = matchOperation(operations, request.method ?? "", request.url ?? "");
    if (!match) {
      response.writeHead(404).end();
      return;
    }
    const result = await callProcedure(match.operation.call, {
      path: match.operation.procedure,
      ctx: CONTEXT,
      getRawInput: async () => parseBody(request.headers["content-type"], await readAll(request)),
    });
    const body = JSON.stringify(result);
    response
      .writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
      .end(body);
  };
};

async function listen(handler: RequestListener): Promise<Server> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

/** Requests per second that `server` handles. @throws Error on any response other than 200. */
async function measure(server: Server, { seconds, connections }: Options): Promise<number> {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1_000;
  let handled = 0;
  const send = async () => {
    while (performance.now() < endAt) {
      const { statusCode, body } = await pool.request({
        method: "POST",
        path: "/messages/send",
        headers: { "content-type": "application/json" },
        body: BODY,
      });
      await body.dump();
      if (statusCode !== 200) throw new Error(`The edge responded with ${statusCode}.`);
      handled += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, send));
  await pool.destroy();
  return handled / ((performance.now() - startedAt) / 1_000);
}

const perSecond = (value: number): string => Math.round(value).toLocaleString("en-US").padStart(8);

async function run(options: Options, stage: Stage): Promise<Outcome> {
  const stop = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()));
  const library = await stage.keep(() => listen(libraryEdge()), stop);
  const own = await stage.keep(() => listen(ownEdge()), stop);
  const rounds: { library: number; own: number; ratio: number }[] = [];
  for (let round = 1; round <= options.rounds; round += 1) {
    stage.signal.throwIfAborted();
    stage.say(`round ${round} of ${options.rounds}`);
    const slow = await measure(library, options);
    const fast = await measure(own, options);
    rounds.push({ library: slow, own: fast, ratio: fast / slow });
  }
  const ratio = median(rounds.map((round) => round.ratio));
  const text = [
    "round   library/s   own/s   own : library",
    ...rounds.map(
      ({ library: slow, own: fast, ratio: each }, at) =>
        `${String(at + 1).padStart(5)}  ${perSecond(slow)}  ${perSecond(fast)}   ${each.toFixed(2)}`,
    ),
    `median ratio ${ratio.toFixed(2)} (client and both servers share one process)`,
    "",
  ].join("\n");
  return { ok: true, text, figures: { rounds, ratio } };
}

export const edge: Workload = { summary: "the REST edge compared with trpc-to-openapi's handler", run };
