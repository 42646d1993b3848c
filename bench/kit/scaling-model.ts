/**
 * A model of throughput by cores and processes, fitted to the results of `npm run bench -- scale` (docs/scaling.md).
 *
 * A message costs CPU time in the processes of a stage and in PostgreSQL. This time grows by a constant with each further process,
 * because the same callers are spread over more processes, so that each transaction carries fewer messages. Processors are busy
 * only part of the time; the rest is waiting for commits and locks.
 */

/** CPU time per message in microseconds: of all processes of a stage together, of PostgreSQL, and of load clients. */
export type Observation = {
  processes: number;
  perSecond: number;
  processUs: number;
  postgresUs: number;
  clientUs: number;
};

/** Processes that accept messages (web), or deliver them (worker). */
export type StageName = "web" | "worker";

/** `single`: the cost of one process; `each`: the additional cost of each further one. */
type Line = { single: number; each: number };

/** `processShare`, `machineShare`: the largest busy share of one processor, and of all. */
export type Fitted = { process: Line; postgres: Line; client: Line; processShare: number; machineShare: number };

const MICROS = 1_000_000;
/** The cores on which everything was measured. */
export const MEASURED_CORES = 2;

/** `npm run bench -- scale --seconds 5 --backlog 100000` with nothing else running, 2026-11-27. One account, one database, and 64 callers. */
export const OBSERVED: Record<StageName, readonly Observation[]> = {
  web: [
    { processes: 1, perSecond: 6_861, processUs: 111, postgresUs: 45, clientUs: 16 },
    { processes: 2, perSecond: 6_813, processUs: 144, postgresUs: 69, clientUs: 20 },
    { processes: 4, perSecond: 2_577, processUs: 400, postgresUs: 214, clientUs: 57 },
  ],
  worker: [
    { processes: 1, perSecond: 9_847, processUs: 82, postgresUs: 88, clientUs: 0 },
    { processes: 2, perSecond: 8_205, processUs: 114, postgresUs: 102, clientUs: 0 },
    { processes: 4, perSecond: 5_759, processUs: 166, postgresUs: 152, clientUs: 0 },
  ],
};

/** The line through the first point that has the least sum of squared errors at the others. */
function lineThrough([first = [1, 0], ...points]: readonly (readonly [number, number])[]): Line {
  const [x0, y0] = first;
  const sum = (term: (x: number, y: number) => number) =>
    points.reduce((total, [x, y]) => total + term(x - x0, y - y0), 0);
  return { single: y0, each: sum((x, y) => x * y) / sum((x) => x * x) };
}

const at = ({ single, each }: Line, processes: number): number => single + each * (processes - 1);

/** Fits a stage. @param observed measurements of one process and, after it, of several. */
export function fitStage(observed: readonly Observation[]): Fitted {
  const busy = observed.map(({ processes, perSecond, processUs, postgresUs, clientUs }) => ({
    ofProcess: (perSecond * processUs) / processes / MICROS,
    ofMachine: (perSecond * (processUs + postgresUs + clientUs)) / MEASURED_CORES / MICROS,
  }));
  return {
    process: lineThrough(observed.map(({ processes, processUs }) => [processes, processUs] as const)),
    postgres: lineThrough(observed.map(({ processes, postgresUs }) => [processes, postgresUs] as const)),
    client: lineThrough(observed.map(({ processes, clientUs }) => [processes, clientUs] as const)),
    processShare: Math.max(...busy.map(({ ofProcess }) => ofProcess)),
    machineShare: Math.max(...busy.map(({ ofMachine }) => ofMachine)),
  };
}

/** Messages per second of one stage that has the machine for itself and its load clients. */
export function stageRate(
  { process, postgres, client, processShare, machineShare }: Fitted,
  processes: number,
): number {
  const own = at(process, processes);
  const all = own + at(postgres, processes) + at(client, processes);
  return Math.min((processes * processShare * MICROS) / own, (MEASURED_CORES * machineShare * MICROS) / all);
}

/** The error of a prediction: 0.1 is a tenth too high. */
export const errorOf = (predicted: number, { perSecond }: Observation): number => predicted / perSecond - 1;

/**
 * Leave-one-out errors: each measurement is predicted by a model fitted to the others. The first is never left out, because only a
 * single process shows how busy one can be.
 */
export const errorsLeftOut = (observed: readonly Observation[]): number[] =>
  observed.slice(1).map((left) => {
    const others = observed.filter((each) => each !== left);
    return errorOf(stageRate(fitStage(others), left.processes), left);
  });

/** An installation that accepts every message with its web processes and delivers it with its workers. */
export type Size = { cores: number; web: number; worker: number };

export type Wall = "web" | "worker" | "cores";

export type Prediction = { perSecond: number; wall: Wall };

/**
 * Messages per second, accepted and delivered, and the wall that bounds them. The load comes from other machines.
 * @param shares `as measured`: further processes share the callers of one account, at the measured cost. `alone`: each process
 * has its own callers and accounts, at the cost of a single process. Reality lies between the two, unless the database's disk or
 * the locks of single accounts are the limit.
 */
export function predict({ cores, web, worker }: Size, shares: "as measured" | "alone"): Prediction {
  const stages = { web: fitStage(OBSERVED.web), worker: fitStage(OBSERVED.worker) };
  const countOf = (processes: number) => (shares === "alone" ? 1 : processes);
  const own = { web: at(stages.web.process, countOf(web)), worker: at(stages.worker.process, countOf(worker)) };
  const postgres = at(stages.web.postgres, countOf(web)) + at(stages.worker.postgres, countOf(worker));
  const machineShare = Math.min(stages.web.machineShare, stages.worker.machineShare);
  const walls: Record<Wall, number> = {
    web: (web * stages.web.processShare * MICROS) / own.web,
    worker: (worker * stages.worker.processShare * MICROS) / own.worker,
    cores: (cores * machineShare * MICROS) / (own.web + own.worker + postgres),
  };
  const [wall, perSecond] = (Object.entries(walls) as [Wall, number][]).reduce((least, each) =>
    each[1] < least[1] ? each : least,
  );
  return { perSecond, wall };
}

/** The maximum number of database connections, as docs/scaling.md counts them. @param pool DATABASE_POOL_SIZE. */
export const connectionsOf = ({ web, worker }: Size, pool: number): number => web * (pool + 14) + worker * (pool + 17);
