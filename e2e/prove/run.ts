/** One proof from beginning to end. */
import { readDatabaseBook, readEndpoints } from "./books";
import { BALANCE_MICROS, PRICE_MICROS } from "./customers";
import type { Evidence } from "./evidence";
import { type Happened, sufferAll } from "./faults";
import type { Life } from "./fleet";
import { readHistory } from "./history";
import { type Load, startLoad } from "./load";
import { type FaultKind, planFaults } from "./plan";
import {
  ageUntilFinal,
  findFrozenQueues,
  heal,
  type Rest,
  readUnresolved,
  recoverEndpoints,
  waitUntilQuiet,
} from "./rest";
import type { Policy, World } from "./world";

export type RunOptions = {
  seed: number;
  policy: Policy;
  /** How long faults happen. */
  lengthMs: number;
  kinds: readonly FaultKind[];
  /** How long a provider has for its answer. */
  timeoutMs: number;
  /** Requests of customers per second. */
  rate: number;
};

/** What a run has shown. `rest`: how it came to rest after the faults. */
export type Outcome = {
  evidence: Evidence;
  happened: Happened[];
  lives: Life[];
  load: Load;
  rest: Rest;
  chaos: { fromMs: number; untilMs: number };
  problems: string[];
};

/** Lets everything happen in `world`, and gathers what the four books say. */
export async function perform(
  world: World,
  { seed, policy, lengthMs, kinds, timeoutMs, rate }: RunOptions,
  signal: AbortSignal,
  tell: (text: string) => void,
): Promise<Outcome> {
  const faults = planFaults(seed, lengthMs, kinds, timeoutMs);
  world.receivers.setManner("b-flaky", "flaky");
  const { customers, urls } = world;
  tell(`load       ${rate} requests a second by ${customers.length} customers`);
  const load = startLoad({ seed, customers, urls, rate });
  const fromMs = Date.now();
  const happened = await sufferAll(world, faults, signal, tell);
  signal.throwIfAborted();
  await heal(world);
  const untilMs = Date.now();
  tell("healed     the load goes on until every queue works");
  const frozen = await findFrozenQueues(world, signal);
  for (const { process, queue } of frozen) tell(`frozen     ${process}, ${queue}`);
  load.stop();
  await load.settled();
  tell("rest       the load is over; waiting until nothing moves");
  const rest = await waitUntilQuiet(world, timeoutMs + 2_000, signal);
  if (rest.tookMs === null) tell(`rest       it never came to rest: ${rest.left}`);
  const unresolved = await readUnresolved(world.database);
  const disabled = (await readEndpoints(world.database)).filter(({ isActive }) => !isActive);
  tell(`aging      ${unresolved.length} messages wait for a quarter of an hour to pass`);
  await recoverEndpoints(world);
  await ageUntilFinal(world, signal);
  await waitUntilQuiet(world, 1_500, signal);
  signal.throwIfAborted();
  const { outside, receivers, database } = world;
  return {
    evidence: {
      ...{ policy, openingMicros: BALANCE_MICROS, priceMicros: PRICE_MICROS, sends: load.sends },
      ...{ reading: load.readings(), requests: outside.requests, taken: outside.taken() },
      ...{ database: await readDatabaseBook(database), history: await readHistory(database) },
      ...{ received: receivers.received, answered: receivers.answered, unresolved, frozen },
      disabled: disabled.map(({ receiver }) => receiver),
    },
    ...{ happened, lives: world.fleet.lives, load, rest, chaos: { fromMs, untilMs }, problems: outside.problems },
  };
}
