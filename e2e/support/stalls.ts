/** Stalls of a test's own event loop, and a server that goes on answering meanwhile. */
import { once } from "node:events";
import { stat } from "node:fs";
import { Worker } from "node:worker_threads";

function standStill(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Keeps the event loop from turning, as a long computation or a SIGSTOP would; timers then run before sockets are read. */
export async function stallFor(ms: number): Promise<void> {
  // From the check phase: the timers come next, and only then the sockets.
  await new Promise((resolve) => setImmediate(resolve));
  standStill(ms);
}

/** The same, with `work` begun before the event loop turns again: what arrived meanwhile has not been read by then. */
export const stallThen = <T>(ms: number, work: () => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    // Answered in the poll phase.
    stat(".", () => {
      standStill(ms);
      work().then(resolve, reject);
    });
  });

const SERVER = `
const { parentPort, workerData } = require("node:worker_threads");
const { answer, status, afterMs, keepMs } = workerData;
const server = require("node:http").createServer((request, response) => {
  request.resume().on("end", () => {
    parentPort.postMessage("request");
    setTimeout(() => {
      if (answer === null) return request.socket.destroy();
      response.writeHead(status).end(answer);
      if (keepMs !== null) setTimeout(() => request.socket.end(), keepMs);
    }, afterMs);
  });
});
// It announces nothing about how long a connection lives.
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

type Options = {
  /** The body of its answers; null: it closes the connection instead of answering. */
  answer: string | null;
  /** The status of its answers; 200 when omitted. */
  status?: number;
  /** How long it takes for an answer, in milliseconds. */
  afterMs: number;
  /** How long after an answer it closes the connection, in milliseconds; never when omitted. */
  keepMs?: number;
};

/** Starts an HTTP server in a thread of its own. `requests` resolves as soon as so many have arrived in all. */
export async function startServerApart({ answer, status = 200, afterMs, keepMs }: Options) {
  const thread = new Worker(SERVER, { eval: true, workerData: { answer, status, afterMs, keepMs: keepMs ?? null } });
  const [port] = (await once(thread, "message")) as [number];
  let count = 0;
  thread.on("message", () => {
    count += 1;
  });
  return {
    url: `http://127.0.0.1:${port}/`,
    requests: async (least: number): Promise<void> => {
      while (count < least) await once(thread, "message");
    },
    close: () => thread.terminate(),
  };
}
