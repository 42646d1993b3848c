/**
 * Several workers in one test process. What a process has once (its id, the claims that it knows, its queues of writes)
 * each of them has for itself, so that they meet in the database alone.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";

const REGISTRY = Symbol.for("messaging-service.process");
/** Names of `defineProcessValue` that a worker has for itself. All else (pool, settings, providers) is shared. */
const OWN = /^(worker\.|attempts\.|receipts\.|messages\.accept$)/;

const current = new AsyncLocalStorage<Map<string, unknown>>();

export type SimulatedWorker = { id: string; own: Map<string, unknown> };

/** The registry of `defineProcessValue`; what is done as a worker finds that worker's own instances in it. */
export function processRegistry(): Map<string, unknown> {
  const registry = (globalThis as { [REGISTRY]?: Map<string, unknown> })[REGISTRY];
  if (!registry) throw new Error("Nothing of the service is imported.");
  return registry;
}

/** Lets the registry tell workers apart. */
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

/** A worker that never calls a provider by itself: as one that is told to stop, it gives back what it would start. */
export function startWorker(): SimulatedWorker {
  const id = `worker-${randomUUID()}`;
  const underWay = { all: new Set<Promise<void>>(), isStopping: true };
  return {
    id,
    own: new Map<string, unknown>([
      ["worker.id", id],
      ["attempts.under_way", underWay],
    ]),
  };
}

/** Does `work` as that worker, together with all that it starts. */
export const asWorker = <Result>(worker: SimulatedWorker, work: () => Promise<Result>): Promise<Result> =>
  current.run(worker.own, work);
