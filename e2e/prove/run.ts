/** One proof from beginning to end. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { type Happened, sufferAll } from "./faults/faults";
import { type FaultKind, planFaults } from "./faults/plan";
import { readDatabaseBook, readDisabled } from "./judge/books";
import type { Evidence } from "./judge/evidence";
import { readHistory } from "./judge/history";
import { limitedBook } from "./load/limited-book";
import { type Load, startLoad } from "./load/load";
import { type Upgrade, unservedOf, upgrade } from "./upgrade";
import { BALANCE_MICROS, PACE, PRICES_MICROS, reprice } from "./world/customers";
import type { Life } from "./world/fleet";
import { BUSY_RECEIVER, LIMITED_RECEIVERS } from "./world/receiver-names";
import {
  ageUntilFinal,
  countStuckJobs,
  findFrozenQueues,
  heal,
  type Rest,
  readUnresolved,
  recoverEndpoints,
  waitUntilQuiet,
} from "./world/settle";
import { startSnapshots } from "./world/snapshots";
import type { Policy, World } from "./world/world";

/** In previous versions a STOP takes effect within this time. */
const HEEDED_BY_FORMER_MS = 5_000;

export type RunOptions = {
  seed: number;
  policy: Policy;
  /** Duration of the faults. */
  lengthMs: number;
  kinds: readonly FaultKind[];
  /** Provider timeout. */
  timeoutMs: number;
  /** Customers' requests per second. */
  rate: number;
  /** The version that is upgraded, instead of faults; see WorldOptions. */
  from: string | null;
};

/** The result of a run. `rest`: how the service came to rest after the faults. */
export type Outcome = {
  evidence: Evidence;
  happened: Happened[];
  /** Null: there were faults instead. */
  upgraded: Upgrade | null;
  lives: Life[];
  load: Load;
  rest: Rest;
  /** Milliseconds since the epoch. */
  times: { beganMs: number; healedMs: number; loadEndedMs: number; agedMs: number };
  /** How long the proof's own process was stalled. */
  stalls: { p99Ms: number; maxMs: number };
  problems: string[];
};

/** Runs load and faults in `world`, and collects the four books. */
export async function perform(
  world: World,
  { seed, policy, lengthMs, kinds, timeoutMs, rate, from }: RunOptions,
  signal: AbortSignal,
  tell: (text: string) => void,
): Promise<Outcome> {
  const faults = from === null ? planFaults(seed, lengthMs, kinds, timeoutMs) : [];
  world.receivers.setManner("b-flaky", "flaky");
  // Version 0.1.0 disables it.
  if (from === null) world.receivers.setManner(BUSY_RECEIVER, "busy");
  const { customers, limited, urls } = world;
  const count = customers.length + (limited ? LIMITED_RECEIVERS.length : 0);
  tell(`load       ${rate} requests a second by ${count} customers`);
  const load = startLoad({
    seed,
    customers,
    limited,
    urls,
    rate,
    passOn: world.passOn,
    receivers: world.receivers,
    reprice: () => reprice(world.database),
    // An upgrade keeps the promises of the version before it.
    permissions: from === null ? world : null,
    // Earlier versions process replies in a job.
    heededWithinMs: from === null ? 0 : HEEDED_BY_FORMER_MS,
  });
  const snapshots = limited && startSnapshots(world.database);
  const beganMs = Date.now();
  const delay = monitorEventLoopDelay();
  delay.enable();
  const upgraded = from === null ? null : await upgrade(world, load, lengthMs, signal, tell);
  const happened = await sufferAll({ world, load, timeoutMs }, faults, signal, tell);
  signal.throwIfAborted();
  await heal(world);
  const healedMs = Date.now();
  tell("healed     the load goes on until every queue works");
  const frozen = await findFrozenQueues(world, signal);
  for (const { process, queue } of frozen) tell(`frozen     ${process}, ${queue}`);
  load.stop();
  await load.settled();
  const loadEndedMs = Date.now();
  tell("rest       the load is over; waiting until no message moves");
  const rest = await waitUntilQuiet(world, timeoutMs + 2_000, signal);
  if (rest.tookMs === null) tell(`rest       it never came to rest: ${rest.left}`);
  const unresolved = await readUnresolved(world.database);
  const disabled = await readDisabled(world.database);
  tell(`aging      ${unresolved.length} messages wait for a quarter of an hour to pass`);
  const agedMs = Date.now();
  await recoverEndpoints(world);
  await ageUntilFinal(world, signal);
  await waitUntilQuiet(world, 1_500, signal);
  const stuckJobs = await countStuckJobs(world.database);
  signal.throwIfAborted();
  const { carriers, receivers, database } = world;
  const [ownCheck, auditCheck] = [await world.checkLedger(), await world.checkAudit()];
  const taken = await snapshots?.stop();
  return {
    evidence: {
      policy,
      openingMicros: BALANCE_MICROS,
      pricesMicros: PRICES_MICROS,
      sends: load.sends,
      cancellations: load.cancellations,
      paced: {
        senders: [...customers, ...world.spares].map(({ pacedSender }) => pacedSender),
        segmentsPerSecond: PACE,
      },
      replies: load.replies,
      redactions: load.redactions,
      bans: load.bans,
      keys: load.keys,
      quotas: load.quotas,
      rates: load.rates,
      endpoints: load.endpoints,
      reading: load.readings(),
      happened,
      requests: carriers.requests,
      taken: carriers.taken(),
      limited: limitedBook(world, load, taken ?? null, happened),
      database: await readDatabaseBook(database),
      history: await readHistory(database),
      received: receivers.received,
      answered: receivers.answered,
      unresolved,
      frozen,
      unserved: upgraded ? unservedOf(load) : [],
      stuckJobs,
      ownCheck,
      auditCheck,
      disabled: new Map([...disabled, ...(await readDisabled(database))]),
    },
    happened,
    upgraded,
    lives: world.fleet.lives,
    load,
    rest,
    times: { beganMs, healedMs, loadEndedMs, agedMs },
    stalls: { p99Ms: delay.percentile(99) / 1e6, maxMs: delay.max / 1e6 },
    problems: carriers.problems,
  };
}
