/**
 * Searches for leaks: after each round of mixed work, once everything is delivered and quiet, it reads the heap that a full
 * collection leaves, and the open resources. A figure that grows from round to round is a leak.
 */
import { setTimeout as pause } from "node:timers/promises";
import { INSPECTED, type Kept, keptBy } from "./kit/heap";
import { doMixedWork, type WorkDone } from "./kit/mixed-work";
import { openReceiver, waitUntilSettled } from "./kit/receiver";
import { openService } from "./kit/service";
import { openPerson } from "./kit/session";
import type { Options, Outcome, Stage, Workload } from "./kit/workload";

const CONNECTIONS = 64;
const KEYS = 20;
const MIB = 1_048_576;
/** Keep-alive connections, leases and lists of recent things end within this time. */
const QUIET_MS = 20_000;

const mib = (bytes: number): string => (bytes / MIB).toFixed(1).padStart(9);

function print(rounds: Kept[][], work: WorkDone): string {
  const programs = [...new Set(rounds.flatMap((kept) => kept.map(({ program }) => program)))];
  const lines = programs.flatMap((program) => [
    `${program}: heap and buffers in MiB, open resources`,
    ...rounds.flatMap((kept, at) =>
      kept
        .filter((one) => one.program === program)
        .map(({ heapBytes, outsideBytes, resources }) => {
          const open = Object.entries(resources).map(([kind, count]) => `${count} ${kind}`);
          return `  ${String(at).padStart(3)}${mib(heapBytes)}${mib(outsideBytes)}   ${open.join(", ")}`;
        }),
    ),
  ]);
  const done = Object.entries(work).map(
    ([kind, statuses]) =>
      `  ${kind}: ${Object.entries(statuses)
        .map(([status, count]) => `${count} x ${status}`)
        .join(", ")}`,
  );
  return [...lines, "work of the last round", ...done, ""].join("\n");
}

async function run({ seconds, rounds }: Options, stage: Stage): Promise<Outcome> {
  const { database, web, customer, port, start } = await openService(stage, {
    connections: CONNECTIONS,
    environment: { ...INSPECTED, SIGN_UP_OPEN: "true", WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8" },
  });
  // Most keys are deleted: benchmarks give an account more keys than its limit, so it could not create any.
  const keys = customer.keys.slice(0, KEYS);
  await database.query("DELETE FROM api_keys WHERE NOT id = ANY($1::text[])", [keys.map(({ id }) => id)]);
  const worker = await start("worker");
  // Every tenth try is refused, so that some are tried again.
  const receiver = await openReceiver(stage, (nth) => (nth % 10 === 0 ? 503 : 200));
  const cookie = await openPerson(`http://127.0.0.1:${port}`);
  const kept: Kept[][] = [];
  let work: WorkDone = {};
  for (let round = 0; round <= rounds; round += 1) {
    stage.say(`Round ${round} of ${rounds}`);
    work = await doMixedWork({
      port,
      customer: { ...customer, keys },
      cookie,
      receiver,
      seconds,
      signal: stage.signal,
    });
    stage.signal.throwIfAborted();
    await waitUntilSettled(database, stage.signal);
    await pause(QUIET_MS, undefined, { signal: stage.signal });
    const now = await keptBy([await web.problems(), await worker.problems()]);
    kept.push(now);
    stage.say(
      now
        .map(({ program, heapBytes, outsideBytes }) => `${program}${mib(heapBytes)} +${mib(outsideBytes)}`)
        .join("   "),
    );
  }
  const ok = kept.every((processes) => processes.length === kept[0]?.length);
  return { ok, text: print(kept, work), figures: { workload: "soak", rounds: kept, work } };
}

export const soak: Workload = {
  summary: "what processes keep after rounds of mixed work: heap and open resources",
  run,
};
