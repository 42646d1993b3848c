/**
 * The load client, a separate process: receives a {@link LoadPlan} over IPC, sends back a {@link LoadResult} and exits.
 * Bare sockets and prepared requests keep it cheap, because it shares the processors with the service.
 */
import net from "node:net";
import { createHistogram, type RecordableHistogram } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";

export type LoadPlan = {
  port: number;
  /** Plain API keys, used in turn. */
  keys: string[];
  sender: string;
  text: string;
  connections: number;
  /** Ends after this time; null: on a `stop` message. */
  seconds: number | null;
  /** Ends after this many sends; null: no limit. */
  limit: number | null;
  /** Sends per second on a fixed schedule; null: each connection sends again as soon as it has its response. */
  rate: number | null;
  /** Sends that are later than this are skipped, so that a client without a free connection builds no queue; null: none is. */
  lateMsMax?: number | null;
  /** Bulk sends of this many recipients each, instead of single ones. */
  recipients?: number;
  /** Sends to Kannel's `sendsms` instead, and requests a receipt for each message if there is a `receiptUrl`. */
  kannel?: { user: string; password: string; receiptUrl: string | null };
};

type Latency = { p50: number; p99: number; max: number };

/** Latencies count from the time when a send was due, so that delays by a stalled service are included. */
export type LoadResult = {
  accepted: number;
  /** Responses by HTTP status. */
  statuses: Record<string, number>;
  /** The first response other than 201: status and body. */
  refusal: string | null;
  /** Sends whose connection broke before the response; they may have been accepted. */
  unanswered: number;
  elapsedS: number;
  /** Latency of accepted sends. */
  latencyMs: Latency;
  /** Latency of the others. */
  refusedMs: Latency;
  /** Responses other than 201 without `Retry-After`. */
  withoutRetryAfter: number;
  /** Sends that were skipped because they were late. */
  leftOut: number;
  /** Processor time of this client. */
  cpuS: number;
};

const HOST = "127.0.0.1";
/** The statuses of acceptance: the service's, and Kannel's. */
const ACCEPTED = new Set([201, 202]);
/** A connection that is silent for this time is closed. */
const SILENCE_MS = 30_000;
/** Prepared requests per key, each to another number. */
const NUMBERS_PER_KEY = 50;
/** Different recipients of bulk sends: more than one request has, all of seven digits. */
const NUMBERS = 1_000_000;
const HISTOGRAM_US = { lowest: 1, highest: 600_000_000, figures: 3 };
const EMPTY = Buffer.alloc(0);

/** `isLast`: the service closes the connection after this response. */
type Reply = { status: number; body: Buffer; isLast: boolean; hasRetryAfter: boolean };
type Connection = { exchange: (request: Buffer) => Promise<Reply | null>; close: () => void };

const numberAt = (at: number): string => `+1415${String(5_550_000 + at).padStart(7, "0")}`;

/** The request number `at` to Kannel; its receipt URL names that number. */
function kannelRequest({ kannel, sender, text, port }: LoadPlan, at: number): Buffer {
  const query = new URLSearchParams({
    username: kannel?.user ?? "",
    password: kannel?.password ?? "",
    from: sender,
    to: numberAt(at),
    text,
    ...(kannel?.receiptUrl && { "dlr-mask": "1", "dlr-url": `${kannel.receiptUrl}/${at}` }),
  });
  return Buffer.from(`GET /cgi-bin/sendsms?${query} HTTP/1.1\r\nhost: ${HOST}:${port}\r\n\r\n`);
}

function makeRequests(plan: LoadPlan): Buffer[] {
  const { keys, sender, text, port, kannel, recipients } = plan;
  // Bodies of bulk sends are long, and one for each key is enough.
  const count = keys.length * (recipients ? 1 : NUMBERS_PER_KEY);
  if (kannel) return Array.from({ length: count }, (_, at) => kannelRequest(plan, at));
  return Array.from({ length: count }, (_, at) => {
    const to = recipients
      ? { recipients: Array.from({ length: recipients }, (_, next) => numberAt((at * recipients + next) % NUMBERS)) }
      : { to: numberAt(at) };
    const body = JSON.stringify({ ...to, from: sender, body: text });
    const head = [
      `POST /api/v1/messages/${recipients ? "bulk" : "send"} HTTP/1.1`,
      `host: ${HOST}:${port}`,
      `authorization: Bearer ${keys[at % keys.length]}`,
      "content-type: application/json",
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
  });
}

/** The response once it is complete; null before. */
function parseResponse(received: Buffer): Reply | null {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd === -1) return null;
  const head = received.toString("latin1", 0, headEnd);
  const bodyStart = headEnd + 4;
  const bodyEnd = bodyStart + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  if (received.length < bodyEnd) return null;
  return {
    status: Number(head.slice(9, 12)),
    body: received.subarray(bodyStart, bodyEnd),
    isLast: /\r\nconnection: *close/i.test(head),
    hasRetryAfter: /\r\nretry-after: *\d/i.test(head),
  };
}

function connect(port: number): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port, host: HOST, noDelay: true });
    let received: Buffer = EMPTY;
    let waiting: ((response: Reply | null) => void) | null = null;
    const settle = (response: Reply | null) => {
      const resolveWaiting = waiting;
      waiting = null;
      received = EMPTY;
      resolveWaiting?.(response);
    };
    socket.setTimeout(SILENCE_MS, () => socket.destroy());
    socket.on("data", (chunk) => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      const response = parseResponse(received);
      if (response) settle(response);
    });
    // Only for errors while connecting; later ones are followed by `close`.
    socket.on("error", reject);
    socket.on("close", () => {
      settle(null);
      reject(new Error("The connection was closed."));
    });
    const exchange = (request: Buffer) =>
      new Promise<Reply | null>((respond) => {
        if (socket.destroyed) return respond(null);
        waiting = respond;
        socket.write(request);
      });
    socket.once("connect", () => resolve({ exchange, close: () => socket.destroy() }));
  });
}

const latencyOf = (of: RecordableHistogram): Latency => ({
  p50: of.percentile(50) / 1_000,
  p99: of.percentile(99) / 1_000,
  max: of.count > 0 ? of.max / 1_000 : 0,
});

async function load(plan: LoadPlan, stop: AbortSignal): Promise<LoadResult> {
  const requests = makeRequests(plan);
  const connections = await Promise.all(Array.from({ length: plan.connections }, () => connect(plan.port)));
  const latencies = createHistogram(HISTOGRAM_US);
  const refusals = createHistogram(HISTOGRAM_US);
  const statuses: Record<string, number> = {};
  let refusal: string | null = null;
  let unanswered = 0;
  let withoutRetryAfter = 0;
  let leftOut = 0;
  let issued = 0;
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  let lastResponseAt = startedAt;

  const endsAt = startedAt + (plan.seconds ?? Number.POSITIVE_INFINITY) * 1_000;
  const isOver = () => stop.aborted || performance.now() >= endsAt;
  const record = (response: Reply, dueAt: number) => {
    lastResponseAt = performance.now();
    const isAccepted = ACCEPTED.has(response.status);
    (isAccepted ? latencies : refusals).record(Math.max(1, Math.round((lastResponseAt - dueAt) * 1_000)));
    statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    if (isAccepted) return;
    refusal ??= `${response.status} ${response.body.toString("utf8")}`;
    if (!response.hasRetryAfter) withoutRetryAfter += 1;
  };

  const keepSending = async (first: Connection): Promise<void> => {
    let connection = first;
    while (!isOver() && issued < (plan.limit ?? Number.POSITIVE_INFINITY)) {
      const at = issued++;
      let dueAt = performance.now();
      if (plan.rate) {
        const scheduledAt = startedAt + (at / plan.rate) * 1_000;
        if (scheduledAt > dueAt) await pause(scheduledAt - dueAt);
        if (isOver()) break;
        if (performance.now() - scheduledAt > (plan.lateMsMax ?? Number.POSITIVE_INFINITY)) {
          leftOut += 1;
          continue;
        }
        // Timers fire up to a millisecond early.
        dueAt = Math.min(scheduledAt, performance.now());
      }
      const response = await connection.exchange(requests[at % requests.length] ?? EMPTY);
      if (response) record(response, dueAt);
      else unanswered += 1;
      if (response && !response.isLast) continue;
      connection.close();
      const next = await connect(plan.port).catch(() => null);
      if (!next) break;
      connection = next;
    }
    connection.close();
  };
  await Promise.all(connections.map(keepSending));

  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    accepted: [...ACCEPTED].reduce((sum, status) => sum + (statuses[status] ?? 0), 0),
    statuses,
    refusal,
    unanswered,
    elapsedS: (lastResponseAt - startedAt) / 1_000,
    latencyMs: latencyOf(latencies),
    refusedMs: latencyOf(refusals),
    withoutRetryAfter,
    leftOut,
    cpuS: (user + system) / 1_000_000,
  };
}

const stop = new AbortController();
process.on("message", (message: LoadPlan | "stop") => {
  if (message === "stop") return stop.abort();
  void load(message, stop.signal).then((result) => process.send?.(result, () => process.disconnect()));
});
process.on("disconnect", () => process.exit());
// The process that started this one decides when to stop.
process.on("SIGINT", () => undefined);
