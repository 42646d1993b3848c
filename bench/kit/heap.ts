/** Memory and open resources of processes: the heap that a full collection leaves, and handles, read through Node's inspector. */
import { WebSocket } from "undici";

/** Opens an inspector in a process, and in those that it starts, at ports that the system chooses. */
export const INSPECTED = { NODE_OPTIONS: "--inspect=127.0.0.1:0" } as const;

/** One process after a collection. `resources`: open handles and requests by kind, such as sockets and timers. */
export type Kept = { program: string; heapBytes: number; outsideBytes: number; resources: Record<string, number> };

const ANNOUNCEMENT = /Debugger listening on (ws:\S+)/g;

/** Evaluated in the process. Buffers are outside the heap. */
const EXPRESSION = `JSON.stringify({
  program: process.argv[1],
  ...process.memoryUsage(),
  resources: process.getActiveResourcesInfo(),
})`;

type Usage = { program: string; heapUsed: number; external: number; resources: string[] };
type Reply = { id: number; result?: { result?: { value?: string } } };

/** Collects garbage and reads what is left. @throws Error when the process has ended. */
async function readKept(url: string): Promise<Kept> {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => {
    socket.addEventListener("open", resolve);
    socket.addEventListener("error", () => reject(new Error(`The inspector ${url} does not respond.`)));
  });
  let lastId = 0;
  const ask = (method: string, params: Record<string, unknown> = {}): Promise<Reply> => {
    lastId += 1;
    const id = lastId;
    return new Promise((resolve, reject) => {
      socket.addEventListener("close", () => reject(new Error("The process has ended.")));
      socket.addEventListener("message", ({ data }) => {
        const reply: Reply = JSON.parse(String(data));
        if (reply.id === id) resolve(reply);
      });
      socket.send(JSON.stringify({ id, method, params }));
    });
  };
  try {
    // The second collection frees the objects that the first one finalized.
    await ask("HeapProfiler.collectGarbage");
    await ask("HeapProfiler.collectGarbage");
    const { result } = await ask("Runtime.evaluate", { expression: EXPRESSION, returnByValue: true });
    const usage: Usage = JSON.parse(result?.result?.value ?? "");
    const resources: Record<string, number> = {};
    for (const kind of usage.resources) resources[kind] = (resources[kind] ?? 0) + 1;
    const program = usage.program.split("/").at(-1) ?? usage.program;
    return { program, heapBytes: usage.heapUsed, outsideBytes: usage.external, resources };
  } finally {
    socket.close();
  }
}

/** Reads the processes that announced an inspector in these logs. Those that have ended are left out. */
export async function keptBy(logs: readonly string[]): Promise<Kept[]> {
  const urls = logs.flatMap((text) => [...text.matchAll(ANNOUNCEMENT)].map(([, url = ""]) => url));
  const kept: Kept[] = [];
  for (const url of urls) {
    const one = await readKept(url).catch(() => null);
    if (one) kept.push(one);
  }
  return kept;
}
