/** The timetable of faults, derived only from a seed. */
import type { Behavior } from "@/test/carriers/carrier";
import { CARRIERS, type ProvenCarrier } from "../world/carriers";
import type { ProcessName } from "../world/fleet";
import { WEAK_RECEIVERS } from "../world/receiver-names";
import type { Manner } from "../world/receivers";
import type { StopMode } from "../world/server";
import { between, type Chance, chanceOf, oneOf, weighed } from "./chance";
import type { Direction, Ending } from "./gate";

/**
 * Times are milliseconds from the start of the load. `crowd`: messages sent just before the fault while carriers are slow, so
 * that many are claimed and few are under way.
 */
export type Fault = { atMs: number } & (
  | { kind: "kill"; name: ProcessName; downMs: number; crowd: number }
  | { kind: "stop"; name: ProcessName; downMs: number; crowd: number; loses: Lost }
  | { kind: "freeze"; name: ProcessName; forMs: number }
  | { kind: "restart"; mode: StopMode; downMs: number }
  | { kind: "failover"; aheadMs: number }
  | { kind: "pooler"; what: PoolerFault; forMs: number; count: number }
  | { kind: "terminate"; share: number }
  | { kind: "clients"; forMs: number }
  | { kind: "cut"; name: ProcessName; what: Cut; count: number }
  | { kind: "partition"; name: ProcessName; direction: Direction; forMs: number; ending: Ending }
  | { kind: "carrier"; carrier: ProvenCarrier; behavior: Behavior; forMs: number }
  | { kind: "receiver"; receiver: string; manner: Manner; forMs: number }
);

/** Transactions of a stopping process that lose about half of their COMMIT replies: all, or those giving back claims. */
type Lost = "all" | "taken back" | null;

/** kill: it is started again. pause: statements wait. before, after: its connections to the database are cut at COMMIT. */
type PoolerFault = "kill" | "pause" | "before" | "after";

/** before, after: at COMMIT. claim, outcome: the reply to that statement is lost. all: every connection. */
type Cut = "before" | "after" | "claim" | "outcome" | "all";

/**
 * partition: the network between a process and the database goes silent. failover: the database's machine is lost, and its standby
 * promoted. pooler: a fault of PgBouncer, which is then in front of the database. clients: all sessions end, and other clients take
 * the free connections.
 */
export const FAULT_KINDS = [
  "kill",
  "stop",
  "freeze",
  "restart",
  "terminate",
  "cut",
  "partition",
  "carrier",
  "receiver",
  "failover",
  "pooler",
  "clients",
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Time for the service before the first fault. */
const FIRST_AT_MS = 3_000;
const WEIGHTS: Readonly<Record<FaultKind, number>> = {
  kill: 18,
  stop: 12,
  freeze: 12,
  restart: 8,
  failover: 10,
  pooler: 24,
  terminate: 10,
  clients: 6,
  cut: 22,
  partition: 10,
  carrier: 10,
  receiver: 8,
};
const PAUSE_MS = { least: 1_000, most: 4_000 };
/** Effects of a restart or failover need time to show before the next one hides them. */
const RESTARTS_APART_MS = 12_000;
const isRestart = (kind: FaultKind): boolean => kind === "restart" || kind === "failover";
/** Replacing a process hides a frozen one. */
const REPLACED = ["kill", "stop"] as const satisfies readonly FaultKind[];

/** Longer than a process waits for a statement (`query_timeout` of server/core/db.ts). */
const GIVEN_UP_MS = [31_000, 40_000] as const;

const WORKERS = ["worker-1", "worker-2"] as const;
const WEBS = ["web-1", "web-2"] as const;

const anyProcess = (chance: Chance): ProcessName => oneOf(chance, chance() < 0.65 ? WORKERS : WEBS);
const downMs = (chance: Chance): number =>
  chance() < 0.3 ? between(chance, 5_000, 10_000) : between(chance, 200, 2_000);

const crowdOf = (chance: Chance): number => (chance() < 0.5 ? between(chance, 300, 600) : 0);

function faultAt(chance: Chance, kind: FaultKind, atMs: number, timeoutMs: number): Fault {
  switch (kind) {
    case "kill":
      return { kind, atMs, name: anyProcess(chance), downMs: downMs(chance), crowd: crowdOf(chance) };
    case "stop":
      return {
        kind,
        atMs,
        name: anyProcess(chance),
        downMs: downMs(chance),
        crowd: crowdOf(chance),
        loses: oneOf<Lost>(chance, [null, "all", "taken back"]),
      };
    case "freeze":
      return { kind, atMs, name: anyProcess(chance), forMs: between(chance, 1_000, chance() < 0.3 ? 20_000 : 6_000) };
    case "restart":
      return { kind, atMs, mode: oneOf(chance, ["fast", "immediate"]), downMs: between(chance, 0, 2_500) };
    case "failover":
      return { kind, atMs, aheadMs: chance() < 0.5 ? 0 : between(chance, 200, 2_500) };
    case "pooler": {
      const what = oneOf<PoolerFault>(chance, ["kill", "pause", "before", "after"]);
      return {
        kind,
        atMs,
        what,
        forMs: between(chance, 0, what === "pause" ? 4_000 : 2_000),
        count: between(chance, 1, 6),
      };
    }
    case "terminate":
      return { kind, atMs, share: oneOf(chance, [0.2, 0.5, 1]) };
    case "clients":
      return { kind, atMs, forMs: between(chance, 2_000, 12_000) };
    case "cut": {
      const what = oneOf<Cut>(chance, ["before", "after", "after", "claim", "outcome", "all"]);
      const name = what === "claim" || what === "outcome" ? oneOf(chance, WORKERS) : anyProcess(chance);
      return { kind, atMs, name, what, count: between(chance, 1, 6) };
    }
    case "partition":
      return {
        kind,
        atMs,
        name: anyProcess(chance),
        direction: oneOf<Direction>(chance, ["requests", "responses", "both"]),
        forMs: chance() < 0.3 ? between(chance, ...GIVEN_UP_MS) : between(chance, 1_000, 10_000),
        ending: oneOf<Ending>(chance, ["delivered", "lost", "forgotten"]),
      };
    case "carrier": {
      const behavior = weighed<Behavior>(chance, [
        [2, { kind: "hang" }],
        [1, { kind: "hang-unread" }],
        [2, { kind: "reset" }],
        [1, { kind: "reset-unread" }],
        [2, { kind: "slow", ms: between(chance, timeoutMs / 2, timeoutMs * 2) }],
        [1, { kind: "refuse" }],
        [2, { kind: "unavailable" }],
        [2, { kind: "throttle" }],
      ]);
      return { kind, atMs, carrier: oneOf(chance, CARRIERS), behavior, forMs: between(chance, 1_000, 6_000) };
    }
    case "receiver": {
      const manner = oneOf<Manner>(chance, ["fail", "hang", "redirect", "reset"]);
      return { kind, atMs, receiver: oneOf(chance, WEAK_RECEIVERS), manner, forMs: between(chance, 1_000, 12_000) };
    }
  }
}

/**
 * Plans the faults of `lengthMs`.
 * @param kinds the possible kinds; the ones in {@link REPLACED} happen only in the second half, unless there are no others.
 */
export function planFaults(seed: number, lengthMs: number, kinds: readonly FaultKind[], timeoutMs: number): Fault[] {
  const chance = chanceOf(`${seed} faults`);
  const gentle = kinds.filter((kind) => !REPLACED.some((replaced) => replaced === kind));
  const faults: Fault[] = [];
  let restartedAtMs = Number.NEGATIVE_INFINITY;
  for (let atMs = FIRST_AT_MS; atMs < lengthMs; atMs += between(chance, PAUSE_MS.least, PAUSE_MS.most)) {
    const may = gentle.length > 0 && atMs < lengthMs / 2 ? gentle : kinds;
    const rested = may.filter((kind) => !isRestart(kind) || atMs - restartedAtMs >= RESTARTS_APART_MS);
    if (rested.length === 0) continue;
    const kind = weighed(
      chance,
      rested.map((each) => [WEIGHTS[each], each] as const),
    );
    if (isRestart(kind)) restartedAtMs = atMs;
    faults.push(faultAt(chance, kind, atMs, timeoutMs));
  }
  return faults;
}
