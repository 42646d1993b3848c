/** Injects the planned faults and reports each one. */

import type { Database } from "@/e2e/support/books";
import type { Load } from "../load/load";
import type { World } from "../world/world";
import { chanceOf } from "./chance";
import { crowdOut } from "./clients";
import type { Gate } from "./gate";
import type { Fault } from "./plan";

/** Targets of the faults. */
export type Scene = { world: World; load: Load; timeoutMs: number };

/** A fault that took place. `untilMs`: when it ended. Milliseconds since the epoch. */
export type Happened = { fault: Fault; atMs: number; untilMs: number; note: string };

/** Whether the database lost what it had not written to its disk. */
export const isCrash = ({ fault }: Happened): boolean =>
  fault.kind === "failover" || (fault.kind === "restart" && fault.mode === "immediate");

/** Statements, by their first words or by the names under which the service prepares them. */
const TAKEN_BACK = ["DELETE FROM message_attempts", "attempts.give_back"];
const MARKERS = { claim: "attempts.claim", outcome: "attempts.finish" } as const;
/** How long a cut waits for a matching statement. */
const CUT_WITHIN_MS = 3_000;
const GATHER_WITHIN_MS = 15_000;
/** Share of the time limit that a slow carrier uses; it still responds in time. */
const SLOW_SHARE = 0.6;
const BUSY_SHARE = 0.2;
const FAILED = "could not be done";
/** A fault that lasts that much longer than planned says so, again and again. */
const LATE_MS = 30_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** Sends enough messages that many are claimed but not begun. */
async function gather({ world: { database, carriers }, load, timeoutMs }: Scene, count: number): Promise<void> {
  if (count === 0) return;
  carriers.slowDown(timeoutMs * SLOW_SHARE);
  await Promise.race([load.crowd(count), pause(GATHER_WITHIN_MS)]);
  const enough = Math.ceil(count / 4);
  const countOpen = async () =>
    (await database.rows("SELECT 1 FROM message_attempts WHERE outcome IS NULL LIMIT $1", [enough])).length;
  for (const until = Date.now() + GATHER_WITHIN_MS; Date.now() < until && (await countOpen()) < enough; ) {
    await pause(20);
  }
}

/** Waits for a while until as many connections are cut. */
async function untilCut(gate: Gate, made: () => number, count: number): Promise<string> {
  for (const until = Date.now() + CUT_WITHIN_MS; made() < count && Date.now() < until; ) await pause(20);
  gate.heal();
  return `${made()} connections`;
}

const cutCommits = (gate: Gate, side: "before" | "after", count: number): Promise<string> =>
  untilCut(gate, gate.cutCommits(side, count), count);

/** Ends this share of the sessions. @returns how many. */
async function endSessions(database: Database, share: number): Promise<number> {
  const ended = await database.rows(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
       AND random() < $1`,
    [share],
  );
  return ended.length;
}

/** Injects the fault and ends it. @returns details for the report. */
async function perform(scene: Scene, fault: Fault): Promise<string> {
  const { world, timeoutMs } = scene;
  const { fleet, gates, carriers, receivers, database } = world;
  switch (fault.kind) {
    case "kill":
      await gather(scene, fault.crowd);
      await fleet.kill(fault.name);
      carriers.slowDown(null);
      await pause(fault.downMs);
      fleet.start(fault.name);
      return "started again";
    case "stop": {
      await gather(scene, fault.crowd);
      const startedAt = Date.now();
      // Slow carriers keep other workers busy while this one repeats a transaction whose reply was lost.
      if (fault.crowd > 0) carriers.slowDown(timeoutMs * BUSY_SHARE);
      const lost = fault.loses
        ? gates[fault.name].loseEverySecondCommit(
            chanceOf(fault.atMs),
            fault.loses === "taken back" ? TAKEN_BACK : null,
          )
        : () => 0;
      await fleet.stop(fault.name);
      gates[fault.name].heal();
      carriers.slowDown(null);
      const took = seconds(Date.now() - startedAt);
      await pause(fault.downMs);
      fleet.start(fault.name);
      return `took ${took}, ${lost()} commits unheard`;
    }
    case "freeze":
      await fleet.freeze(fault.name, fault.forMs);
      return "goes on";
    case "restart":
      await world.restart(fault.mode, fault.downMs);
      return "answers again";
    case "failover":
      return `takes writes after ${seconds(await world.failOver(fault.aheadMs))}`;
    case "pooler": {
      if (!world.pooler) throw new Error("There is no pooler.");
      if (fault.what === "kill") await world.pooler.restart(fault.forMs);
      else if (fault.what === "pause") await world.pooler.pause(fault.forMs);
      else return cutCommits(world.behindPooler, fault.what, fault.count);
      return "goes on";
    }
    case "terminate":
      return `${await endSessions(database, fault.share)} backends`;
    case "clients": {
      const crowd = crowdOut(world.server.url("postgres"), fault.forMs);
      await endSessions(database, 1);
      return `${await crowd} connections`;
    }
    case "cut": {
      const gate = gates[fault.name];
      if (fault.what === "all") return `${gate.hangUp()} connections`;
      if (fault.what !== "claim" && fault.what !== "outcome") return cutCommits(gate, fault.what, fault.count);
      return untilCut(gate, gate.loseResponsesTo(MARKERS[fault.what], fault.count), fault.count);
    }
    case "partition": {
      const gate = gates[fault.name];
      gate.partition(fault.direction);
      await pause(fault.forMs);
      return `${gate.rejoin(fault.ending)} connections`;
    }
    case "carrier":
      carriers.setMode(fault.carrier, fault.behavior);
      await pause(fault.forMs);
      carriers.setMode(fault.carrier, null);
      return "is over";
    case "receiver":
      receivers.setManner(fault.receiver, fault.manner);
      await pause(fault.forMs);
      receivers.setManner(fault.receiver, "ok");
      return "is over";
  }
}

const crowdOf = ({ crowd }: { crowd: number }): string => (crowd > 0 ? ` in a crowd of ${crowd}` : "");

/** A fault in a few words: kind and target. */
function wordsFor(fault: Fault): string {
  switch (fault.kind) {
    case "kill":
      return `${fault.name}${crowdOf(fault)}, back after ${seconds(fault.downMs)}`;
    case "stop":
      return `${fault.name}${crowdOf(fault)}${fault.loses ? `, answers to its commits lost (${fault.loses})` : ""}, back after ${seconds(fault.downMs)}`;
    case "freeze":
      return `${fault.name} for ${seconds(fault.forMs)}`;
    case "restart":
      return `PostgreSQL, ${fault.mode}, away ${seconds(fault.downMs)}`;
    case "failover":
      return `PostgreSQL's machine is lost, its standby promoted after ${seconds(fault.aheadMs)}`;
    case "pooler":
      return fault.what === "kill" || fault.what === "pause"
        ? `PgBouncer, ${fault.what}, for ${seconds(fault.forMs)}`
        : `PgBouncer, cut ${fault.what}, ${fault.count} times`;
    case "terminate":
      return `${Math.round(fault.share * 100)} % of the backends`;
    case "clients":
      return `others take all free connections for ${seconds(fault.forMs)}`;
    case "cut":
      return `${fault.name}, ${fault.what}${fault.what === "all" ? "" : `, ${fault.count} times`}`;
    case "partition":
      return `${fault.name}, ${fault.direction}, for ${seconds(fault.forMs)}, then ${fault.ending}`;
    case "carrier":
      return `${fault.carrier}, ${fault.behavior.kind}, for ${seconds(fault.forMs)}`;
    case "receiver":
      return `${fault.receiver}, ${fault.manner}, for ${seconds(fault.forMs)}`;
  }
}

const plannedMs = (fault: Fault): number => ("forMs" in fault ? fault.forMs : "downMs" in fault ? fault.downMs : 0);

/** Targets that can have only one fault at a time. */
function placeOf(fault: Fault): string {
  switch (fault.kind) {
    case "restart":
    case "failover":
    case "terminate":
    case "pooler":
    case "clients":
      return "database";
    case "carrier":
      return fault.carrier;
    case "receiver":
      return fault.receiver;
    default:
      return fault.name;
  }
}

/**
 * Injects all planned faults at their times, except faults whose target still suffers from another fault.
 * Resolves when the last has ended.
 */
export async function sufferAll(
  scene: Scene,
  faults: readonly Fault[],
  signal: AbortSignal,
  tell: (text: string) => void,
): Promise<Happened[]> {
  const startedAt = Date.now();
  const happened: Happened[] = [];
  const busy = new Set<string>();
  const underWay = new Set<Promise<void>>();
  for (const fault of faults) {
    await pause(Math.max(0, startedAt + fault.atMs - Date.now()));
    if (signal.aborted) break;
    const place = placeOf(fault);
    if (busy.has(place)) continue;
    busy.add(place);
    const atMs = Date.now();
    const words = wordsFor(fault);
    tell(`${fault.kind.padEnd(10)} ${words}`);
    const reminder = setInterval(() => {
      tell(`${fault.kind.padEnd(10)} ${words}: has not ended after ${seconds(Date.now() - atMs)}`);
    }, plannedMs(fault) + LATE_MS);
    const ending: Promise<void> = perform(scene, fault)
      .catch((thrown: unknown) => `${FAILED}: ${thrown}`)
      .then((note) => {
        clearInterval(reminder);
        busy.delete(place);
        underWay.delete(ending);
        happened.push({ fault, atMs, untilMs: Date.now(), note });
        if (note.startsWith(FAILED)) tell(`${fault.kind.padEnd(10)} ${note}`);
      });
    underWay.add(ending);
  }
  await Promise.all(underWay);
  return happened;
}
