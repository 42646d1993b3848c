/**
 * Several workers in one test process. Like a process, each has its own id, claims and queues of writes, so that they meet only in
 * the database.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";

/** Where `server/core/process.ts` keeps the process values. */
export const REGISTRY = Symbol.for("messaging-service.process");
/** Names of the process values (`defineProcessValue`) that each worker has for itself. The others (pool, settings, providers) are shared. */
const OWN = /^(worker\.|attempts\.|receipts\.|messages\.accept$)/;

const current = new AsyncLocalStorage<Map<string, unknown>>();

export type SimulatedWorker = { id: string; own: Map<string, unknown> };

/** The registry of `defineProcessValue`, which returns the instances of the worker that runs the code. */
export function processRegistry(): Map<string, unknown> {
  const registry = (globalThis as { [REGISTRY]?: Map<string, unknown> })[REGISTRY];
  if (!registry) throw new Error("Nothing of the service is imported.");
  return registry;
}

/** Makes the registry distinguish workers. */
export function tellWorkersApart(): void {
  const registry = processRegistry();
  const shared = new Map(registry);
  const placeOf = (name: string) => (OWN.test(name) && current.getStore()) || shared;
  registry.has = (name) => placeOf(name).has(name);
  registry.get = (name) => placeOf(name).get(name);
  registry.delete = (name) => placeOf(name).delete(name);
  registry.set = (name, made) => {
    placeOf(name).set(name, made);
    return registry;
  };
}

/** A worker that never calls a provider itself: like a stopping worker, it gives back each claim. */
export function startWorker(): SimulatedWorker {
  const id = `worker-${randomUUID()}`;
  const underWay = { all: new Set<Promise<void>>(), stoppingSinceMs: performance.now() };
  return {
    id,
    own: new Map<string, unknown>([
      ["worker.id", id],
      ["attempts.under_way", underWay],
    ]),
  };
}

/** Runs `work`, and all that it starts, as that worker. */
export const asWorker = <Result>(worker: SimulatedWorker, work: () => Promise<Result>): Promise<Result> =>
  current.run(worker.own, work);
