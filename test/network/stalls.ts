/** Stalls of a test's own event loop, and a server that keeps responding meanwhile. */
import { once } from "node:events";
import { stat } from "node:fs";
import { Worker } from "node:worker_threads";

/** Blocks the event loop like a long computation or a SIGSTOP, but leaves the processor to other tests. */
export function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Blocks the event loop like a long computation or a SIGSTOP; afterwards timers run before sockets are read. */
export async function stallFor(ms: number): Promise<void> {
  // Starts in the check phase: timers follow, then sockets.
  await new Promise((resolve) => setImmediate(resolve));
  standStill(ms);
}

/** The same, but begins `work` first; data that arrives meanwhile is unread when it ends. */
export const stallThen = <T>(ms: number, work: () => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    // Runs in the poll phase.
    stat(".", () => {
      standStill(ms);
      work().then(resolve, reject);
    });
  });

/** Repeats an exchange that a stall of this process has broken, as the queue does: a busy machine stalls tests too. */
export async function unstalled<T>(exchange: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await exchange();
    } catch (thrown) {
      const { code, cause } = thrown as { code?: unknown; cause?: { code?: unknown } };
      if ((code ?? cause?.code) !== "PROCESS_STALLED") throw thrown;
    }
  }
}

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
// It sends no keep-alive hint.
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

type Options = {
  /** The body of its responses; null: it closes the connection instead. */
  answer: string | null;
  /** The status of its responses; 200 by default. */
  status?: number;
  /** Delay of a response, in milliseconds. */
  afterMs: number;
  /** Delay between a response and the close of the connection, in milliseconds; default: never. */
  keepMs?: number;
};

/** Starts an HTTP server in its own thread. `requests` resolves once this many have arrived in all. */
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
