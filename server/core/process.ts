/**
 * One instance per process of what must not exist twice (pools, caches, coalescing queues).
 *
 * The web process holds this code twice: once as started by server/main.ts and once inside the bundle that Next made of
 * the route files. Both look here, so a key revoked through one is gone for the other.
 */
const REGISTRY = Symbol.for("messaging-service.process");

function openRegistry(): Map<string, unknown> {
  const shared = globalThis as { [REGISTRY]?: Map<string, unknown> };
  shared[REGISTRY] ??= new Map();
  return shared[REGISTRY];
}

const registry = openRegistry();

const closers: Array<() => Promise<void>> = perProcess("process.closers", () => []);

/** Returns the process's one instance called `name`, made by `make` at its first use. */
export function perProcess<T>(name: string, make: () => T): T {
  if (!registry.has(name)) registry.set(name, make());
  return registry.get(name) as T;
}

/** Registers work for an orderly stop; last registered, first run. */
export function onShutdown(close: () => Promise<void>): void {
  closers.push(close);
}

/** Runs what {@link onShutdown} gathered. A failing closer never keeps the others from running. */
export async function shutDown(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close().catch(() => undefined);
}

/**
 * Runs a process of the service: `start` it, then stop in order at SIGTERM, SIGINT, or when the parent that holds our
 * IPC channel is gone. A failing start is told on stderr and ends with code 1.
 */
export async function runUntilStopped(name: string, start: () => Promise<void>): Promise<void> {
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    // With the code that was set, when something went wrong.
    void shutDown().then(() => process.exit());
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  process.on("disconnect", stop);
  try {
    await start();
  } catch (thrown) {
    process.stderr.write(
      `${name} could not start: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : thrown}\n`,
    );
    await shutDown();
    process.exit(1);
  }
}

/**
 * Does `work` again and again, with pauses between, until the returned function is called, which waits for the turn under
 * way. `work` answers for its own failures and returns the length of the pause in milliseconds.
 */
export function keepDoing(work: () => Promise<number>): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let turn: Promise<void> = Promise.resolve();
  let isOver = false;
  const plan = (afterMs: number) => {
    if (isOver) return;
    timer = setTimeout(() => {
      turn = work().then(plan);
    }, afterMs);
  };
  plan(0);
  return async () => {
    isOver = true;
    clearTimeout(timer);
    await turn;
  };
}
