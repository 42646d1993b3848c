/**
 * The registry of values that exist once per process (pools, caches, batchers), and the orderly stop of a process.
 *
 * The pages process holds this code twice: as started by server/pages.ts, and inside the bundle that Next made of the
 * pages. Both copies share one registry on `globalThis`, and so one pool.
 */
const REGISTRY = Symbol.for("messaging-service.process");

function openRegistry(): Map<string, unknown> {
  const shared = globalThis as { [REGISTRY]?: Map<string, unknown> };
  shared[REGISTRY] ??= new Map();
  return shared[REGISTRY];
}

const registry = openRegistry();

/** Names declared by this copy of the code. */
const declaredNames = new Set<string>();

/**
 * Declares a value that exists once per process.
 * @param name its key in the registry, `subject.value`; unique. The two copies of the pages process share it.
 * @param make makes the value at its first use.
 * @returns a getter of the value.
 * @throws Error in tests when the name is already declared: two values under one name would have different types. Not
 *   in development, where hot reload runs a module again.
 */
export function defineProcessValue<T>(name: string, make: () => T): () => T {
  if (process.env.NODE_ENV === "test" && declaredNames.has(name)) {
    throw new Error(`The process value "${name}" is declared twice.`);
  }
  declaredNames.add(name);
  return () => {
    if (!registry.has(name)) registry.set(name, make());
    return registry.get(name) as T;
  };
}

const closers = defineProcessValue("process.closers", (): Array<() => Promise<void>> => []);

type Limit = { withinMs: number; onLate: () => void };

const stopping = defineProcessValue("process.stopping", () => ({ isOn: false, limit: null as Limit | null }));

/** Registers work for an orderly stop; the last registered runs first. */
export function onShutdown(close: () => Promise<void>): void {
  closers().push(close);
}

/** Runs everything registered with {@link onShutdown}. A failing closer does not keep the others from running. */
export async function shutDown(): Promise<void> {
  for (const close of closers().splice(0).reverse()) await close().catch(() => undefined);
}

/**
 * Runs a process of the service: `start` it, then stop in order at SIGTERM, SIGINT, or when the parent that holds our
 * IPC channel is gone. A failing start is reported on stderr and ends the process with code 1.
 */
export function runUntilStopped(name: string, start: () => Promise<void>): Promise<void> {
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  return run(name, start);
}

/**
 * Runs a child of a process of the service until its parent closes the IPC channel or is gone. It ignores signals that a terminal or
 * systemd sends to all processes at once: its parent still needs it while stopping.
 */
export function runUntilParentEnds(name: string, start: () => Promise<void>): Promise<void> {
  process.on("SIGTERM", () => undefined);
  process.on("SIGINT", () => undefined);
  return run(name, start);
}

/**
 * Limits an orderly stop: a process that still runs after `withinMs` ends at once, as by a crash, before its supervisor kills it.
 * `onLate` is called first.
 */
export function limitStop(withinMs: number, onLate: () => void): void {
  stopping().limit = { withinMs, onLate };
}

/** Stops in order, once. Keeps `process.exitCode`, which is set when something went wrong. */
function stop(): void {
  const state = stopping();
  if (state.isOn) return;
  state.isOn = true;
  const { limit } = state;
  if (limit) {
    setTimeout(() => {
      limit.onLate();
      process.exit(1);
    }, limit.withinMs).unref();
  }
  void shutDown().then(() => process.exit());
}

/** An error whose message says all that people need to know, so it has no stack. */
export function plainError(message: string): Error {
  const error = new Error(message);
  error.stack = undefined;
  return error;
}

async function run(name: string, start: () => Promise<void>): Promise<void> {
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
 * Repeats `work` with pauses in between.
 * @param work handles its own failures and returns the next pause in milliseconds.
 * @returns a function that ends the repetition and waits for the run under way.
 */
export function keepDoing(work: () => Promise<number>): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let run: Promise<void> = Promise.resolve();
  let isOver = false;
  const schedule = (afterMs: number) => {
    if (isOver) return;
    timer = setTimeout(() => {
      run = work().then(schedule);
    }, afterMs);
  };
  schedule(0);
  return async () => {
    isOver = true;
    clearTimeout(timer);
    await run;
  };
}
